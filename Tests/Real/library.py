"""Makes the SQLite database of a library that Datasette serves: authors with books with reviews, and changes it.

usage: library.py DATABASE [change]
"""

import random
import sqlite3
import sys

database = sqlite3.connect(sys.argv[1])
chance = random.Random(len(sys.argv))


def review(number, book):
    return (number, book, f"{chance.choice(['good', 'bad', 'so-so', chr(0x1F4DA)])} {number}", chance.random() * 5)


if len(sys.argv) == 2:
    database.executescript(
        """
        CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT, born INTEGER);
        CREATE TABLE books (isbn TEXT PRIMARY KEY, author INTEGER, title TEXT, pages INTEGER);
        CREATE TABLE reviews (id INTEGER PRIMARY KEY, book TEXT, text TEXT, stars REAL);
        CREATE INDEX by_author ON books (author);
        CREATE INDEX by_book ON reviews (book);
        """
    )
    database.executemany("INSERT INTO authors VALUES (?, ?, ?)", ((n, f"author {n}", 1900 + n % 90) for n in range(1, 41)))
    books = []
    for author in range(1, 41):
        # More than a page, a few, none.
        for n in range(150 if author == 7 else author % 6):
            # A key that has to be encoded where it stands in a URL.
            books.append((f"{author}/{n} &?#%é", author, f"book {n}", chance.randint(1, 900)))
    database.executemany("INSERT INTO books VALUES (?, ?, ?, ?)", books)
    number = 0
    for place, book in enumerate(books):
        for _ in range(230 if place == 3 else place % 4):
            number += 1
            database.execute("INSERT INTO reviews VALUES (?, ?, ?, ?)", review(number, book[0]))
else:
    # An author goes with all books, books and reviews go and change at random, and new ones come at all three levels.
    database.execute("DELETE FROM authors WHERE id = 5")
    database.execute("DELETE FROM books WHERE author = 5 OR pages % 17 = 0")
    database.execute("DELETE FROM reviews WHERE book NOT IN (SELECT isbn FROM books) OR id % 13 = 0")
    database.execute("UPDATE books SET title = title || '!' WHERE pages % 5 = 0")
    database.execute("UPDATE reviews SET stars = 0 WHERE id % 7 = 0")
    database.execute("INSERT INTO authors VALUES (41, 'new', 2000)")
    database.execute("INSERT INTO books VALUES ('new', 41, 'new', 1), ('other', 7, 'other', 2)")
    for number in range(10_000, 10_150):
        database.execute("INSERT INTO reviews VALUES (?, ?, ?, ?)", review(number, chance.choice(["new", "other"])))
database.commit()
