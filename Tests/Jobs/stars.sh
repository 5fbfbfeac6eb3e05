# Mirrors the repositories that somebody has starred, every night, and mails what is new.

stars() { # FIRST LAST: stars by GitHub's shape, newest first
    echo "[range($2; $1 - 1; -1) | {starred_at: (1700000000 + . * 3600 | todate), repo: {
        id: (1000 + .), name: \"repo-\\(.)\", full_name: \"octo/repo-\\(.)\", owner: {login: \"octo\", avatar_url: null},
        description: \"Number \\(.)\", language: \"Swift\", html_url: \"https://github.com/octo/repo-\\(.)\",
        stargazers_count: ., forks_count: 0, open_issues_count: 0, topics: [],
        created_at: \"2020-01-01T00:00:00Z\", updated_at: \"2020-01-01T00:00:00Z\", pushed_at: \"2020-01-01T00:00:00Z\"}}]"
}
list api.github.com/users/octocat/starred "$(stars 1 250)"

ann <<'END'
mkdir feeds && cd feeds
feedsync add stars github.starred user=octocat
feedsync sync
feedsync changes --ack mail >/dev/null
(crontab -l; echo '0 3 * * * cd "$HOME/feeds" && /usr/bin/feedsync sync --quiet; /usr/bin/feedsync changes --ack mail --quiet | cut -f 2,4,6,7') | crontab -
END
home=/home/ann/feeds
documented changes.md "$(grep -o "0 3 .*6,7" <<<"${typed[5]}")"
is "stars" 250 "$(rows 'SELECT count(*) FROM stars')"
is "pages of the first sync" 3 "$(rows 'SELECT pages FROM run')"

# cron mails what is printed, with this.
cat >/usr/sbin/sendmail <<'END'
#!/bin/sh
cat >>/var/mail/ann
END
chmod +x /usr/sbin/sendmail
night() { # starts cron two seconds before three, by its clock
    local n
    forget_requests
    install -o ann -m 600 /dev/null /var/mail/ann
    rm -f /run/crond.pid /dev/shm/*
    FAKETIME='@2026-11-23 02:59:58' LD_PRELOAD=/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1 cron -f &
    # What cron starts as Ann shares its clock.
    for ((n = 0; n < 100; n++)); do ! chmod 666 /dev/shm/* 2>/dev/null || break; sleep 0.1; done
    for ((n = 0; n < 100; n++)); do ! grep -q . "$site/requests" || break; sleep 0.1; done
    # The process that runs the line sends the mail after it.
    while pgrep feedsync >/dev/null; do sleep 0.1; done
    kill $!
    while pgrep -i '^cron$' >/dev/null; do sleep 0.1; done
    mail=$(sed '1,/^$/d' /var/mail/ann)
}
night
is "requests of a night without news" 3 "$(requests)"
is "the mail of a night without news" "" "$mail"

# Two stars more, one less, and a repository that changed.
list api.github.com/users/octocat/starred "$(stars 251 252) + map(select(.repo.id != 1100)
    | if .repo.id == 1200 then .repo.description = \"Renamed\" else . end)"
night
has "the mail" $'new\tocto/repo-252\t$' "$mail"
has "the mail" $'new\tocto/repo-251\t$' "$mail"
has "the mail" $'removed\tocto/repo-100\t' "$mail"
has "the mail" $'changed\tocto/repo-200\t{"description":"Number 200"}$' "$mail"
is "lines of the mail, names first" 5 "$(wc -l <<<"$mail")"

# A night on which GitHub refuses: one line, and nothing is lost.
list api.github.com/users/octocat/starred "$(stars 253 253) + ."
printf '401\n{"message": "Bad credentials"}' >"$site/api.github.com/.broken"
night
has "the mail of a failure" '^feedsync: stars.*401.*Bad credentials' "$mail"
is "lines of the mail of a failure" 1 "$(wc -l <<<"$mail")"
rm "$site/api.github.com/.broken"
night
has "the mail after a failure" $'new\tocto/repo-253\t$' "$mail"
is "lines of the mail after a failure" 2 "$(wc -l <<<"$mail")"
is "stars that are there, and stars that were" "252|1" "$(rows 'SELECT sum(_removed_at IS NULL), sum(_removed_at IS NOT NULL) FROM stars')"
