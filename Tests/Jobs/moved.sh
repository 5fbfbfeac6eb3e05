# Follows a list to its new address: the rows and their history stay, and nothing is there twice.

list api.example.com/stars '[range(1; 41) | {id: ., name: "repo \(.)"}]'
as_ann feedsync add stars https://api.example.com/stars --quiet
as_ann feedsync sync --quiet
seen=$(rows 'SELECT group_concat(id || _first_seen_at) FROM stars')
mkdir "$site/api.example.com/v2"
mv "$site/api.example.com/stars" "$site/api.example.com/v2/"
list api.example.com/v2/stars '. + [{id: 41, name: "repo 41"}]'

ann <<'END'
feedsync sync
feedsync edit stars every=1h url=https://api.example.com/v2/stars
feedsync sync
feedsync changes --since last
END
ends 1 69
documented command-line.md "${typed[2]}"
documented changes.md "${typed[4]}"
has "the failure" '404' "${errors[1]}"
has "the sync of the new address" '1 new' "${output[3]}"
is "stars" "41|41" "$(rows 'SELECT count(*), sum(_removed_at IS NULL) FROM stars')"
is "when the others were first seen" "$seen" "$(rows 'SELECT group_concat(id || _first_seen_at) FROM stars WHERE id < 41')"
is "what changed" $'new\t41' "$(tail -n +2 <<<"${output[4]}" | cut -f 4,5)"
has "the configuration" '^    every: 1h' "$(cat /home/ann/feedsync.yaml)"
