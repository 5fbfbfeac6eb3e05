"""What the description of the API says, held against the server. Run by Scripts/test-web."""

import json
import os
import subprocess
import sys
from pathlib import Path

from openapi_spec_validator import validate

WORK = Path(__file__).resolve().parents[2] / ".build-web"

# Random requests of what the description has, but for streams, pictures, and forms that add or change a feed: the browser's
# tests send those. What a form has to say is not all in its description.
OPTIONS = """
--phases examples,coverage,fuzzing --max-examples 4 --seed 7 --workers 1 --request-timeout 20 --continue-on-failure
--checks not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,negative_data_rejection,positive_data_acceptance,unsupported_method,allow_header_conformance
--exclude-path-regex ^/(events|picture/.*|add|add/look|add/demo|search/.*/(more|keep)|login|feeds/[^/]*/(pause|resume|rename|remove|restore|definition))$ --warnings off
--suppress-health-check all --mode all
""".split()

# All requests are of a feed that is there, and of its columns.
CONFIGURATION = """
[parameters]
"path.feed" = "things"
"path.part" = "1"
"query.sort" = "-id"
"query.columns" = "id,name"
"query.where" = "id > 1"

# A list is in the feed's order or a table; a mix of the parameters of both is refused, which a description cannot say.
[[operations]]
include-path-regex = "/items$"
checks.positive_data_acceptance.expected-statuses = ["2xx", "3xx", 400, 401, 403, 404, 409, 429, "5xx"]
"""


def check(server):
    """The description is OpenAPI 3.1, and the server does what it says, whatever it is sent."""
    text = server.get("/openapi.json")
    description = json.loads(text)
    validate(description)
    ids = [one["operationId"] for path in description["paths"].values() for one in path.values()]
    if len(ids) != len(set(ids)):
        raise Exception(f"two operations have the same name: {sorted(ids)}")
    token = json.loads(server.get("/session"))["token"]
    configuration = WORK / "schemathesis.toml"
    configuration.write_text(CONFIGURATION)
    run = subprocess.run(
        [str(Path(sys.executable).parent / "st"), "--config-file", str(configuration), "run",
         f"{server.url}/openapi.json", *OPTIONS, "--header", f"X-FeedSync-Token: {token}"],
        cwd=WORK, capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1", "COLUMNS": "120"}, timeout=600)
    if run.returncode:
        raise Exception(f"the description and the server differ:\n{run.stdout[-6000:]}\n{run.stderr[-2000:]}")
