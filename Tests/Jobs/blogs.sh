# Takes 120 blogs from a feed reader, and reads the newest posts of all, of a folder, and by their words.

mkdir -p "$site/blog.example.org"
{
    echo '<?xml version="1.0"?><opml version="2.0"><head><title>Mine</title></head><body>'
    for folder in tech food; do
        echo "<outline text=\"$folder\" title=\"$folder\">"
        for ((n = 1; n <= 60; n++)); do
            title="Blog $n of $folder"
            [ "$n" != 1 ] || title="Über das Kochen"
            echo "<outline type=\"rss\" text=\"$title\" xmlUrl=\"https://blog.example.org/$folder-$n.xml\"/>"
            echo "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>$title</title><id>urn:$folder-$n</id>
                <updated>2026-11-01T00:00:00Z</updated><entry><id>urn:$folder-$n-1</id><title>Post on $folder $n</title>
                <link href=\"https://blog.example.org/$folder-$n/1\"/><updated>2026-11-01T00:00:00Z</updated>
                <published>$(date -ud "2026-01-01 +$n hours" +%FT%TZ)</published><summary>Words about subject$n</summary></entry></feed>" \
                >"$site/blog.example.org/$folder-$n.xml"
        done
        echo '</outline>'
    done
    echo '</body></opml>'
} >/home/ann/subscriptions.opml

ann <<'END'
feedsync add --opml subscriptions.opml
echo 'defaults: {search: [title, summary]}' >>feedsync.yaml
feedsync sync --quiet
sqlite3 feedsync.db "SELECT published_at, feed, title FROM post WHERE feed LIKE 'tech-%' ORDER BY published_at DESC LIMIT 10"
feedsync search subject7
END
for n in 1 2 4; do documented formats.md "${typed[n]}"; done
is "posts" 120 "$(rows 'SELECT count(*) FROM post')"
is "requests" 120 "$(requests)"
is "the newest post of the folder" "2026-01-03T12:00:00.000Z|tech-blog-60-of-tech|Post on tech 60" "$(head -n 1 <<<"${output[4]}")"
is "posts of the folder" 10 "$(grep -c 'Post on tech' <<<"${output[4]}")"
has "a name in another script" '^  tech-ueber-das-kochen:' "$(cat /home/ann/feedsync.yaml)"
is "posts with the word" 2 "$(grep -c 'Post on [a-z]* 7' <<<"${output[5]}")"

# A blog drops its only post for another: both are there.
sed -i 's/urn:food-5-1/urn:food-5-2/; s/subject5/later/' "$site/blog.example.org/food-5.xml"
as_ann feedsync sync 'food-*' --quiet || fail "the sync of the other folder failed"
is "posts of the blog" 2 "$(rows "SELECT count(*) FROM post WHERE feed LIKE 'food-blog-5-%'")"
