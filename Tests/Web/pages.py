"""What people do with the pages of `feedsync serve`, in a real browser. Run by Scripts/test-web."""

import json
import subprocess
import sys
import time
import traceback
import urllib.error
import urllib.request

import api
from browser import Browser, Serve, expect, until
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from upstream import Upstream, things

upstream = Upstream()
servers = []


def serve(name, feeds=("things",), extra="", options=(), columns=""):
    """A server of feeds whose lists the upstream has at their names."""
    text = "feeds:\n"
    for feed in feeds:
        text += f"""
  {feed}:
    url: {upstream.url}/{feed}
    items: items
    key: id
    columns: {{id: id, name: name, description: description, html_url: html_url, stars: stars, kind: kind{columns}}}
    pagination: {{style: page, param: page, first: 1, total: total}}
    retries: 0
    every: never
    {extra}
"""
    server = Serve(name, text.replace("every: never", "every: 1d"), *options)
    servers.append(server)
    return server


def fresh(name, count=45, **options):
    """A server of a list with so many items, of which the first page is stored."""
    upstream.lists["/things"] = things(range(1, count + 1))
    return fresh_again(name, **options)


def fresh_again(name, **options):
    """A server of the lists that the upstream has."""
    upstream.status.clear()
    upstream.gates.clear()
    upstream.requests.clear()
    server = serve(name, **options)
    return server


def start(server, *words):
    """Another process of feedsync on the same store, which goes on."""
    return subprocess.Popen([server.binary, *words], cwd=server.folder, env=server.environment,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def rows(browser, count):
    until(f"{count} rows are shown, not {len(browser.titles())}", lambda: len(browser.titles()) == count)


def resting(browser):
    """Waits until the row in the middle stays where it is: those that come into view for the first time may be higher than
    was thought."""
    top = lambda: browser.run("return document.elementFromPoint(400, 400)?.closest('.row')?.getBoundingClientRect().top")

    def rests():
        before = top()
        time.sleep(0.2)
        return before is not None and top() == before

    until("the row in the middle rests", rests)


def live(browser, server=None, script="list.js"):
    """Waits until a page is live: before, it tells nothing, and takes no gesture."""
    until("its script is there", lambda: browser.run(
        "return performance.getEntriesByType('resource').some((one) => one.name.endsWith(arguments[0]))", f"/{script}"))
    if server:
        until("it listens", lambda: json.loads(server.get("/health"))["listeners"] > 0)


def settled(server, path):
    """Waits until the server has noted all changes, so that a page that is opened now reads nothing again."""
    known = lambda: server.get(path).split('data-changes="')[1].split('"')[0]
    last = [None, 0.0]

    def isQuiet():
        number = known()
        if number != last[0]:
            last[:] = [number, time.monotonic()]
        return time.monotonic() - last[1] > 1

    until("the server has noted all changes", isQuiet)


def to_the_end(browser, count, seconds=60):
    """Scrolls to the end again and again, until so many rows are there."""
    until(f"{count} rows are there", lambda: browser.run(
        "scrollTo(0, document.body.scrollHeight); return document.querySelectorAll('#list .row').length") == count, seconds)


def reload_and_scroll(browser):
    """The button reloads, the end loads more, and the last page says that it is the last."""
    server = fresh("scroll")
    browser.open(f"{server.url}/list/things")
    expect("an empty list says so", "Nothing is stored yet" in browser.text("#main"))
    browser.accessible("the empty list")
    gate = upstream.hold("/things")
    browser.click("#reload")
    until("the header spins", lambda: browser.shown("#header-indicator"))
    gate.set()
    upstream.gates.clear()
    rows(browser, 20)
    until("the header stops", lambda: not browser.shown("#header-indicator"))
    time.sleep(0.3)
    expect("opening a list requests no further page", len([one for one in upstream.requests if "page=2" in one]) == 0)
    gate = upstream.hold("/things")
    browser.run("scrollTo(0, document.body.scrollHeight)")
    until("the footer spins", lambda: browser.shown("#footer-indicator"))
    browser.picture("loading-more")
    gate.set()
    upstream.gates.clear()
    rows(browser, 40)
    browser.run("scrollTo(0, document.body.scrollHeight)")
    rows(browser, 45)
    until("the end says that it is the end", lambda: browser.shown("#end"))
    expect("nothing more can be loaded", not browser.shown("#onward"))
    browser.open(f"{server.url}/list/things")
    rows(browser, 45)
    expect("the end stays the end", browser.shown("#end"))
    upstream.lists["/things"] = things(range(1001, 1090))
    browser.click("#reload")
    until("a reload that finds more clears the end", lambda: not browser.shown("#end"))
    browser.quiet(server.url)


def other_process(browser):
    """Whatever another process stores shows within half a second, and does not move what somebody reads."""
    server = fresh("other", 60)
    expect("the sync works", server.run("sync", "things").returncode == 0)
    browser.open(f"{server.url}/list/things")
    rows(browser, 60)
    upstream.lists["/things"] = things([101, 102, 103]) + upstream.lists["/things"]
    server.run("reload", "things")
    rows(browser, 63)
    expect("the head is new", browser.titles()[0].endswith("101"))
    browser.run("scrollTo(0, document.body.scrollHeight / 2)")
    resting(browser)
    place = browser.run("const row = document.elementFromPoint(400, 400).closest('.row');"
                        "window.kept = row; return row.getBoundingClientRect().top")
    upstream.lists["/things"] = things([201, 202]) + upstream.lists["/things"]
    gate = upstream.hold("/things")
    run = start(server, "reload", "things")
    until("another process's beginHeader is seen", lambda: not browser.one("#header-indicator").get_attribute("hidden"))
    gate.set()
    upstream.gates.clear()
    run.wait(60)
    until("a pill says how many are new", lambda: browser.shown("#pill") and browser.text("#pill") == "2 new")
    now = browser.run("return window.kept.getBoundingClientRect().top")
    expect(f"what is read stays where it is: {place}, {now}", abs(place - now) < 2)
    browser.picture("pill")
    numbers = iter(range(301, 304))

    def seen():
        number = next(numbers)
        upstream.lists["/things"] = things([number]) + upstream.lists["/things"]
        server.run("reload", "things")
        end = time.monotonic()
        until("the pill counts on", lambda: browser.text("#pill") == f"{number - 298} new")
        return (time.monotonic() - end) * 1000

    calm("what another process stores, until it shows", 500, seen)
    newest = str(next(numbers, 304) - 1)
    browser.click("#pill")
    until("the new head is shown", lambda: browser.titles()[0].endswith(newest))
    expect("at the top", browser.run("return scrollY") == 0)
    browser.quiet(server.url)


def failure(browser):
    """A failure is shown once, with what it is and a way to try again, as long as it lasts; the list stays."""
    server = fresh("failure")
    server.run("reload", "things")
    browser.open(f"{server.url}/list/things")
    rows(browser, 20)
    upstream.status["/things"] = 500
    browser.click("#reload")
    until("the failure is shown", lambda: "500" in browser.text("#why.failure"))
    until("the spinner stops", lambda: not browser.shown("#header-indicator"))
    expect("it is shown once", not browser.shown("#notice"))
    expect("it says what to do", "Try: " in browser.text("#why"))
    expect("the state says so", browser.text("#state .state") == "failing")
    rows(browser, 20)
    browser.picture("failure")
    browser.accessible("a list with a failure")
    browser.size(390)
    wide = browser.run("return document.getElementById('why').offsetWidth")
    expect(f"on a phone, it is as wide as the page: {wide}", wide > 340)
    browser.picture("failure-390")
    browser.size(1440)
    upstream.status.clear()
    upstream.lists["/things"] = things([700]) + upstream.lists["/things"]
    browser.click("#retry")
    until("it works again", lambda: browser.titles()[0].endswith("700"))
    until("the failure goes", lambda: not browser.shown(".failure") and browser.text("#state .state") != "failing")
    until("what came is said", lambda: browser.text("#said") == "1 new")
    until("and not for long", lambda: not browser.shown("#said"))
    upstream.status["/things"] = 403
    server.run("reload", "things")
    until("the failure of another process is shown", lambda: "Try: give the feed credentials" in browser.text("#why"))
    rows(browser, 21)
    upstream.status.clear()
    browser.quiet(server.url, allowed=["502", "Bad Gateway"])


def going_back(browser):
    """A list that somebody comes back to shows what was stored meanwhile, and follows what comes."""
    server = fresh("back")
    server.run("sync", "things")
    browser.open(f"{server.url}/list/things")
    rows(browser, 45)
    browser.click("#list .title")
    until("the item opens", lambda: browser.shown("dl"))
    upstream.lists["/things"] = things([800]) + upstream.lists["/things"]
    server.run("sync", "things")
    browser.driver.back()
    until("what came meanwhile is there", lambda: browser.titles()[0].endswith("800"))
    until("with the total", lambda: browser.text("#total") == "46 items")
    upstream.lists["/things"] = things([801]) + upstream.lists["/things"]
    browser.click("#reload")
    until("it reloads", lambda: browser.titles()[0].endswith("801"))
    server.run("sync", "things")
    browser.quiet(server.url)


def many_tabs(browser):
    """Twenty tabs of lists hold up nothing: only those that are looked at listen."""
    server = fresh("tabs", 60, extra="search: [name, description]")
    server.run("sync", "things")
    first = browser.driver.current_window_handle
    try:
        for _ in range(20):
            browser.driver.switch_to.new_window("tab")
            browser.open(f"{server.url}/list/things")
        rows(browser, 60)
        browser.one("#filter").send_keys("comet" + Keys.ENTER)
        until("the last one filters", lambda: 0 < len(browser.titles()) < 40)
        # The server notices that a connection has gone when it next sends something.
        listeners = lambda: json.loads(server.get("/health"))["listeners"]
        until("only that one listens", lambda: listeners() == 1, 40)
        upstream.lists["/things"] = things([900]) + upstream.lists["/things"]
        server.run("sync", "things")
        browser.driver.switch_to.window(browser.driver.window_handles[3])
        until("another one catches up", lambda: browser.titles()[0].endswith("900"))
    finally:
        for handle in browser.driver.window_handles:
            if handle != first:
                browser.driver.switch_to.window(handle)
                browser.driver.close()
        browser.driver.switch_to.window(first)


def changes_while_scrolled(browser):
    """Removed items go and changed ones change where they stand, also while somebody reads further down, and on an item."""
    server = fresh("changes", 230, extra="sync: {mode: all}")
    server.run("sync", "things")
    browser.open(f"{server.url}/list/things")
    rows(browser, 100)
    browser.run("scrollTo(0, 3000)")
    resting(browser)
    shown = len(browser.titles())
    place = browser.run("const row = document.elementFromPoint(400, 400).closest('.row');"
                        "window.kept = row.dataset.key; return row.getBoundingClientRect().top")
    upstream.lists["/things"] = [
        {**one, "description": "Changed meanwhile"} if one["id"] % 7 == 0 else one
        for one in upstream.lists["/things"] if one["id"] not in (5, 60)]
    run = server.run("sync", "things")
    expect(f"the sync works: {run.stderr}", run.returncode == 0)
    until("the total is the store's", lambda: browser.text("#total") == "228 items")
    until("removed items are gone", lambda: not any(one.endswith((" 5", " 60")) for one in browser.titles()))
    until("changed items show it", lambda: browser.run(
        "return [...document.querySelectorAll('#list .row')].filter("
        "one => one.textContent.includes('Changed meanwhile')).length") >= 14)
    left = len(browser.titles())
    expect(f"no other is gone: {left}", left >= shown - 2)
    now = browser.run("return document.querySelector(`[data-key='${window.kept}']`).getBoundingClientRect().top")
    expect(f"what is read stays where it is: {place}, {now}", abs(place - now) < 2)
    browser.open(f"{server.url}/item/things?key=7")
    upstream.lists["/things"][5]["description"] = "Changed once more"
    server.run("sync", "things")
    until("an item's page follows", lambda: "Changed once more" in browser.text("#item"))
    browser.quiet(server.url)


def restarted(browser):
    """A server that is gone is told of within five seconds; when it is there again, the page catches up by itself."""
    server = fresh("restarted", options=("--signed",))
    server.run("reload", "things")
    browser.open(server.sign_in())
    browser.open(f"{server.url}/list/things")
    rows(browser, 20)
    live(browser, server)
    port = server.url.rsplit(":", 1)[1]
    server.stop()
    begun = time.monotonic()
    until("it is told", lambda: browser.shown("#offline"), 20)
    print(f"        a server that is gone: told of after {time.monotonic() - begun:.1f} s, meant to be at most 5 s")
    rows(browser, 20)
    browser.picture("offline")
    browser.accessible("a page without its server")
    browser.click("#reload")
    until("a click says that nothing was sent", lambda: "cannot be reached" in browser.text("#notice"))
    upstream.lists["/things"] = things([950]) + upstream.lists["/things"]
    server.run("reload", "things")
    other = serve_again("restarted", port=port)
    until("it catches up", lambda: browser.titles()[0].endswith("950"))
    until("it says so no more", lambda: not browser.shown("#offline") and not browser.shown("#notice"))
    upstream.lists["/things"] = things([951]) + upstream.lists["/things"]
    browser.click("#reload")
    until("the next click works", lambda: browser.titles()[0].endswith("951"))
    expect("without a complaint", not browser.shown("#notice"))
    browser.quiet(other.url, allowed=["ERR_CONNECTION_REFUSED", "403", "503", "ERR_INCOMPLETE_CHUNKED_ENCODING"])


def followed_configuration(browser):
    """Open pages follow the configuration: a mistake, a feed that is added, removed or renamed by another process."""
    server = fresh("configuration", 12, columns=", pushed_at: pushed_at")
    server.run("sync", "things")
    file = server.folder / "feedsync.yaml"
    text = file.read_text()
    browser.open(server.url + "/")
    file.write_text(text + "\nnonsense: [")
    until("a mistake shows", lambda: "has a mistake" in browser.text(".mistake"))
    file.write_text(text)
    until("it goes", lambda: not browser.shown(".mistake .notice"))
    expect("a feed is added", server.run("add", "others", f"{upstream.url}/things").returncode == 0)
    until("the feed shows", lambda: "others" in browser.text(".feeds"))
    browser.open(f"{server.url}/list/things")
    rows(browser, 12)
    file.write_text("feeds:\n  others:" + file.read_text().split("  others:")[1])
    until("a removed feed takes no commands", lambda: not browser.all("#reload") and len(browser.titles()) == 12)
    expect("it says that it is removed", browser.text("#state .state") == "removed")
    file.write_text(text)
    until("one that is back takes them again", lambda: browser.shown("#reload"))
    renamed = server.run("rename", "things", "stuff")
    expect(f"it is renamed: {renamed.stderr}", renamed.returncode == 0)
    until("the page of the old name says that it is gone", lambda: "may have another name now" in browser.text("#main"))
    browser.quiet(server.url, allowed=["404"])


def replaced_store(browser):
    """Where the store is deleted and made anew, open pages say so, and show the new rows when the server has begun again."""
    server = fresh("replaced", 12, options=("--signed",))
    server.run("sync", "things")
    port = server.url.rsplit(":", 1)[1]
    browser.open(f"{server.url}/list/things")
    rows(browser, 12)
    live(browser, server)
    for name in ("feedsync.db", "feedsync.db-wal", "feedsync.db-shm"):
        (server.folder / name).unlink(missing_ok=True)
    upstream.lists["/things"] = things([700])
    server.run("sync", "things")
    until("it says so", lambda: "The store was replaced" in browser.text("#main"))
    browser.accessible("a page without its store")
    browser.picture("replaced-store")
    server.stop()
    other = serve_again("replaced", port=port)
    until("the new rows are there", lambda: browser.titles() and browser.titles()[0].endswith("700"))
    browser.quiet(other.url, allowed=["ERR_CONNECTION_REFUSED", "503", "ERR_INCOMPLETE_CHUNKED_ENCODING"])


def ended_session(browser):
    """A session that another token has ended leads to signing in, and is not asked for again and again."""
    server = fresh("session", 12)
    server.run("sync", "things")
    port = server.url.rsplit(":", 1)[1]
    server.stop()
    token = server.folder / "token.txt"
    token.touch(0o600)
    token.write_text("0123456789abcdef\n")
    first = serve_again("session", "--token-file", "token.txt", port=port)
    browser.open(f"{first.url}/list/things")
    browser.one("#token").send_keys("0123456789abcdef" + Keys.ENTER)
    until("it is signed in", lambda: len(browser.titles()) == 12)
    live(browser)
    first.stop()
    token.write_text("fedcba9876543210\n")
    browser.driver.get_log("performance")
    second = serve_again("session", "--token-file", "token.txt", port=port)
    # A browser that is slow to connect again leaves it to the page, which asks twice a minute.
    until("the page for the token comes", lambda: browser.shown("#token"), 45)
    browser.one("#token").send_keys("fedcba9876543210" + Keys.ENTER)
    until("it leads back to the list", lambda: len(browser.titles()) == 12)
    browser.quiet(second.url, allowed=["ERR_CONNECTION_REFUSED", "401", "503", "ERR_INCOMPLETE_CHUNKED_ENCODING"])


def missed_ends(browser):
    """A list whose lists were loading when its tab was hidden does not load for ever when they have ended meanwhile."""
    server = fresh("missed", 3)
    with_lists(server)
    browser.open(f"{server.url}/list/parts")
    gate = upstream.hold("/parts")
    run = start(server, "sync", "parts")
    until("it loads", lambda: browser.shown("#header-indicator"))
    first = browser.driver.current_window_handle
    # More than a minute passes while the page is hidden, as far as it knows.
    browser.run("const now = Date.now; window.later = 0; Date.now = () => now() + window.later;"
                "document.addEventListener('visibilitychange', () => { window.later += 61_000; }, { capture: true })")
    browser.driver.switch_to.new_window("tab")
    gate.set()
    upstream.gates.clear()
    run.wait(60)
    browser.driver.close()
    browser.driver.switch_to.window(first)
    until("it loads no more", lambda: not browser.shown("#header-indicator"))
    browser.quiet(server.url)


# Answers to requests of a page whose paths end with a text: they fail, or wait until they are let go.
ANSWERS = """
    const [end, doesFail] = arguments;
    const own = window.fetch;
    window.asked = 0;
    window.isBarred = true;
    window.letGo = null;
    const gate = new Promise((done) => { window.letGo = done; });
    window.fetch = async (path, options) => {
        if (!window.isBarred || !path.split("?")[0].endsWith(end)) return own(path, options);
        const answer = doesFail ? null : await own(path, options);
        window.asked += 1;
        if (doesFail) throw new TypeError("no");
        await gate;
        return answer;
    };"""


def bar(browser, end, fails=False):
    """From now on requests of the page whose paths end with this fail, or wait, until `unbar`."""
    browser.run(ANSWERS, end, fails)


def unbar(browser):
    browser.run("window.isBarred = false; window.letGo()")


def asked(browser):
    """The number of barred requests that have failed or have their answers."""
    return browser.run("return window.asked")


def read_again(browser):
    """What could not be read when something had changed is read again by itself, though nothing else changes."""
    server = fresh("read-again", 12)
    server.run("sync", "things")
    for path, end, shown in [("/list/things", "/rows", "#list .title"), ("/changes/things", "/changes/things", "#changes .title")]:
        browser.open(server.url + path)
        until("the rows are shown", lambda: len(browser.all(shown)) >= 12)
        bar(browser, end, fails=True)
        before = len(browser.all(shown))
        upstream.lists["/things"] = things([100 + before]) + upstream.lists["/things"]
        server.run("sync", "things")
        until("it cannot be read", lambda: asked(browser) > 0)
        # Whatever the server still tells of the run finds the same.
        time.sleep(1)
        unbar(browser)
        until(f"what came shows at {path}", lambda: len(browser.all(shown)) == before + 1)
    browser.quiet(server.url)


def overtaken(browser):
    """An answer that comes late hides nothing newer: neither a run that has begun, nor what is stored, nor an event."""
    server = fresh("overtaken", 12)
    server.run("sync", "things")
    settled(server, "/list/things")
    kept = browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
        const own = setInterval;
        window.setInterval = (work, pause) => {
            if (pause === 30_000) window.age = work;
            return own(work, pause);
        };"""})
    browser.open(f"{server.url}/list/things")
    browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", kept)
    rows(browser, 12)
    live(browser, server)
    bar(browser, "/state")
    browser.run("window.age()")
    until("its state is asked for", lambda: asked(browser) > 0)
    browser.run("window.isBarred = false")
    upstream.lists["/things"] = things([101]) + upstream.lists["/things"]
    server.run("sync", "things")
    until("the new total shows", lambda: browser.text("#total") == "13 items")
    # Nothing else is being read any more.
    time.sleep(1)
    unbar(browser)
    time.sleep(0.5)
    expect("the old one does not come back", browser.text("#total") == "13 items")

    bar(browser, "/state")
    file = server.folder / "feedsync.yaml"
    file.write_text(file.read_text() + "# A change without an event.\n")
    until("the list is being read", lambda: asked(browser) > 0)
    gate = upstream.hold("/things")
    run = start(server, "reload", "things")
    until("the begin shows", lambda: browser.shown("#header-indicator"))
    unbar(browser)
    time.sleep(0.5)
    until("it still loads", lambda: browser.shown("#header-indicator"))
    gate.set()
    upstream.gates.clear()
    run.wait(60)
    until("it loads no more", lambda: not browser.shown("#header-indicator"))

    browser.open(f"{server.url}/status")
    lines = lambda: len(browser.all("#log li"))
    live(browser, server, "status.js")
    before = lines()
    bar(browser, "/status")
    file.write_text(file.read_text() + "\nnonsense: [")
    until("the page is read", lambda: asked(browser) > 0)
    token = json.loads(server.get("/session"))["token"]
    urllib.request.urlopen(urllib.request.Request(
        f"{server.url}/feeds/things/reload", method="POST", headers={"X-FeedSync-Token": token})).close()
    until("its events come", lambda: lines() >= before + 2)
    unbar(browser)
    until("what was read shows", lambda: browser.shown(".mistake .notice"))
    expect(f"the events are still there: {lines()} lines after {before}", lines() >= before + 2)
    browser.quiet(server.url)


def refused_events(browser):
    """A page whose events are refused says that it is not connected, and says so no more when it is."""
    server = fresh("refused", 12)
    server.run("sync", "things")
    kept = browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
        window.EventSource = class extends EventSource {
            constructor(path) { super(window.isGood ? path : "/nothing"); }
        };"""})
    browser.open(f"{server.url}/list/things")
    browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", kept)
    rows(browser, 12)
    until("it is told", lambda: browser.shown("#offline"))
    upstream.lists["/things"] = things([101]) + upstream.lists["/things"]
    server.run("sync", "things")
    browser.run("window.isGood = true")
    rows(browser, 13)
    until("it says so no more", lambda: not browser.shown("#offline"))
    browser.quiet(server.url, allowed=["404"])


def lost_script(browser):
    """A page whose script did not come, because the server was just started again, says so, and is live when it comes."""
    server = fresh("lost-script", 12)
    server.run("sync", "things")
    command = browser.driver.execute_cdp_cmd
    command("Network.enable", {})
    command("Network.setBlockedURLs", {"urls": ["*/list.js"]})
    try:
        browser.open(f"{server.url}/list/things")
        until("it is told", lambda: browser.shown("#offline"))
    finally:
        command("Network.setBlockedURLs", {"urls": []})
    upstream.lists["/things"] = things([101]) + upstream.lists["/things"]
    live(browser, server)
    server.run("sync", "things")
    rows(browser, 13)
    until("it says so no more", lambda: not browser.shown("#offline"))
    browser.quiet(server.url, allowed=["ERR_BLOCKED_BY_CLIENT"])


def opened_while_loading(browser):
    """A page that is opened while the lists of a feed run says that they load, until they have ended."""
    server = fresh("loading", 3)
    with_lists(server)
    gate = upstream.hold("/parts")
    run = start(server, "sync", "parts")
    until("the lists run", lambda: 'data-header="true"' in server.get("/list/parts"))
    browser.open(f"{server.url}/list/parts")
    until("it loads", lambda: browser.shown("#header-indicator"))
    gate.set()
    upstream.gates.clear()
    run.wait(60)
    until("it loads no more", lambda: not browser.shown("#header-indicator"))
    browser.quiet(server.url)


def with_lists(server):
    """Adds a feed with a list for each thing, and stores the things."""
    with (server.folder / "feedsync.yaml").open("a") as file:
        file.write(f"""
  parts:
    for_each: things
    url: {upstream.url}/parts
    query: {{thing: "{{things.id}}"}}
    items: items
    key: id
    pagination: none
    retries: 0
""")
    upstream.lists["/parts"] = things([1, 2])
    server.run("sync", "things")
    until("the server has read the new feed", lambda: "/list/parts" in server.get("/"))


def refusal(server, path):
    """The problem with which a server refuses a request; nothing if it answers it."""
    try:
        server.get(path)
    except urllib.error.HTTPError as error:
        return error.read().decode()
    return ""


def background_tab(browser):
    """A page of a tab that was opened in the background shows what changed before somebody looked at it."""
    server = fresh("background", 12)
    server.run("sync", "things")
    hidden = browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
        Object.defineProperty(document, "hidden", { get: () => !window.isLookedAt, configurable: true });
    """})
    browser.open(f"{server.url}/list/things")
    rows(browser, 12)
    for name in ("feedsync.db", "feedsync.db-wal", "feedsync.db-shm"):
        (server.folder / name).unlink(missing_ok=True)
    until("the server says that its store is gone", lambda: "was deleted" in refusal(server, "/feeds"))
    browser.run("window.isLookedAt = true; document.dispatchEvent(new Event('visibilitychange'))")
    until("the page says so", lambda: "The store was replaced" in browser.text("#main"))
    browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", hidden)
    browser.quiet(server.url, allowed=["503"])


def slow_disk(browser):
    """A commit that waits a second for the disk shows, though no file is written when the disk is done."""
    server = fresh("slow-disk", 3)
    with (server.folder / "feedsync.yaml").open("a") as file:
        file.write("\ndurable: true\n")
    server.run("sync", "things")
    browser.open(f"{server.url}/list/things")
    rows(browser, 3)
    gate = upstream.hold("/things")
    run = subprocess.Popen(
        ["strace", "--follow-forks", "--output=/dev/null", "--trace=fsync,fdatasync",
         "--inject=fsync,fdatasync:delay_enter=1000000", server.binary, "reload", "things"],
        cwd=server.folder, env=server.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until("its begin shows", lambda: browser.shown("#header-indicator"))
    gate.set()
    upstream.gates.clear()
    expect("it ends well", run.wait(60) == 0)
    until("its end shows", lambda: not browser.shown("#header-indicator"))
    browser.quiet(server.url)


def filtering(browser):
    """What is typed is found half a second later, all of it, stands in the address, and goes when the text is cleared."""
    server = fresh("filter", 460, extra="search: [name, description]")
    server.run("sync", "things")
    browser.open(f"{server.url}/list/things")
    rows(browser, 100)
    field = browser.one("#filter")
    field.send_keys("lantern 12")
    until("only what fits is shown", lambda: browser.titles() and len(browser.titles()) < 100
          and all("antern" in one for one in browser.run(
              "return [...document.querySelectorAll('#list .row')].map(one => one.textContent)")))
    # On a busy machine a part of the text may have been searched for before.
    until("it stands in the address", lambda: browser.driver.current_url.endswith("?q=lantern+12"))
    until("what fits is marked", lambda: browser.all("#list mark"))
    until("it is counted", lambda: browser.text("#total") == f"{len(browser.titles())} of 460 items")
    browser.picture("filter")
    for dark in (False, True):
        browser.colours(dark)
        browser.accessible("a filtered list")
    browser.colours(False)
    field.send_keys("xyzzy")
    until("nothing fits", lambda: "No item has these words" in browser.text("#main"))
    upstream.lists["/things"] = things([1000]) + upstream.lists["/things"]
    server.run("reload", "things")
    field.send_keys(Keys.ESCAPE)
    until("all is there again, and what came meanwhile", lambda: browser.titles() and browser.titles()[0].endswith("1000"))
    until("with its total", lambda: browser.text("#total") == "461 items")
    browser.open(f"{server.url}/list/things?q=beside")
    rows(browser, 100)
    until("all hits are counted", lambda: browser.text("#total") == "461 of 461 items")
    to_the_end(browser, 461)
    browser.quiet(server.url)


def pulling(browser):
    """On a phone, pulling down reloads, and pulling less does not."""
    server = fresh("pull")
    server.run("reload", "things")
    browser.size(360, 740)
    browser.open(f"{server.url}/list/things")
    rows(browser, 20)
    live(browser, server)
    upstream.requests.clear()

    def pull(distance):
        touch = lambda kind, y: browser.driver.execute_cdp_cmd(
            "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [] if kind == "touchEnd" else [{"x": 150, "y": y}]})
        touch("touchStart", 200)
        for step in range(1, 6):
            touch("touchMove", 200 + distance * step / 5)
        touch("touchEnd", 0)

    pull(40)
    time.sleep(0.3)
    expect("a short pull requests nothing", not upstream.requests)
    upstream.lists["/things"] = things([500]) + upstream.lists["/things"]
    pull(200)
    until("a pull reloads", lambda: browser.titles()[0].endswith("500"))
    browser.quiet(server.url)


def keyboard(browser):
    """Everything can be done with the keyboard alone."""
    server = fresh("keyboard")
    server.run("reload", "things")
    browser.open(server.url + "/")

    tab_to, press = browser.tab_to, browser.press
    tab_to("things")
    press(Keys.ENTER)
    until("the list opens", lambda: browser.driver.current_url.endswith("/list/things"))
    rows(browser, 20)
    upstream.lists["/things"] = things([300]) + upstream.lists["/things"]
    tab_to("reload")
    press(Keys.ENTER)
    until("the reload is done", lambda: browser.titles()[0].endswith("300"))
    tab_to("filter")
    press("comet")
    until("it filters", lambda: len(browser.titles()) < 15)
    press(Keys.ESCAPE)
    until("it shows all", lambda: len(browser.titles()) >= 20)
    before = len(browser.titles())
    press(Keys.TAB)
    until("the end loads more", lambda: press(Keys.END) or len(browser.titles()) > before)
    first = browser.titles()[0]
    browser.run("scrollTo(0, 0); document.getElementById('filter').focus()")
    tab_to(first)
    press(Keys.ENTER)
    until("an item opens", lambda: "/item/things" in browser.driver.current_url)
    until("it shows its columns", lambda: "html url" in browser.text("#item .columns"))
    browser.picture("item")
    browser.accessible("an item")
    browser.quiet(server.url)


def keyboard_elsewhere(browser):
    """So can a search, the form and the status."""
    server = fresh("keyboard-elsewhere", 100, extra="search: {columns: [name], param: q}")
    server.run("reload", "things")
    upstream.lists["/others"] = things(range(1, 46))
    tab_to, press = browser.tab_to, browser.press
    browser.open(server.url + "/list/things")
    tab_to("Search")
    press(Keys.ENTER)
    until("the search opens", lambda: browser.shown("#search"))
    tab_to("search")
    press("comet")
    until("it is found", lambda: browser.titles() and all(one.startswith("Comet") for one in browser.titles()))
    tab_to("keep-name")
    browser.run("document.activeElement.select()")
    press("comets" + Keys.ENTER)
    until("what was found is a feed", lambda: browser.driver.current_url.endswith("/list/comets"))
    browser.open(server.url + "/")
    tab_to("Status")
    press(Keys.ENTER)
    until("the status opens", lambda: browser.driver.current_url.endswith("/status"))
    browser.open(server.url + "/")
    tab_to("Add")
    press(Keys.ENTER)
    until("the form is live", lambda: browser.run("return document.getElementById('add').disabled"))
    tab_to("name")
    press("others")
    until("the next step opens", lambda: not browser.run("return document.getElementById('step-source').disabled"))
    tab_to("source")
    press(f"{upstream.url}/others")
    until("it can be added", lambda: not browser.run("return document.getElementById('add').disabled"))
    tab_to("add")
    press(Keys.ENTER)
    until("the list opens", lambda: browser.driver.current_url.endswith("/list/others"))
    rows(browser, 20)
    browser.quiet(server.url)


def without_scripts(browser):
    """Lists can be read, reloaded, loaded and filtered without scripts."""
    server = fresh("plain")
    try:
        browser.scripts(False)
        browser.open(f"{server.url}/list/things")
        browser.click("#reload")
        until("the list came", lambda: len(browser.all("#list .row")) == 20)
        browser.click("#more")
        until("more came", lambda: len(browser.all("#list .row")) == 40)
        browser.one("#filter").send_keys("comet" + Keys.ENTER)
        until("it is filtered", lambda: 0 < len(browser.all("#list .row")) < 20)
        browser.picture("without-scripts")
    finally:
        browser.scripts(True)


def sections(browser):
    """Sections have their titles, and grow where they stand."""
    upstream.lists["/things"] = things(range(1, 46))
    server = fresh("sections", 45, extra="section: kind")
    server.run("reload", "things")
    browser.open(f"{server.url}/list/things")
    rows(browser, 20)
    names = browser.run("return [...document.querySelectorAll('#list h2 bdi')].map(one => one.textContent)")
    expect(f"both sections are there: {names}", names == ["odd", "even"])
    server.run("more", "things")
    rows(browser, 40)
    until("their counts grow", lambda: browser.run(
        "return [...document.querySelectorAll('#list h2 .count')].map(one => one.textContent)") == ["20", "20"])
    browser.picture("sections")
    browser.accessible("a list with sections")
    browser.quiet(server.url)


def hostile(browser):
    """Text of the upstream is text, wherever it stands."""
    evil = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
    server = fresh("hostile", extra="section: kind")
    upstream.lists["/things"] = [
        {"id": evil, "name": evil, "description": "</li></ol>" + evil, "html_url": "javascript:document.title='owned'",
         "stars": evil, "kind": evil},
        {"id": "2", "name": "\u202egnp.exe\u202c \u0007\u001b[31m", "description": "\u2067abc", "html_url": "https://x.example/\"onmouseover=\"a",
         "stars": 1, "kind": "x" * 5000},
        {"id": "3", "name": "m" * 1_000_000, "description": "y " * 500_000, "html_url": None, "stars": None, "kind": None},
    ]
    expect("it is stored", server.run("reload", "things").returncode == 0)
    for path in ["/list/things", "/list/things?q=owned", "/", "/status", "/item/things?key=%223%22",
                 "/item/things?key=" + __import__("urllib.parse").parse.quote(json.dumps(evil))]:
        browser.open(server.url + path)
        time.sleep(0.2)
        expect(f"nothing of it runs at {path}", browser.driver.title != "owned")
        expect(f"no element of it is made at {path}", not browser.all("#main img[src=x], #main script"))
        links = browser.run("return [...document.querySelectorAll('a')].map(one => one.protocol)")
        expect(f"no link runs anything at {path}", all(one in ("http:", "https:") for one in links))
        width = browser.run("return document.documentElement.scrollWidth - innerWidth")
        expect(f"it does not widen the page at {path}", width <= 0)
    browser.open(server.url + "/list/things")
    browser.picture("hostile")
    browser.quiet(server.url)


def web_feed(browser):
    """HTML of a web feed is text in lists, and what is allowed of it on the page of an item; its pictures come through the server."""
    upstream.lists["/things"] = [
        {"id": number, "name": f"Post {number}", "kind": "post",
         "description": f"<p>The <em>short</em> story of &#8220;post {number}&#8221;.</p><p>With a <a href='https://things.example/{number}'>link</a>"
                        f" and a picture: <img src='{upstream.url}/pictures/{number}.png' onerror=\"document.title='owned'\"></p>"
                        "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
                        "<iframe src='https://things.example'></iframe><ul><li>one</li><li>two</li></ul>",
         "html_url": f"https://things.example/{number}", "stars": 1200 * number} for number in range(1, 21)]
    server = fresh_again("web-feed", extra="show: {title: name, text: description, link: html_url, figures: [stars]}")
    server.run("reload", "things")
    browser.open(f"{server.url}/list/things")
    rows(browser, 20)
    text = browser.run("return document.querySelector('#list .text').textContent")
    expect(f"the list has its text: {text}", text.startswith("The short story of “post 1”. With a link and a picture:"))
    browser.picture("web-feed")
    browser.open(f"{server.url}/item/things?key=1")
    expect("the item has its elements", browser.text(".prose em") == "short" and len(browser.all(".prose li")) == 2)
    until("and its picture", lambda: browser.run("return document.querySelector('.prose img').naturalWidth") == 2)
    time.sleep(0.3)
    expect("nothing of it runs", browser.driver.title != "owned")
    for width in (390, 1024, 1440):
        for dark in (False, True):
            browser.size(width)
            browser.colours(dark)
            browser.picture(f"web-feed-item-{width}-{'dark' if dark else 'light'}")
            browser.accessible(f"an item of a web feed at {width} px")
    browser.quiet(server.url)


# Of each: nothing runs, and no request leaves for another host.
HOSTILE = [
    "<script>{run}</script>", "<img src=x onerror=\"{run}\">", "<svg onload=\"{run}\">", "<svg><script>{run}</script></svg>",
    "<body onload=\"{run}\">", "<iframe src=\"javascript:{run}\"></iframe>", "<iframe srcdoc=\"<script>{run}</script>\"></iframe>",
    "<a href=\"javascript:{run}\">x</a>", "<a href=\"JaVaScRiPt:{run}\">x</a>", "<a href=\"&#106;avascript:{run}\">x</a>",
    "<a href=\"java\tscript:{run}\">x</a>", "<a href=\"data:text/html,<script>{run}</script>\">x</a>",
    "<form action=\"{host}\"><button>x</button></form>", "<input autofocus onfocus=\"{run}\">", "<video src={host}/a.mp4 onerror=\"{run}\">",
    "<audio src={host}/a.mp3>", "<link rel=stylesheet href={host}/a.css>", "<style>@import url({host}/a.css);</style>",
    "<p style=\"background:url({host}/a.png)\">x</p>", "<img srcset=\"{host}/a.png 1x\">", "<meta http-equiv=refresh content=\"0;url={host}\">",
    "<base href={host}/>", "<object data={host}></object>", "<embed src={host}>", "<math><mtext><img src=x onerror=\"{run}\">",
    "<noscript><p title=\"</noscript><img src=x onerror='{run}'>\">", "<template><script>{run}</script></template>",
    "<!--><script>{run}</script>-->", "<details open ontoggle=\"{run}\">x</details>", "<a href=x onclick=\"{run}\" ping={host}>x</a>",
]


def hostile_feed(browser):
    """Of thirty hostile pieces of HTML nothing runs, and no request leaves for another host, in the list and in each item."""
    fill = lambda text: text.replace("{run}", "document.title=&quot;owned&quot;" if '"{run}' in text else "document.title='owned'") \
        .replace("{host}", "http://127.0.0.2:9")
    upstream.lists["/things"] = [
        {"id": number, "name": f"Post {number}", "kind": "post", "description": f"<p>before</p>{fill(text)}<p>after</p>",
         "html_url": None, "stars": 1} for number, text in enumerate(HOSTILE, 1)]
    server = fresh_again("hostile-feed", extra="show: {title: name, text: description}")
    server.run("sync", "things")
    for path in ["/list/things", "/changes"] + [f"/item/things?key={number}" for number in range(1, len(HOSTILE) + 1)]:
        browser.open(server.url + path)
        time.sleep(0.05)
        expect(f"nothing of it runs at {path}", browser.driver.title != "owned")
        left = browser.run("return document.querySelectorAll('main script, main iframe, .prose form, .prose style, .prose svg, main object, main embed').length")
        expect(f"nothing of it is left at {path}", left == 0)
    browser.quiet(server.url, allowed=["404"])


def looks(browser):
    """Each page at three widths, light and dark, without findings of axe-core and without scrolling sideways."""
    search = "search: {columns: [name, description], param: q}"
    server = fresh("looks", 60, extra=search, feeds=("things", "empty", "broken"))
    upstream.lists["/empty"] = []
    server.run("sync", "things", "empty", "broken")
    for width in (390, 1024, 1440):
        for dark in (False, True):
            browser.size(width)
            browser.colours(dark)
            for name, path in [("feeds", "/"), ("settings", "/settings/things"), ("list", "/list/things"), ("empty", "/list/empty"), ("status", "/status"),
                               ("item", "/item/things?key=1"), ("changes", "/changes"), ("find", "/find?q=lantern"),
                               ("table", "/table/things"), ("keys", "/keys"), ("search", "/search/things"), ("add", "/add"),
                               ("login", "/login"), ("missing", "/nothing")]:
                browser.open(server.url + path)
                time.sleep(0.15)
                browser.picture(f"{name}-{width}-{'dark' if dark else 'light'}")
                browser.accessible(f"{path} at {width} px")
                wide = browser.run("return document.documentElement.scrollWidth - innerWidth")
                expect(f"{path} at {width} px does not scroll sideways ({wide})", wide <= 0)
    browser.size(1440)
    browser.colours(False)
    browser.quiet(server.url, allowed=["404"])


def printing(browser):
    """Printed pages have what is read, in black on white, and nothing that is clicked."""
    server = fresh("printing", 40)
    server.run("sync", "things")
    browser.open(f"{server.url}/list/things")
    rows(browser, 40)
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "media": "print", "features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    for selector in ("nav", ".filter", ".find", ".command", "footer"):
        expect(f"{selector} is not printed", not browser.shown(selector))
    expect("the rows are", len([one for one in browser.all("#list .row") if one.is_displayed()]) == 40)
    expect("on white", browser.run("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)")
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    browser.quiet(server.url)


def weight(browser):
    """A list's first load is at most 60 KB without pictures; the time of its largest paint on a slow phone is printed."""
    server = fresh("weight", 120)
    upstream.size = 120
    try:
        server.run("sync", "things")
    finally:
        upstream.size = 20
    command = browser.driver.execute_cdp_cmd
    command("Network.enable", {})
    command("Network.clearBrowserCache", {})
    command("Network.emulateNetworkConditions", {
        "offline": False, "latency": 150, "downloadThroughput": 1.6e6 / 8, "uploadThroughput": 750e3 / 8})
    command("Emulation.setCPUThrottlingRate", {"rate": 4})
    browser.driver.get_log("performance")
    try:
        browser.open(f"{server.url}/list/things")
        rows(browser, 100)
        time.sleep(1)
        paint = browser.run("""
            return new Promise((done) => new PerformanceObserver((list) => done(list.getEntries().at(-1).startTime))
                .observe({ type: "largest-contentful-paint", buffered: true }))""")
    finally:
        command("Emulation.setCPUThrottlingRate", {"rate": 1})
        command("Network.emulateNetworkConditions", {
            "offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})
    kinds, sizes = {}, {}
    for entry in browser.driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        words = message["params"]
        if message["method"] == "Network.responseReceived":
            kinds[words["requestId"]] = words["type"]
        if message["method"] == "Network.loadingFinished":
            sizes[words["requestId"]] = words["encodedDataLength"]
    total = sum(size for number, size in sizes.items() if kinds.get(number) != "Image")
    print(f"        a first load of a list: {total / 1000:.1f} kB without pictures, largest paint after {paint / 1000:.2f} s")
    expect(f"a first load is at most 60 kB: {total}", 10_000 < total <= 60_000)


# The time from the last answer to the paint of the rows that a text in the filter finds, in milliseconds.
PAINTED = """
    const [text, done] = arguments;
    performance.clearResourceTimings();
    const list = document.getElementById("list");
    const watch = new MutationObserver(() => {
        watch.disconnect();
        requestAnimationFrame(() => {
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = () => {
                const painted = performance.now();
                const tell = () => {
                    const answers = performance.getEntriesByType("resource").filter((one) => /rows[?]|state$/.test(one.name));
                    // On a busy machine the browser takes note of them later.
                    if (answers.length === 0) return setTimeout(tell, 50);
                    done(painted - Math.max(...answers.map((one) => one.responseEnd)));
                };
                tell();
            };
            port2.postMessage(0);
        });
    });
    watch.observe(list, { childList: true, subtree: true });
    const field = document.getElementById("filter");
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));"""

# Scrolls by so many pixels in each frame until there are as many rows as wanted, or the end; the frames' times.
SCROLLED = """
    const [wanted, distance, done] = arguments;
    const frames = [];
    const begun = performance.now();
    let last = begun;
    const step = () => {
        const now = performance.now();
        frames.push(now - last);
        last = now;
        const before = scrollY;
        scrollBy({ top: distance, behavior: "instant" });
        const isOver = now - begun > 500_000
            || (wanted ? document.querySelectorAll("#list .row").length >= wanted : scrollY === before);
        if (isOver || frames.length > 3_000) return done(frames.slice(1));
        requestAnimationFrame(step);
    };
    requestAnimationFrame(step);"""


def calm(what, bound, measure, tries=3):
    """The best of some measurements is near a bound. A busy machine may take longer: only ten times the bound fails."""
    best = float("inf")
    for _ in range(tries):
        best = min(best, measure())
        if best <= bound:
            break
    print(f"        {what}: {best:.0f} ms, meant to be at most {bound} ms")
    expect(f"{what} takes {best:.0f} ms", best <= bound * 10)


def large(browser):
    """Of 50,000 rows, the filter finds the last and is painted at once; 10,000 rows scroll without a hitch, to the last hit."""
    upstream.lists["/things"] = [
        {**one, "pushed_at": f"2026-0{one['id'] % 9 + 1}-11T10:00:00Z"} for one in things(range(1, 50_001))]
    server = fresh_again("large", extra="search: [name, description]\n    show: {title: name, text: description, time: pushed_at}",
                         columns=", pushed_at: {path: pushed_at, type: timestamp}")
    upstream.size = 10_000
    try:
        server.run("sync", "things")
    finally:
        upstream.size = 20
    browser.open(f"{server.url}/list/things")
    rows(browser, 100)
    until("all are stored", lambda: browser.text("#total") == "50,000 items", 60)
    browser.driver.set_script_timeout(600)

    def painted():
        return max(browser.driver.execute_async_script(PAINTED, text) for text in ["lantern", "granite 4999", ""])

    calm("a filter of 50,000 rows, from the answer to the paint", 300, painted)
    browser.one("#filter").send_keys("granite 4999")
    until("the last ones are found", lambda: browser.titles() and all("4999" in one for one in browser.titles()))
    # 4999 and 49991 are granite, and what has both words.
    found = int(browser.text("#total").split(" ")[0].replace(",", ""))
    expect("all of them are shown", len(browser.titles()) == found)
    browser.open(f"{server.url}/list/things?q=granite&order=place")
    until("what fits is counted", lambda: " of " in browser.text("#total"))
    total = int(browser.text("#total").split(" ")[0].replace(",", ""))
    expect(f"thousands fit: {total}", total > 5_000)
    to_the_end(browser, total, 400)
    browser.open(f"{server.url}/list/things")
    rows(browser, 100)
    browser.driver.execute_async_script(SCROLLED, 10_000, 1_000_000)

    def scrolled():
        browser.run("scrollTo({ top: 0, behavior: 'instant' })")
        time.sleep(0.5)
        frames = browser.driver.execute_async_script(SCROLLED, 0, 1_500)
        expect(f"it scrolls in many frames: {len(frames)}", len(frames) > 500)
        return max(frames)

    calm("the longest frame while 10,000 rows are scrolled", 50, scrolled)
    calm("a filter of 50,000 rows, of which 10,000 were shown", 300, painted)
    browser.quiet(server.url)


def settings(browser):
    """From its page a feed is paused, edited, renamed and removed, and the removal is undone."""
    server = fresh("settings", 45, options=())
    server.run("sync", "things")
    configuration = lambda: (server.folder / "feedsync.yaml").read_text()
    browser.open(f"{server.url}/list/things")
    browser.click("nav.tabs a[href='/settings/things']")
    browser.click("button#pause")
    until("it is paused", lambda: "Paused" in browser.text("#main") and "paused: true" in configuration())
    browser.click("button#resume")
    until("it is not", lambda: "Paused" not in browser.text("#main") and "paused" not in configuration())
    field = browser.one("#text")
    field.send_keys(Keys.CONTROL, Keys.END)
    field.send_keys(Keys.ENTER + "  evry: 2d")
    browser.click("button[value=check]")
    until("a mistake is told", lambda: "did you mean `every`" in browser.text(".notice"))
    browser.accessible("settings with a mistake")
    browser.one("#text").send_keys(Keys.CONTROL, Keys.END)
    browser.one("#text").send_keys(Keys.BACKSPACE * 8 + "timeout: 20s")
    browser.click("button[value=check]")
    until("what changes is shown", lambda: "+   timeout: 20s" in browser.text(".diff"))
    for dark in (False, True):
        browser.colours(dark)
        browser.accessible("a change before it is written")
        browser.picture(f"settings-diff-{'dark' if dark else 'light'}")
    browser.colours(False)
    expect("nothing is written yet", "timeout" not in configuration())
    browser.click("button[value=write]")
    until("it is written", lambda: "    timeout: 20s\n" in configuration())
    name = browser.one("#name")
    name.clear()
    name.send_keys("others" + Keys.ENTER)
    until("it has its new name", lambda: browser.driver.current_url.endswith("/settings/others"))
    expect("and its items", "45 items" in browser.text("#main"))
    before = configuration()
    browser.click("button.danger")
    until("it is removed", lambda: "others was removed" in browser.text("#main") and "others" not in configuration())
    browser.accessible("a removal that can be undone")
    browser.picture("removed")
    browser.click(".removed button")
    until("it is back", lambda: browser.driver.current_url.endswith("/list/others") and configuration() == before)
    rows(browser, 45)
    browser.quiet(server.url, allowed=["422"])


def searching(browser):
    """What is typed is searched for at the server: the latest text wins, and an older answer never shows."""
    server = fresh("search", 100, extra="search: {columns: [name], param: q}")
    server.run("reload", "things")
    browser.open(f"{server.url}/list/things")
    browser.click("a[href='/search/things']")
    until("the search opens", lambda: browser.shown("#search"))
    upstream.requests.clear()
    upstream.times.clear()
    field = browser.one("#search")
    field.send_keys("la")
    time.sleep(0.7)
    expect("two letters are not searched for", not upstream.requests)
    begun = time.monotonic()
    for letter in "ntern":
        field.send_keys(letter)
        time.sleep(0.1)
    until("what was typed is found", lambda: browser.titles() and all(one.startswith("Lantern") for one in browser.titles()))
    # On a busy machine the first may come late, so the time before it counts, too.
    count, took = len(upstream.times), upstream.times[-1] - begun
    expect(f"there is at most one request in half a second: {count} in {took} s", took > 0.5 * (count - 1) - 0.05)
    browser.picture("search")
    browser.accessible("a search")
    gate = upstream.hold("/things")
    field.send_keys(Keys.BACKSPACE * 7 + "willow")
    until("it says that it searches", lambda: browser.shown("#header-indicator"))
    time.sleep(0.6)
    upstream.gates.clear()
    field.send_keys(Keys.BACKSPACE * 6 + "comet")
    until("the latest text wins", lambda: browser.titles() and all(one.startswith("Comet") for one in browser.titles()))
    gate.set()
    time.sleep(0.5)
    expect("an older answer never shows", all(one.startswith("Comet") for one in browser.titles()))
    given_up(browser)
    upstream.status["/things"] = 500
    field.send_keys(Keys.BACKSPACE * 5 + "lantern")
    until("a failure is told", lambda: browser.shown("#notice") and "500" in browser.text("#notice"))
    upstream.status.clear()
    field.send_keys(Keys.ENTER)
    until("Enter tries again", lambda: browser.titles() and all(one.startswith("Lantern") for one in browser.titles()))
    expect("the failure is gone", not browser.shown("#notice"))
    field.send_keys(Keys.BACKSPACE * 7 + "comet")
    until("it goes on", lambda: browser.titles() and all(one.startswith("Comet") for one in browser.titles()))
    expect("it stands in the address", browser.driver.current_url.endswith("/search/things?q=comet"))
    browser.driver.refresh()
    until("the address leads to it", lambda: browser.titles() and all(one.startswith("Comet") for one in browser.titles()))
    expect("the field has the text", browser.one("#search").get_attribute("value") == "comet")
    until("it can be kept", lambda: browser.shown("#keep"))
    browser.accessible("a search that can be kept")
    name = browser.one("#keep-name")
    name.clear()
    name.send_keys("things" + Keys.ENTER)
    until("a name that is taken is told", lambda: "already exists" in browser.text("#keep-problem"))
    expect("it is mixed into no feed", len(json.loads(server.get("/feeds/things/items"))) == 20)
    name.clear()
    name.send_keys("comets" + Keys.ENTER)
    until("the new feed's list opens", lambda: browser.driver.current_url.endswith("/list/comets"))
    until("it has what was found", lambda: browser.titles() and all(one.startswith("Comet") for one in browser.titles()))
    browser.quiet(server.url, allowed=["422", "502", "Bad Gateway"])


def given_up(browser):
    """The answer to a text that was typed, changed and typed again may come last, and then counts no more."""
    write = "const field = document.getElementById('search'); field.value = arguments[0]; field.dispatchEvent(new Event('input'))"
    gate = upstream.hold("/things")
    bar(browser, "/search/things")
    browser.run(write, "granite")
    browser.run("window.isBarred = false")
    browser.run(write, "orchard")
    until("the first text is given up", lambda: asked(browser) == 1)
    browser.run(write, "granite")
    gate.set()
    upstream.gates.clear()
    until("it is found", lambda: browser.titles() and all(one.startswith("Granite") for one in browser.titles()))
    unbar(browser)
    time.sleep(0.5)
    expect("it stays", browser.titles() and all(one.startswith("Granite") for one in browser.titles()))
    browser.run(write, "comet")
    until("the next text is found", lambda: browser.titles() and all(one.startswith("Comet") for one in browser.titles()))


def adding(browser):
    """A feed is added step by step: each opens when the one before is right, and the last shows what was found."""
    server = fresh("adding", 45)
    upstream.lists["/others"] = things(range(1, 46))
    browser.open(f"{server.url}/")
    browser.click("a[href='/add']")
    until("the form is live", lambda: browser.run("return document.getElementById('add').disabled"))
    is_open = lambda step: not browser.run(f"return document.getElementById('step-{step}').disabled")
    expect("only the first step is open", is_open("name") and not is_open("source"))
    browser.accessible("an empty form")
    name, source = browser.one("#name"), browser.one("#source")
    name.send_keys("things")
    until("a name that is taken is told", lambda: "already exists" in browser.text("#name-problem"))
    expect("the next step is closed", not is_open("source"))
    name.send_keys("!")
    until("what is not a name is told", lambda: "not a letter" in browser.text("#name-problem"))
    name.send_keys(Keys.BACKSPACE * 7 + "others")
    until("the next step opens", lambda: is_open("source"))
    upstream.requests.clear()
    source.send_keys("ftp://a.example/")
    until("what is no address is told", lambda: "http" in browser.text("#source-problem"))
    source.send_keys(Keys.BACKSPACE * 16 + f"{upstream.url}/nothing")
    until("the server's 404 is told", lambda: "404" in browser.text("#look"))
    expect("it cannot be added", browser.run("return document.getElementById('add').disabled"))
    browser.picture("add-wrong")
    browser.accessible("a form with a problem")
    headers = browser.one("#headers")
    headers.send_keys("Authorization: Bearer secret")
    until("a secret is refused", lambda: "do not type a secret here" in browser.text("#request-problem"))
    expect("the last step closes", not is_open("look"))
    headers.clear()
    browser.run("document.getElementById('headers').dispatchEvent(new Event('input', {bubbles: true}))")
    until("it opens again", lambda: is_open("look"))
    until("it is looked at again", lambda: "404" in browser.text("#look") and not browser.shown("#look-indicator"))
    upstream.requests.clear()
    browser.run("""
        window.typedAt = [];
        document.getElementById("source").addEventListener("input", () => window.typedAt.push(performance.now()));""")
    source.send_keys(Keys.BACKSPACE * 7 + "others")
    until("what was found is shown", lambda: "items on the first page" in browser.text("#look"))
    # A pause of a busy machine is one like that of somebody who types.
    pause = browser.run("return Math.max(...window.typedAt.map((at, place, all) => at - (all[place - 1] ?? at)))")
    expect(f"half an address is not asked for: {upstream.requests}",
           pause > 250 or all(one.startswith("/others") for one in upstream.requests))
    until("it can be added", lambda: not browser.run("return document.getElementById('add').disabled"))
    expect("how sure it is, is said", "certain" in browser.text("#look"))
    for width in (360, 1440):
        browser.size(width)
        for dark in (False, True):
            browser.colours(dark)
            time.sleep(0.15)
            browser.picture(f"add-{width}-{'dark' if dark else 'light'}")
            browser.accessible(f"the form at {width} px")
            wide = browser.run("return document.documentElement.scrollWidth - innerWidth")
            expect(f"the form at {width} px does not scroll sideways ({wide})", wide <= 0)
    browser.colours(False)
    # With the keyboard alone, the button comes behind the last field.
    headers.send_keys(Keys.TAB)
    expect("the button is next", browser.run("return document.activeElement.id") == "add")
    ActionChains(browser.driver).send_keys(Keys.ENTER).perform()
    until("the list opens", lambda: browser.driver.current_url.endswith("/list/others"))
    rows(browser, 20)
    expect("it is in the configuration", "  others:\n    url:" in (server.folder / "feedsync.yaml").read_text())
    browser.quiet(server.url)


def first_feeds(browser):
    """Without a configuration the start page offers the demo's feeds, by keyboard and without scripts, too."""
    server = Serve("first", None)
    servers.append(server)
    browser.open(server.url)
    browser.accessible("the beginning")
    browser.picture("beginning")
    upstream.lists["/things"] = things(range(1, 46))
    upstream.status.clear()
    try:
        browser.scripts(False)
        browser.click("a[href='/add']")
        browser.one("#name").send_keys("mine")
        browser.one("#source").send_keys(f"{upstream.url}/missing" + Keys.ENTER)
        until("the server says what is wrong", lambda: "404" in browser.text("#look"))
        browser.one("#source").clear()
        browser.one("#source").send_keys(f"{upstream.url}/things")
        browser.click("button[name=do]")
        until("the server shows what it found", lambda: "items on the first page" in browser.text("#look"))
        browser.click("#add")
        until("the list opens", lambda: browser.driver.current_url.endswith("/list/mine"))
        expect("the first page is stored", len(browser.all("#list .row")) == 20)
    finally:
        browser.scripts(True)
    browser.quiet(server.url, allowed=["422"])
    demo = Serve("demo", None)
    servers.append(demo)
    browser.open(demo.url)
    browser.one("form[action='/add/demo'] button").send_keys(Keys.ENTER)
    until("the demo's feeds are there",
          lambda: "100 items" in browser.text(".feeds") and "anchors" in browser.text(".feeds"), 60)
    browser.quiet(demo.url)


def pictures(browser):
    """Pictures come through the server, when they come into view, each fetched once."""
    server = fresh("pictures", 45, extra="show: {title: name, text: description, picture: html_url}")
    upstream.lists["/things"] = [
        {**one, "html_url": f"{upstream.url}/pictures/{one['id']}.png"} for one in things(range(1, 46))]
    upstream.lists["/things"][1]["html_url"] = f"{upstream.url}/nothing.png"
    server.run("sync", "things")
    upstream.requests.clear()
    browser.size(1440, 600)
    browser.open(f"{server.url}/list/things")
    rows(browser, 45)
    loaded = "return [...document.querySelectorAll('#list img.picture')].map(one => one.complete && one.naturalWidth)"
    until("the first picture is shown", lambda: browser.run(loaded)[0] == 2)
    until("one that cannot be had is not drawn as broken", lambda: browser.run(loaded)[1] == 1)
    browser.picture("pictures")
    browser.accessible("a list with pictures")
    browser.run("scrollTo(0, document.body.scrollHeight)")
    until("the last one, too", lambda: browser.run(loaded)[-1] == 2)
    asked = [one for one in upstream.requests if one.startswith("/pictures/")]
    expect(f"each is fetched once: {asked}", len(asked) == len(set(asked)))
    browser.click("#list .rows:last-child .row:last-child .title")
    until("an item shows its own", lambda: browser.run(
        "return document.querySelector('#item > img.picture')?.naturalWidth") == 2)
    browser.quiet(server.url)


def included(browser):
    """A feed in an included file shows as soon as the file is there, and what hosts allow is plotted."""
    server = fresh("included", 45)
    upstream.quota = 4990
    server.run("reload", "things")
    browser.open(server.url)
    with (server.folder / "feedsync.yaml").open("a") as file:
        file.write("include: more/*.yaml\n")
    (server.folder / "more").mkdir()
    time.sleep(0.3)
    (server.folder / "more" / "one.yaml").write_text(f"feeds:\n  extra:\n    url: {upstream.url}/things\n")
    until("the feed of the included file is there", lambda: '"extra"' in server.get("/feeds"))
    (server.folder / "more" / "one.yaml").unlink()
    until("it goes with the file", lambda: '"extra"' not in server.get("/feeds"))
    (server.folder / "more").rename(server.folder / "before")
    (server.folder / "more").mkdir()
    time.sleep(0.3)
    (server.folder / "more" / "one.yaml").write_text(f"feeds:\n  extra:\n    url: {upstream.url}/things\n")
    until("the feed of a folder in its place is there", lambda: '"extra"' in server.get("/feeds"))
    browser.open(server.url + "/status")
    expect("requests stand against the quota", "4,990 left" in browser.text(".quota"))
    expect("as a picture", browser.all(".quota svg line"))
    browser.picture("quota")
    browser.accessible("the quota")
    upstream.quota = None
    browser.quiet(server.url)


def changes(browser):
    """What came, changed and went shows by day, also while somebody looks, and is marked if it is new since the last visit."""
    server = fresh("changes", 12, extra="sync: {mode: all}")
    server.run("sync", "things")
    browser.open(server.url + "/changes/things")
    kinds = lambda: browser.run("return [...document.querySelectorAll('.change .kind')].map(one => one.textContent)")
    expect("what came is there", kinds() == ["new"] * 12)
    expect("a first visit marks nothing", not browser.all(".unseen"))
    things_now = upstream.lists["/things"]
    upstream.lists["/things"] = [dict(one, stars=one["stars"] + 1_000) if one["id"] == 3 else one for one in things_now if one["id"] != 5]
    server.run("sync", "things")
    until("what changed comes by itself", lambda: sorted(set(kinds())) == ["changed", "new", "removed"])
    stars = [one["stars"] for one in things_now if one["id"] == 3][0]
    expect("it says from what to what", f"{stars:,}" in browser.text(".values") and f"{stars + 1_000:,}" in browser.text(".values"))
    expect("charts say in words what they show", "items" in browser.run("return document.querySelector('.chart desc').textContent"))
    browser.click("summary")
    browser.accessible("changes with figures")
    browser.picture("changes")
    browser.open(server.url + "/list/things")
    rows(browser, 11)
    browser.open("about:blank")
    upstream.lists["/things"] = things(range(101, 103)) + upstream.lists["/things"]
    server.run("sync", "things")
    browser.open(server.url + "/list/things")
    until("rows that came since the last visit are marked", lambda: len(browser.all(".row.unseen")) == 2)
    browser.open(server.url + "/item/things?key=3")
    expect("an item has its history", "changed" in browser.text(".history") and len(browser.all(".history .chart")) == 1)
    browser.accessible("an item with a history")
    browser.picture("history")
    browser.quiet(server.url)


def keys(browser):
    """Rows are reached and opened by keys, all feeds are searched from anywhere, and a dialog lists the keys."""
    server = fresh("keys", 12)
    server.run("sync", "things")
    browser.open(server.url + "/list/things")
    rows(browser, 12)
    browser.press("j")
    browser.press("j")
    titles = browser.titles()
    expect(f"j goes to the next row, not to {browser.focused()}", browser.focused() == titles[1])
    browser.press("k")
    expect("k goes back", browser.focused() == titles[0])
    browser.press("o")
    until("o opens it", lambda: "/item/things" in browser.driver.current_url)
    browser.press("j")
    until("j goes to the next item", lambda: browser.text("h1") == titles[1])
    browser.press("?")
    until("? lists the keys", lambda: browser.shown("#keys"))
    browser.accessible("the keys")
    browser.picture("keys-dialog")
    browser.press("j")
    expect("keys do nothing behind the dialog", browser.text("h1") == titles[1])
    browser.press(Keys.ESCAPE)
    until("Escape closes it", lambda: not browser.shown("#keys"))
    browser.press("/")
    expect("/ goes to the search of all feeds", browser.focused() == "find")
    browser.press(titles[1].split()[0] + Keys.ENTER)
    until("it finds", lambda: browser.shown("h2") and browser.all("mark"))
    browser.accessible("what was found")
    browser.click("#keys-link")
    until("the link lists them, too", lambda: browser.shown("#keys"))
    browser.click("#keys-on")
    browser.click("#keys-close")
    browser.press("/")
    expect("keys that are off do nothing", browser.focused() != "find")
    browser.run("localStorage.clear()")
    browser.quiet(server.url)


def live_status(browser):
    """The page of how feeds do follows the event log."""
    server = fresh("status")
    browser.open(server.url + "/status")
    expect("it begins empty", len(browser.all("#log li")) == 0)
    server.run("reload", "things")
    until("events come", lambda: len(browser.all("#log li")) >= 2)
    until("the state follows", lambda: "20 items" in browser.text(".health"))
    until("the runs follow", lambda: len(browser.all(".tables tbody tr")) == 1)
    browser.run("document.querySelector('.tables .scroll').focus()")
    server.run("reload", "things")
    until("the next run is there", lambda: len(browser.all(".tables tbody tr")) == 2)
    expect("the focus stays", browser.run("return document.activeElement.ariaLabel") == "Last runs")
    browser.open(server.url + "/")
    server.run("more", "things")
    until("the overview follows", lambda: "40 items" in browser.text(".feeds"))
    browser.quiet(server.url)


def read_only(browser):
    """A server that only reads offers no commands, and follows all the same."""
    server = fresh("readonly")
    server.run("reload", "things")
    server.stop()
    other = serve_again("readonly", "--read-only")
    browser.open(f"{other.url}/list/things")
    rows(browser, 20)
    expect("there is no button", not browser.shown("#reload") and not browser.shown("#more"))
    other.run("more", "things")
    rows(browser, 40)
    browser.quiet(other.url)


def signing_in(browser):
    """Reading needs nothing; the printed address signs in, once; the session outlives the server, and ends with a sign-out."""
    server = fresh("signing", options=("--signed",))
    server.run("reload", "things")
    browser.open(f"{server.url}/list/things")
    until("rows are shown", lambda: browser.titles())
    expect("no command is offered to a stranger", not browser.all("#reload") and browser.shown("a.signing"))
    browser.open(server.sign_in())
    until("the pages come", lambda: browser.shown("form.signing"))
    browser.open(f"{server.url}/list/things")
    until("a command is offered", lambda: browser.shown("#reload"))
    before = len(upstream.requests)
    browser.click("#reload")
    until("it works", lambda: len(upstream.requests) > before)
    browser.open(f"{server.url}/table/things?sort=-id")
    until("the table is sorted", lambda: browser.shown("th[aria-sort=descending]"))
    browser.accessible("the table")
    browser.click("form.signing button")
    until("the page for the token comes", lambda: browser.shown("#token"))
    browser.accessible("the page for the token")
    browser.open(f"{server.url}/list/things")
    until("no command is offered any more", lambda: browser.shown("a.signing") and not browser.all("#reload"))
    server.stop()


def serve_again(name, *options, port=0):
    """Another server in the folder of one that has ended."""
    old = servers[-1]
    server = object.__new__(Serve)
    server.__dict__.update(old.__dict__)
    server.errors = open(server.folder / "stderr.txt", "w")
    server.process = subprocess.Popen(
        [server.binary, "serve", "--listen", f"127.0.0.1:{port}", *options], cwd=server.folder, env=server.environment,
        stdout=server.errors, stderr=server.errors)
    text = until("the server says where it is", lambda: "http://" in server.log() and server.log())
    server.url = text[text.index("http://") :].split(";")[0].rstrip("/")
    servers.append(server)
    return server


def described(browser):
    """The description of the API is what the server does."""
    server = fresh("api", 45, extra="search: {columns: [name], param: q}")
    server.run("sync", "things")
    api.check(server)


TESTS = [signing_in, reload_and_scroll, other_process, failure, going_back, many_tabs, changes_while_scrolled, restarted,
         followed_configuration, replaced_store, ended_session, missed_ends, read_again, overtaken, refused_events, lost_script, opened_while_loading, background_tab, slow_disk, filtering, pulling, keyboard, keyboard_elsewhere, without_scripts, sections, hostile, web_feed, hostile_feed, looks, printing, weight, large, settings, searching,
         adding, first_feeds, pictures, included, changes, keys, live_status, read_only, described]


def main(words):
    wanted = [word for word in words if not word.startswith("-")]
    unwanted = [word[1:] for word in words if word.startswith("-")]
    chosen = [test for test in TESTS if (not wanted or any(word in test.__name__ for word in wanted))
              and not any(word in test.__name__ for word in unwanted)]
    if not chosen:
        sys.exit(f"test-web: no test has {' or '.join(words)} in its name")
    browser = Browser()
    failed = []
    try:
        for test in chosen:
            start = time.monotonic()
            try:
                test(browser)
                print(f"ok      {test.__name__:20} {time.monotonic() - start:5.1f} s", flush=True)
            except Exception as error:
                failed.append(test.__name__)
                print(f"FAILED  {test.__name__:20} {error}", flush=True)
                if "Failed" not in type(error).__name__:
                    traceback.print_exc()
                browser.picture(f"failed-{test.__name__}")
                print(f"        {browser.driver.current_url}: {browser.text('body')[:500]!r}")
                for server in servers:
                    print(f"        {server.log()[-500:]!r}", flush=True)
            browser.size(1440)
            browser.colours(False)
            # What one test leaves in the logs is not the next one's.
            browser.open("about:blank")
            for kind in ["browser", "performance"]:
                browser.driver.get_log(kind)
            for server in servers:
                try:
                    server.stop()
                except Exception as error:
                    failed.append(test.__name__)
                    print(f"FAILED  {test.__name__}: {error}")
            servers.clear()
    finally:
        browser.quit()
        for server in servers:
            server.process.kill()
    print(f"{len(chosen) - len(set(failed))} of {len(chosen)} passed; screenshots are in .build-web/screenshots")
    return 1 if failed else 0


sys.exit(main(sys.argv[1:]))
