# Keeps a table that is published as CSV, whose lines have no id, and in which a line is corrected.

mkdir -p "$site/example.org"
rates() { # DAY EUR-RATE: the table up to that day of November
    local day
    echo 'currency;date;rate;source'
    for ((day = 1; day <= $1; day++)); do
        printf 'CHF;2026-11-%02d;0.9%d;SNB\nEUR;2026-11-%02d;%s;ECB\n' $day $((day % 7)) $day "$2"
    done
}
rates 9 1.05 >"$site/example.org/rates.csv"

ann <<'END'
feedsync add rates https://example.org/rates.csv
feedsync edit rates 'columns={currency: currency, date: date, rate: {path: rate, type: real}}'
feedsync sync
END
documented formats.md "${typed[1]}"
documented formats.md "${typed[2]}"
has "the key, of which no line has another's" 'key +(currency, date|date, currency|\[)' "${output[1]}"
is "lines" 18 "$(rows 'SELECT count(*) FROM rates')"
is "a rate, and what it is" "1.05|real" "$(rows "SELECT rate, typeof(rate) FROM rates WHERE currency = 'EUR' AND date = '2026-11-03'")"

# The next day has two lines more, and one of before is another.
rates 10 1.05 | sed 's/EUR;2026-11-03;1.05/EUR;2026-11-03;1.06/' >"$site/example.org/rates.csv"
ann <<'END'
feedsync sync
feedsync changes --since last --json | jq -r 'select(.kind == "changed") | "\(.title): \(.before.rate) → \(.after.rate)"'
END
has "the second sync" '2 new, 1 changed' "${output[4]}"
has "the correction" ': 1.05 → 1.06$' "${output[5]}"
is "lines of both days" 20 "$(rows 'SELECT count(*) FROM rates WHERE _removed_at IS NULL')"
