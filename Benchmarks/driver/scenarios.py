"""What is run: which pages, from which server, after what, by whom."""

from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import peers
from contenders import ByHand, Contender, Feedsync, Reference, Shell, WithDlt
from items import ANCHORS, REPOSITORIES
from pages import PageSet

FEEDSYNC = "feedsync"
IN_TURN = "C++, in turn"
ASKING_AHEAD = "C++, asking ahead"
CHANGED_ONLY = "C++, changed rows only"
CONDITIONAL = "C++, conditional"
BY_HAND = "Python: requests, orjson, sqlite3"
SHELL = "shell: curl, jq, sqlite3"
DLT = "dlt"
AHEAD = "feedsync, prefetch 4"


@dataclass(frozen=True)
class Scenario:
    """`server` is the port's name in `Upstream`; `reference` the contender that ratios are to.

    With `again`, each contender has a store of version 1 of the pages, and a second run is measured.
    """

    key: str
    title: str
    pages: PageSet
    server: str
    contenders: tuple[Contender, ...]
    reference: str
    again: bool = False


def scenarios(feedsync: Path, quick: bool, is_wanted: Callable[[str], bool]) -> list[Scenario]:
    """Those whose key is wanted; `quick` has a tenth of the pages."""
    few, many = 100, 100 if quick else 1000
    by_hand, with_dlt = peers.python("by_hand"), peers.python("with_dlt")
    shell = peers.has("curl", "jq", "sqlite3")

    hand = (ByHand(BY_HAND, by_hand),) if by_hand else ()
    hand_conditional = (ByHand(BY_HAND, by_hand, ("--conditional",)),) if by_hand else ()
    others = (*hand, *((Shell(SHELL, once=True),) if shell else ()))
    slow = (WithDlt(DLT, with_dlt, once=True),) if with_dlt else ()
    loops = (Reference(IN_TURN), Reference(ASKING_AHEAD, ("--ahead",)))
    conditional = (Reference(CONDITIONAL, ("--conditional",)),)
    changed_only = (Reference(CHANGED_ONLY, ("--ahead", "--changed-only")),)
    first = Feedsync(FEEDSYNC, feedsync)

    found = []
    if not quick:
        small = PageSet(REPOSITORIES, few)
        found.append(Scenario("peers", title("first load", small), small, "tagged", (first, *loops, *others, *slow), ASKING_AHEAD))
    for kind, late in ((REPOSITORIES, ()), (ANCHORS, slow)):
        pages, changed = PageSet(kind, many), PageSet(kind, many, 2)
        name = kind.name
        found += [
            Scenario(f"{name}", title("first load", pages), pages, "tagged", (first, *loops, *others, *late), ASKING_AHEAD),
            Scenario(
                f"{name}-etag", title("second run, nothing changed, ETag", pages), pages, "tagged",
                (first, *conditional, *hand_conditional), CONDITIONAL, again=True),
            Scenario(
                f"{name}-plain", title("second run, nothing changed, no ETag", pages), pages, "plain",
                (first, *changed_only, *hand), CHANGED_ONLY, again=True),
            Scenario(
                f"{name}-changed", title("second run, 1 % changed, ETag", pages), changed, "tagged",
                (first, *conditional, *hand_conditional), CONDITIONAL, again=True),
        ]
    far = PageSet(ANCHORS, few)
    ahead = Feedsync(AHEAD, feedsync, prefetch=4)
    found.append(Scenario("far", title("first load, a server 20 ms away", far), far, "delayed", (first, ahead, *loops), IN_TURN))
    return [scenario for scenario in found if is_wanted(scenario.key)]


def title(what: str, pages: PageSet) -> str:
    return f"{what}: {pages.items:,} {pages.kind.name}"
