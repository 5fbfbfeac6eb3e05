"""What feedsync is to keep to, and whether it does. Nothing fails by it: a machine's mood is no verdict."""

from dataclasses import dataclass

import scenarios
from contest import Outcome
from figures import medians, ratios
from report import table


@dataclass(frozen=True)
class Bound:
    """What is bounded, by how much, and what was measured: None where a contender has no figures."""

    what: str
    unit: str
    most: float
    found: float | None

    @property
    def row(self) -> list[str]:
        shown = {"×": "{:.2f} ×", "MB": "{:.1f} MB", "ms": "{:.1f} ms", "": "{:.2f}"}[self.unit]
        found = "not measured" if self.found is None else shown.format(self.found)
        kept = "" if self.found is None else "yes" if self.found <= self.most else "no"
        return [self.what, shown.format(self.most), found, kept]


def bounds(outcomes: dict[str, Outcome]) -> list[Bound]:
    """The bounds that ratios and figures are held to, of the scenarios that were run."""
    feedsync, ahead, by_hand = scenarios.FEEDSYNC, scenarios.ASKING_AHEAD, scenarios.BY_HAND
    found = []

    def compare(what: str, key: str, to: str, wall: float, cpu: float | None = None, of: str = feedsync) -> None:
        if key not in outcomes:
            return
        runs, others = outcomes[key].runs.get(of), outcomes[key].runs.get(to)
        both = ratios(runs, others) if runs and others else (None, None)
        found.append(Bound(f"{what}, to {to}: wall", "×", wall, both[0]))
        if cpu is not None:
            found.append(Bound(f"{what}, to {to}: CPU", "×", cpu, both[1]))

    compare("first load, repositories", "repositories", ahead, 1.2, 1.3)
    compare("first load, anchors", "anchors", ahead, 1.4, 1.6)
    for kind in ("repositories", "anchors"):
        compare(f"second run with ETag, {kind}", f"{kind}-etag", scenarios.CONDITIONAL, 1.2)
        compare(f"second run without ETag, {kind}", f"{kind}-plain", scenarios.CHANGED_ONLY, 1.4)
    for kind in ("repositories", "anchors"):
        compare(f"first load, {kind}", kind, by_hand, 1 / 6)
    for key, kind in (("peers", "10,000 repositories"), ("anchors", "anchors")):
        compare(f"first load, {kind}", key, scenarios.DLT, 1 / 25)
    compare("100 pages from 20 ms away, prefetch 4", "far", scenarios.IN_TURN, 0.35, of=scenarios.AHEAD)
    peaks = [medians(outcome.runs[feedsync]).peak for outcome in outcomes.values() if feedsync in outcome.runs]
    if peaks:
        found.append(Bound("peak memory, the largest of these runs", "MB", 24, max(peaks)))
    if "anchors" in outcomes and feedsync in outcomes["anchors"].runs:
        switches = medians(outcomes["anchors"].runs[feedsync]).switches / outcomes["anchors"].scenario.pages.pages
        found.append(Bound("context switches a page, first load of anchors", "", 2, switches))
    return found


def bounds_table(rows: list[Bound]) -> str:
    return table(["feedsync", "at most", "measured", "kept"], [bound.row for bound in rows])
