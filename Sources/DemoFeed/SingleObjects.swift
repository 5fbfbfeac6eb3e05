internal import JSON

/// The two objects that are not lists, for feeds without pages.
enum SingleObjects {
    private static let owner = Account(login: "feedsync", id: 190_004)

    /// The answer to `/repos/feedsync/demo`.
    static var repository: JSONFields {
        Repository(
            id: 924_671_203, nodeID: "R_kgDONx2Kow", name: "demo", owner: owner, category: "Developer Tools",
            description: "The upstream that ships in feedsync: made-up, but the same everywhere 🧭", isFork: false,
            createdAt: 1_738_281_600, updatedAt: 1_793_404_800, pushedAt: 1_793_401_200,
            homepage: "https://feedsync.example", size: 412, stars: 1_284, forks: 61, openIssues: 7, language: "Swift",
            license: License(key: "mit", name: "MIT License", spdx: "MIT"), topics: ["feeds", "sqlite", "swift"],
            isArchived: false, defaultBranch: "main"
        ).fields
    }

    /// The answer to `/orgs/feedsync`.
    ///
    /// Source: https://docs.github.com/en/rest/orgs/orgs#get-an-organization
    static var organization: JSONFields {
        [
            "login": "feedsync", "id": owner.id, "node_id": "O_kgDOAALmNA",
            "url": "https://api.git.example/orgs/feedsync",
            "repos_url": "https://api.git.example/orgs/feedsync/repos",
            "avatar_url": "https://avatars.git.example/u/190004?v=4", "description": "Feeds, kept true. 日本語もどうぞ。",
            "name": "feedsync", "company": nil as String?, "blog": "https://feedsync.example", "location": "Köln",
            "email": nil as String?, "is_verified": false, "has_organization_projects": true,
            "has_repository_projects": true, "public_repos": 3, "public_gists": 0, "followers": 42, "following": 0,
            "html_url": "https://git.example/feedsync", "created_at": "2025-01-31T00:00:00Z",
            "updated_at": "2026-10-31T00:00:00Z", "type": "Organization",
        ]
    }
}
