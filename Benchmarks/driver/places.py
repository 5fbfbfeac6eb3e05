"""Where things are, and how the benchmark speaks while it works."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BENCHMARKS = ROOT / "Benchmarks"
# Everything the benchmark makes: pages, stores, programs, the peers' packages. Never committed.
WORK = Path(os.environ.get("FEEDSYNC_BENCH_WORK", ROOT / ".build-bench"))


def say(text: str) -> None:
    """Tells on stderr what is going on; results go to stdout."""
    print(f"bench: {text}", file=sys.stderr, flush=True)


class BenchmarkError(Exception):
    """Something is missing or broken; its text says what to do."""
