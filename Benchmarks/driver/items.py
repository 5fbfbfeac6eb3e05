"""The items of the benchmark's feeds, and what is kept of each."""

from dataclasses import dataclass
from typing import Callable

from draws import PHRASES, WORDS, Draws

USER_PATHS = (
    "followers_url /followers|following_url /following{/other_user}|gists_url /gists{/gist_id}|starred_url /starred{/owner}{/repo}|"
    "subscriptions_url /subscriptions|organizations_url /orgs|repos_url /repos|events_url /events{/privacy}|"
    "received_events_url /received_events"
)
REPOSITORY_PATHS = (
    "forks_url /forks|keys_url /keys{/key_id}|collaborators_url /collaborators{/collaborator}|teams_url /teams|hooks_url /hooks|"
    "issue_events_url /issues/events{/number}|events_url /events|assignees_url /assignees{/user}|branches_url /branches{/branch}|"
    "tags_url /tags|blobs_url /git/blobs{/sha}|git_tags_url /git/tags{/sha}|git_refs_url /git/refs{/sha}|trees_url /git/trees{/sha}|"
    "statuses_url /statuses/{sha}|languages_url /languages|stargazers_url /stargazers|contributors_url /contributors|"
    "subscribers_url /subscribers|subscription_url /subscription|commits_url /commits{/sha}|git_commits_url /git/commits{/sha}|"
    "comments_url /comments{/number}|issue_comment_url /issues/comments{/number}|contents_url /contents/{+path}|"
    "compare_url /compare/{base}...{head}|merges_url /merges|archive_url /{archive_format}{/ref}|downloads_url /downloads|"
    "issues_url /issues{/number}|pulls_url /pulls{/number}|milestones_url /milestones{/number}|"
    "notifications_url /notifications{?since,all,participating}|labels_url /labels{/name}|releases_url /releases{/id}|"
    "deployments_url /deployments"
)
LANGUAGES = ("Swift", "C++", "Python", "Rust", "Go", "TypeScript", "Kotlin", "Jupyter Notebook", "Zig", None)
LICENSES = (
    ("mit", "MIT License", "MIT"),
    ("apache-2.0", "Apache License 2.0", "Apache-2.0"),
    ("bsd-3-clause", 'BSD 3-Clause "New" or "Revised" License', "BSD-3-Clause"),
    None,
)


def _urls(base: str, paths: str) -> dict:
    return {name: base + path for name, path in (entry.split(" ") for entry in paths.split("|"))}


def is_changed(number: int) -> bool:
    """Whether an item differs in version 2 of its feed: one in a hundred, scattered."""
    return number * 2654435761 % 2**32 % 100 == 0


def repository(number: int, draws: Draws, version: int) -> dict:
    """A repository as GitHub's search gives it: 81 members, about 6.2 KB."""
    login = f"{draws.one(WORDS)}-{draws.one(WORDS)}-{draws.between(1, 99999)}"
    name = "-".join(draws.some(WORDS, draws.between(1, 4))) + f"-{number}"
    owner_id = draws.between(1_000, 180_000_000)
    user = f"https://api.github.com/users/{login}"
    api = f"https://api.github.com/repos/{login}/{name}"
    page = f"https://github.com/{login}/{name}"
    stars = int(2 / (draws.below(100_000) + 1) * 100_000)
    forks = stars // draws.between(3, 20)
    description = " ".join(draws.some(WORDS, draws.between(6, 32)))
    if draws.happens(0.3):
        description += " " + draws.one(PHRASES)
    has_description = not draws.happens(0.04)
    license = draws.one(LICENSES)
    owner = {
        "login": login, "id": owner_id, "node_id": f"MDQ6VXNlcn{owner_id:x}",
        "avatar_url": f"https://avatars.githubusercontent.com/u/{owner_id}?v=4", "gravatar_id": "", "url": user,
        "html_url": f"https://github.com/{login}", **_urls(user, USER_PATHS),
        "type": draws.one(("User", "Organization")), "user_view_type": "public", "site_admin": False,
    }
    created, updated, pushed = draws.moment(), draws.moment(), draws.moment()
    if version > 1 and is_changed(number):
        stars, updated = stars + version, f"2026-11-{version:02}T12:00:00Z"
    return {
        "id": 1_000_000 + number, "node_id": f"R_kgDO{number:08x}", "name": name, "full_name": f"{login}/{name}", "private": False,
        "owner": owner, "html_url": page, "description": description if has_description else None, "fork": False, "url": api,
        **_urls(api, REPOSITORY_PATHS), "created_at": created, "updated_at": updated, "pushed_at": pushed,
        "git_url": f"git://github.com/{login}/{name}.git", "ssh_url": f"git@github.com:{login}/{name}.git",
        "clone_url": f"{page}.git", "svn_url": page, "homepage": draws.one((None, "", f"https://{name}.example.org")),
        "size": draws.between(10, 900_000), "stargazers_count": stars, "watchers_count": stars, "language": draws.one(LANGUAGES),
        "has_issues": True, "has_projects": draws.happens(0.8), "has_downloads": True, "has_wiki": draws.happens(0.7),
        "has_pages": draws.happens(0.3), "has_discussions": draws.happens(0.3), "forks_count": forks, "mirror_url": None,
        "archived": draws.happens(0.05), "disabled": False, "open_issues_count": forks // 3,
        "license": license and {
            "key": license[0], "name": license[1], "spdx_id": license[2],
            "url": f"https://api.github.com/licenses/{license[0]}", "node_id": "MDc6TGljZW5zZTEz",
        },
        "allow_forking": True, "is_template": False, "web_commit_signoff_required": False,
        "topics": draws.some(WORDS, draws.below(16)), "visibility": "public", "forks": forks, "open_issues": forks // 3,
        "watchers": stars, "default_branch": draws.one(("main", "master")),
        "permissions": {"admin": False, "maintain": False, "push": False, "triage": False, "pull": True}, "score": 1.0,
    }


def anchor(number: int, draws: Draws, version: int) -> dict:
    """A small item: 7 members, about 213 B."""
    picture = f"{draws.below(2**48):012x}"
    base = f"https://img.example.net/anchors/{picture[:2]}/{picture}"
    words = draws.one(PHRASES) if draws.happens(0.4) else " ".join(draws.some(WORDS, 2))
    focus = draws.between(0, 900_000)
    if version > 1 and is_changed(number):
        focus += version
    return {
        "roomId": 100_000 + number, "name": f"{words} {number}", "pic51": f"{base}_51.jpg", "pic74": f"{base}_74.jpg",
        "live": draws.below(2), "push": draws.below(2), "focus": focus,
    }


@dataclass(frozen=True)
class ItemKind:
    """What a feed's items are. `columns` are those that every contender keeps, as (name, path, type); the first is the key."""

    name: str
    make: Callable[[int, Draws, int], dict]
    columns: tuple[tuple[str, str, str], ...]

    @property
    def key(self) -> str:
        return self.columns[0][0]

    def row(self, item: dict) -> tuple:
        """The item's values of the kept columns."""
        return tuple(_value(item, path) for _, path, _ in self.columns)


def _value(item: dict, path: str):
    for name in path.split("."):
        item = item[name]
    return item


REPOSITORIES = ItemKind("repositories", repository, (
    ("id", "id", "integer"), ("name", "name", "text"), ("full_name", "full_name", "text"), ("owner_login", "owner.login", "text"),
    ("avatar_url", "owner.avatar_url", "text"), ("html_url", "html_url", "text"), ("description", "description", "text"),
    ("created_at", "created_at", "text"), ("updated_at", "updated_at", "text"), ("stars", "stargazers_count", "integer"),
    ("language", "language", "text"), ("forks", "forks_count", "integer"),
))
ANCHORS = ItemKind("anchors", anchor, (
    ("roomId", "roomId", "integer"), ("name", "name", "text"), ("pic51", "pic51", "text"), ("pic74", "pic74", "text"),
    ("live", "live", "integer"), ("push", "push", "integer"), ("focus", "focus", "integer"),
))
