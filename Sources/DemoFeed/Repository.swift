internal import JSON
internal import Time

/// One made-up repository, in the shape of GitHub's API.
///
/// Its hosts end in `.example`, which is reserved, so that no link leads to a real project. Source:
/// https://docs.github.com/en/rest/search/search#search-repositories
struct Repository: JSONRecord {
    let id: Int
    let nodeID: String
    let name: String
    let owner: Account
    let category: String
    let description: String?
    let isFork: Bool
    let createdAt: Int
    let updatedAt: Int
    let pushedAt: Int
    let homepage: String?
    let size: Int
    let stars: Int
    let forks: Int
    let openIssues: Int
    let language: String?
    let license: License?
    let topics: [String]
    let isArchived: Bool
    let defaultBranch: String

    var fullName: String { "\(owner.login)/\(name)" }

    var fields: JSONFields {
        [
            "id": id, "node_id": nodeID, "name": name, "full_name": fullName, "private": false, "owner": owner,
            "html_url": "https://git.example/\(fullName)", "description": description, "fork": isFork,
            "url": "https://api.git.example/repos/\(fullName)",
            "created_at": Timestamp.text(ofSecond: Int64(createdAt)),
            "updated_at": Timestamp.text(ofSecond: Int64(updatedAt)),
            "pushed_at": Timestamp.text(ofSecond: Int64(pushedAt)),
            "clone_url": "https://git.example/\(fullName).git", "homepage": homepage, "size": size,
            "stargazers_count": stars, "watchers_count": stars, "language": language, "category": category,
            "has_issues": true, "forks_count": forks, "archived": isArchived, "disabled": false,
            "open_issues_count": openIssues, "license": license, "topics": topics, "visibility": "public",
            "forks": forks, "open_issues": openIssues, "watchers": stars, "default_branch": defaultBranch,
            "score": JSONDocument("1.0"),
        ]
    }
}

/// The owner of a repository.
struct Account: JSONRecord {
    let login: String
    let id: Int

    var fields: JSONFields {
        [
            "login": login, "id": id, "avatar_url": Picture.url(id), "url": "https://api.git.example/users/\(login)",
            "html_url": "https://git.example/\(login)", "type": "Organization", "site_admin": false,
        ]
    }
}

/// The license of a repository, as GitHub names it.
struct License: JSONRecord {
    let key: String
    let name: String
    let spdx: String

    var fields: JSONFields {
        ["key": key, "name": name, "spdx_id": spdx, "url": "https://api.git.example/licenses/\(key)"]
    }
}

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
