"""For: what the app talks to in these tests, on loopback: a static host, and a topic server that speaks as ntfy does.

A host can be made to serve another text for a file (`instead`), a topic server to refuse, to repeat, to reorder and to forget.
"""

import base64
import http.server
import itertools
import json
import os
import pathlib
import queue
import socket
import ssl
import subprocess
import threading
import time
import urllib.parse

# Seconds for what must happen, however busy the machine is; a wait ends with what it waits for.
PATIENCE = 120
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".svg": "image/svg+xml",
         ".png": "image/png", ".wasm": "application/wasm", ".webmanifest": "application/manifest+json"}


HEALTHY = b'{"healthy":true}'


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, handler):
        super().__init__(("127.0.0.1", 0), handler)
        self.is_stopped = False
        self.port = self.server_address[1]
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        """A browser that goes away is no fault."""

    def stop(self):
        # Connections that are open already get no answer either.
        self.is_stopped = True
        self.shutdown()
        self.server_close()


class Host(Server):
    """Static files of a folder. The host's name is localhost: passkeys want a name."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.instead = {}
        self.asked = []
        super().__init__(FileHandler)

    @property
    def address(self):
        return f"http://localhost:{self.port}/"


class FileHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        if self.server.is_stopped:
            self.close_connection = True
            return
        name = urllib.parse.urlsplit(self.path).path.lstrip("/") or "index.html"
        self.server.asked.append(name)
        file = self.server.folder / name
        body = self.server.instead.get(name)
        if body is None and file.is_file() and ".." not in name:
            body = file.read_bytes()
        if isinstance(body, str):
            body = body.encode()
        self.send_response(404 if body is None else 200)
        body = body or b""
        self.send_header("Content-Type", TYPES.get(file.suffix, "application/octet-stream"))
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-cache")
        self.end_headers()
        self.wfile.write(body)


class Camera(Server):
    """A camera of the house, and beside it what systemd is on a card: a connection to `path` is a new taker of pictures."""

    def __init__(self, picture, taker, directory):
        self.picture = picture
        self.path = f"{directory}/taker"
        self.taker = [taker, "run-picture", "--directory", f"{directory}/pictures"]
        os.mkdir(f"{directory}/pictures")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen()
        self.takers = []
        super().__init__(CameraHandler)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                self.takers.append(subprocess.Popen(self.taker, stdin=connection, stdout=connection))

    def stop(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for taker in self.takers:
            taker.terminate()
            taker.wait(10)
        super().stop()


class CameraHandler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.server.picture)))
        self.end_headers()
        self.wfile.write(self.server.picture)


class Topics(Server):
    """Topics in memory. `posted` is told of everything that comes: (topic, text)."""

    def __init__(self, posted=None):
        self.lock = threading.Lock()
        self.kept = {}
        # Attachments: name to bytes, or to another status than 200.
        self.files = {}
        self.fetched = []
        self.listening = {}
        self.numbers = itertools.count(1)
        self.posted = posted or (lambda topic, text: None)
        self.log = []
        self.refusal = None
        # Seconds until a stream hears what is not kept.
        self.pause = 0
        super().__init__(TopicHandler)

    @property
    def place(self):
        return f"127.0.0.1:{self.port}"

    @property
    def address(self):
        return f"http://{self.place}"

    def publish(self, topic, text, is_kept=True):
        message = {"id": f"m{next(self.numbers):08d}", "time": int(time.time()), "event": "message", "topic": topic, "message": text}
        with self.lock:
            if is_kept:
                self.kept.setdefault(topic, []).append(message)
            for each in self.listening.get(topic, []):
                each.put(message)
        return message

    def say(self, topic, told):
        """For the scripted core: what it shall do next."""
        return self.publish(topic, base64.urlsafe_b64encode(json.dumps(told).encode()).decode().rstrip("="))

    def cut(self):
        """All streams end, as when a server starts anew."""
        with self.lock:
            for each in itertools.chain(*self.listening.values()):
                each.put(None)

    def wait_for(self, check, seconds=PATIENCE):
        """The first thing posted for which `check(topic, text)` holds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for entry in list(self.log):
                if check(*entry):
                    return entry
            time.sleep(0.05)
        raise AssertionError(f"nothing like that was posted; there was {self.log}")


class SecureTopics(Topics):
    """Over TLS, by a certificate of its own that lies at `certificate`; the browser of these tests takes any."""

    def __init__(self, directory):
        self.certificate, key = f"{directory}/topics.pem", f"{directory}/topics.key"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", self.certificate],
                       check=True, capture_output=True)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(self.certificate, key)
        super().__init__()

    @property
    def address(self):
        return f"https://localhost:{self.port}"

    def get_request(self):
        connection, address = super().get_request()
        # The handler's thread shakes hands, with its first read.
        return self.context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False), address


class TopicHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def head(self, status, kind, length=None):
        self.send_response(status)
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Content-Type", kind)
        if length is None:
            self.send_header("Connection", "close")
            self.close_connection = True
        else:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def do_POST(self):
        url = urllib.parse.urlsplit(self.path)
        text = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        if self.server.refusal:
            status, words = self.server.refusal
            body = json.dumps({"http": status, "error": words}).encode()
            self.head(status, "application/json", len(body))
            self.wfile.write(body)
            return
        topic = url.path.strip("/")
        is_kept = "no" not in (urllib.parse.parse_qs(url.query).get("cache", []) + [self.headers.get("Cache", "")])
        message = self.server.publish(topic, text, is_kept)
        body = json.dumps(message).encode()
        self.head(200, "application/json", len(body))
        self.wfile.write(body)
        self.server.log.append((topic, text))
        self.server.posted(topic, text)

    def do_PUT(self):
        """A file, for whoever knows its address."""
        name = f"{next(self.server.numbers)}.bin"
        self.server.files[name] = self.rfile.read(int(self.headers["Content-Length"]))
        url = f"{self.server.address}/file/{name}"
        body = json.dumps({"attachment": {"url": url, "expires": int(time.time()) + 3600}}).encode()
        self.head(200, "application/json", len(body))
        self.wfile.write(body)

    def give(self, name):
        self.server.fetched.append((name, dict(self.headers)))
        file = self.server.files.get(name, 404)
        if isinstance(file, str):
            self.send_response(302)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.send_header("Location", file)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        body = b"" if isinstance(file, int) else file
        self.head(file if isinstance(file, int) else 200, "application/octet-stream", len(body))
        self.wfile.write(body)

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        if url.path.startswith("/file/"):
            self.give(url.path.removeprefix("/file/"))
            return
        if url.path == "/v1/health":
            self.head(200, "application/json", len(HEALTHY))
            self.wfile.write(HEALTHY)
            return
        names, form = url.path.strip("/").rsplit("/", 1)
        since = urllib.parse.parse_qs(url.query).get("since", ["none"])[0]
        mine = queue.Queue()
        time.sleep(self.server.pause)
        with self.server.lock:
            for topic in names.split(","):
                for message in self.since(topic, since):
                    mine.put(message)
                self.server.listening.setdefault(topic, []).append(mine)
        try:
            self.head(200, "text/event-stream" if form == "sse" else "application/x-ndjson")
            self.tell({"id": "open", "time": int(time.time()), "event": "open", "topic": names}, form)
            while True:
                try:
                    message = mine.get(timeout=20)
                except queue.Empty:
                    message = {"id": "alive", "time": int(time.time()), "event": "keepalive", "topic": names}
                if message is None:
                    return
                self.tell(message, form)
        except OSError:
            pass
        finally:
            with self.server.lock:
                for topic in names.split(","):
                    self.server.listening[topic].remove(mine)

    def since(self, topic, since):
        kept = self.server.kept.get(topic, [])
        numbers = [message["id"] for message in kept]
        if since in numbers:
            return kept[numbers.index(since) + 1:]
        if since[:-1].isdigit() and since[-1] in "smh":
            limit = int(time.time()) - int(since[:-1]) * {"s": 1, "m": 60, "h": 3600}[since[-1]]
            return [message for message in kept if message["time"] >= limit]
        return [] if since == "none" else kept

    def tell(self, message, form):
        text = json.dumps(message)
        if form == "sse":
            event = "" if message["event"] == "message" else f"event: {message['event']}\n"
            text = f"{event}data: {text}\n"
        self.wfile.write(f"{text}\n".encode())
        self.wfile.flush()
