"""A server that is up to no good: it takes connections, plays one attack after the other, and counts what it did."""
import os
import random
import select
import socket
import ssl
import subprocess
import threading
import time

KEPT = 256 * 1024
# An original app that is let in.
APP = "fV1xTestTokenOfAnOriginalApp0123456789:APA91bHostile"


class Gone(Exception):
    """The other side hung up, or this attack is over."""


class Talk:
    """One connection. Sending reads along, so that neither side waits for the other."""

    def __init__(self, connection, stage, attack):
        self.socket, self.stage, self.attack = connection, stage, attack
        self.heard = b""
        self.is_reading = True
        connection.setblocking(False)

    def _check(self):
        if self.stage.attack is not self.attack or self.stage.is_over:
            raise Gone

    def _wait(self, is_writing, seconds):
        readers = [self.socket] if self.is_reading else []
        select.select(readers, [self.socket] if is_writing else [], [], seconds)

    def _read(self):
        """Whether something came."""
        if not self.is_reading:
            return False
        try:
            data = self.socket.recv(65536)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError, BlockingIOError):
            return False
        except (OSError, ValueError) as problem:
            raise Gone from problem
        if not data:
            raise Gone
        self.heard = (self.heard + data)[-KEPT:]
        return True

    def send(self, data):
        rest = memoryview(data)
        while rest:
            self._check()
            self._read()
            try:
                count = self.socket.send(rest[:16384])
            except (ssl.SSLWantReadError, ssl.SSLWantWriteError, BlockingIOError):
                self._wait(True, 0.1)
                continue
            except (OSError, ValueError) as problem:
                raise Gone from problem
            self.stage.count(self.attack, count)
            rest = rest[count:]

    def flood(self, block):
        """The same again, until somebody has enough."""
        while True:
            self.send(block)

    def drip(self, data, pause):
        """One byte after the other, each in a packet of its own."""
        for byte in data:
            self.send(bytes([byte]))
            self.pause(pause)

    def pause(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._check()
            if not self._read():
                self._wait(False, min(0.1, max(0, end - time.monotonic())))
                if not self.is_reading:
                    time.sleep(0.05)

    def swallow(self):
        """Says nothing and reads nothing."""
        self.is_reading = False
        self.pause(3600)

    def until(self, mark, seconds=3600):
        """What came up to and with the mark."""
        end = time.monotonic() + seconds
        while mark not in self.heard:
            self._check()
            if time.monotonic() > end:
                raise Gone
            if not self._read():
                self._wait(False, 0.1)
        head, _, self.heard = self.heard.partition(mark)
        return head + mark

    def take(self, count):
        while len(self.heard) < count:
            self._check()
            if not self._read():
                self._wait(False, 0.1)
        data, self.heard = self.heard[:count], self.heard[count:]
        return data

    def secure(self):
        """TLS from here on, as the server."""
        self.socket.settimeout(5)
        try:
            self.socket = (self.stage.tls or self.stage.later_tls).wrap_socket(self.socket, server_side=True)
        except (OSError, ValueError) as problem:
            raise Gone from problem
        self.socket.setblocking(False)
        self.heard = b""

    def let_arrive(self):
        """Says that nothing follows, and waits until the other side has read to there: closing would take it back."""
        try:
            self.socket.shutdown(socket.SHUT_WR)
            self.socket.settimeout(2)
            while self.socket.recv(65536):
                pass
        except (OSError, ValueError):
            pass

    def close(self, is_rude=False):
        try:
            if is_rude:
                self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            self.socket.close()
        except OSError:
            pass


class Stage:
    """Listens, and lets the attack of the hour deal with whoever comes. An attack: a function of a talk and a generator."""

    def __init__(self, port, tls=None, seed=0, send_buffer=None):
        self.tls, self.later_tls, self.seed = tls, None, seed
        self.attack, self.is_over = None, False
        self.counts = {}
        self.lock = threading.Lock()
        self.send_buffer = send_buffer
        # Who means harm has little room for answers: they wait with the daemon. A gentle one lets all arrive that it sent.
        self.is_gentle = False
        self.listener = socket.create_server(("127.0.0.1", port), backlog=64)
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def begin(self, attack):
        with self.lock:
            self.counts.setdefault(attack.__name__, [0, 0])
        self.attack = attack

    def end(self):
        self.is_over = True
        self.listener.close()

    def count(self, attack, sent):
        with self.lock:
            self.counts[attack.__name__][1] += sent

    def _accept(self):
        number = 0
        while not self.is_over:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            number += 1
            threading.Thread(target=self._deal, args=(connection, number), daemon=True).start()

    def _deal(self, connection, number):
        attack = self.attack
        if attack is None:
            return connection.close()
        with self.lock:
            self.counts[attack.__name__][0] += 1
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self.send_buffer:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, self.send_buffer)
        talk = Talk(connection, self, attack)
        try:
            if self.tls:
                talk.secure()
            attack(talk, random.Random(f"{self.seed} {attack.__name__} {number}"))
        except Gone:
            pass
        if self.is_gentle:
            talk.let_arrive()
        talk.close()


def certificate(place):
    """An authority and a server's certificate for all our names, below this directory."""
    names = "DNS:localhost,DNS:house.test,DNS:push.test,DNS:*.dns.test,IP:127.0.0.1"
    key, file = os.path.join(place, "server.key"), os.path.join(place, "ca.pem")
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30",
             "-subj", "/CN=hostile", "-addext", f"subjectAltName={names}", "-keyout", key, "-out", file]
    subprocess.run(words, check=True, capture_output=True, timeout=60)
    return file


def tls_of(place):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(place, "ca.pem"), os.path.join(place, "server.key"))
    return context


_saying = threading.Lock()


def say(*words):
    """To whoever started this process."""
    with _saying:
        print(*words, flush=True)
