#!/usr/bin/env bash
# curl, jq and sqlite3, one of each for all pages: the quickest of what can be written on a command line. Nothing is stored
# until all of it is there.
#
#     shell.sh repositories|anchors URL PAGES STORE
set -euo pipefail
kind=$1 url=$2 pages=$3 store=$4

if [ "$kind" = repositories ]; then
    key=id
    columns="name, full_name, owner_login, avatar_url, html_url, description, created_at, updated_at, stars INTEGER, language, forks INTEGER"
    values="id, name, full_name, owner_login, avatar_url, html_url, nullif(description, ''), created_at, updated_at, stars, nullif(language, ''), forks"
    filter='[.id, .name, .full_name, .owner.login, .owner.avatar_url, .html_url, .description, .created_at, .updated_at,
        .stargazers_count, .language, .forks_count]'
else
    key=roomId
    columns="name, pic51, pic74, live INTEGER, push INTEGER, focus INTEGER"
    values="roomId, name, pic51, pic74, live, push, focus"
    filter='[.roomId, .name, .pic51, .pic74, .live, .push, .focus]'
fi
names=${columns// INTEGER/}
updates=$(tr ',' '\n' <<<"$names" | sed -E 's/ *(\w+)/\1 = excluded.\1/' | paste -sd, -)

curl -sf "$url?page=[1-$pages]" | jq -r ".items[] | $filter | @csv" | sqlite3 "$store" \
    "PRAGMA journal_mode = WAL" \
    "PRAGMA synchronous = NORMAL" \
    "CREATE TABLE IF NOT EXISTS item ($key INTEGER PRIMARY KEY, $columns)" \
    "CREATE TEMP TABLE staged ($key, $names)" \
    ".import --csv --schema temp /dev/stdin staged" \
    "INSERT INTO item SELECT $values FROM staged WHERE true ON CONFLICT ($key) DO UPDATE SET $updates"
