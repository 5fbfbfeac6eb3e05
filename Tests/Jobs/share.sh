# Shares a mirror with a colleague, who looks at it in Datasette while it is kept up to date.

groupadd staff 2>/dev/null
usermod -a -G staff ann
usermod -a -G staff bob
install -d -o ann -g ann -m 700 /srv/feeds
list api.example.com/things '[range(1; 301) | {id: ., name: "thing \(.)"}]'
home=/srv/feeds
as_ann feedsync add things https://api.example.com/things --quiet
as_ann feedsync sync --quiet

ann <<'END'
cd /srv/feeds
chgrp staff . feedsync.db && chmod g+rx . && chmod g+r feedsync.db
feedsync sync
END

bob <<'END'
datasette serve /srv/feeds/feedsync.db --port 8001 >datasette.log 2>&1 &
feedsync show things --store /srv/feeds/feedsync.db --limit 2
END
documented share.md "${typed[2]}"
documented share.md "$(grep -o "datasette serve [^ ]*" <<<"${typed[4]}")"
documented share.md "${typed[5]% --limit*}"
is "what the colleague sees" $'id\tname\n1\tthing 1\n2\tthing 2' "$(cut -f 1,2 <<<"${output[5]}")"
ask() { curl -sf --retry 5 --retry-delay 1 --retry-all-errors "http://127.0.0.1:8001/feedsync$1"; }
is "rows by Datasette" 300 "$(ask '.json?sql=select+count(*)+as+n+from+things&_shape=arrayfirst' | jq '.[0]')"
has "the page of Datasette" 'thing 7' "$(ask '/things?id=7')"

# New things are there as soon as they are stored, and the colleague can change nothing.
list api.example.com/things '. + [range(301; 321) | {id: ., name: "thing \(.)"}]'
as_ann feedsync sync --quiet || fail "a sync failed while Datasette had the store open"
is "rows by Datasette after a sync" 320 "$(ask '.json?sql=select+count(*)+as+n+from+things&_shape=arrayfirst' | jq '.[0]')"
if runuser -u bob -- sqlite3 /srv/feeds/feedsync.db 'DELETE FROM things' 2>/dev/null; then fail "the colleague can write"; fi
useradd carol
if runuser -u carol -- sqlite3 /srv/feeds/feedsync.db 'SELECT 1 FROM things' >/dev/null 2>&1; then fail "others can read"; fi
