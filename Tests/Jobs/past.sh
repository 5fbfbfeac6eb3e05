# Looks at a list as it was two days ago, at the history of an item, and gives up what is long gone.

list api.example.com/stars '[range(1; 41) | {id: ., name: "repo \(.)", stars: 5}]'
ago $((50 * 86400)) feedsync add stars https://api.example.com/stars --quiet
ago $((50 * 86400)) feedsync sync --quiet
echo "keep: 20d" >>/home/ann/feedsync.yaml
list api.example.com/stars 'map(select(.id != 7))'
ago $((40 * 86400)) feedsync sync --quiet
list api.example.com/stars 'map(if .id == 9 then .stars = 99 else . end) + [{id: 41, name: "repo 41", stars: 1}]'
ago 86400 feedsync sync --quiet

ann <<'END'
feedsync show stars --at 2d --csv
feedsync changes stars --key 9
feedsync prune --dry-run
feedsync prune
END
documented changes.md "$(cut -d' ' -f 1-5 <<<"${typed[1]}")"
documented store.md 'prune --dry-run'
documented store.md "${typed[4]}"
is "items of then" 39 "$(tail -n +2 <<<"${output[1]}" | wc -l)"
has "an item as it was" '^9,repo 9,5(,|$)' "${output[1]}"
has "the item's history" $'changed\t9\trepo 9\t{"stars":5}\t{"stars":99}$' "${output[2]}"
has "what would go" '\b1\b' "${output[3]}"
is "items, with what is gone" 40 "$(rows 'SELECT count(*) FROM stars')"
is "the item that was gone for longer than 20 days" 0 "$(rows 'SELECT count(*) FROM stars WHERE id = 7')"
