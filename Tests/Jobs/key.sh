# Changes the key of a feed: names were taken for unique, and are not.

list api.example.com/things '[range(1; 61) | {id: ., name: "thing \(.)"}]'
as_ann feedsync add things https://api.example.com/things --quiet
as_ann sed -i 's/key: id/key: name/' feedsync.yaml
as_ann feedsync sync --quiet
# The upstream gives a thing the name of another.
seen=$(rows "SELECT _first_seen_at FROM things WHERE id = 5")
list api.example.com/things 'map(if .id == 6 then .name = "thing 7" else . end)'

ann <<'END'
sed -i 's/key: name/key: id/' feedsync.yaml
feedsync sync
feedsync rekey things
feedsync sync
END
ends 2 78
has "the sync before the rekey" 'feedsync rekey things' "${errors[2]}"
is "things by id" "60|60" "$(rows 'SELECT count(*), count(DISTINCT id) FROM things WHERE _removed_at IS NULL')"
is "the primary key" id "$(rows "SELECT group_concat(name) FROM pragma_table_info('things') WHERE pk")"
is "the thing that changed" "thing 7" "$(rows 'SELECT name FROM things WHERE id = 6')"
is "when another was first seen" "$seen" "$(rows 'SELECT _first_seen_at FROM things WHERE id = 5')"
is "what the change log says" 'changed|6|{"name":"thing 6"}' "$(rows "SELECT kind, key, before FROM change WHERE kind != 'new'")"

# A key that does not tell items apart is refused, and nothing is lost.
as_ann sed -i 's/key: id/key: name/' feedsync.yaml
refusal=$(as_ann feedsync rekey things 2>&1)
is "the exit code of a key that two things share" 78 $?
has "the refusal" 'thing 7|share' "$refusal"
is "things after the refusal" 60 "$(rows 'SELECT count(*) FROM things')"
