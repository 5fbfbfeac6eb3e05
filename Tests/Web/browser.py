"""A Chromium, a `feedsync serve`, and what the tests of the pages ask of them."""

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import time
import urllib.request
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / ".build-web"
SCREENSHOTS = WORK / "screenshots"


class Failed(Exception):
    pass


def until(what, holds, seconds=15.0):
    """Waits until something holds; returns it. The machine may be busy: what has to be fast is measured by itself."""
    end = time.monotonic() + seconds
    while True:
        try:
            value = holds()
        except Exception as error:  # the page may be changing
            value, last = None, error
        else:
            last = None
        if value:
            return value
        if time.monotonic() > end:
            raise Failed(f"{what}: not so after {seconds} s {last or ''}")
        time.sleep(0.02)


def expect(what, holds):
    if not holds:
        raise Failed(what)


class Serve:
    """A `feedsync serve` in a folder of its own."""

    def __init__(self, name, configuration, *options):
        self.folder = WORK / "run" / name
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        if configuration is not None:
            (self.folder / "feedsync.yaml").write_text(configuration)
        self.binary = os.environ["FEEDSYNC"]
        self.environment = {"HOME": str(self.folder), "PATH": "/usr/bin:/bin"}
        self.errors = open(self.folder / "stderr.txt", "w")
        self.process = subprocess.Popen(
            [self.binary, "serve", "--listen", "127.0.0.1:0", *self.access(options), *[one for one in options if one != "--signed"]], cwd=self.folder, env=self.environment,
            stdout=self.errors, stderr=self.errors)
        text = until("the server says where it is", lambda: "http://" in self.log() and self.log())
        self.url = text[text.index("http://") :].split("/;")[0].split(";")[0].rstrip("/")

    @staticmethod
    def access(options):
        """Signing in is a test of its own."""
        return [] if any(option in ("--signed", "--token-file", "--read-only") for option in options) else ["--no-token"]

    def sign_in(self):
        """The address that the server printed."""
        text = until("the server says how to sign in", lambda: "open?code=" in self.log() and self.log())
        return "http://" + text[: text.index("open?code=")].split("http://")[-1] + "open?code=" + \
            text.split("open?code=")[1].split()[0]

    def log(self):
        return (self.folder / "stderr.txt").read_text()

    def run(self, *words):
        """Another process of feedsync on the same store."""
        return subprocess.run(
            [self.binary, *words], cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=120)

    def get(self, path):
        with urllib.request.urlopen(self.url + path) as response:
            return response.read().decode()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            code = self.process.wait(60)
            expect(f"SIGTERM ends it cleanly, not with {code}: {self.log()}", code == 143)
        self.errors.close()


class Browser:
    def __init__(self, width=1440, height=900, dark=False):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for word in ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars",
                     "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]:
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        self.size(width, height)
        self.colours(dark)

    def size(self, width, height=900):
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def colours(self, dark):
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})

    def scripts(self, on):
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not on})

    def open(self, url):
        self.driver.get(url)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def shown(self, selector):
        return any(element.is_displayed() for element in self.all(selector))

    def text(self, selector):
        # In one step: what is shown may be replaced between two.
        return self.run("return document.querySelector(arguments[0]).innerText", selector)

    def click(self, selector):
        until(f"{selector} can be clicked", lambda: self.one(selector).click() or True)

    def focused(self):
        return self.run("return document.activeElement.id || document.activeElement.textContent.trim()")

    def tab_to(self, name, limit=60):
        """Moves the focus with Tab to what has this id or begins with this text."""
        for _ in range(limit):
            if self.focused().startswith(name):
                return
            self.press(Keys.TAB)
        raise Failed(f"{name} cannot be reached with Tab; the focus is at {self.focused()}")

    def press(self, keys):
        ActionChains(self.driver).send_keys(keys).perform()

    def titles(self):
        return self.run("return [...document.querySelectorAll('#list .title')].map(one => one.textContent)")

    def run(self, script, *words):
        return self.driver.execute_script(script, *words)

    def picture(self, name):
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(SCREENSHOTS / f"{name}.png"))

    def accessible(self, what):
        """No finding of axe-core's."""
        folder = importlib.util.find_spec("axe_playwright_python").submodule_search_locations[0]
        script = (Path(folder) / "axe.min.js").read_text()
        # By the driver, past the page's policy, which has no inline scripts.
        self.driver.execute_cdp_cmd("Runtime.evaluate", {"expression": script})
        result = self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1]; axe.run(document, {resultTypes: ['violations']}).then(done)")
        findings = [
            f"{one['id']}: {one['help']} at {[node['target'] for node in one['nodes']][:3]}"
            for one in result["violations"]
        ]
        expect(f"{what} has findings of axe-core: {findings}", not findings)

    def quiet(self, url, allowed=()):
        """No error in the console, and no request to another origin."""
        for entry in self.driver.get_log("browser"):
            if entry["level"] == "SEVERE" and not any(word in entry["message"] for word in allowed):
                raise Failed(f"the console has an error: {entry['message']}")
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                asked = message["params"]["request"]["url"]
                if not asked.startswith((url, "data:", "about:", "chrome:")):
                    raise Failed(f"a request went to another origin: {asked}")

    def quit(self):
        self.driver.quit()
