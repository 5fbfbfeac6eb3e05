# Finds out that an API has changed: a member has another name, and another came.

list api.example.com/stars '[range(1; 41) | {id: ., name: "repo \(.)", watchers: ., score: .}]'
as_ann feedsync add stars https://api.example.com/stars --quiet
as_ann feedsync sync --quiet
list api.example.com/stars 'map({id, name, followers: .watchers, score: "\(.score) points"})'

ann <<'END'
feedsync sync
feedsync changes --schema
feedsync show stars --limit 1 --columns id,watchers,followers,score
END
documented changes.md "${typed[2]}"
has "what the sync says of it" 'watchers' "${output[1]}${errors[1]}"
has "the member that is gone" $'\tgone\twatchers' "${output[2]}"
has "the member that is new" $'\tnew\tfollowers' "${output[2]}"
has "the member that is of another type" $'score\tinteger\ttext' "${output[2]}"
is "an item" $'id\twatchers\tfollowers\tscore\n1\t\t1\t1 points' "${output[3]}"

# It is told once.
as_ann feedsync sync >/srv/again 2>&1
lacks "the sync after it" watchers "$(cat /srv/again)"
