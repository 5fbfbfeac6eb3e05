"""Runs the contenders of a scenario in turn, round by round, each on a store of its own, and checks their rows."""

import shutil
from dataclasses import dataclass, field
from pathlib import Path

from contenders import Contender, Job
from figures import Figures, RunFailed, run
from pages import PageSet
from places import WORK, say
from scenarios import Scenario
from upstream import Upstream


@dataclass
class Outcome:
    """The runs of a scenario by contender, and for those that have none, why."""

    scenario: Scenario
    runs: dict[str, list[Figures]] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)


def hold(scenario: Scenario, upstream: Upstream, rounds: int) -> Outcome:
    """Runs a scenario. A contender that fails, or whose rows are not those of the pages, has no figures."""
    say(scenario.title)
    outcome = Outcome(scenario)
    base = WORK / "stores" / scenario.key
    shutil.rmtree(base, ignore_errors=True)
    before = PageSet(scenario.pages.kind, scenario.pages.pages)
    port = getattr(upstream, scenario.server)
    scenario.pages.make()
    for contender in scenario.contenders if scenario.again else ():
        upstream.serve(before)
        try:
            _load(contender, Job(before, port, _empty(base / "loaded" / contender.name)))
        except RunFailed as failure:
            outcome.faults[contender.name] = f"first run: {failure}"
    upstream.serve(scenario.pages)
    for round in range(rounds):
        first = round % len(scenario.contenders)
        for contender in (*scenario.contenders[first:], *scenario.contenders[:first]):
            if contender.name in outcome.faults or (contender.once and round > 0):
                continue
            job = Job(scenario.pages, port, base / "run")
            try:
                figures = _measure(contender, job, base / "loaded" / contender.name if scenario.again else None)
                outcome.runs.setdefault(contender.name, []).append(figures)
            except RunFailed as failure:
                outcome.faults[contender.name] = str(failure)
                outcome.runs.pop(contender.name, None)
    shutil.rmtree(base, ignore_errors=True)
    for name, fault in outcome.faults.items():
        say(f"{name}: {fault}")
    return outcome


def _measure(contender: Contender, job: Job, loaded: Path | None) -> Figures:
    if loaded:
        shutil.rmtree(job.folder, ignore_errors=True)
        shutil.copytree(loaded, job.folder)
        command = contender.again(job)
    else:
        _empty(job.folder)
        contender.prepare(job)
        command = contender.first(job)
    figures = run(command, folder=job.folder)
    _check(contender, job)
    return figures


def _load(contender: Contender, job: Job) -> None:
    contender.prepare(job)
    run(contender.first(job), folder=job.folder)
    _check(contender, job)


def _check(contender: Contender, job: Job) -> None:
    found, expected = contender.digest(job), job.pages.digest
    if found != expected:
        raise RunFailed(f"its rows are not those of the pages: {found} instead of {expected}")


def _empty(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
