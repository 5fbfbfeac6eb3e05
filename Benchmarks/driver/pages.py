"""Page files, written once: `{"total_count": …, "items": […]}`, 100 items each."""

import hashlib
import itertools
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, Iterator

from draws import Draws
from items import ItemKind
from places import WORK, say

PAGE_SIZE = 100
# ETags are made of time and length: an unchanged page of the next version keeps both.
WRITTEN_AT = 1_750_000_000


class RowDigest:
    """A checksum of rows in the order of their keys."""

    def __init__(self):
        self._hash = hashlib.sha256()
        self.rows = 0

    def add(self, row: tuple) -> None:
        self._hash.update(repr(row).encode())
        self.rows += 1

    def __str__(self) -> str:
        return f"{self.rows} rows, {self._hash.hexdigest()[:16]}"


def digest(rows: Iterable[tuple]) -> str:
    result = RowDigest()
    for row in rows:
        result.add(row)
    return str(result)


@dataclass(frozen=True)
class PageSet:
    """The pages of one feed. `version` 2 has one item in a hundred changed; `version` 3 lacks the first item, so that all others move."""

    kind: ItemKind
    pages: int
    version: int = 1

    @property
    def name(self) -> str:
        """The feed's name in URLs: the same in all versions."""
        return f"{self.kind.name}-{self.pages}"

    @property
    def items(self) -> int:
        return self.pages * PAGE_SIZE

    @property
    def folder(self) -> Path:
        return WORK / "pages" / f"{self.name}-v{self.version}"

    @property
    def digest(self) -> str:
        """What the rows of a true mirror of these pages come to."""
        return json.loads((self.folder / "manifest.json").read_text())["digest"]

    def make(self) -> None:
        """Writes the pages, unless they are there."""
        if (self.folder / "manifest.json").exists():
            return
        if self.version > 1:
            PageSet(self.kind, self.pages).make()
        say(f"writing {self.pages} pages of {self.kind.name}, version {self.version}")
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
        kept = RowDigest()
        drawn = self._items()
        total = self.items
        if self.version == 3:
            next(drawn)
            total -= 1
        for page in range(1, self.pages + 1):
            items = list(itertools.islice(drawn, PAGE_SIZE))
            for item in items:
                kept.add(self.kind.row(item))
            self._write(page, encode({"total_count": total, "incomplete_results": False, "items": items}).encode())
        self._write("empty", encode({"total_count": total, "incomplete_results": False, "items": []}).encode())
        (self.folder / "manifest.json").write_text(json.dumps({"digest": str(kept)}))

    def _items(self) -> Iterator[dict]:
        for page in range(1, self.pages + 1):
            draws = Draws(f"{self.kind.name} {page}")
            first = (page - 1) * PAGE_SIZE
            for number in range(first, first + PAGE_SIZE):
                yield self.kind.make(number, draws, 2 if self.version == 2 else 1)

    def _write(self, page, body: bytes) -> None:
        path = self.folder / f"{page}.json"
        if self.version > 1:
            before = PageSet(self.kind, self.pages).folder / path.name
            if before.read_bytes() == body:
                os.link(before, path)
                return
        path.write_bytes(body)
        os.utime(path, (WRITTEN_AT + self.version, WRITTEN_AT + self.version))
