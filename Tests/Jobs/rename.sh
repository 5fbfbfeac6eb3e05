# Gives a feed another name: the table, its history and the place where it stands go with it.

list api.example.com/things '[range(1; 301) | {id: ., name: "thing \(.)"}]'
as_ann feedsync add stuff https://api.example.com/things --quiet
as_ann feedsync sync --quiet
list api.example.com/things '. + [{id: 301, name: "thing 301"}]'
as_ann feedsync sync --quiet
as_ann sqlite3 feedsync.db "CREATE VIEW mine AS SELECT name FROM stuff WHERE id > 299"
before=$(rows "SELECT group_concat(id || _first_seen_at || _position) FROM stuff; SELECT count(*) FROM run; SELECT count(*) FROM change")
forget_requests
as_ann feedsync sync --quiet
usual=$(requests)
forget_requests

ann <<'END'
feedsync rename stuff inventory
feedsync changes inventory --since last
feedsync sync
END
is "requests of the next sync" "$usual" "$(requests)"
has "the next sync" '^inventory +unchanged .*301 items, fresh' "${output[3]}"
is "the items' times and places, the runs and the changes" "$before" \
    "$(rows "SELECT group_concat(id || _first_seen_at || _position) FROM inventory; SELECT count(*) - 2 FROM run WHERE feed = 'inventory'; SELECT count(*) FROM change WHERE feed = 'inventory'")"
is "the view of mine" "thing 300 thing 301" "$(rows 'SELECT * FROM mine' | xargs)"
is "the old table" 0 "$(rows "SELECT count(*) FROM sqlite_schema WHERE name = 'stuff'")"
is "names in the configuration" 1 "$(grep -c '^  inventory:' /home/ann/feedsync.yaml)"
lacks "the configuration" stuff "$(cat /home/ann/feedsync.yaml)"
lacks "the state" stuff "$(as_ann feedsync status)"

# Tab knows the new name, in the bash of this system.
words=$(su - ann -s /bin/bash -c 'source /usr/share/bash-completion/bash_completion; _completion_loader feedsync
    COMP_WORDS=(feedsync sync in); COMP_CWORD=2; COMP_LINE="feedsync sync in"; COMP_POINT=16
    function=$(complete -p feedsync | grep -oP -- "-F \K\S+"); $function feedsync in sync; echo "${COMPREPLY[*]}"')
is "what Tab completes" inventory "${words% }"
