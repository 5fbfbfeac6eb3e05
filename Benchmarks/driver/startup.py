"""How long commands take that have next to nothing to do, over a program that does nothing."""

import json
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bounds import Bound
from figures import Figures, medians, run
from items import ANCHORS
from pages import PageSet
from places import WORK, say
from report import table
from upstream import Upstream

NOTHING = "a program that does nothing"
VERSION = "feedsync --version"
STATUS = "feedsync status"
FEEDS = 5


@dataclass(frozen=True)
class StartUp:
    runs: dict[str, list[Figures]]

    def over(self, name: str) -> float:
        """Milliseconds that a command takes longer than the program that does nothing: the median, round by round."""
        return median(one.wall - nothing.wall for one, nothing in zip(self.runs[name], self.runs[NOTHING])) * 1000

    @property
    def table(self) -> str:
        count = len(self.runs[NOTHING])
        rows = [
            [name, f"{medians(runs).wall * 1000:.2f}", f"{self.over(name):.2f}", f"{medians(runs).peak:.1f}"]
            for name, runs in self.runs.items()
        ]
        return table([f"start-up, {count} runs in turn", "wall ms", "over nothing ms", "peak MB"], rows)

    @property
    def bounds(self) -> list[Bound]:
        return [
            Bound("start-up of `--version`, over an empty C program", "ms", 5, self.over(VERSION)),
            Bound(f"start-up of `status`, {FEEDS} feeds, over an empty C program", "ms", 10, self.over(STATUS)),
        ]


def measure(feedsync: Path, upstream: Upstream, runs: int) -> StartUp:
    """Runs each command so often, in turn."""
    say("start-up")
    folder = WORK / "stores" / "startup"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    pages = PageSet(ANCHORS, 100)
    upstream.serve(pages)
    feeds = {
        f"anchors-{number}": {
            "url": f"http://127.0.0.1:{upstream.tagged}/{pages.name}", "items": "items", "key": "roomId",
            "query": {"feed": number}, "pagination": {"style": "page", "param": "page", "total": "total_count"},
            "columns": {name: {"path": path, "type": type} for name, path, type in ANCHORS.columns},
        }
        for number in range(1, FEEDS + 1)
    }
    (folder / "feedsync.yaml").write_text(json.dumps({"feeds": feeds}))
    places = ["--config", str(folder / "feedsync.yaml"), "--store", str(folder / "store.db")]
    run([str(feedsync), "reload", *feeds, "--quiet", *places])
    commands = {
        NOTHING: [str(WORK / "bin" / "nothing")],
        VERSION: [str(feedsync), "--version"],
        STATUS: [str(feedsync), "status", *places],
        "sqlite3, a query of the same store": ["sqlite3", str(folder / "store.db"), "SELECT * FROM feed"],
        "Python, nothing": [sys.executable, "-c", "pass"],
    }
    found = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            found[name].append(run(command))
    shutil.rmtree(folder)
    return StartUp(found)
