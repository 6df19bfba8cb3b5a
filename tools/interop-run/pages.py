"""What an owner sees of the house in Home Assistant's own pages: opened in a real browser, pictured and read."""
import json
import os
import pathlib
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "Tests/AppTests"))
from browser import chromium  # noqa: E402
from home_assistant import BASE, CARDS, CLIENT  # noqa: E402
from selenium.common.exceptions import WebDriverException  # noqa: E402

WIDTH, HEIGHT, HIGHEST = 1280, 900, 6000
# Its pages are parts within parts, each with a document of its own; a part's text is what stands in its slots, too.
READING = """
const under = (node) => [...(node.shadowRoot ?? node).childNodes];
const text = (node) => node.nodeType === 3 ? node.textContent : ['style', 'script'].includes(node.localName) ? ''
    : (node.localName === 'slot' ? node.assignedNodes() : under(node)).map(text).join(' ');
const words = (node) => text(node).split(/\\s+/).join(' ').trim();
const all = [];
const walk = (node) => {
    all.push(node);
    for (const one of [...(node.shadowRoot?.children ?? []), ...node.children]) walk(one);
};
walk(document.documentElement);
"""
WORDS = READING + "return words(document.body);"
ROWS = READING + """
return Object.fromEntries(all.filter((node) => node.localName === 'hui-generic-entity-row' && node.config)
    .map((node) => [node.config.entity, words(node)]));
"""
# The window grows until nothing has to be scrolled.
LENGTH = READING + "return Math.max(...all.filter((node) => node.clientHeight > 0).map((node) => node.scrollHeight));"
# What blinks for as long as there is an alarm is pictured at its begin, where it is seen.
STILL = READING + """
for (const one of all.flatMap((node) => node.getAnimations()).filter((one) => one.effect.getTiming().iterations === Infinity)) {
    one.pause();
    one.currentTime = 0;
}
"""


class Pages:
    def __init__(self, home_assistant, place):
        self.ha, self.place, self.driver = home_assistant, place, None

    def _open(self, path, is_there):
        """Signed in as its owner; until what is waited for is there."""
        try:
            if self.driver is None:
                self.driver = chromium(os.path.join(self.place, "browser"), size=(WIDTH, HEIGHT))
                # A page of the same place that looks for nobody.
                self.driver.get(BASE + "/manifest.json")
                session = {**self.ha.session, "hassUrl": BASE, "clientId": CLIENT,
                           "expires": int((time.time() + self.ha.session["expires_in"]) * 1000)}
                self.driver.execute_script("localStorage.setItem('hassTokens', arguments[0])", json.dumps(session))
            self._resize(HEIGHT)
            self.driver.get(BASE + path)
            limit = time.monotonic() + 30
            while not is_there():
                if time.monotonic() > limit:
                    raise RuntimeError(f"{path} does not show what it should: '{self._run(WORDS)[:300]}'")
                time.sleep(0.3)
            # Icons, and what moves in.
            time.sleep(1.5)
        except WebDriverException as problem:
            raise RuntimeError(f"the browser at {path}: {problem.msg}") from None

    def _run(self, script):
        return self.driver.execute_script(script)

    def _resize(self, height):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": WIDTH, "height": min(height, HIGHEST), "deviceScaleFactor": 1, "mobile": False})

    def _picture(self, name):
        self._resize(max(HEIGHT, self._run(LENGTH)))
        time.sleep(0.5)
        self._run(STILL)
        self.driver.save_screenshot(os.path.join(self.place, f"{name}.png"))

    def device(self, name):
        """The device's page: entity to its line there, such as 'Front door Closed'; a switch has no word for its state."""
        self._open(f"/config/devices/device/{self.ha.device()}", lambda: self._run(ROWS))
        self._picture(name)
        return self._run(ROWS)

    def panel(self, name, entity, words):
        """The panel's window, and the card that an owner puts on a dashboard; until it says these words."""
        for kind, path in (("", f"/?more-info-entity-id={entity}"), ("-card", f"/{CARDS}/0")):
            self._open(path, lambda: words in self._run(WORDS))
            self._picture(name + kind)

    def log(self):
        self._open("/config/logs", lambda: "Home Assistant Core" in self._run(WORDS))
        self._picture("log")

    def close(self):
        if self.driver is not None:
            self.driver.quit()
