"""A worker on a machine, and what was done to it."""

import signal
import subprocess
import time
from pathlib import Path


class Disturbance:
    """What was done to a process, or to the database, and from when until when."""

    def __init__(self, kind, process=None):
        self.kind, self.process = kind, process
        self.begin, self.end = time.time(), None

    def reaches(self, begin, end):
        """Whether it may be felt then.

        After a cut, TCP tries again after up to as long as the cut lasted. A worker says every three seconds that it lives.
        """
        if self.end is None:
            return self.begin <= end
        cut = self.end - self.begin if self.kind == "cut" else 0
        return self.begin <= end and begin <= self.end + cut + 4


class Worker:
    def __init__(self, network, command, folder, diary):
        self.network, self.command, self.folder, self.diary = network, command, folder, diary
        self.count = 0
        # (process, address, since when)
        self.began = []
        # Each begin of a process in any worker has a log of its own.
        self.disturbance = None
        self.until = 0
        self.machine = network.machine()
        self.start()

    @property
    def is_undisturbed(self):
        return self.disturbance is None

    def start(self):
        self.count += 1
        place = self.folder / f"{self.machine.namespace}-{self.count}"
        place.mkdir()
        began = time.time()
        with open(place / "log", "w") as log:
            # The temporary files of those that are killed go with the folder.
            self.process = subprocess.Popen(
                self.machine.command(*self.command), stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder,
                env={"HOME": str(self.folder), "TMPDIR": str(place), "PATH": "/usr/bin:/bin", "NO_COLOR": "1"})
        self.log = place / "log"
        self.began.append((self.process.pid, self.machine.address, began))

    def note(self, kind, seconds=None):
        disturbance = Disturbance(kind, self.process.pid)
        self.diary.append(disturbance)
        if seconds is not None:
            self.disturbance, self.until = disturbance, time.monotonic() + seconds

    def kill(self):
        self.note("kill")
        self.process.kill()
        self.process.wait(30)
        self.start()

    def lose(self):
        """The whole machine is gone; a new one takes its place."""
        self.note("lost machine")
        self.machine.lose()
        self.process.wait(30)
        self.machine = self.network.machine()
        self.start()

    def stop(self, seconds):
        self.note("stop", seconds)
        self.process.send_signal(signal.SIGSTOP)

    def cut(self, seconds):
        self.note("cut", seconds)
        self.machine.cut()

    def drain(self, seconds):
        """Another one starts there as soon as it has ended."""
        self.note("drain", seconds)
        self.process.send_signal(signal.SIGTERM)

    def wait_for_signals(self):
        """Waits until the process waits for SIGHUP, which ends one that has not begun to; some seconds at most."""
        end = time.monotonic() + 10
        while self.process.poll() is None and time.monotonic() < end:
            try:
                status = Path(f"/proc/{self.process.pid}/status").read_text()
            except OSError:
                return
            blocked = next(line.split()[1] for line in status.splitlines() if line.startswith("SigBlk:"))
            if int(blocked, 16) >> (signal.SIGHUP - 1) & 1:
                return
            time.sleep(0.05)

    def look(self):
        """Ends what is due to end.

        Returns what went wrong; nil if nothing did.
        """
        disturbance, code = self.disturbance, self.process.poll()
        if disturbance is None:
            if code == 73 and self.had_no_database():
                # Where it cannot reach the database when it begins, it says so and ends.
                self.note("start without a database")
                self.diary[-1].end = time.time()
                return self.start()
            if code == -signal.SIGHUP:
                # It had not begun to wait for signals. The next one reads the new file.
                self.note("start ended by SIGHUP")
                self.diary[-1].end = time.time()
                return self.start()
            return None if code is None else self.started_again(f"ended by itself with {code}")
        is_late = time.monotonic() > self.until
        if disturbance.kind == "drain":
            if code is None:
                return self.started_again("did not end") if is_late else None
            self.settle()
            # Before it has said a word, it may not have begun to listen to signals.
            is_right = (code == 143 or code == 73 and self.had_no_database()
                        or code == -signal.SIGTERM and not self.last_words())
            return self.started_again(None if is_right else f"ended with {code} at SIGTERM")
        if is_late:
            if disturbance.kind == "stop":
                self.process.send_signal(signal.SIGCONT)
            else:
                self.machine.mend()
            self.settle()
        return None

    def had_no_database(self):
        process, _, since = self.began[-1]
        # A cut may be felt by the process that begins when it has ended, too.
        others = {other for other, _, _ in self.began}
        return any(
            (each.process in (None, process) and each.kind != "drain" or each.kind == "cut" and each.process in others)
            and each.reaches(since, time.time()) for each in self.diary)

    def settle(self):
        self.disturbance.end = time.time()
        self.disturbance = None

    def started_again(self, find):
        words = f"worker {self.process.pid} {find}; its last words: {self.last_words()}"
        self.disturbance = None
        self.process.kill()
        self.process.wait(30)
        self.start()
        return find and words

    def last_words(self):
        return self.log.read_text(errors="replace")[-600:]

    def last_complaints(self):
        lines = self.log.read_text(errors="replace").splitlines()
        return "\n".join([line for line in lines if line.startswith("feedsync: ")][-5:])
