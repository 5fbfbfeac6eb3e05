"""Mirrors a small shop into a store, and reads it with the tools that people use. Exits 1 at the first wrong value."""
import http.server
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import threading

import duckdb
import duckdb_extension_sqlite_scanner
import pandas
import polars
import sqlite_utils

ITEMS = [
    {"id": n, "name": f"Thing {n}" if n != 2 else "007", "price": n + 0.5, "sold": n % 2 == 0, "stock": n,
     "note": None, "mixed": n if n % 2 else f"n{n}"}
    for n in range(1, 26)
]
ORDERS = [{"no": f"A{n}", "thing": n, "lines": [{"n": 1}], "at": "2026-11-01T10:00:00Z"} for n in range(1, 6)]


class Shop(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        items = ITEMS if self.path.startswith("/things") else ORDERS
        body = json.dumps(items).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"test-tools: {what}: {found!r} instead of {wanted!r}")
    print(f"  {what}: {found!r}")


def make(binary, folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Shop)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}"
    (folder / "feedsync.yaml").write_text(f"""
defaults: {{pagination: none}}
feeds:
  things: {{url: "{base}/things", key: id, model: thing}}
  more-things: {{url: "{base}/things?more", key: id, model: thing}}
  orders: {{url: "{base}/orders", key: no}}
  lines: {{url: "{base}/orders?lines", key: [no, thing]}}
""")
    for _ in range(2):
        subprocess.run([binary, "sync"], cwd=folder, check=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        ITEMS[0]["price"] = 99.5
        ORDERS.pop()
    server.shutdown()
    return folder / "feedsync.db"


def connection_to_duckdb():
    folder = pathlib.Path(duckdb_extension_sqlite_scanner.__file__).parent
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    connection.execute(f"LOAD '{next(folder.glob('extensions/*/*.duckdb_extension'))}'")
    return connection


def with_duckdb(path):
    connection = connection_to_duckdb()
    connection.execute(f"ATTACH '{path}' AS store (TYPE sqlite, READ_ONLY)")
    average = connection.execute("SELECT avg(price), sum(stock) FROM store.things").fetchone()
    expect("DuckDB: avg(price), sum(stock)", average, (sum(i["price"] for i in ITEMS) / 25, 325))
    expect("DuckDB: changes", connection.execute(
        "SELECT kind, count(*) FROM store.change WHERE feed = 'things' GROUP BY 1 ORDER BY 1").fetchall(),
        [("changed", 1), ("new", 25)])
    keys = "SELECT key FROM {}change WHERE feed = 'lines' AND kind = 'new' ORDER BY 1"
    expect("DuckDB: keys of two columns, of new rows", connection.execute(keys.format("store.")).fetchall(),
           sqlite3.connect(path).execute(keys.format("")).fetchall())
    expect("DuckDB: a model's view", connection.execute("SELECT count(*), avg(price) > 0 FROM store.thing").fetchone(), (50, True))
    names = [row[0] for row in sqlite3.connect(path).execute(
        "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT GLOB 'sqlite_*'")]
    for name in names:
        connection.execute(f'SELECT * FROM store."{name}"').fetchall()
    expect("DuckDB: tables and views read", len(names) > 15, True)


def as_documented(path):
    """Runs the examples of Docs/query.md, word for word but for the way in which DuckDB finds its extension."""
    text = (pathlib.Path(__file__).parents[2] / "Docs/query.md").read_text()
    reader = sqlite3.connect(path)
    attached = connection_to_duckdb()
    counts = {"sql": 0, "duckdb": 0, "python": 0}
    os.chdir(path.parent)
    for language, code in re.findall(r"```(\w+)\n(.*?)```", text, re.DOTALL):
        counts[language] += 1
        if language == "python":
            exec(code, {})
            continue
        for statement in filter(str.strip, code.replace("INSTALL sqlite; LOAD sqlite;", "").split(";")):
            (reader if language == "sql" else attached).execute(statement).fetchall()
    expect("Docs/query.md: examples", counts, {"sql": 3, "duckdb": 1, "python": 1})
    past = re.search(r"## As it was.*?```sql\n(.*?)```", text, re.DOTALL)[1]
    now = reader.execute("SELECT strftime('%Y-%m-%dT%H:%M:%fZ', max(_first_seen_at), '+0.001 seconds') FROM things")
    prices = dict(reader.execute(past.replace("2026-11-18", now.fetchone()[0])).fetchall())
    expect("the price that was", (prices[1], prices[3]), (1.5, 3.5))


def with_data_frames(path):
    connection = sqlite3.connect(path)
    frame = pandas.read_sql("SELECT id, price, name, sold FROM things ORDER BY id", connection)
    expect("pandas: dtypes", [str(frame[c].dtype) for c in ("id", "price", "sold")], ["int64", "float64", "int64"])
    expect("pandas: 007", frame["name"][1], "007")
    frame = polars.read_database("SELECT id, price, name FROM things ORDER BY id", connection)
    expect("Polars: dtypes", [str(t) for t in frame.dtypes], ["Int64", "Float64", "String"])
    expect("Polars: mean", frame["price"].mean(), sum(i["price"] for i in ITEMS) / 25)


def with_datasette(path):
    tools = pathlib.Path(sys.executable).parent
    found = subprocess.run(
        [tools / "datasette", path, "--get", "/feedsync/things.json?_shape=array&price__gt=20&_size=3&_sort=id"],
        capture_output=True, text=True, check=True)
    expect("Datasette: price > 20", [row["id"] for row in json.loads(found.stdout)], [1, 20, 21])
    columns = {c.name: c.type for c in sqlite_utils.Database(path)["things"].columns}
    expect("sqlite-utils: types", [columns[c] for c in ("id", "name", "price", "sold", "note", "mixed")],
           ["INTEGER", "TEXT", "REAL", "INTEGER", "TEXT", "TEXT"])


with tempfile.TemporaryDirectory() as folder:
    path = make(sys.argv[1], pathlib.Path(folder))
    with_duckdb(path)
    with_data_frames(path)
    with_datasette(path)
    as_documented(path)
print("test-tools: everything reads the store")
