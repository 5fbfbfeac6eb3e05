"""Whether each host got one request at a time, and claims were taken from those only who could not say that they live.

A worker that was stopped or cut off cannot know that its claim is another's by now, so it may go on with requests until its
next commit, which fails. What is counted, and what is found:

- A tenure is the time from a claim until its release, or until another takes it. A trigger on `_claim` writes them down.
- A claim that was not released and that another took: a find, unless its worker was ended, stopped or cut off, or the
  database disturbed, since the claim was renewed last.
- A request outside of its worker's tenure: a find, unless the worker had lost the claim in this way, and not come back to the
  group since. Such requests are counted as late.
- Two requests of a host at once: a find, unless the older one is of a worker that lost its claim in this way while it was in
  the air, or one of both is late or given up. Such are counted as excused.
- A request whose client had closed its connection before the answer came was given up. It is counted, and no find: the worker
  has ended, or its run has, and this process was slow to see it.
"""

import bisect
import re
from collections import Counter

from upstream import PORT

LEASE = 10

SCHEMA = """
CREATE SCHEMA fleet;
CREATE TABLE fleet.claim (
    at timestamptz NOT NULL DEFAULT clock_timestamp(), "group" text, worker bigint, old_worker bigint, old_until timestamptz);
CREATE FUNCTION fleet.note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO fleet.claim VALUES (DEFAULT, NEW."group", NEW.worker, OLD.worker, OLD.until);
    RETURN NULL;
END $$;
CREATE TRIGGER fleet AFTER UPDATE OF worker, fence ON public._claim FOR EACH ROW
    WHEN (OLD.fence <> NEW.fence OR OLD.worker IS DISTINCT FROM NEW.worker) EXECUTE FUNCTION fleet.note();
"""


class Tenure:
    def __init__(self, process, begin):
        self.process, self.begin, self.end, self.is_lost = process, begin, float("inf"), False


def process_in(name):
    """The process of a worker, by what it is called; nil for another command."""
    match = re.search(r" (\d+) \(work\)$", name)
    return match and int(match[1])


def released_since(database, moment):
    """The processes that have let go of a group since then, with its work done."""
    rows = database.sql(
        "SELECT DISTINCT name FROM fleet.claim JOIN _worker ON id = old_worker"
        f" WHERE claim.worker IS NULL AND at > to_timestamp({moment})")
    return {process_in(row[0]) for row in rows}


def tenures(database, diary, find, count):
    """The tenures of each group, in order of time."""
    processes = {worker: process_in(name) for worker, name in database.sql("SELECT id, name FROM _worker")}
    of_group = {}
    rows = database.sql(
        'SELECT extract(epoch FROM at), "group", worker, old_worker, extract(epoch FROM old_until)'
        " FROM fleet.claim ORDER BY at")
    for at, group, worker, old, until in rows:
        line = of_group.setdefault(group, [])
        if old and line:
            line[-1].end, line[-1].is_lost = float(at), worker != ""
        if worker:
            line.append(Tenure(processes.get(worker), float(at)))
            count["claims"] += 1
        if old and worker:
            count["claims that others took"] += 1
            silence = (float(until) - LEASE, float(at))
            if not any(each.process in (None, processes.get(old)) and each.reaches(*silence) for each in diary):
                find(f"the claim of {group} was taken at {at} from {processes.get(old)}, which nothing had happened to")
    return of_group


def process_of(request, began):
    """Whose connection it is: the process that began last at its address before the connection came."""
    _, client, came = request[:3]
    return max(((since, process) for process, address, since in began if address == client and since <= came),
               default=(0, None))[1]


def listed(line, moment):
    """Whose the claim was last, and until when."""
    last = [each for each in line if each.begin <= moment][-4:]
    return ", then ".join(
        f"{each.process} from {each.begin:.3f} until it {'was lost' if each.is_lost else 'let go'} at {each.end:.3f}"
        for each in last) or "nobody"


def tenure_at(line, moment, begins):
    index = bisect.bisect_right(begins, moment) - 1
    return line[index] if index >= 0 and moment <= line[index].end else None


def check(database, diary, began, requests, find):
    """Returns what was counted."""
    count = Counter()
    of_group = tenures(database, diary, find, count)
    of_host = {}
    for request in list(requests):
        process = process_of(request, began)
        if process is not None:
            of_host.setdefault(request[0], []).append((*request[3:], process))
    for host, requested in sorted(of_host.items()):
        check_host(host, sorted(requested), of_group.get(f"http://{host}:{PORT}", []), find, count)
    return count


def check_host(host, requests, line, find, count):
    begins = [tenure.begin for tenure in line]
    # Those in the air: (end, process, whether it may be there when another one comes).
    in_the_air = []
    for begin, end, is_given_up, process in requests:
        tenure = tenure_at(line, begin, begins)
        is_late = is_given_up or tenure is None or tenure.process != process
        if is_given_up:
            count["requests given up"] += 1
        elif is_late:
            earlier = [each for each in line if each.process == process and each.begin <= begin]
            if not earlier or not earlier[-1].is_lost:
                find(f"{process} asked {host} at {begin:.3f}, and the claim was not its own: it was of {listed(line, begin)}")
            count["late requests"] += 1
        in_the_air = [each for each in in_the_air if each[0] > begin]
        for _, older, lost_at, was_late in in_the_air:
            if is_late or was_late or lost_at <= begin:
                count["excused pairs"] += 1
            else:
                find(f"{host} had two requests at once at {begin:.3f}: of {older} and {process}")
        lost_at = tenure.end if tenure and tenure.is_lost else float("inf")
        in_the_air.append((end, process, lost_at, is_late))
        count["requests"] += 1
