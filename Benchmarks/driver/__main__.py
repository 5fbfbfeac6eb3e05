"""`Scripts/bench`: measures feedsync against a straight loop in C++ and against its peers."""

import argparse
import sys

import programs
from bounds import bounds, bounds_table
from contest import hold
from places import BenchmarkError, say
from report import outcome_table
from scenarios import scenarios
from upstream import Upstream


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="Scripts/bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="so many runs of each program (5)")
    parser.add_argument("--only", metavar="WORD", action="append", help="scenarios whose name has this word; may come several times")
    parser.add_argument("--quick", action="store_true", help="a tenth of the pages")
    parser.add_argument("--feedsync", metavar="PATH", help="measures this binary instead of building one")
    return parser.parse_args()


def compare(options: argparse.Namespace) -> None:
    feedsync = options.feedsync or programs.feedsync()
    programs.tools()
    programs.reference()
    outcomes = {}
    with Upstream() as upstream:
        for scenario in scenarios(feedsync, options.quick):
            if options.only and not any(word in scenario.key for word in options.only):
                continue
            outcomes[scenario.key] = hold(scenario, upstream, options.rounds)
            print(outcome_table(outcomes[scenario.key]), end="\n\n", flush=True)
    print(bounds_table(bounds(outcomes)))


try:
    compare(arguments())
except BenchmarkError as error:
    say(str(error))
    sys.exit(1)
except KeyboardInterrupt:
    sys.exit(130)
