# Finds out what changed yesterday.

things() { echo "[range($1; $2) | {id: ., name: \"thing \\(.)\", price: (. * 10)}]"; }
list api.example.com/things "$(things 1 41)"
noon=$(($(date +%s) - $(date -ud 'yesterday 12:00' +%s)))
ago $((noon + 86400)) feedsync add things https://api.example.com/things --quiet
ago $((noon + 86400)) feedsync sync --quiet
# Yesterday at noon one came, one went, and one changed; today another came.
list api.example.com/things "map(select(.id != 7) | if .id == 9 then .price = 95 else . end) + $(things 41 42)"
ago $noon feedsync sync --quiet
list api.example.com/things ". + $(things 42 43)"
as_ann feedsync sync --quiet

ann <<'END'
feedsync changes --since yesterday
feedsync changes --since yesterday --json | jq -r 'select(.kind == "changed") | "\(.key): \(.before.price) → \(.after.price)"'
feedsync sql "SELECT kind, count(*) AS n FROM change WHERE date(at) = date('now', '-1 day') GROUP BY kind ORDER BY kind"
feedsync show things --since yesterday --columns id,name
END
for n in 1 2; do documented changes.md "${typed[n]}"; done
documented changes.md "$(grep -o "SELECT [^\"]*" <<<"${typed[3]}")"
is "what changed since yesterday" $'changed\t9\nnew\t41\nnew\t42\nremoved\t7' \
    "$(tail -n +2 <<<"${output[1]}" | cut -f 4,5 | sort)"
has "the old and the new price" $'changed\t9\tthing 9\t{"price":90}\t{"price":95}$' "${output[1]}"
is "the changed price" "9: 90 → 95" "${output[2]}"
is "what changed yesterday" $'kind\tn\nchanged\t1\nnew\t1\nremoved\t1' "${output[3]}"
is "what is new or changed since yesterday" $'id\tname\n9\tthing 9\n41\tthing 41\n42\tthing 42' "${output[4]}"
