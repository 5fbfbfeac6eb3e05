# Tells a channel of Slack what is new, once, also after Slack was down.

list api.example.com/stars '[range(1; 31) | {id: ., title: "repo \(.)", html_url: "https://example.com/\(.)"}]'

ann <<'END'
feedsync add stars https://api.example.com/stars
cat >>feedsync.yaml <<'YAML'
    on_change:
      webhook: "https://hooks.slack.com/services/T000/B000/XXXX"
      body: {text: "{message:html}"}
YAML
export FEEDSYNC_CONFIG=$PWD/feedsync.yaml
feedsync sync
END
documented changes.md "$(sed '1d;$d;s/^    //' <<<"${typed[2]}")"
posted=$site/hooks.slack.com/.posted
mkdir -p "$site/hooks.slack.com"
is "messages about what was there already" "" "$(cat "$posted" 2>/dev/null)"

told() { FEEDSYNC_CONFIG=/home/ann/feedsync.yaml as_ann feedsync "$@"; }
list api.example.com/stars '. + [{id: 31, title: "one & all", html_url: "https://example.com/31"}]'
told sync --quiet || fail "the sync with news failed"
is "the message" 'stars: new one &amp; all https://example.com/31' "$(jq -r .text "$posted")"

# Slack is down: the rows are stored, the state says it, and the message comes later.
list api.example.com/stars '. + [{id: 32, title: "later", html_url: "https://example.com/32"}]'
printf '503\n{"message": "down"}' >"$site/hooks.slack.com/.broken"
told sync --quiet >/srv/down 2>&1
is "the exit code while Slack is down" 69 $?
is "stars that are stored" 32 "$(rows 'SELECT count(*) FROM stars')"
if told status --fail >/srv/state; then fail "the state is well while Slack is down"; fi
has "the state" 'on_change failed' "$(cat /srv/state)"
rm "$site/hooks.slack.com/.broken"
ann <<'END'
FEEDSYNC_CONFIG=feedsync.yaml feedsync sync
END
is "messages" $'stars: new one &amp; all https://example.com/31\nstars: new later https://example.com/32' "$(jq -r .text "$posted")"
told status --fail >/dev/null || fail "the state is not well after it"
