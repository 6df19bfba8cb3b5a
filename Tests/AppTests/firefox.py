"""Firefox on a screen that nobody sees, driven over WebDriver BiDi, the protocol that it speaks itself.

Guarantees: a profile of its own that is removed at the end; the browser ends with `stop`; every wait is bounded.
Knows not:  what is tested.
"""

import asyncio
import json
import os
import shutil
import tempfile

import aiohttp

START = 60
ANSWER = 30


class BrowserError(Exception):
    """The browser refused a command, or a script in the page threw."""


class Screen:
    """A screen of Xvfb."""

    async def start(self):
        self.process = await asyncio.create_subprocess_exec(
            "Xvfb", "-displayfd", "1", "-screen", "0", "1280x1024x24", "-nolisten", "tcp",
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL)
        number = (await asyncio.wait_for(self.process.stdout.readline(), START)).decode().strip()
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
        output, _ = await asyncio.wait_for(process.communicate(), ANSWER)
        return output.decode()

    async def stop(self):
        self.process.terminate()
        await self.process.wait()


class Marionette:
    """The older protocol, which alone knows Firefox's passkeys in software: pieces of JSON with their length before them."""

    async def connect(self, port):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", port)
        self.count = 0
        await self.told()

    async def told(self):
        length = await asyncio.wait_for(self.reader.readuntil(b":"), START)
        return json.loads(await self.reader.readexactly(int(length[:-1])))

    async def order(self, name, parameters):
        self.count += 1
        text = json.dumps([0, self.count, name, parameters]).encode()
        self.writer.write(b"%d:%s" % (len(text), text))
        _, _, error, result = await self.told()
        if error:
            raise BrowserError(f"{name}: {error['error']}: {error['message']}")
        return result

    def close(self):
        self.writer.close()


class Firefox:
    """`has_passkeys`: with a passkey's device in software, whose owner always agrees."""

    def __init__(self, preferences=None, environment=None, program="firefox-esr", has_passkeys=False):
        self.program = program
        self.environment = environment
        self.preferences = preferences or {}
        self.marionette = Marionette() if has_passkeys else None
        if has_passkeys:
            self.preferences |= {
                "marionette.port": 0, "security.webauth.webauthn_enable_softtoken": True, "security.webauth.webauthn_enable_usbtoken": False}
        self.profile = tempfile.mkdtemp(prefix="howalarming-firefox-")
        self.process = self.session = self.socket = self.reader = None
        self.next = 1
        self.waiting = {}
        self.log = []

    async def start(self):
        lines = [f"user_pref({json.dumps(key)}, {json.dumps(value)});\n" for key, value in self.preferences.items()]
        with open(os.path.join(self.profile, "user.js"), "w", encoding="utf-8") as file:
            file.writelines(lines)
        self.process = await asyncio.create_subprocess_exec(
            self.program, *([] if self.environment else ["--headless"]), "--no-remote", "--profile", self.profile, "--remote-debugging-port", "0",
            *(["--marionette"] if self.marionette else []), "about:blank",
            stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE, env={**os.environ, "HOME": self.profile, **(self.environment or {})})
        address = await asyncio.wait_for(self.listening(), START)
        self.output = asyncio.create_task(self.drain())
        address = await self.with_passkeys() if self.marionette else address + "/session"
        self.session = aiohttp.ClientSession()
        self.socket = await self.session.ws_connect(address, max_msg_size=0)
        self.reader = asyncio.create_task(self.read())
        if not self.marionette:
            await self.order("session.new", {"capabilities": {"alwaysMatch": {"acceptInsecureCerts": True}}})
        await self.order("session.subscribe", {"events": ["log.entryAdded"]})

    async def with_passkeys(self):
        """A session that both protocols speak to, with the window in front; where BiDi finds it."""
        place = os.path.join(self.profile, "MarionetteActivePort")
        for _ in range(START * 10):
            if os.path.exists(place) and os.path.getsize(place):
                break
            await asyncio.sleep(0.1)
        with open(place, encoding="ascii") as file:
            await self.marionette.connect(int(file.read()))
        begun = await self.marionette.order("WebDriver:NewSession", {"webSocketUrl": True, "acceptInsecureCerts": True})
        await self.marionette.order("WebAuthn:AddVirtualAuthenticator", {
            "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True, "isUserConsenting": True,
            "isUserVerified": True})
        return begun["capabilities"]["webSocketUrl"]

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
        if self.marionette:
            self.marionette.close()
        for task in (self.reader, self.output):
            task.cancel()
        await self.socket.close()
        await self.session.close()
        try:
            await asyncio.wait_for(self.process.wait(), 10)
        except asyncio.TimeoutError:
            self.process.kill()
            await self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

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
        told = await asyncio.wait_for(answer, ANSWER)
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

    async def hold(self, page, selector, milliseconds=1300):
        """Keeps the mouse down in the middle of what is there; whether it took it, which what was drawn anew meanwhile does not."""
        place = await self.run(page, f"""
            const found = document.querySelector({json.dumps(selector)});
            if (!found) return null;
            found.scrollIntoView({{ block: 'center' }});
            const {{ left, top, width, height }} = found.getBoundingClientRect();
            return [Math.round(left + width / 2), Math.round(top + height / 2)];""")
        if not place:
            return False

        async def act(*steps):
            await self.order("input.performActions", {"context": page, "actions": [{"type": "pointer", "id": "mouse", "actions": list(steps)}]})
        await act({"type": "pointerMove", "x": place[0], "y": place[1]}, {"type": "pointerDown", "button": 0})
        is_held = await self.run(page, f"return Boolean(document.querySelector({json.dumps(selector + '.held')}))")
        await act(*([{"type": "pause", "duration": milliseconds}] if is_held else []), {"type": "pointerUp", "button": 0})
        return is_held

    async def picture(self, page):
        """PNG, base64."""
        return (await self.order("browsingContext.captureScreenshot", {"context": page}))["data"]
