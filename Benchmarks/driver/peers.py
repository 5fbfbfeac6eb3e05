"""Packages of the peers, each in an environment of its own below the work folder."""

import shutil
import subprocess
import sys
from pathlib import Path

from places import WORK, say

PACKAGES = {"by_hand": ["requests", "orjson"], "with_dlt": ["dlt[sqlalchemy,postgres]"]}


def python(peer: str) -> Path | None:
    """The Python that has a peer's packages; None, with a line that says why, where they cannot be installed."""
    folder = WORK / "peers" / peer
    program = folder / "bin" / "python"
    done = folder / "installed"
    if done.exists():
        return program
    say(f"installing {', '.join(PACKAGES[peer])} from PyPI")
    shutil.rmtree(folder, ignore_errors=True)
    for command in (
        [sys.executable, "-m", "venv", str(folder)],
        [str(program), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PACKAGES[peer]],
    ):
        ended = subprocess.run(command, capture_output=True, text=True)
        if ended.returncode:
            said = (ended.stderr or ended.stdout).strip().splitlines() or ["no reason given"]
            say(f"skipped: {peer} cannot be installed: {said[-1]}")
            return None
    done.touch()
    return program


def has(*programs: str) -> bool:
    """Whether these commands are there; says which are not."""
    missing = [program for program in programs if not shutil.which(program)]
    if missing:
        say(f"skipped: no {', '.join(missing)} here; apt-get install {' '.join(missing)}")
    return not missing
