"""What happens to workers and to the database, at random."""

import os
import random
import signal
import time

from worker import Disturbance

WORKERS = ["kill", "kill", "stop", "cut", "cut", "drain", "lost machine"]
DATABASE = ["immediate restart", "fast restart", "refusal", "slow", "full data", "full log"]
# Of the workers, so many work at any time.
AT_WORK = 2


class Bag:
    """Deals all that is in it before anything comes again."""

    def __init__(self, chance, kinds):
        self.chance, self.kinds, self.left = chance, kinds, []

    def take(self):
        if not self.left:
            self.left = self.chance.sample(self.kinds, len(self.kinds))
        return self.left.pop()


class Chaos:
    def __init__(self, seed, workers, database, diary, find, disturbs_database=True):
        self.chance = random.Random(seed)
        self.workers, self.database, self.diary, self.find = workers, database, diary, find
        self.events = Bag(self.chance, WORKERS)
        self.troubles = Bag(self.chance, DATABASE)
        # What ends the trouble of the database, and when.
        self.cure, self.until = None, 0
        self.trouble_at = time.monotonic() + 5 if disturbs_database else float("inf")

    def step(self):
        self.look()
        if self.cure is None and time.monotonic() > self.trouble_at:
            self.disturb_database(self.troubles.take())
        undisturbed = [worker for worker in self.workers if worker.is_undisturbed]
        if len(undisturbed) > AT_WORK:
            self.disturb(self.chance.choice(undisturbed), self.events.take())
        time.sleep(self.chance.uniform(0.2, 1.2))

    def look(self):
        for worker in self.workers:
            if find := worker.look():
                self.find(find)
        if self.cure and time.monotonic() > self.until:
            self.cure_database()

    def rest(self, bound=120):
        """Everything is well again."""
        self.until = 0
        for worker in self.workers:
            if not worker.is_undisturbed and worker.disturbance.kind != "drain":
                worker.until = 0
        end = time.monotonic() + bound
        while self.cure or not all(worker.is_undisturbed for worker in self.workers):
            self.look()
            if time.monotonic() > end:
                return self.find(f"not everything was well again {bound} s after it should have been")
            time.sleep(0.1)

    def disturb(self, worker, kind):
        if kind == "kill":
            worker.kill()
        elif kind == "lost machine":
            worker.lose()
        elif kind == "stop":
            # Past its claims, which last ten seconds.
            worker.stop(self.chance.uniform(12, 14))
        elif kind == "cut":
            worker.cut(self.chance.uniform(1, 15))
        else:
            worker.drain(60)

    def disturb_database(self, kind):
        trouble = Disturbance(kind)
        self.diary.append(trouble)
        seconds, cure = 0, self.database.revive
        if kind.endswith("restart"):
            self.database.restart(kind.split()[0])
        elif kind == "refusal":
            seconds, cure = self.chance.uniform(1, 8), self.open_database
            self.close_database()
        elif kind == "slow":
            backends = self.database.processes()[1:]
            self.database.signal(signal.SIGSTOP, backends)
            seconds, cure = self.chance.uniform(2, 6), lambda: self.database.signal(signal.SIGCONT, backends)
        else:
            path = (self.database.data if kind == "full data" else self.database.log) / "fill"
            fill(path)
            seconds, cure = self.chance.uniform(2, 5), path.unlink
        self.trouble, self.cure, self.until = trouble, cure, time.monotonic() + seconds

    def cure_database(self):
        self.cure()
        self.cure = None
        if self.database.revive():
            self.diary.append(Disturbance("new start"))
            self.diary[-1].end = time.time()
        self.trouble.end = time.time()
        self.trouble_at = time.monotonic() + self.chance.uniform(2, 5)

    def close_database(self):
        self.database.sql(
            "ALTER DATABASE feeds ALLOW_CONNECTIONS false;"
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'feeds'", "postgres")

    def open_database(self):
        self.database.sql("ALTER DATABASE feeds ALLOW_CONNECTIONS true", "postgres")


def fill(path):
    """Takes all the room that the file system has."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT)
    try:
        for size in (1 << 20, 1 << 12):
            try:
                while os.write(descriptor, bytes(size)) == size:
                    pass
            except OSError:
                pass
    finally:
        os.close(descriptor)
