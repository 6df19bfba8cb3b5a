"""For: a real browser without a screen, driven as a user would.

Guarantees: a test has a window of its own in it, a host at a port of its own, and nothing that another test has stored.
"""

import atexit
import functools
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.virtual_authenticator import VirtualAuthenticatorOptions

from servers import PATIENCE, Host, Topics

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OUT = pathlib.Path(os.environ.get("HOWALARMING_APP_OUT", tempfile.gettempdir() + "/howalarming-app-test"))
PHONE = (360, 780)


def build(out, *arguments, core=None):
    """The app's folder, as a host would get it. Without a core: the scripted one stands in its place."""
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(built(*arguments, core=core), out)


@functools.cache
def built(*arguments, core):
    """It is the same for all tests that want the same."""
    place = tempfile.mkdtemp(prefix="howalarming-app-")
    atexit.register(shutil.rmtree, place, True)
    out = f"{place}/app"
    is_scripted = core is None
    core = core or OUT / "no-core.wasm"
    if is_scripted:
        core.parent.mkdir(parents=True, exist_ok=True)
        core.write_bytes(b"\0asm\1\0\0\0")
    source = ROOT / "app"
    if is_scripted:
        source = pathlib.Path(f"{out}-source")
        shutil.copytree(ROOT / "app", source)
        shutil.copyfile(HERE / "scripted-core.js", source / "core.js")
    command = [ROOT / "tools/lib/app-folder", "--core", core, "--out", out, "--demo", "--source", source, *arguments]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if is_scripted:
        shutil.rmtree(source)
    if done.returncode:
        raise AssertionError(done.stderr)
    return out


def chromium(profile, *, size=PHONE, language="en", is_dark=False):
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--mute-audio", "--no-first-run",
                     "--disable-background-networking", "--ignore-certificate-errors", "--disable-component-update",
                     "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream", f"--user-data-dir={profile}",
                     f"--window-size={size[0]},{size[1]}", f"--lang={language}"):
        options.add_argument(argument)
    options.add_experimental_option("prefs", {"intl.accept_languages": language, "profile.default_content_setting_values.notifications": 1})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    driver.set_page_load_timeout(PATIENCE)
    look(driver, size, is_dark)
    return driver


def look(driver, size, is_dark):
    """How the window is that is open now."""
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False})
    if is_dark:
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})


@functools.cache
def shared_chromium(size, language, is_dark):
    """Its start costs as much as a short test; it ends with the last one."""
    profile = tempfile.mkdtemp(prefix="howalarming-profile-")
    atexit.register(shutil.rmtree, profile, True)
    driver = chromium(profile, size=size, language=language, is_dark=is_dark)
    atexit.register(driver.quit)
    return driver


class Browsing(unittest.TestCase):
    """What somebody does in a browser, `driver`, and sees there."""

    def add_authenticator(self):
        """Somebody whose finger is always right."""
        options = VirtualAuthenticatorOptions()
        options.protocol = VirtualAuthenticatorOptions.Protocol.CTAP2
        options.transport = VirtualAuthenticatorOptions.Transport.INTERNAL
        options.has_resident_key, options.has_user_verification, options.is_user_verified = True, True, True
        self.driver.add_virtual_authenticator(options)
        self.addCleanup(self.driver.remove_virtual_authenticator)

    # What a user does and sees

    def text(self):
        return self.driver.find_element(By.TAG_NAME, "body").text

    def wait(self, check, seconds=PATIENCE, what=""):
        end = time.monotonic() + seconds
        while True:
            try:
                result = check()
                if result:
                    return result
            except Exception as error:  # the page was drawn anew meanwhile
                if time.monotonic() > end:
                    raise AssertionError(f"{what or 'what was waited for'} did not come; on the screen: {self.text()!r}; {error}") from error
            if time.monotonic() > end:
                raise AssertionError(f"{what or 'what was waited for'} did not come; on the screen: {self.text()!r}; {self.complaints()}")
            time.sleep(0.1)

    def see(self, words, seconds=PATIENCE):
        self.wait(lambda: words in self.text(), seconds, f"{words!r}")

    def element(self, selector):
        return self.wait(lambda: self.driver.find_element(By.CSS_SELECTOR, selector), what=selector)

    # A page may draw anew at any moment: what is read or typed is found and used in one go, and again if it went away.

    def text_of(self, selector):
        return self.wait(lambda: self.driver.find_element(By.CSS_SELECTOR, selector).text, what=selector)

    def see_value(self, selector, value, seconds=PATIENCE):
        self.wait(lambda: self.driver.find_element(By.CSS_SELECTOR, selector).get_attribute("value") == value, seconds, f"{value!r} in {selector}")

    def type(self, selector, words):
        def typed():
            element = self.driver.find_element(By.CSS_SELECTOR, selector)
            element.clear()
            element.send_keys(words)
            return element.get_attribute("value") == words
        self.wait(typed, what=f"{words!r} typed into {selector}")

    def tap(self, selector):
        def tapped():
            element = self.driver.find_element(By.CSS_SELECTOR, selector)
            self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
            if not element.is_enabled():
                return False
            element.click()
            return True
        self.wait(tapped, what=f"a tap on {selector}")

    def hold(self, selector, seconds=1.3):
        def begun():
            element = self.driver.find_element(By.CSS_SELECTOR, selector)
            self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
            ActionChains(self.driver).move_to_element(element).click_and_hold().perform()
            # What was drawn anew in between was not held.
            return self.driver.find_elements(By.CSS_SELECTOR, f"{selector}.held")
        self.wait(begun, what=f"a hold of {selector}")
        ActionChains(self.driver).pause(seconds).release().perform()

    def picture(self, name):
        OUT.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(OUT / f"{name}.png"))

    def complaints(self):
        """What the browser has to say: refused scripts, errors."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE" and "favicon.ico" not in entry["message"]]

    def script(self, text, *arguments):
        """Runs an asynchronous function's body in the page and gives what it returns."""
        self.driver.set_script_timeout(PATIENCE)
        answer = self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            f"(async (...given) => {{ {text} }})(...Array.from(arguments).slice(0, -1)).then((value) => done({{value}}), (error) => done({{error: String(error)}}));",
            *arguments)
        if "error" in answer:
            raise AssertionError(answer["error"])
        return answer.get("value")


class AppTest(Browsing):
    """A folder, a host, a topic server and a window for each test."""

    core = None
    arguments = ()
    language = "en"
    is_dark = False
    size = PHONE

    def setUp(self):
        self.place = tempfile.mkdtemp(prefix="howalarming-app-")
        self.addCleanup(shutil.rmtree, self.place, True)
        build(f"{self.place}/app", *self.arguments, core=self.core)
        self.host = Host(f"{self.place}/app")
        self.addCleanup(self.host.stop)
        self.topics = Topics()
        self.addCleanup(self.topics.stop)
        self.open_browser()

    def open_browser(self):
        self.driver = shared_chromium(self.size, self.language, self.is_dark)
        self.addCleanup(self.leave_window)

    def leave_window(self):
        """The next test finds an empty window, and nothing of this host."""
        self.driver.switch_to.new_window("tab")
        empty = self.driver.current_window_handle
        for each in self.driver.window_handles:
            if each != empty:
                self.driver.switch_to.window(each)
                self.driver.close()
        self.driver.switch_to.window(empty)
        look(self.driver, self.size, self.is_dark)
        self.driver.execute_cdp_cmd("Storage.clearDataForOrigin", {"origin": self.host.address.rstrip("/"), "storageTypes": "all"})
        self.driver.get_log("browser")

    def go(self, address=None):
        self.driver.get(address or self.host.address)
