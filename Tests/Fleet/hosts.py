"""Machines on a network of their own: network namespaces around a bridge.

The bridge, and this process, are in a namespace too, the hub. So nothing of the real network is touched, two runs cannot
meet, and whoever removes the namespaces has removed all.
"""

import ctypes
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

CLONE_NEWNET = 0x40000000
HUB = "10.213.0.1"


def run(*words, timeout=30):
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True,
                          timeout=timeout).stdout


def folder_of(process):
    return Path(tempfile.gettempdir()) / f"feedsync-fleet-{process}"


class Network:
    """The hub; this process is in it from now on."""

    def __init__(self):
        remove_leftovers()
        self.prefix = f"feedsync-{os.getpid()}-"
        self.machines = 0
        hub = self.prefix + "hub"
        run("ip", "netns", "add", hub)
        with open(f"/run/netns/{hub}") as file:
            if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), "setns")
        run("ip", "link", "set", "lo", "up")
        # Without an address of its own it takes the lowest one of its cables. When a lost machine's cable goes at last, the
        # others would go on sending to an address that nobody has any more, for up to a minute.
        run("ip", "link", "add", "bridge", "address", "02:00:00:00:00:01", "type", "bridge")
        run("ip", "link", "set", "bridge", "up")
        self.give(HUB)

    def give(self, address):
        """The hub gets one more address."""
        run("ip", "address", "add", f"{address}/16", "dev", "bridge")

    def machine(self):
        self.machines += 1
        return Machine(self, self.machines)


class Machine:
    """A namespace with an address that no other had before."""

    def __init__(self, network, number):
        self.namespace = f"{network.prefix}{number}"
        self.address = f"10.213.2.{number}"
        # The bridge's end of the cable.
        self.cable = f"cable{number}"
        run("ip", "netns", "add", self.namespace)
        run("ip", "link", "add", self.cable, "type", "veth", "peer", "name", "eth0", "netns", self.namespace)
        run("ip", "link", "set", self.cable, "master", "bridge", "up")
        for words in (["link", "set", "lo", "up"], ["address", "add", f"{self.address}/16", "dev", "eth0"],
                      ["link", "set", "eth0", "up"]):
            run("ip", "-n", self.namespace, *words)

    def command(self, *words):
        """The words of a command, to be run there."""
        return ["nsenter", f"--net=/run/netns/{self.namespace}", *words]

    def cut(self):
        run("ip", "link", "set", self.cable, "down")

    def mend(self):
        run("ip", "link", "set", self.cable, "up")

    def lose(self):
        """It is gone at once: nobody hears a word, not even that its connections are closed."""
        self.cut()
        kill_all(self.namespace)
        run("ip", "netns", "delete", self.namespace)


def kill_all(namespace):
    for _ in range(100):
        words = subprocess.run(["ip", "netns", "pids", namespace], capture_output=True, text=True).stdout.split()
        alive = [int(word) for word in words if int(word) != os.getpid()]
        if not alive:
            return
        for process in alive:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.05)


def remove_namespaces(prefix):
    # A name may be followed by its number: `feedsync-1-hub (id: 0)`.
    names = [line.split()[0] for line in run("ip", "netns", "list").splitlines() if line.strip()]
    for name in sorted(name for name in names if name.startswith(prefix)):
        kill_all(name)
        subprocess.run(["ip", "netns", "delete", name], capture_output=True)


def remove_folder(folder):
    """A folder with what is mounted in it."""
    mounts = [line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()]
    for mount in mounts:
        if mount.startswith(f"{folder}/"):
            subprocess.run(["umount", "--lazy", mount], capture_output=True)
    shutil.rmtree(folder, ignore_errors=True)


def remove(process):
    """All that a run has made. What works in its namespaces, the database too, ends with them."""
    remove_namespaces(f"feedsync-{process}-")
    remove_folder(folder_of(process))


def remove_leftovers():
    """What runs have left that were killed."""
    names = run("ip", "netns", "list") + "\n".join(map(str, folder_of("").parent.iterdir()))
    for process in set(re.findall(r"feedsync-(?:fleet-)?(\d+)", names)):
        try:
            is_alive = b"fleet.py" in Path(f"/proc/{process}/cmdline").read_bytes()
        except OSError:
            is_alive = False
        if not is_alive:
            remove(process)
