"""Runs feedsync on stores that are damaged, odd or hostile; see Scripts/faults."""

import argparse
import collections
import multiprocessing
import os
import random
import shutil
import sqlite3
import sys
import tempfile
import time

import places
import upstream

# What reads first: what writes may end the next command early.
COMMANDS = [
    "status --json", "events --json", "changes --json", "plan --json", "explain things", "show things --json",
    "reload things", "more things", "sync things", "prune", "backup copy.db",
]
# Done; the page; the upstream; the store; try later; the configuration. Never a bug (70), a signal or a hang.
CODES = {0, 65, 69, 73, 75, 78}
EXTREMES = [
    None, 0, -1, 9223372036854775807, -9223372036854775808, 1e308, float("inf"), "", "x" * 100_000, b"\0\xff", "{", "[" * 5_000,
    "null", "9999-12-31T23:59:59.999Z", "${secret:1}",
]
# What an attacker would have run with our rights; its traces are looked for.
PLANTED = "INSERT INTO planted VALUES (1)"


def own_tables(path):
    database = sqlite3.connect(path)
    try:
        return {
            name: [row[1] for row in database.execute(f'PRAGMA table_info("{name}")')]
            for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        }
    finally:
        database.close()


def mutations(path):
    """Every change of a store that is no matter of chance."""
    tables = own_tables(path)
    for table, columns in tables.items():
        for column in columns:
            for value in range(len(EXTREMES)):
                yield "value", table, column, value
        for when in ("INSERT", "UPDATE", "DELETE"):
            yield "trigger", table, when
        yield "view", table
        yield "endless view", table
        yield "dropped", table
        yield "emptied", table
        yield "other columns", table
    for name in ("section", "quota", "change"):
        yield "view", name
        yield "endless view", name
    for number in range(40):
        yield "index", number


def shaken(count):
    """Changes by chance, each with a number that says which."""
    for number in range(count):
        yield ("flipped", "flipped", "swapped", "truncated", "zeroed", "header")[number % 6], number


def change(path, mutation, seed):
    """Changes the store; False if SQLite does not let it happen."""
    kind, *words = mutation
    if kind in ("flipped", "swapped", "truncated", "zeroed", "header"):
        return shake(path, kind, random.Random(f"{seed} {words[0]}"))
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA foreign_keys = OFF")
    database.execute("PRAGMA ignore_check_constraints = ON")
    try:
        table = f'"{words[0]}"' if kind != "index" else ""
        if kind == "value":
            database.execute(f'UPDATE OR REPLACE {table} SET "{words[1]}" = ?', [EXTREMES[words[2]]])
        elif kind == "trigger":
            database.execute("CREATE TABLE planted (a)")
            database.execute(f"CREATE TRIGGER strange AFTER {words[1]} ON {table} BEGIN {PLANTED}; END")
        elif kind in ("view", "endless view"):
            is_view = words[0] in ("section", "quota", "change")
            columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
            database.execute(f"DROP VIEW {table}" if is_view else f'ALTER TABLE {table} RENAME TO "moved"')
            rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT " if kind != "view" else "SELECT "
            named = ", ".join(f'{"i" if kind != "view" else "load_extension(1)"} AS "{name}"' for name in columns)
            database.execute(f"CREATE VIEW {table} AS {rows}{named}" + (" FROM n" if kind != "view" else ""))
        elif kind == "dropped":
            database.execute(f"DROP TABLE {table}")
        elif kind == "emptied":
            database.execute(f"DELETE FROM {table}")
        elif kind == "other columns":
            database.execute(f"DROP TABLE {table}")
            database.execute(f"CREATE TABLE {table} (other)")
            database.execute(f"INSERT INTO {table} VALUES (1)")
        elif kind == "index":
            columns = [(name, column) for name, columns in own_tables(path).items() for column in columns]
            name, column = columns[words[0] * 7 % len(columns)]
            database.execute(f'CREATE UNIQUE INDEX strange ON "{name}" (abs("{column}") % 2, zeroblob(9) IS NULL)')
        return True
    except sqlite3.Error:
        return False
    finally:
        database.close()


def shake(path, kind, chance):
    data = bytearray(path.read_bytes())
    size = 4096
    count = len(data) // size
    if kind == "flipped":
        for _ in range(chance.choice([1, 3, 30])):
            data[chance.randrange(100, len(data))] ^= 1 << chance.randrange(8)
    elif kind == "header":
        data[chance.randrange(100)] = chance.randrange(256)
    elif kind == "swapped":
        one, other = (chance.randrange(count) * size for _ in range(2))
        data[one:one + size], data[other:other + size] = data[other:other + size], data[one:one + size]
    elif kind == "truncated":
        del data[chance.randrange(len(data)):]
    else:
        start = chance.randrange(count) * size
        data[start:start + size] = bytes(size)
    path.write_bytes(data)
    return True


def attempt(bench, scenario, mutation, seed):
    """Runs the commands on a changed store; returns their codes, and what is wrong."""
    bench.begin(scenario)
    store = bench.place / "feedsync.db"
    if not change(store, mutation, seed):
        return [], []
    codes, found = [], []
    for command in COMMANDS:
        run = bench.run(command)
        codes.append(run.code)
        if run.code is None:
            found.append(f"`{command}` still ran after {bench.patience} s")
        elif run.code not in CODES:
            found.append(f"`{command}` ended with {run.code}: {run.errors}")
        elif run.code != 0 and not run.errors:
            found.append(f"`{command}` ended with {run.code} and said nothing")
        elif run.code == 73 and "Try: " not in run.errors:
            found.append(f"`{command}` does not say what to do: {run.errors}")
        elif len(run.errors) > 10_000:
            found.append(f"`{command}` says {len(run.errors)} bytes")
    if mutation[0] == "trigger":
        database = sqlite3.connect(store)
        if database.execute("SELECT count(*) FROM planted").fetchone() != (0,):
            found.append("the trigger was run")
        database.close()
    return codes, found


bench = None
SCENARIO = places.Scenario("odd store", "sync things", "all", ["sync things", "reload things"])


def start_worker(options):
    global bench
    bench = places.Bench(
        os.path.abspath(options.binary), None,
        tempfile.mkdtemp(prefix="worker-", dir=options.folder), options.patience)
    bench.prepare(SCENARIO)
    database = sqlite3.connect(bench.starts[SCENARIO.name] / "feedsync.db")
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()


def work(given):
    mutation, seed = given
    return mutation, *attempt(bench, SCENARIO, mutation, seed)


def main():
    parser = argparse.ArgumentParser(prog="Scripts/faults stores")
    parser.add_argument("--sample", type=int, metavar="N", help="so many stores, chosen by the seed; without: all")
    parser.add_argument("--seed", type=int, metavar="S", help="without: a new one, which is printed")
    parser.add_argument("--shaken", type=int, default=600, metavar="N", help="so many stores are changed by chance (600)")
    parser.add_argument("--only", metavar="WORDS", help="only changes whose words begin so, such as 'value feed'")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="so many at a time (1)")
    parser.add_argument("--patience", type=int, default=20, metavar="S", help="a command that takes longer hangs (20 s)")
    for name in ("binary", "folder"):
        parser.add_argument(f"--{name}", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--shim", help=argparse.SUPPRESS)
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
    start_worker(options)
    everything = [*mutations(bench.starts[SCENARIO.name] / "feedsync.db"), *shaken(options.shaken)]
    if options.only:
        everything = [mutation for mutation in everything if " ".join(map(str, mutation)).startswith(options.only)]
    if not everything:
        sys.exit(f"faults: no change begins with {options.only}")
    chosen = everything
    if options.sample is not None and options.sample < len(everything):
        chosen = random.Random(seed).sample(everything, options.sample)
    print(f"faults: {len(chosen)} of {len(everything)} stores, seed {seed}", flush=True)
    began = time.monotonic()
    counts, failures = collections.defaultdict(collections.Counter), 0
    with multiprocessing.Pool(options.jobs, start_worker, [options]) as pool:
        for mutation, codes, found in pool.imap_unordered(work, [(mutation, seed) for mutation in chosen]):
            count = counts[mutation[0]]
            count["stores" if codes else "unchanged"] += 1
            count.update(f"code {code}" for code in codes)
            if found:
                failures += 1
                print(f"faults: {' '.join(map(str, mutation))}:\n    " + "\n    ".join(text[:400] for text in found), flush=True)
    for kind, count in sorted(counts.items()):
        print(f"{kind:14} " + ", ".join(f"{name}: {number}" for name, number in sorted(count.items())))
    commands = sum(number for count in counts.values() for name, number in count.items() if name.startswith("code"))
    print(f"faults: {failures} of {len(chosen)} stores went wrong, {commands} commands, in {time.monotonic() - began:.0f} s; seed {seed}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
