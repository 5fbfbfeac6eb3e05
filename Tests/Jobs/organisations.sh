# Mirrors the repositories of 300 organisations with ten lines of configuration.

{ seq -f 'org-%g' 297; echo no; echo 007; echo 1password; } >/home/ann/organisations.txt
while read -r name && read -r repositories; do
    mkdir -p "$site/api.github.com/orgs/$name"
    echo "$repositories" >"$site/api.github.com/orgs/$name/repos"
done < <(jq -rR '. as $name | input_line_number as $n | $name, ([range(1; 4) | {id: ($n * 10 + .), name: "r\(.)",
    full_name: "\($name)/r\(.)", owner: {login: $name}, stargazers_count: ., updated_at: "2026-01-01T00:00:00Z"}] | tojson)' \
    /home/ann/organisations.txt)
echo secret-of-ann >"$site/api.github.com/.token"

ann <<'END'
cat >feedsync.yaml <<YAML
defaults: {every: 1d, auth: {bearer: "\${GITHUB_TOKEN}"}}
feeds:
  repos-{each}:
    preset: github.org-repos
    with: {org: "{each}"}
    each: [$(paste -sd, organisations.txt)]
YAML
export GITHUB_TOKEN=secret-of-ann
feedsync sync --quiet
feedsync sql "SELECT feed, full_name FROM repository WHERE feed = 'repos-007' LIMIT 1"
feedsync status --fail 'repos-org-29?'
END
documented configuration.md "${typed[1]}"
is "lines of the configuration, ten at most" 6 "$(wc -l </home/ann/feedsync.yaml)"
is "what the sync prints" "" "${output[3]}${errors[3]}"
is "feeds that are complete, and repositories" "300|900" "$(rows 'SELECT (SELECT count(*) FROM feed WHERE complete), (SELECT count(*) FROM repository)')"
is "requests" 300 "$(requests 200)"
is "the query" $'feed\tfull_name\nrepos-007\t007/r1' "${output[4]}"
is "feeds with a glob" 8 "$(tail -n +2 <<<"${output[5]}" | wc -l)"

# One more organisation is one more name, and costs one feed's requests.
cp -r "$site/api.github.com/orgs/"{org-9,late}
jq 'map(.id += 90000)' "$site/api.github.com/orgs/org-9/repos" >"$site/api.github.com/orgs/late/repos"
sed -i 's/each: \[/&late,/' /home/ann/feedsync.yaml
forget_requests
GITHUB_TOKEN=secret-of-ann as_ann feedsync sync --due --quiet || fail "the sync with one more failed"
is "requests for one more" 1 "$(requests 200)"
is "repositories with one more" 903 "$(rows 'SELECT count(*) FROM repository')"
