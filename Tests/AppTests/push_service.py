"""A push service for the laboratory: the protocol of RFC 8030 towards who pushes, Firefox's own towards the browser.

Guarantees: one process, loopback only, one TLS port for both sides; what was taken is delivered in order, also when the
            browser comes back later; every request and delivery is kept in `pushes`, with the moment at which it came.
Knows not:  what a push says (RFC 8291 is between the box and the page).

Source: RFC 8030 5 and 7.3; the messages of Mozilla's push protocol (hello, register, unregister, notification, ack).
"""

import base64
import json
import ssl
import time
import uuid
from dataclasses import dataclass, field

from aiohttp import WSMsgType, web

LARGEST_BODY = 4096


@dataclass
class Push:
    """One push as it was taken."""

    channel: str
    headers: dict
    body: bytes
    taken: float
    version: str = field(default_factory=lambda: uuid.uuid4().hex)
    sent: float | None = None
    acknowledged: float | None = None


class PushService:
    """`answer` is what the next pushes are answered with; 201 takes them. `gone` are channels that are answered 410."""

    def __init__(self, port=0, host="localhost"):
        self.host, self.port = host, port
        self.answer = 201
        self.channels = {}  # channel -> key of the application server, base64url
        self.gone = set()
        self.pushes = []
        self.refused = []
        self.browser = None
        self.runner = None

    async def start(self, certificate, key):
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(certificate, key)
        app = web.Application(client_max_size=LARGEST_BODY + 1)
        app.router.add_get("/", self.speak)
        app.router.add_post("/push/{channel}", self.take)
        self.runner = web.AppRunner(app, access_log=None)
        await self.runner.setup()
        site = web.TCPSite(self.runner, "127.0.0.1", self.port, ssl_context=tls)
        await site.start()
        self.port = self.runner.addresses[0][1]

    async def stop(self):
        await self.runner.cleanup()

    @property
    def address(self):
        """What the preference `dom.push.serverURL` is set to."""
        return f"wss://{self.host}:{self.port}/"

    def endpoint(self, channel):
        return f"https://{self.host}:{self.port}/push/{channel}"

    # Towards the box.

    async def take(self, request):
        channel = request.match_info["channel"]
        body = await request.read()
        if channel not in self.channels or channel in self.gone:
            return self.refuse(410, "nobody is subscribed here")
        if self.answer != 201:
            return self.refuse(self.answer, "as the test asked")
        if "TTL" not in request.headers:
            return self.refuse(400, "a push without TTL (RFC 8030 5.2)")
        if request.headers.get("Content-Encoding") != "aes128gcm":
            return self.refuse(415, "a push that is not aes128gcm (RFC 8291)")
        if f"k={self.channels[channel]}" not in request.headers.get("Authorization", ""):
            return self.refuse(403, "another application server's key (RFC 8292 4.2)")
        if not 0 < len(body) <= LARGEST_BODY:
            return self.refuse(413, f"{len(body)} bytes")
        push = Push(channel, dict(request.headers), body, time.monotonic())
        self.pushes.append(push)
        await self.deliver(push)
        return web.Response(status=201, headers={"Location": self.endpoint(channel) + "/" + push.version, "TTL": request.headers["TTL"]})

    def refuse(self, status, why):
        self.refused.append((status, why))
        return web.Response(status=status, text=why)

    # Towards the browser.

    async def speak(self, request):
        socket = web.WebSocketResponse(protocols=("push-notification",))
        await socket.prepare(request)
        self.browser = socket
        async for message in socket:
            if message.type != WSMsgType.TEXT:
                break
            await self.heard(socket, json.loads(message.data))
        if self.browser is socket:
            self.browser = None
        return socket

    async def heard(self, socket, message):
        kind = message.get("messageType")
        if not message or kind == "ping":
            await socket.send_json({})
        elif kind == "hello":
            name = message.get("uaid") or uuid.uuid4().hex
            await socket.send_json({"messageType": "hello", "status": 200, "uaid": name, "use_webpush": True, "broadcasts": {}})
            for push in [each for each in self.pushes if each.acknowledged is None]:
                await self.deliver(push)
        elif kind == "register":
            channel = message["channelID"]
            self.channels[channel] = message.get("key", "").rstrip("=")
            await socket.send_json({"messageType": kind, "status": 200, "channelID": channel, "pushEndpoint": self.endpoint(channel)})
        elif kind == "unregister":
            self.channels.pop(message["channelID"], None)
            await socket.send_json({"messageType": kind, "status": 200, "channelID": message["channelID"]})
        elif kind == "ack":
            for update in message.get("updates", []):
                for push in self.pushes:
                    if push.version == update.get("version"):
                        push.acknowledged = time.monotonic()

    async def deliver(self, push):
        if self.browser is None or self.browser.closed:
            return
        push.sent = time.monotonic()
        data = base64.urlsafe_b64encode(push.body).rstrip(b"=").decode()
        await self.browser.send_json(
            {
                "messageType": "notification",
                "channelID": push.channel,
                "version": push.version,
                "data": data,
                "headers": {"encoding": "aes128gcm"},
            }
        )
