# Fetches 90 days of orders from an API that gives 30 days at a time, and then what is new.

day() { date -ud "$1 days ago" +%F; }
list api.example.com/v1/orders "[range(0; 120) | {id: (1000 - .), at: (now - . * 86400 | todate), total: \"\\(.).50\"}] | reverse"

ann <<'END'
cat >feedsync.yaml <<'YAML'
feeds:
  orders:
    url: https://api.example.com/v1/orders
    items: orders
    key: id
    columns: {id: id, at: at}
    pagination: none                           # or how a window's pages follow one another
    sync:
      mode: since
      param: from                              # the parameter for the beginning of a window
      until: to                                # and the one for its end
      widest: 30d                              # the longest window that the upstream takes
      format: "%Y-%m-%d"                       # how times go out
      start: 90d                               # where the first sync begins: a day, a time or a distance from now
      from: at                                 # where an item has its time
YAML
feedsync sync orders --quiet
feedsync sql "SELECT count(*) AS orders FROM orders"
END
documented recipes/windows.md "$(sed '1d;$d' <<<"${typed[1]}")"
documented recipes/windows.md "${typed[2]}"
documented recipes/windows.md "${typed[3]}"
is "orders of today and the 90 days before" $'orders\n91' "${output[3]}"
is "requests that were refused" 0 "$(requests 400)"
is "the oldest order" "$(day 90)" "$(rows 'SELECT date(min(at)) FROM orders')"

# One order more: one request, and not 90 days again.
list api.example.com/v1/orders '. + [{id: 1001, at: (now | todate), total: "1.50"}]'
forget_requests
ann <<'END'
feedsync sync orders --quiet
feedsync sql "SELECT pages, complete FROM run ORDER BY id DESC LIMIT 1"
END
documented recipes/windows.md "${typed[5]}"
is "the last run" $'pages\tcomplete\n1\t1' "${output[5]}"
is "requests for one order more" 1 "$(requests)"
is "orders" "92|1001" "$(rows 'SELECT count(*), max(id) FROM orders')"
