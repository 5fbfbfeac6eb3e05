"""Disturbs feedsync at every call that it makes of files and sockets; see Scripts/faults."""

import argparse
import collections
import errno
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time

import places
import upstream

WRITING = "write pwrite ftruncate open fdatasync fsync".split()
OPENING = "open fopen socket socketpair pipe eventfd epoll_create1".split()
READING = "read pread recv".split()
EVENTS = {"eventfd", "epoll_create1", "epoll_ctl", "epoll_wait"}
COUNTED = "read pread recv write pwrite send".split()
# What each kind of fault may hit; None: every call.
CALLS = {
    "kill": None,
    "EIO": None,
    "ENOSPC": WRITING,
    "EACCES": "open fopen stat lstat access unlink connect fcntl fchmod".split(),
    "EINTR": READING + "write pwrite send open fsync fdatasync ftruncate fcntl poll connect epoll_wait".split(),
    "EAGAIN": READING + "write pwrite send fcntl poll".split(),
    "EMFILE": OPENING,
    "ENOMEM": OPENING + "mmap poll epoll_ctl stat lstat fcntl pread pwrite ftruncate".split(),
    "short": COUNTED,
}
# A kernel never interrupts every call, so what waits by asking again would wait for ever.
ONCE_ONLY = {"kill", "EINTR"}
# A server waits for clients in that way, and for the signal that ends it.
ONCE_ONLY_IN_SERVER = ONCE_ONLY | {"EAGAIN"}
# Done; the upstream is unreachable; a bug that says so; the store; the output; try later; the configuration.
CODES = {0, 69, 73, 74, 75, 78}


def trials(bench, scenario, only):
    """Every trial of a scenario, or those at some calls only: the kind of fault, the call's number among those it may hit, how often."""
    bench.begin(scenario)
    run = bench.run(scenario.command, {"FAULTS_ACTION": "count"})
    calls = bench.called()
    if run.code not in ([-signal.SIGTERM, 143] if scenario.is_server else [0]) or not calls:
        raise SystemExit(f"faults: {scenario.name}: counted, it ends with {run.code}: {run.errors}")
    # Up to here feedsync looks whether there are events, before libdispatch needs them.
    looked = calls.index("epoll_ctl")
    for kind, names in CALLS.items():
        hit = [(place, call) for place, call in enumerate(calls) if names is None or call in names]
        for number, (place, call) in enumerate(hit, 1):
            if only and call not in only:
                continue
            yield scenario.name, kind, number, "once", place <= looked
            if kind not in (ONCE_ONLY_IN_SERVER if scenario.is_server else ONCE_ONLY):
                yield scenario.name, kind, number, "from then on", place <= looked


def environment(kind, number, times):
    names = CALLS[kind]
    return {
        "FAULTS_ACTION": kind if kind in ("kill", "short") else "fail",
        "FAULTS_ERROR": str(getattr(errno, kind, 0)),
        "FAULTS_AT": str(number),
        "FAULTS_TIMES": "1" if times == "once" else "0",
    } | ({"FAULTS_CALLS": ",".join(names)} if names else {})


def may_be_silent(kind, hit, times):
    """Whether what it would say cannot be written either."""
    return hit == "write" or times != "once" and "write" in (CALLS[kind] or ["write"])


def breaks_dispatch(kind, hit, times, is_early):
    """Whether libdispatch may have given up: without events, or where it cannot read in /proc what its threads do.

    feedsync looks first whether there are events, and tells of it where there are none.
    """
    def may_fail(names):
        return hit in names or times != "once" and (CALLS[kind] is None or not names.isdisjoint(CALLS[kind]))
    return may_fail(EVENTS | {"open"}) and not (is_early and may_fail(EVENTS))


def attempt(bench, scenario, kind, number, times, is_early):
    """Runs one trial; returns the call that was hit, the exit code, and what is wrong."""
    bench.begin(scenario)
    run = bench.run(scenario.command, environment(kind, number, times))
    hit = (bench.called() or [None])[0]
    found = []
    if run.code is None:
        found.append(f"it still ran after {bench.patience} s")
    elif scenario.is_server and run.code in (-signal.SIGTERM, 143):
        pass
    elif kind == "kill":
        if run.code not in (-9, 0):
            found.append(f"it ended with {run.code}: {run.errors}")
    elif run.code == -signal.SIGILL and breaks_dispatch(kind, hit, times, is_early):
        pass
    elif run.code not in CODES:
        found.append(f"it ended with {run.code}: {run.errors}")
    elif run.code not in (0, 74) and not run.errors and not may_be_silent(kind, hit, times):
        found.append(f"it ended with {run.code} and said nothing")
    known = set()
    for item in upstream.before() + upstream.after():
        known.add(tuple(item.values()))
    found += places.faults_of(bench.aside(), known, may_be_open=run.code != 0)
    if scenario.name == "backup":
        found += copy_faults(bench, known)
    following = bench.run(scenario.following)
    if following.code != 0:
        found.append(f"the next command ended with {following.code}: {following.errors}")
    else:
        store = bench.place / "feedsync.db"
        found += places.faults_of(store, known, may_be_open=False)
        is_now, should = places.contents(store), bench.ends[scenario.name]
        for part, value in should.items():
            if is_now[part] != value:
                found.append(f"{part} after the next command: {is_now[part]} instead of {value}")
        if scenario.name == "backup":
            found += copy_faults(bench, known)
            if not (bench.place / "copy.db").exists():
                found.append("the next command left no copy")
    return hit, run.code, found


def copy_faults(bench, known):
    """What is wrong with a copy, if there is one: it is whole, or not there."""
    copy = bench.place / "copy.db"
    if not copy.exists():
        return []
    found = [f"the copy: {text}" for text in places.faults_of(copy, known, may_be_open=False)]
    if not found and places.contents(copy) != bench.ends["backup"]:
        found.append("the copy has something else than the store")
    return found


bench = None


def start_worker(options):
    global bench
    bench = places.Bench(
        os.path.abspath(options.binary), os.path.abspath(options.shim),
        tempfile.mkdtemp(prefix="worker-", dir=options.folder), options.patience)
    for scenario in options.scenarios:
        bench.prepare(scenario)


def work(trial):
    name, *rest = trial
    scenario = next(scenario for scenario in places.SCENARIOS if scenario.name == name)
    return trial, attempt(bench, scenario, *rest)


def describe(trial):
    name, kind, number, times, _ = trial
    return f"{name}: {kind} {times} at call {number}"


def main():
    parser = argparse.ArgumentParser(prog="Scripts/faults")
    parser.add_argument("--sample", type=int, metavar="N", help="so many trials, chosen by the seed, of `serve` if --scenario names it; without: all")
    parser.add_argument("--seed", type=int, metavar="S", help="without: a new one, which is printed")
    parser.add_argument("--scenario", action="append", metavar="NAME", choices=[s.name for s in places.SCENARIOS])
    parser.add_argument("--kind", action="append", choices=list(CALLS))
    parser.add_argument("--call", action="append", metavar="NAME", help="only calls of that name, such as send")
    parser.add_argument("--at", type=int, metavar="N", help="only the call of that number")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="so many at a time (1)")
    parser.add_argument("--patience", type=int, default=60, metavar="S", help="a run that takes longer hangs (60 s)")
    parser.add_argument("--binary", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--shim", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--folder", required=True, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.scenarios = [
        s for s in places.SCENARIOS
        if (s.name in options.scenario if options.scenario else options.sample is None or not s.is_server)]
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)

    start_worker(options)
    everything = [trial for scenario in options.scenarios for trial in trials(bench, scenario, options.call)]
    if options.kind:
        everything = [trial for trial in everything if trial[1] in options.kind]
    if options.at:
        everything = [trial for trial in everything if trial[2] == options.at]
    if not everything:
        sys.exit("faults: these options leave no trial")
    chosen = everything
    if options.sample is not None and options.sample < len(everything):
        chosen = random.Random(seed).sample(everything, options.sample)
    print(f"faults: {len(chosen)} of {len(everything)} trials, seed {seed}", flush=True)

    began = time.monotonic()
    counts = collections.defaultdict(collections.Counter)
    hits, failures = collections.Counter(), 0
    with multiprocessing.Pool(options.jobs, start_worker, [options]) as pool:
        for trial, (hit, code, found) in pool.imap_unordered(work, chosen):
            kind = trial[1] if trial[1] in ONCE_ONLY else f"{trial[1]} {trial[3]}"
            counts[kind]["trials"] += 1
            counts[kind]["missed" if hit is None else f"code {code}"] += 1
            hits[hit] += 1
            if (done := sum(hits.values())) % 500 == 0:
                print(f"faults: {done} of {len(chosen)}, {failures} went wrong so far", flush=True)
            if found:
                failures += 1
                print(f"faults: {describe(trial)} ({hit}):\n    " + "\n    ".join(text[:600] for text in found), flush=True)
    for kind, count in sorted(counts.items()):
        ends = ", ".join(f"{name}: {number}" for name, number in sorted(count.items()) if name != "trials")
        print(f"{kind:22} {count['trials']:6} trials  {ends}")
    print("calls hit: " + ", ".join(f"{name} {number}" for name, number in hits.most_common() if name))
    print(f"faults: {failures} of {len(chosen)} went wrong, in {time.monotonic() - began:.0f} s; seed {seed}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
