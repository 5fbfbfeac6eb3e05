"""Builds what is measured: feedsync as it is released, the reference, and the small programs around them."""

import subprocess
from pathlib import Path

from places import BENCHMARKS, ROOT, WORK, BenchmarkError, say

BIN = WORK / "bin"


def feedsync() -> Path:
    """The binary as it ships, built if it is not up to date."""
    say("building feedsync")
    built = subprocess.run([str(ROOT / "Scripts" / "release")], cwd=ROOT, capture_output=True, text=True)
    if built.returncode:
        raise BenchmarkError(f"Scripts/release fails:\n{built.stdout}{built.stderr}")
    return ROOT / built.stdout.split()[0]


def _compile(name: str, sources: list[Path], command: list[str], libraries: list[str] = []) -> None:
    target = BIN / name
    if target.exists() and all(source.stat().st_mtime < target.stat().st_mtime for source in sources):
        return
    BIN.mkdir(parents=True, exist_ok=True)
    programs = [str(source) for source in sources if source.suffix in (".c", ".cpp")]
    subprocess.run([*command, "-Wall", "-Wextra", *programs, "-o", str(target), *libraries], check=True)


def tools() -> None:
    """`measure`, and the program that does nothing."""
    for name in ("measure", "nothing"):
        _compile(name, [BENCHMARKS / "driver" / f"{name}.c"], ["gcc", "-O2"])


def reference() -> None:
    """The C++ loop, with everything that makes it fast on this very machine."""
    _compile(
        "reference", sorted((BENCHMARKS / "reference").iterdir()), ["g++", "-O3", "-march=native", "-std=c++17"],
        ["-I/usr/include/postgresql", "-lcurl", "-lsimdjson", "-lsqlite3", "-lpq", "-pthread"],
    )


def bare() -> Path:
    """The loop that asks for what many feeds ask for, and stores nothing."""
    _compile("bare", sorted((BENCHMARKS / "bare").iterdir()), ["g++", "-O3", "-march=native", "-std=c++17"], ["-lcurl"])
    return BIN / "bare"
