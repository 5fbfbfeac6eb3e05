# Moves to a new machine, where the next sync costs what it would have cost on the old one.

list api.example.com/things '[range(1; 801) | {id: ., name: "thing \(.)"}]'
as_ann feedsync add things 'https://api.example.com/things?per_page=100' --quiet
as_ann feedsync sync --quiet
list api.example.com/things 'map(if .id == 450 then .name = "other" else . end) + [{id: 801, name: "thing 801"}]'

# What it would have cost: the same sync, by a copy of everything.
install -d -o ann /home/ann/old
as_ann cp feedsync.yaml feedsync.db old
forget_requests
home=/home/ann/old as_ann feedsync sync --quiet
cost="$(requests) requests, $(requests 304) of them 304"
stayed=$(home=/home/ann/old rows 'SELECT id, name, _generation, _position, _first_seen_at < (SELECT max(started_at) FROM run) FROM things')

# The new machine is Bob's account here, and `cp` is for `scp`.
install -d -m 777 /srv/between
ann <<'END'
feedsync backup moving.db
cp feedsync.yaml moving.db /srv/between
END
chmod a+r /srv/between/*
forget_requests
bob <<'END'
cp /srv/between/feedsync.yaml . && cp /srv/between/moving.db feedsync.db
feedsync check
feedsync sync
END
documented share.md "${typed[1]}"
is "files that move" "feedsync.yaml moving.db" "$(ls /srv/between | xargs)"
is "the cost of the next sync" "$cost" "$(requests) requests, $(requests 304) of them 304"
is "what is stored" "$stayed" \
    "$(runuser -u bob -- sqlite3 /home/bob/feedsync.db 'SELECT id, name, _generation, _position, _first_seen_at < (SELECT max(started_at) FROM run) FROM things')"
