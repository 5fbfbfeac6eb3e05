"""Compares a mirror with the server's own database: every key, every value, nothing missing, nothing more.

usage: compare.py STORE FEED DATABASE QUERY KEYS
The query gives the rows as the mirror should have them, its columns named as the items' members; KEYS are the names of the key's
members, joined by commas.
"""

import base64
import json
import math
import sqlite3
import sys

store, feed, database, query, keys = sys.argv[1:]
keys = keys.split(",")


def rows(path, sql):
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    connection.row_factory = sqlite3.Row
    return [dict(row) for row in connection.execute(sql)]


def same(expected, row, name):
    if isinstance(expected, bytes):
        # Datasette sends {"$base64": true, "encoded": …}, which is flattened or kept whole; an empty blob is "" to it.
        whole, encoded = row.get(name), row.get(f"{name}_encoded")
        if encoded is None and whole:
            encoded = json.loads(whole)["encoded"]
        return base64.b64decode(encoded or "") == expected
    found = row.get(name)
    if isinstance(expected, float) and isinstance(found, (int, float)):
        return expected == found and math.copysign(1, expected) == math.copysign(1, found)
    # A column that holds numbers and text is text: its numbers are compared as JSON writes them.
    if isinstance(found, str) and isinstance(expected, (int, float)):
        return json.loads(found) == expected
    return type(expected) is type(found) and expected == found


expected = {tuple(row[key] for key in keys): row for row in rows(database, query)}
columns = {row["path"]: row["name"] for row in rows(
    store,
    "SELECT json_extract(value, '$.path') AS path, json_extract(value, '$.name') AS name FROM _feed, json_each(columns) "
    f"WHERE feed = '{feed}'")}
table = feed.replace("-", "_")
found = rows(store, f'SELECT * FROM "{table}" WHERE _removed_at IS NULL')
# The parent's key has no path: it stands in the table by its name alone.
mirror = {tuple(row[columns.get(key, key)] for key in keys): row for row in found}

faults = [f"missing: {key}" for key in expected.keys() - mirror.keys()]
faults += [f"not upstream: {key}" for key in mirror.keys() - expected.keys()]
if len(found) != len(mirror):
    faults.append(f"{len(found)} rows for {len(mirror)} keys")
values = 0
for key in expected.keys() & mirror.keys():
    for name, value in expected[key].items():
        values += 1
        quoted = '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
        column = columns.get(name, columns.get(quoted, name))
        if not same(value, mirror[key], column):
            faults.append(f"{key}, {name}: {value!r:.80} upstream, {mirror[key].get(column)!r:.80} here")
for fault in faults[:20]:
    print(f"{feed}: {fault}")
if faults:
    sys.exit(f"{feed}: {len(faults)} differences")
print(f"{feed}: {len(expected)} rows, {values} values, no difference")
