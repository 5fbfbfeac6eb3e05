# Installs the package on a bare Debian, mirrors something, and removes the package.

list api.example.com/things '[range(1; 101) | {id: ., name: "thing \(.)"}]'
root <<'END'
apt-get install ./feedsync_*.deb
feedsync add things http://api.example.com/things
feedsync sync
feedsync show things --limit 1 --columns id,name
apt-get purge feedsync
END
documented install.md "${typed[1]}"
documented install.md "${typed[5]}"
is "the item" $'id\tname\n1\tthing 1' "${output[4]}"
is "items" 100 "$(sqlite3 /bare/root/feedsync.db 'SELECT count(*) FROM things')"
is "what is left of the package" "" "$(find /bare/usr /bare/lib -name '*feedsync*')"
