"""The upstream: nginx on free ports of this machine, with page sets as feeds."""

import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

from pages import PageSet
from places import BENCHMARKS, WORK, BenchmarkError

DELAY_MODULE = Path("/usr/lib/nginx/modules/ngx_http_js_module.so")
HOSTS = 50


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Upstream:
    """A running nginx. Use it in a `with` statement.

    `http://127.0.0.1:{port}/NAME?page=N` is page N of a feed, `Link` leads to the next one, what is past the last is an empty page.
    """

    def __init__(self):
        self.folder = WORK / "nginx"
        self.served = WORK / "served"
        self.tagged, self.plain, self.delayed, self.hosts, self.watched, self.far = (free_port() for _ in range(6))
        self._process: subprocess.Popen | None = None

    def serve(self, pages: PageSet) -> None:
        """Puts a version of a feed in the place of whichever was there."""
        pages.make()
        link, new = self.served / pages.name, self.served / f".{pages.name}"
        new.unlink(missing_ok=True)
        new.symlink_to(os.path.relpath(pages.folder, self.served))
        new.replace(link)

    def __enter__(self) -> "Upstream":
        program = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")
        if not program:
            raise BenchmarkError("nginx is missing; Scripts/setup installs it")
        self.served.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self._configure()
        self._process = subprocess.Popen([program, "-p", str(self.folder), "-c", "nginx.conf", "-e", "error.log"])
        self._await()
        return self

    def __exit__(self, *_) -> None:
        if self._process:
            self._process.terminate()
            self._process.wait()

    def _configure(self) -> None:
        text = (BENCHMARKS / "upstream" / "nginx.conf").read_text()
        values = {
            "USER": "user root;" if os.geteuid() == 0 else "",
            "MODULES": f"load_module {DELAY_MODULE};",
            "SCRIPTS": str(BENCHMARKS / "upstream"),
            "SERVED": str(self.served),
            "TAGGED": f"127.0.0.1:{self.tagged}",
            "PLAIN": f"127.0.0.1:{self.plain}",
            "DELAYED": f"127.0.0.1:{self.delayed}",
            "HOSTS": "\n".join(f"        listen {host(index)}:{self.hosts};" for index in range(HOSTS)).lstrip(),
            "FAR": "\n".join(f"        listen {host(index)}:{self.far};" for index in range(HOSTS)).lstrip(),
            "WATCHED": "\n".join(f"        listen {host(index)}:{self.watched};" for index in range(HOSTS)).lstrip(),
        }
        for name, value in values.items():
            text = text.replace(f"@{name}@", value)
        (self.folder / "nginx.conf").write_text(text)
        last = 10_000
        numbers = "".join(f"{number} {number + 1};\n" for number in range(1, last + 1))
        (self.folder / "following.map").write_text(numbers)

    def _await(self) -> None:
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                break
            try:
                socket.create_connection(("127.0.0.1", self.tagged), 1).close()
                return
            except OSError:
                time.sleep(0.02)
        raise BenchmarkError(f"nginx does not answer; see {self.folder / 'error.log'}")


def host(index: int) -> str:
    """The address of one of the hosts: all of 127.0.0.0/8 is this machine."""
    return f"127.0.1.{index + 1}"
