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
