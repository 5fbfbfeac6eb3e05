"""Measures feedsync against a straight loop in C++ and against its peers (compare), the cost of a page as its table grows (growth),
its instructions (instructions), the order of its functions (order), lists for each row of another feed (parts), a store in PostgreSQL (shared), and the requests it makes (requests). Docs/performance.md says what the figures mean."""

import argparse
import os
import signal
import sys
from pathlib import Path

import document
import growth
import instructions
import many_feeds
import order
import parts
import programs
import request_counts
import shared
import startup
from bounds import bounds, bounds_table
from contest import hold
from places import ROOT, BenchmarkError, say
from report import outcome_table
from scenarios import scenarios
from upstream import Upstream


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="Scripts/bench", description=__doc__)
    parser.add_argument("what", nargs="?", choices=("compare", "growth", "instructions", "order", "parts", "requests", "shared"), default="compare")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="so many runs of each program (5)")
    parser.add_argument("--only", metavar="WORD", action="append", help="scenarios (requests: rows) whose name has this word; may come several times")
    parser.add_argument("--quick", action="store_true", help="a tenth of the pages; requests: not the lists of 1,000 pages")
    parser.add_argument("--markdown", action="store_true", help="writes the figures into Docs/performance.md, too")
    parser.add_argument("--record", action="store_true", help="writes the counts down: into Benchmarks/instructions.txt, or Docs/performance.md")
    parser.add_argument("--check", action="store_true", help="requests: fails where a row is not as Docs/performance.md has it")
    parser.add_argument("--feedsync", "--binary", metavar="PATH", type=os.path.abspath, help="measures this binary instead of building one")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("--rounds takes a number from 1")
    if options.what == "requests" and options.record and (options.quick or options.only):
        parser.error("requests --record takes all rows: leave out --quick and --only")
    if options.what == "compare" and options.markdown and options.only:
        parser.error("--markdown writes all tables: leave out --only")
    return options


def compare(options: argparse.Namespace, feedsync: Path, upstream: Upstream) -> None:
    def is_wanted(key: str) -> bool:
        return not options.only or any(word in key for word in options.only)

    programs.reference()
    tables, outcomes = [], {}

    def show(text: str) -> None:
        tables.append(text)
        print(text, end="\n\n", flush=True)

    wanted = scenarios(feedsync, options.quick, is_wanted)
    if not wanted and not is_wanted("feeds") and not is_wanted("startup"):
        raise BenchmarkError(f"no scenario's name has {' or '.join(options.only)}: try anchors, repositories, far, feeds or startup")
    for scenario in wanted:
        outcomes[scenario.key] = hold(scenario, upstream, options.rounds)
        show(outcome_table(outcomes[scenario.key]))
    found = bounds(outcomes)
    if is_wanted("feeds"):
        feeds = many_feeds.measure(feedsync, upstream, options.rounds, (100, 1000))
        show(feeds.table)
        found += feeds.bounds
    if is_wanted("startup"):
        start = startup.measure(feedsync, upstream, options.rounds * 40)
        show(start.table)
        found += start.bounds
    show(bounds_table(found))
    if options.markdown:
        head = f"{document.origin()} Medians of {options.rounds} rounds."
        document.write("figures", "\n\n".join([head, *tables[:-1]]))
        document.write("targets", "\n\n".join([document.origin(), tables[-1]]))


def grow(options: argparse.Namespace, feedsync: Path, upstream: Upstream) -> None:
    found = growth.measure(feedsync, upstream, 1_000 if options.quick else 10_000)
    text = document.growth_table(found)
    print(text)
    if options.markdown:
        document.write("growth", f"{document.origin()}\n\n{text}")
        document.growth_chart(found)


def ask_lists(options: argparse.Namespace, feedsync: Path, upstream: Upstream) -> None:
    small = 10 if options.quick else 1
    found = parts.measure(feedsync, upstream, options.rounds, 10_000 // small, 100_000 // small)
    targets = bounds_table(found.bounds)
    print("\n\n".join([found.table, targets]))
    if options.markdown:
        origin = f"{document.origin()} Medians of {options.rounds} rounds."
        document.write("parts", f"{origin}\n\n{found.table}")
        document.write("targets of parts", f"{origin}\n\n{targets}")


def share(options: argparse.Namespace, feedsync: Path, upstream: Upstream) -> None:
    programs.reference()
    found = shared.measure(feedsync, upstream, options.rounds, options.quick)
    targets = bounds_table(found.bounds)
    print("\n\n".join([*found.tables, targets]))
    if options.markdown:
        origin = f"{document.origin()} Medians of {options.rounds} rounds."
        document.write("shared", "\n\n".join([origin, *found.tables]))
        document.write("targets of shared", f"{origin}\n\n{targets}")


def count_instructions(options: argparse.Namespace, feedsync: Path, upstream: Upstream) -> None:
    counts = instructions.count(feedsync, upstream)
    text, warnings = instructions.compare(counts, instructions.recorded())
    print(text)
    for warning in warnings:
        print(warning, file=sys.stderr)
    if options.record:
        instructions.record(counts)


def write_order(options: argparse.Namespace, feedsync: Path, upstream: Upstream) -> None:
    print(f"{order.write(feedsync, upstream):,} functions in {order.RECORD.relative_to(ROOT)}")


def count_requests(options: argparse.Namespace, feedsync: Path) -> None:
    found = request_counts.count(feedsync, options.quick, options.only)
    print(request_counts.shown(found))
    if options.record:
        request_counts.record(found)
    if options.check and (lines := request_counts.differences(found, request_counts.recorded())):
        raise BenchmarkError("\n".join([
            "these requests are not those of Docs/performance.md; if that is what the change is worth: Scripts/bench requests --record", *lines,
        ]))


def main() -> None:
    # So that nginx ends with us.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    options = arguments()
    feedsync = Path(options.feedsync) if options.feedsync else programs.feedsync()
    if options.what == "requests":
        return count_requests(options, feedsync)
    programs.tools()
    work = {"compare": compare, "growth": grow, "instructions": count_instructions, "order": write_order, "parts": ask_lists, "shared": share}[options.what]
    if options.what not in ("instructions", "order") and document.LOAD > 0.5:
        say(f"this machine is busy (load {document.LOAD:.1f}): wall times, and with them their ratios, are those of a busy machine")
    with Upstream() as upstream:
        work(options, feedsync, upstream)


try:
    main()
except BenchmarkError as error:
    say(str(error))
    sys.exit(1)
except KeyboardInterrupt:
    sys.exit(130)
