"""What a competent person writes in an hour: a session that keeps its connection, `Link`, one upsert and one commit a page.

    by_hand.py repositories|anchors URL STORE [--conditional]
"""

import sqlite3
import sys

import orjson
import requests

kind, url, store = sys.argv[1:4]
conditional = "--conditional" in sys.argv

if kind == "repositories":
    columns = (
        "id", "name", "full_name", "owner_login", "avatar_url", "html_url", "description", "created_at", "updated_at", "stars",
        "language", "forks",
    )

    def row(item):
        owner = item["owner"]
        return (
            item["id"], item["name"], item["full_name"], owner["login"], owner["avatar_url"], item["html_url"], item["description"],
            item["created_at"], item["updated_at"], item["stargazers_count"], item["language"], item["forks_count"],
        )
else:
    columns = ("roomId", "name", "pic51", "pic74", "live", "push", "focus")

    def row(item):
        return tuple(item[column] for column in columns)

database = sqlite3.connect(store)
database.execute("PRAGMA journal_mode = WAL")
database.execute("PRAGMA synchronous = NORMAL")
database.execute(f"CREATE TABLE IF NOT EXISTS item ({columns[0]} INTEGER PRIMARY KEY, {', '.join(columns[1:])})")
database.execute("CREATE TABLE IF NOT EXISTS page (url TEXT PRIMARY KEY, etag, next)")
updates = ", ".join(f"{column} = excluded.{column}" for column in columns[1:])
upsert = (
    f"INSERT INTO item ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))}) "
    f"ON CONFLICT ({columns[0]}) DO UPDATE SET {updates}"
)
session = requests.Session()
while url:
    stored = database.execute("SELECT etag, next FROM page WHERE url = ?", (url,)).fetchone() if conditional else None
    response = session.get(url, headers={"If-None-Match": stored[0]} if stored else {})
    if response.status_code == 304:
        url = stored[1]
        continue
    response.raise_for_status()
    following = response.links.get("next", {}).get("url")
    with database:
        database.executemany(upsert, map(row, orjson.loads(response.content)["items"]))
        if conditional:
            database.execute("INSERT OR REPLACE INTO page VALUES (?, ?, ?)", (url, response.headers["ETag"], following))
    url = following
