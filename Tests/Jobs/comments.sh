# Mirrors the comments of each issue: a list for each row of another list.

list api.example.com/issues.json '[range(1; 26) | {number: ., title: "Issue \(.)"}]'
for ((n = 1; n <= 25; n++)); do
    list "api.example.com/issues/$n/comments" "[range(1; $n % 5 * 20 + 1) | {id: ($n * 1000 + .), body: \"Comment \\(.)\"}]"
done

ann <<'END'
feedsync add issues https://api.example.com/issues
feedsync sync issues
feedsync add comments 'https://api.example.com/issues/{issues.number}/comments'
feedsync sync
feedsync sql "SELECT title, count(*) AS comments FROM issues JOIN comments ON issues_number = number GROUP BY number ORDER BY comments DESC, number LIMIT 1"
END
for n in 2 3; do documented configuration.md "${typed[n]}"; done
is "comments" 1000 "$(rows 'SELECT count(*) FROM comments')"
is "the issue with most comments" $'title\tcomments\nIssue 4\t80' "${output[5]}"
