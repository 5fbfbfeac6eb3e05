"""Makes the SQLite database that Datasette serves: 20,000 rows with the values that mirrors like to lose."""

import random
import sqlite3
import sys

HARD_TEXTS = [
    "", " ", "nul\0inside", 'double "quotes"', "it's", "back\\slash", "line\nbreak\r\n\ttab", "007", "1e3", "true", "null",
    "\U0001f33f", "e\u0301", "\u00e9", "\ufffd", "\ufeff", "\u202eleft", "\u2028", "<b>&amp;</b>", "x" * 20_000,
] + [chr(plane * 0x10000 + 0xABCD) for plane in range(17) if plane not in (15, 16)] + ["\U000fabcd", "\U0010abcd"]
HARD_INTEGERS = [0, -1, 2**31, 2**53 + 1, 2**63 - 1, -(2**63)]
HARD_REALS = [0.1, -0.0, 1e308, 5e-324, 1.7976931348623157e308, 0.30000000000000004, 1e21, 123456789.12345678, 2.0]


def rows():
    chance = random.Random(20_000)
    for number in range(20_000):
        yield (
            number * 3 + 1,
            HARD_TEXTS[number % len(HARD_TEXTS)] if number % 2 else f"plant {number}",
            HARD_INTEGERS[number % len(HARD_INTEGERS)] if number % 3 else chance.randint(-(2**63), 2**63 - 1),
            HARD_REALS[number % len(HARD_REALS)] if number % 3 else chance.uniform(-1e6, 1e6),
            None if number % 4 else f"note {number}",
            # Found as an integer on the first page, a real later, text in the end: widened twice in place.
            number if number < 5_000 else number / 8 if number < 15_000 else f"{number}!",
            chance.randbytes(number % 40) if number % 50 == 0 else None,
            number % 7,
            f"dotted {number}",
            f"reserved {number}",
        )


database = sqlite3.connect(sys.argv[1])
database.execute(
    """
    CREATE TABLE plants (id INTEGER PRIMARY KEY, name TEXT, count INTEGER, height REAL, note TEXT, mixed, photo BLOB,
        "select" INTEGER, "a.b[0]" TEXT, _section TEXT)
    """
)
database.executemany("INSERT INTO plants VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows())
database.execute("CREATE TABLE sightings (plant INTEGER, place TEXT, seen TEXT, PRIMARY KEY (plant, place))")
database.executemany(
    "INSERT INTO sightings VALUES (?, ?, ?)",
    ((number // 3, f"place {number % 3} / ?&#", f"2026-01-{number % 28 + 1:02}") for number in range(3_000)),
)
database.commit()
