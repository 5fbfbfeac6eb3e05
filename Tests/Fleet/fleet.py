"""Workers on machines of their own share a store in PostgreSQL, and nothing good happens to them; then all must be right."""

import argparse
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter

import chaos
import checks
import claims
import hosts
import pooler
from database import PORT, Database
from upstream import STYLES, Upstream
from worker import Disturbance, Worker

WORKERS = 4
HOSTS = 40
OPEN = """
SELECT client_addr, state, wait_event, date_trunc('second', now() - xact_start), left(query, 60) FROM pg_stat_activity
WHERE datname = current_database() AND xact_start < now() - interval '10 seconds' ORDER BY xact_start LIMIT 3
"""
# What became of a feed: its columns, its runs, and who had it when.
STORY = """
SELECT 'columns', string_agg(attname, ' ' ORDER BY attnum), (SELECT columns FROM _feed WHERE feed = '{feed}'), '', '', ''
FROM pg_attribute WHERE attrelid = to_regclass('{feed}') AND attnum > 0 AND NOT attisdropped
UNION ALL (SELECT 'run ' || id, started_at::text, finished_at::text, outcome, pages || ' pages', coalesce(error->>'message', inserted || ' new, ' || updated || ' changed')
FROM run WHERE feed = '{feed}' ORDER BY started_at)
UNION ALL (SELECT 'claim', at::text, c.worker::text, old_worker::text, old_until::text, ''
FROM fleet.claim c JOIN _claim USING ("group") WHERE '{feed}' = ANY(feeds) ORDER BY at)
"""
# The groups of feeds that were not up to date twice since a moment, and the runs of these feeds that have no end.
LATE = """
SELECT c."group", w.name, until - now(), CASE WHEN isfinite(due_at) THEN due_at - now() END, wanted_at, array_agg(f.name), now() - min(r.started_at)
FROM _claim c JOIN feed f ON f.name = ANY(c.feeds) LEFT JOIN _worker w ON w.id = c.worker
LEFT JOIN run r ON r.feed = f.name AND r.finished_at IS NULL
WHERE NOT f.complete OR (SELECT count(*) FROM run WHERE run.feed = f.name AND started_at > '{began}'
    AND finished_at IS NOT NULL AND error IS NULL) < 2
GROUP BY c."group", w.name
"""


class Fleet:
    def __init__(self, options):
        self.options = options
        self.finds, self.diary = [], []
        self.network = hosts.Network()
        self.folder = hosts.folder_of(os.getpid())
        self.folder.mkdir()
        self.folder.chmod(0o755)
        addresses = [f"10.213.1.{number}" for number in range(1, HOSTS + 1)]
        for address in addresses:
            self.network.give(address)
        self.upstream = Upstream(options.seed, addresses, options.feeds)
        self.databases, self.workers = [], []
        self.pooler = None
        # Seconds between the runs of a feed: workers on two cores do some hundred runs in a second.
        self.every = max(2, options.feeds // 100)

    def find(self, text):
        self.finds.append(text)
        if len(self.finds) <= 30:
            print(f"    {text}", flush=True)
        if " in PostgreSQL: " in text or " is no feed of " in text:
            self.tell_story(text.split()[0])

    def tell_story(self, feed):
        """Says what may explain it."""
        for row in self.database.sql(STORY.format(feed=feed)):
            self.say(" | ".join(row))

    def say(self, text):
        print(f"fleet: {text}", flush=True)

    # ---- What there is.

    def make_database(self):
        self.database = Database(self.folder / "database", hosts.HUB)
        self.databases.append(self.database)
        if self.options.failover:
            self.database.make()
            self.database.start(fsync="on")
            self.make_standby()
        else:
            self.database.mount(megabytes=1024)
            self.database.make()
            self.database.start(fsync="off")
        self.database.sql("CREATE DATABASE feeds", "postgres")

    def make_standby(self):
        self.standby = Database(self.folder / "standby", "", self.network.machine())
        self.standby.address = self.standby.machine.address
        self.standby.make_standby(self.database)
        self.databases.append(self.standby)
        self.standby.start(fsync="on")
        # From now on, nobody sees a commit that the standby has not.
        self.database.sql("ALTER SYSTEM SET synchronous_standby_names = '*'; SELECT pg_reload_conf()", "postgres")
        self.wait("the standby follows", 30, lambda: self.database.value(
            "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'", "postgres") == "1")

    def make_workers(self):
        members = "items: items, key: id, sync: {mode: all}"
        feeds = ""
        for name, url in self.upstream.urls.items():
            above = f"for_each: {url.split('{')[1].split('.')[0]}, " if name in self.upstream.trees else ""
            feeds += f"  {name}: {{{above}url: \"{url}\", pagination: {STYLES[self.upstream.styles[name]]}}}\n"
        configuration = self.folder / "feedsync.yaml"
        configuration.write_text(
            f"store: {self.uri}\ndefaults: {{every: {self.every}s, timeout: 20s, retries: 2, {members}}}\nfeeds:\n{feeds}")
        # The first command makes the tables.
        if self.options.pooler:
            self.place_pooler(configuration)
        run = self.run("sync", "h00x00", "--config", str(configuration))
        if run.returncode:
            self.find(f"the first sync ends with {run.returncode}: {run.stderr}")
        self.database.sql(claims.SCHEMA)
        command = [self.options.binary, "work", "--jobs", "8", "--config", str(configuration)]
        self.workers = [Worker(self.network, command, self.folder, self.diary) for _ in range(WORKERS)]
        self.chaos = chaos.Chaos(
            self.options.seed, self.workers, self.database, self.diary, self.find, not self.options.failover)

    def place_pooler(self, configuration):
        """Puts a pooler between the workers and the database. One that gives each transaction another session is refused."""
        self.pooler = pooler.Pooler(self.database, "transaction")
        run = self.run("sync", "h00x00", "--config", str(configuration))
        if run.returncode != 73 or "pool_mode = session" not in run.stderr:
            self.find(f"behind a pooler in transaction mode, sync ends with {run.returncode}: {run.stderr}")
        self.pooler.end()
        self.pooler = pooler.Pooler(self.database, "session")

    @property
    def uri(self):
        port = pooler.PORT if self.options.pooler else PORT
        places = ",".join(f"{database.address}:{port}" for database in self.databases)
        options = "?connect_timeout=3&target_session_attrs=read-write" if self.options.failover else ""
        return f"postgres://feedsync@{places}/feeds{options}"

    def run(self, *words):
        return checks.run(self.options.binary, words, self.folder)

    def wait(self, what, bound, is_so):
        """Whether it came to be so."""
        end = time.monotonic() + bound
        while not self.is_true(is_so):
            if time.monotonic() > end:
                self.find(f"not after {bound} s: {what}")
                return False
            self.look()
            time.sleep(0.5)
        return True

    def is_true(self, question):
        try:
            return question()
        except subprocess.SubprocessError:
            return False

    def look(self):
        for worker in self.workers:
            if find := worker.look():
                self.find(find)

    # ---- What happens.

    def disturb(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.chaos.step()

    def change_feeds(self):
        """Renames two feeds and removes one while workers run, and has these read their configuration again."""
        plain = [name for name in self.upstream.lists if not any(name in url for url in self.upstream.urls.values() if "{" in url)]
        first, second, third = random.Random(self.options.seed).sample(plain, 3)
        for name in (first, second):
            self.insist("rename", name, f"{name}n")
            self.upstream.rename(name, f"{name}n")
        self.insist("remove", third, "--data", "--yes")
        self.upstream.rename(third, None)
        self.removed = third
        for worker in self.workers:
            worker.wait_for_signals()
            worker.process.send_signal(signal.SIGHUP)
        return f"{first} and {second} have other names, {third} is removed"

    def insist(self, *words):
        """Runs a command until it succeeds: the database may be away, and a worker on a machine that is cut off."""
        end, tries = time.monotonic() + 90, 0
        while True:
            run = self.run(*words, "--config", str(self.folder / "feedsync.yaml"))
            tries += 1
            # Its commit may have been made although the answer was lost.
            if run.returncode == 0 or tries > 1 and "no such feed" in run.stderr:
                return
            if run.returncode not in (73, 75) or time.monotonic() > end:
                return self.find(f"{' '.join(words)} ends with {run.returncode}: {run.stderr}")
            # What disturbs the database ends here, too; nothing new begins.
            self.chaos.look()
            time.sleep(1)

    def fail_over(self):
        """The primary ends at once; what it had shown is in the standby."""
        failure = Disturbance("failover")
        self.diary.append(failure)
        self.acknowledged = set(map(tuple, self.database.sql("SELECT feed, id FROM event")))
        self.database.kill()
        self.standby.promote()
        self.database = self.standby
        self.database.revive()
        failure.end = self.failed_over_at = time.time()

    def rest(self):
        """Waits until each feed has had two whole runs that nothing has disturbed."""
        self.chaos.rest()
        self.upstream.rest()
        began = self.database.value("SELECT now()")
        done = f"""SELECT count(*) FROM feed WHERE complete AND (SELECT count(*) FROM run WHERE run.feed = feed.name
            AND started_at > '{began}' AND finished_at IS NOT NULL AND error IS NULL) > 1"""
        feeds = str(len(self.upstream.urls))
        if not self.wait("each feed has had two whole runs", 176 + 5 * self.every, lambda: self.database.value(done) == feeds):
            self.say(f"{self.database.value(done)} of {feeds} feeds have had them")
            # What may hold them up.
            for row in self.database.sql(OPEN):
                self.say(f"a transaction that does not end: {' '.join(row)}")
            for row in self.database.sql(LATE.format(began=began)):
                self.say(f"late: {' | '.join(row)}")
                self.tell_story(row[5].strip("{}").split(",")[0])
            for worker in self.workers:
                self.say(f"worker {worker.process.pid}: {worker.last_complaints()}")

    def end_workers(self):
        for worker in self.workers:
            worker.drain(60)
        for worker in self.workers:
            try:
                code = worker.process.wait(60)
                if code != 143:
                    self.find(f"worker {worker.process.pid} ended with {code} at SIGTERM: {worker.last_words()}")
            except Exception as error:
                self.find(f"worker {worker.process.pid} does not end at SIGTERM: {error}")

    # ---- What must be.

    def check(self):
        count = Counter()
        checks.check_log(self.database, self.upstream.trees, self.find, count)
        checks.check_blocks(self.database, self.find)
        checks.check_claims(self.database, self.find)
        checks.check_feeds(self.database, self.upstream.urls, self.find)
        checks.check_rows(self.database, self.upstream.lists, self.find, count)
        checks.check_trees(self.database, self.upstream.trees, self.find, count)
        checks.check_copy(
            self.options.binary, self.uri, self.folder, self.every, self.upstream.lists, self.find, count)
        began = [each for worker in self.workers for each in worker.began]
        count.update(claims.check(self.database, self.diary, began, self.upstream.requests, self.find))
        if self.options.failover:
            self.check_failover(count)
        else:
            self.check_removed()
        return count

    def check_removed(self):
        for table, column in (("feed", "name"), ("run", "feed"), ("event", "feed"), ("_page", "feed"), ("_change", "feed")):
            rows = self.database.value(f"SELECT count(*) FROM {table} WHERE {column} = '{self.removed}'")
            if rows != "0":
                self.find(f"{self.removed} was removed, and {table} has {rows} rows of it")
        if self.upstream.unwanted:
            self.find(f"{self.removed} was removed, and requested {len(self.upstream.unwanted)} times since")

    def check_failover(self, count):
        there = set(map(tuple, self.database.sql("SELECT feed, id FROM event")))
        count["events that were acknowledged"] = len(self.acknowledged)
        if lost := self.acknowledged - there:
            self.find(f"{len(lost)} events of the old primary are lost, such as {min(lost)}")
        released = claims.released_since(self.database, self.failed_over_at)
        for worker in self.workers:
            if worker.process.pid not in released:
                self.find(f"worker {worker.process.pid} did nothing more: {worker.last_words()}")


def main():
    parser = argparse.ArgumentParser(prog="Scripts/fleet")
    parser.add_argument("seconds", nargs="?", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    parser.add_argument("--feeds", type=int, default=200)
    # The standby has an address of its own, which the pooler does not know.
    beside = parser.add_mutually_exclusive_group()
    beside.add_argument("--failover", action="store_true")
    beside.add_argument("--pooler", action="store_true")
    parser.add_argument("--binary", required=True)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    signal.signal(signal.SIGINT, lambda *_: sys.exit(130))
    again = f"Scripts/fleet {options.seconds:g} --seed {options.seed} --feeds {options.feeds}"
    again += " --failover" * options.failover + " --pooler" * options.pooler
    print(f"fleet: {again}", flush=True)
    try:
        fleet = Fleet(options)
        play(fleet, options)
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        if fleet.pooler:
            fleet.pooler.end()
        hosts.remove(os.getpid())
    if fleet.finds:
        print(f"fleet: {len(fleet.finds)} finds; {again} tries it again")
        sys.exit(1)
    print("fleet: nothing went wrong")


def play(fleet, options):
    began = time.monotonic()

    def part(text):
        fleet.say(f"{time.monotonic() - began:5.1f} s  {text}")

    fleet.make_database()
    fleet.make_workers()
    part(f"{WORKERS} workers, {options.feeds} feeds on {HOSTS} hosts")
    if options.failover:
        # There should be something to lose.
        fleet.wait("500 events", 60, lambda: int(fleet.database.value("SELECT count(*) FROM event")) >= 500)
    fleet.disturb(options.seconds / 2)
    if options.failover:
        fleet.fail_over()
        part(f"the primary is gone, the standby has taken over; {len(fleet.acknowledged)} events were acknowledged")
    else:
        part(fleet.change_feeds())
    fleet.disturb(options.seconds / 2)
    happened = Counter(disturbance.kind for disturbance in fleet.diary)
    part(f"{sum(happened.values())} disturbances: " + listed(happened))
    fleet.rest()
    part(f"at rest, after {fleet.upstream.moves} moves of lists")
    fleet.end_workers()
    part("the workers have ended")
    count = fleet.check()
    part("checked: " + listed(count))


def listed(count):
    return ", ".join(f"{number} {what}" for what, number in sorted(count.items()))


main()
