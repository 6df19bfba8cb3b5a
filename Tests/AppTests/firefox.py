"""Firefox on a screen that nobody sees, driven over WebDriver BiDi, the protocol that it speaks itself.

Guarantees: a profile of its own that is removed at the end; the browser ends with `stop`; every wait is bounded.
Knows not:  what is tested.
"""

import asyncio
import json
import os
import shutil
import tempfile
import time

import aiohttp

from servers import PATIENCE


class BrowserError(Exception):
    """The browser refused a command, or a script in the page threw."""


class Screen:
    """A screen of Xvfb."""

    async def start(self):
        self.process = await asyncio.create_subprocess_exec(
            "Xvfb", "-displayfd", "1", "-screen", "0", "1280x1024x24", "-nolisten", "tcp",
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL)
        number = (await asyncio.wait_for(self.process.stdout.readline(), PATIENCE)).decode().strip()
        self.environment = {"DISPLAY": f":{number}", "MOZ_ENABLE_WAYLAND": "0"}

    async def tap(self, name):
        """A tap on the middle of each window that calls itself so (its WM_CLASS); how many there were."""
        windows = (await self.ask("search", "--onlyvisible", "--classname", f"^{name}$")).split()
        for window in windows:
            size = dict(line.split("=") for line in (await self.ask("getwindowgeometry", "--shell", window)).split())
            if size:
                await self.ask("mousemove", "--window", window, str(int(size["WIDTH"]) // 2), str(int(size["HEIGHT"]) // 2), "click", "1")
        return len(windows)

    async def ask(self, *arguments):
        """What xdotool says; nothing where the window has gone meanwhile."""
        process = await asyncio.create_subprocess_exec(
            "xdotool", *arguments, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL, env={**os.environ, **self.environment})
        output, _ = await asyncio.wait_for(process.communicate(), PATIENCE)
        return output.decode()

    async def stop(self):
        self.process.terminate()
        await self.process.wait()


class Steered:
    """A browser that somebody has started."""

    def __init__(self):
        self.session = self.socket = self.reader = None
        self.next = 1
        self.waiting = {}
        self.log = []

    async def attach(self, address, takes_any_certificate=False):
        self.session = aiohttp.ClientSession()
        self.socket = await self.session.ws_connect(address + "/session", max_msg_size=0)
        self.reader = asyncio.create_task(self.read())
        await self.order("session.new", {"capabilities": {"alwaysMatch": {"acceptInsecureCerts": takes_any_certificate}}})
        await self.order("session.subscribe", {"events": ["log.entryAdded"]})

    async def leave(self):
        self.reader.cancel()
        await self.socket.close()
        await self.session.close()

    async def read(self):
        async for message in self.socket:
            told = json.loads(message.data)
            if told.get("type") == "event":
                if told["method"] == "log.entryAdded":
                    self.log.append(told["params"].get("text") or "")
            elif told.get("id") in self.waiting:
                self.waiting.pop(told["id"]).set_result(told)

    async def order(self, method, parameters):
        number, self.next = self.next, self.next + 1
        answer = self.waiting[number] = asyncio.get_running_loop().create_future()
        await self.socket.send_json({"id": number, "method": method, "params": parameters})
        told = await asyncio.wait_for(answer, PATIENCE)
        if told["type"] == "error":
            raise BrowserError(f"{method}: {told['error']}: {told['message']}")
        return told["result"]

    async def page(self):
        """The first page that is open."""
        tree = await self.order("browsingContext.getTree", {})
        return tree["contexts"][0]["context"]

    async def pages(self):
        """Of each page that is open: its name and its address."""
        tree = await self.order("browsingContext.getTree", {})
        return {each["context"]: each["url"] for each in tree["contexts"]}

    async def open_page(self):
        return (await self.order("browsingContext.create", {"type": "tab"}))["context"]

    async def close_page(self, page):
        await self.order("browsingContext.close", {"context": page})

    async def go(self, page, address):
        await self.order("browsingContext.navigate", {"context": page, "url": address, "wait": "complete"})

    async def run(self, page, body):
        """What the body of an async function returns there, as JSON."""
        script = f"(async () => JSON.stringify(await (async () => {{ {body} }})() ?? null))()"
        told = await self.order(
            "script.evaluate", {"expression": script, "target": {"context": page}, "awaitPromise": True, "userActivation": True})
        if told["type"] == "exception":
            raise BrowserError(told["exceptionDetails"]["text"])
        return json.loads(told["result"]["value"])

    async def picture(self, page):
        """PNG, base64."""
        return (await self.order("browsingContext.captureScreenshot", {"context": page}))["data"]

    async def hold(self, page, selector, seconds=1.3):
        """A finger that stays on the middle of something; again where that was drawn anew under it."""
        end = time.monotonic() + PATIENCE
        while True:
            place = await self.run(page, f"""
                const e = document.querySelector({json.dumps(selector)});
                e?.scrollIntoView({{ block: "center" }});
                const {{ x, y, width, height }} = e?.getBoundingClientRect() ?? {{}};
                return e && [Math.round(x + width / 2), Math.round(y + height / 2)];""")
            if place:
                await self.finger(page, {"type": "pointerMove", "x": place[0], "y": place[1]}, {"type": "pointerDown", "button": 0})
                is_held = await self.run(page, f"return Boolean(document.querySelector({json.dumps(selector + '.held')}))")
                await asyncio.sleep(seconds if is_held else 0)
                await self.finger(page, {"type": "pointerUp", "button": 0})
                if is_held:
                    return
            if time.monotonic() > end:
                raise BrowserError(f"{selector} could not be held")
            await asyncio.sleep(0.1)

    async def finger(self, page, *acts):
        await self.order("input.performActions", {"context": page, "actions": [{"type": "pointer", "id": "finger", "actions": list(acts)}]})


class Firefox(Steered):
    """One of the tests' own."""

    def __init__(self, preferences=None, environment=None, program="firefox-esr"):
        super().__init__()
        self.program = program
        self.environment = environment
        self.preferences = preferences or {}
        self.profile = tempfile.mkdtemp(prefix="howalarming-firefox-")
        self.process = self.output = None

    async def start(self):
        lines = [f"user_pref({json.dumps(key)}, {json.dumps(value)});\n" for key, value in self.preferences.items()]
        with open(os.path.join(self.profile, "user.js"), "w", encoding="utf-8") as file:
            file.writelines(lines)
        self.process = await asyncio.create_subprocess_exec(
            self.program, *([] if self.environment else ["--headless"]), "--no-remote", "--profile", self.profile, "--remote-debugging-port", "0", "about:blank",
            stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE, env={**os.environ, "HOME": self.profile, **(self.environment or {})})
        address = await asyncio.wait_for(self.listening(), PATIENCE)
        self.output = asyncio.create_task(self.drain())
        await self.attach(address, takes_any_certificate=True)

    async def listening(self):
        while line := await self.process.stderr.readline():
            text = line.decode(errors="replace")
            if "WebDriver BiDi listening on " in text:
                return text.split("listening on ", 1)[1].strip()
        raise BrowserError("the browser ended before it listened")

    async def drain(self):
        while line := await self.process.stderr.readline():
            self.log.append(line.decode(errors="replace").rstrip())

    async def stop(self):
        try:
            await asyncio.wait_for(self.order("browser.close", {}), 10)
        except (BrowserError, asyncio.TimeoutError, aiohttp.ClientError, ConnectionError):
            pass
        self.output.cancel()
        await self.leave()
        try:
            await asyncio.wait_for(self.process.wait(), 10)
        except asyncio.TimeoutError:
            self.process.kill()
            await self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)
