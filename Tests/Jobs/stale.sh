# Finds out why a feed is stale: a token that is no longer good, and a host whose lists nobody has synced for two days.

list gitlab.example.com/api/v4/projects.json '[range(1; 31) | {id: ., path_with_namespace: "team/app-\(.)", last_activity_at: "2026-01-01T00:00:00.000Z"}]'
echo good-token >"$site/gitlab.example.com/.token"
list api.example.com/things '[range(1; 31) | {id: ., name: "thing \(.)"}]'
as_ann sh -c 'cat >feedsync.yaml && echo good-token >token && chmod 600 token' <<'END'
defaults: {every: 1h}
feeds:
  projects:
    preset: gitlab.projects
    with: {host: gitlab.example.com}
    auth: {header: {PRIVATE-TOKEN: "${file:token}"}}
    ca: /tls/company.crt
  things: {url: https://api.example.com/things}
END
ago $((2 * 86400)) feedsync sync --quiet || fail "the sync two days ago failed"
# A day ago cron ran for the last time, and the token was no longer good.
echo new-token >"$site/gitlab.example.com/.token"
ago 86400 feedsync sync projects --quiet 2>/dev/null

ann <<'END'
feedsync status
feedsync explain projects --response
feedsync doctor
END
ends 3 1
documented stale.md "feedsync status"
documented stale.md "feedsync doctor"
has "the state of the projects" $'^projects\t.*\tfailing\t.*401' "${output[1]}"
has "the state of the things" $'^things\t.*\tstale\t' "${output[1]}"
has "the response" '401' "${output[2]}"
has "the body of the response" '401 Unauthorized' "${output[2]}"
has "doctor about the projects" 'projects.*401' "${output[3]}"
has "doctor about cron" 'schedule' "${output[3]}"
has "doctor about cron" 'cron' "${output[3]}"
lacks "the token in what is printed" 'good-token' "${output[*]}${errors[*]}"

ann <<'END'
echo new-token >token
feedsync sync
END
for feed in projects things; do has "the sync of $feed" "^$feed .*fresh" "${output[5]}"; done
as_ann feedsync status --fail >/dev/null || fail "not all is well after the sync"
