# Restores a backup after the disk damaged the store.

list api.example.com/things '[range(1; 301) | {id: ., name: "thing \(.)"}]'
as_ann feedsync add things https://api.example.com/things --quiet
as_ann feedsync sync --quiet

ann <<'END'
feedsync backup backup.db
END
is "the mode of the backup" 600 "$(as_ann stat -c %a backup.db)"
is "files beside the backup" backup.db "$(as_ann ls | grep ^backup)"
# After the backup something came and something went; then the store lost some of its pages.
list api.example.com/things 'map(select(.id != 10)) + [{id: 301, name: "thing 301"}]'
as_ann feedsync sync --quiet
as_ann dd if=/dev/zero of=feedsync.db bs=4096 seek=2 count=30 conv=notrunc status=none
is "the exit code of a sync of the damaged store" 73 "$(as_ann feedsync sync >/srv/damaged 2>&1; echo $?)"
has "what it says" 'restore a backup' "$(cat /srv/damaged)"
as_ann feedsync doctor >/srv/damaged 2>&1 && fail "doctor finds nothing wrong with the damaged store"

ann <<'END'
rm -f feedsync.db-wal feedsync.db-shm && cp backup.db feedsync.db
feedsync sync
feedsync doctor
END
for n in 2 3 4; do documented share.md "${typed[n]}"; done
has "the sync after it" '1 new.* 1 removed' "${output[3]}"
is "things that are there" 300 "$(rows 'SELECT count(*) FROM things WHERE _removed_at IS NULL')"
is "the store" ok "$(rows 'PRAGMA integrity_check')"
