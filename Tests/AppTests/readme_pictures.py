"""For: the pictures of README.md, made by tools/pictures: the app and the console in the same alarm.

Knows nothing of: the real box. The page of the app is the real one, with the scripted core of the tests.
"""

import base64
import html
import re

from browser import OUT, ROOT, look
from scripted import ScriptedTest, event, partition

# Width and height of the app's window, in CSS pixels.
SCREEN = (360, 640)
CONSOLE_PAGE = "1 Overview, in alarm, 80×24"
# The moment of that page, 2026-11-21 06:00:01 UTC, and that of its alarm.
NOW = 1795240801
ALARM = NOW - 36
# Background of both pictures; their captions are readable on it.
PAPER = "#eef1f5"

PHONE_FRAME = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; background: {paper}; font: 17px "DejaVu Sans", sans-serif; color: #333; text-align: center; }}
img {{ display: block; width: 360px; height: 640px; border-radius: 22px; }}
#phone {{ display: inline-block; margin: 24px 24px 14px; padding: 14px; border-radius: 36px; background: #1c1f24; }}
p {{ margin: 0 0 20px; }}
</style><div id="phone"><img src="data:image/png;base64,{picture}"></div><p>The web app</p>"""

CONSOLE_FRAME = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; background: {paper}; font: 17px "DejaVu Sans", sans-serif; color: #333; text-align: center; }}
pre {{ display: inline-block; margin: 24px 24px 14px; padding: 16px; border-radius: 12px; background: #15181c;
  color: #d6d6d6; font: 15px/1.32 "DejaVu Sans Mono", monospace; text-align: left; }}
b {{ font-weight: normal; }} .bar {{ background: #d6d6d6; color: #15181c; }}
.alarm {{ background: #c4121e; color: #fff; }} .red {{ color: #ff6b6b; }} .yellow {{ color: #e5c453; }}
.green {{ color: #6cc070; }}
p {{ margin: 0 0 20px; }}
</style><pre>{page}</pre><p>The console of the box</p>"""


def console_page():
    """The lines of the page as docs/console.txt has them, without their frame."""
    text = (ROOT / "docs/console.txt").read_text(encoding="utf-8")
    frame = text.split(f"\n{CONSOLE_PAGE}\n\n+", 1)[1].split("\n+--", 1)[0]
    return re.findall(r"^\|(.*)\|$", frame, re.M)


# What docs/console.txt leaves out: the colours of each line, as Sources/SerialConsole and Reports give them.
COLOURS = [
    (r"ALARM ", "alarm"), (r"In alarm |Partitions .* ALARM ", "red"), (r"Bypassed ", "yellow"), (r"\S+ \S+ +\d+  alarm ", "red"),
    (r"\S+ \S+ +\d+  fault ", "yellow"), (r"\S+ \S+ +\d+  armed ", "green"),
]


def coloured(lines):
    for number, line in enumerate(lines):
        style = next((style for pattern, style in COLOURS if re.match(pattern, line)), "plain")
        if number in (0, len(lines) - 1):
            style = "bar"
        yield f'<b class="{style}">{html.escape(line)}</b>'


# The page's clock stands still, so that the same app gives the same picture.
STILL = """
const Real = Date;
globalThis.Date = class extends Real {
  constructor(...given) { super(...(given.length ? given : [%d])); }
  static now() { return %d; }
};
""" % (NOW * 1000, NOW * 1000)


class Pictures(ScriptedTest):
    size = SCREEN

    def save(self, name, page, width, height, sharp):
        """A page of its own; `sharp` is pixels for each CSS pixel."""
        self.host.instead["frame.html"] = page
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": height, "deviceScaleFactor": sharp, "mobile": False})
        self.go(self.host.address + "frame.html")
        self.script("await document.fonts.ready; await Promise.all([...document.images].map((each) => each.decode()))")
        tall = self.script("return document.documentElement.scrollHeight")
        self.assertLessEqual(tall, height, f"{name} is higher than its window")
        self.picture(name)

    def test_app(self):
        place = dict(partition=1, zone=3, zoneName="Kitchen window")
        rows = [event(8, "armed", "Partition 1 Ground floor armed away by Anna", partition=1, timestamp=ALARM - 7164),
                event(9, "alarm", "Alarm: zone 3 Kitchen window, partition 1 Ground floor", timestamp=ALARM, **place),
                event(10, "info", "Ben has seen the alarm.", code="SEEN", timestamp=ALARM + 24)]
        self.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": "UTC"})
        still = self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": STILL})["identifier"]
        self.addCleanup(self.driver.execute_cdp_cmd, "Page.removeScriptToEvaluateOnNewDocument", {"identifier": still})
        self.view.update(asOf=NOW - 5, lastContact=NOW - 5)
        self.view.update(site="Mill Lane 4", partitions=[partition(arming="a", isInAlarm=True, openZones=[3], isReady=False)])
        self.lists = {"names": [{"part": "1", "name": "Ground floor"}, {"zone": "3", "part": "1", "name": "Kitchen window"}]}
        self.write()
        self.paired(rows, "#/alarm", site="Mill Lane 4")
        self.see("Ben has seen the alarm.")
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": SCREEN[0], "height": SCREEN[1], "deviceScaleFactor": 2, "mobile": True})
        self.picture("screen")
        shot = base64.b64encode((OUT / "screen.png").read_bytes()).decode()
        self.save("app-alarm", PHONE_FRAME.format(paper=PAPER, picture=shot), 436, 756, 1.5)

    def test_console(self):
        lines = console_page()
        self.assertEqual({len(line) for line in lines}, {80}, f"docs/console.txt has no page '{CONSOLE_PAGE}'")
        self.save("console", CONSOLE_FRAME.format(paper=PAPER, page="\n".join(coloured(lines))), 806, 586, 1.25)

    def tearDown(self):
        look(self.driver, self.size, self.is_dark)
        super().tearDown()
