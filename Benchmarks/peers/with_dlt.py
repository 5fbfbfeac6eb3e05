"""dlt's REST source into SQLite or PostgreSQL, merged by key, with the columns that the others keep.

    with_dlt.py repositories|anchors URL FOLDER [POSTGRESQL-URI]
"""

import os
import sys

kind, url, folder = sys.argv[1:4]
os.environ.update(RUNTIME__DLTHUB_TELEMETRY="false", RUNTIME__LOG_LEVEL="ERROR", DLT_DATA_DIR=f"{folder}/dlt")

import dlt  # noqa: E402  (it reads the environment when it is imported)
from dlt.sources.rest_api import rest_api_source  # noqa: E402


def kept(item):
    """Of a repository, the columns that the others keep."""
    return {
        "id": item["id"], "name": item["name"], "full_name": item["full_name"], "owner_login": item["owner"]["login"],
        "avatar_url": item["owner"]["avatar_url"], "html_url": item["html_url"], "description": item["description"],
        "created_at": item["created_at"], "updated_at": item["updated_at"], "stars": item["stargazers_count"],
        "language": item["language"], "forks": item["forks_count"],
    }


base, path = url.rsplit("/", 1)
resource = {
    "name": "item",
    "endpoint": {"path": path, "data_selector": "items", "paginator": {"type": "header_link", "links_next_key": "next"}},
    "primary_key": "id" if kind == "repositories" else "roomId",
    "write_disposition": "merge",
}
if kind == "repositories":
    resource["processing_steps"] = [{"map": kept}]
    # Times stay as they came.
    resource["columns"] = {name: {"data_type": "text"} for name in ("created_at", "updated_at")}
shared = sys.argv[4:]
destination = dlt.destinations.postgres(shared[0]) if shared else dlt.destinations.sqlalchemy(f"sqlite:///{folder}/store.db")
pipeline = dlt.pipeline("feed", destination=destination, dataset_name="feed", pipelines_dir=f"{folder}/pipelines")
pipeline.run(rest_api_source({"client": {"base_url": base}, "resources": [resource]}))
