internal import Time

/// One made-up repository, in the shape of GitHub's API.
///
/// Its hosts end in `.example`, which is reserved, so that no link leads to a real project. Source:
/// https://docs.github.com/en/rest/search/search#search-repositories
struct Repository {
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

    var json: JSON {
        [
            "id": .integer(id), "node_id": .string(nodeID), "name": .string(name), "full_name": .string(fullName),
            "private": false, "owner": owner.json, "html_url": .string("https://git.example/\(fullName)"),
            "description": .optional(description), "fork": .boolean(isFork),
            "url": .string("https://api.git.example/repos/\(fullName)"),
            "created_at": .optional(Timestamp.text(ofSecond: Int64(createdAt))),
            "updated_at": .optional(Timestamp.text(ofSecond: Int64(updatedAt))),
            "pushed_at": .optional(Timestamp.text(ofSecond: Int64(pushedAt))),
            "clone_url": .string("https://git.example/\(fullName).git"), "homepage": .optional(homepage),
            "size": .integer(size), "stargazers_count": .integer(stars), "watchers_count": .integer(stars),
            "language": .optional(language), "category": .string(category), "has_issues": true,
            "forks_count": .integer(forks), "archived": .boolean(isArchived), "disabled": false,
            "open_issues_count": .integer(openIssues), "license": licenseJSON,
            "topics": .array(topics.map { .string($0) }), "visibility": "public", "forks": .integer(forks),
            "open_issues": .integer(openIssues), "watchers": .integer(stars),
            "default_branch": .string(defaultBranch), "score": .rendered("1.0"),
        ]
    }

    private var licenseJSON: JSON {
        guard let license else { return .null }
        return [
            "key": .string(license.key), "name": .string(license.name), "spdx_id": .string(license.spdx),
            "url": .string("https://api.git.example/licenses/\(license.key)"),
        ]
    }
}

/// The owner of a repository.
struct Account {
    let login: String
    let id: Int

    var json: JSON {
        [
            "login": .string(login), "id": .integer(id),
            "avatar_url": .string(Picture.url(id)),
            "url": .string("https://api.git.example/users/\(login)"),
            "html_url": .string("https://git.example/\(login)"), "type": "Organization", "site_admin": false,
        ]
    }
}
