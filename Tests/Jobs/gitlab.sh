# Mirrors a private GitLab: the token is in a file, and the certificate is by the company's own authority.

token=glpat-Zk3_x9QwTr5vLm2Np7Bd
list gitlab.example.com/api/v4/projects.json '[range(1; 251) | {id: ., path_with_namespace: "team/app-\(.)", name: "app-\(.)",
    namespace: {full_path: "team"}, description: null, visibility: "private", default_branch: "main",
    web_url: "https://gitlab.example.com/team/app-\(.)", avatar_url: null, star_count: 0, forks_count: 0, open_issues_count: 1,
    topics: [], archived: false, created_at: "2025-01-01T00:00:00.000Z", last_activity_at: (1760000000 + . * 86400 | todate)}]'
list gitlab.example.com/api/v4/projects/team%2Fapp/issues '[range(130; 0; -1) | {id: (5000 + .), iid: ., title: "Issue \(.)",
    state: "opened", author: {username: "ann"}, assignee: null, labels: ["bug"], milestone: null, user_notes_count: 0,
    web_url: "https://gitlab.example.com/team/app/-/issues/\(.)", description: "It fails.", due_date: null,
    created_at: "2026-01-01T00:00:00.000Z", updated_at: (1760000000 + . * 86400 | todate), closed_at: null}]'
echo "$token" >"$site/gitlab.example.com/.token"
install -o ann -m 600 "$site/gitlab.example.com/.token" /home/ann/gitlab-token
install -o ann /tls/company.crt /home/ann/example-ca.pem

ann <<'END'
cat >feedsync.yaml <<'YAML'
defaults:
  ca: example-ca.pem
  auth: {header: {PRIVATE-TOKEN: "${file:gitlab-token}"}}
feeds:
  projects: {preset: gitlab.projects, with: {host: gitlab.example.com}}
  issues: {preset: gitlab.issues, with: {host: gitlab.example.com, project: team/app}}
YAML
feedsync check --online
feedsync sync
feedsync sql "SELECT number, title FROM issues WHERE state = 'opened' ORDER BY number LIMIT 2"
END
documented mirror.md "$(sed '1d;$d' <<<"${typed[1]}")"
has "what the check says of the projects" '^ok +projects +100 items' "${output[2]}"
is "projects and issues" "250|130" "$(rows 'SELECT (SELECT count(*) FROM projects), (SELECT count(*) FROM issues)')"
is "the query" $'number\ttitle\n1\tIssue 1\n2\tIssue 2' "${output[4]}"
is "requests that were refused" 0 "$(requests 401)"

# What changed since costs a request for each, and the token is nowhere but in its file.
list gitlab.example.com/api/v4/projects/team%2Fapp/issues \
    'map(if .iid == 7 then .state = "closed" | .updated_at = (now + 60 | todate) else . end)'
forget_requests
ann <<'END'
feedsync sync -v
END
is "requests of the second sync" 2 "$(requests)"
is "the state of the issue that was closed" closed "$(rows 'SELECT state FROM issues WHERE number = 7')"
is "files with the token" /home/ann/gitlab-token "$(grep -rlF "$token" /home/ann "$terminal")"

# What goes wrong at first: each failure says what to do.
as_ann sed -i 's/^  ca:/  # ca:/' /home/ann/feedsync.yaml
failure=$(as_ann feedsync sync issues 2>&1)
is "the exit code without the authority" 69 $?
has "the failure without the authority" 'certificate.*`ca`' "$(tr '\n' ' ' <<<"$failure")"
as_ann sed -i 's/^  # ca:/  ca:/' /home/ann/feedsync.yaml
echo wrong >/home/ann/gitlab-token
failure=$(as_ann feedsync sync issues 2>&1)
is "the exit code with a wrong token" 77 $?
has "the failure with a wrong token" '401 Unauthorized' "$failure"
chmod 666 /home/ann/gitlab-token
failure=$(as_ann feedsync sync issues 2>&1)
is "the exit code with a token file that others can write" 78 $?
has "the failure with a token file that others can write" 'chmod' "$failure"
