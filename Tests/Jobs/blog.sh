# Keeps an archive of a blog, whose feed leads to older and older documents (RFC 5005), and finds posts by their words.

posts() { # FILE NEWEST OLDEST [OLDER]: a document of the feed
    local n
    mkdir -p "$site/blog.example.org"
    {
        echo '<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom"><title>A blog</title>'
        echo '<id>https://blog.example.org/</id><updated>2026-11-01T00:00:00Z</updated>'
        [ -z "${4-}" ] || echo "<link rel=\"prev-archive\" href=\"https://blog.example.org/$4\"/>"
        for ((n = $2; n >= $3; n--)); do
            [ "$n" != "${gone-}" ] || continue
            printf '<entry><id>tag:blog.example.org,2026:%d</id><title>Post %d</title><updated>%s</updated>' $n $n "$(date -ud "2020-01-01 +$n days" +%FT%TZ)"
            printf '<link href="/%d"/><content type="html">&lt;p&gt;About word%d and café &amp;amp; tea.&lt;/p&gt;</content></entry>\n' $n $n
        done
        echo '</feed>'
    } >"$site/blog.example.org/$1"
}
posts feed.xml 60 51 archive-5.xml
for n in 5 4 3 2; do posts archive-$n.xml $((n * 10)) $((n * 10 - 9)) archive-$((n - 1)).xml; done
posts archive-1.xml 10 1

ann <<'END'
feedsync add blog https://blog.example.org/feed.xml
echo '    search: [title, content]' >>feedsync.yaml
feedsync sync
feedsync search cafe word7
END
is "posts" 60 "$(rows 'SELECT count(*) FROM blog')"
is "the oldest post" "Post 1|https://blog.example.org/1|<p>About word1 and café &amp; tea.</p>" \
    "$(rows "SELECT title, url, content_html FROM blog WHERE id = 'tag:blog.example.org,2026:1'")"
has "what is found" 'Post 7' "${output[4]}"

# A new post, and one that the blog took away: the archive has both.
gone=55 posts feed.xml 61 51 archive-5.xml
forget_requests
ann <<'END'
feedsync sync
END
has "the second sync" '1 new' "${output[5]}"
is "posts, with the one that is gone" "61|0" "$(rows 'SELECT count(*), sum(_removed_at IS NOT NULL) FROM blog')"
has "the post that is gone" 'About word55 ' "$(rows "SELECT content_html FROM blog WHERE title = 'Post 55'")"
