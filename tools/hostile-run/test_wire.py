"""The stage plays what it says, counts what it did, and each peer's attacks can be told apart."""
import importlib
import os
import random
import socket
import ssl
import tempfile
import time
import unittest

import helper
import peer
import run
import web
from wire import Stage, certificate, tls_of


def floods(talk, rng):
    talk.flood(b"x" * 1000)


def waits(talk, rng):
    talk.until(b"never")


def does_nothing(talk, rng):
    return


def heard(port, seconds=2.0, count=100_000):
    with socket.create_connection(("127.0.0.1", port), 5) as connection:
        connection.settimeout(seconds)
        total = 0
        try:
            while total < count:
                data = connection.recv(65536)
                if not data:
                    break
                total += len(data)
        except TimeoutError:
            pass
    return total


class StageTests(unittest.TestCase):
    def setUp(self):
        self.stage = Stage(0, None, 1)
        self.addCleanup(self.stage.end)

    def test_floods_and_counts(self):
        self.stage.begin(floods)
        self.assertGreaterEqual(heard(self.stage.port), 100_000)
        # What has been heard is counted a moment later.
        end = time.monotonic() + 5
        while self.stage.counts["floods"][1] < 100_000 and time.monotonic() < end:
            time.sleep(0.01)
        connections, sent = self.stage.counts["floods"]
        self.assertEqual(connections, 1)
        self.assertGreaterEqual(sent, 100_000)

    def test_who_does_nothing_has_sent_nothing(self):
        self.stage.begin(does_nothing)
        self.assertEqual(heard(self.stage.port), 0)
        self.assertEqual(self.stage.counts["does_nothing"], [1, 0])

    def test_the_next_attack_ends_the_one_before(self):
        self.stage.begin(waits)
        with socket.create_connection(("127.0.0.1", self.stage.port), 5) as connection:
            time.sleep(0.2)
            self.stage.begin(floods)
            connection.settimeout(3)
            self.assertEqual(connection.recv(1), b"")

    def test_encrypted(self):
        with tempfile.TemporaryDirectory() as place:
            authority = certificate(place)
            stage = Stage(0, tls_of(place), 1)
            self.addCleanup(stage.end)
            stage.begin(floods)
            context = ssl.create_default_context(cafile=authority)
            with socket.create_connection(("127.0.0.1", stage.port), 5) as plain:
                with context.wrap_socket(plain, server_hostname="localhost") as secure:
                    self.assertEqual(secure.recv(10), b"x" * 10)

    def test_web_tricks_answer_a_request(self):
        self.stage.begin(web.attacks((web.endless_header,))[0])
        with socket.create_connection(("127.0.0.1", self.stage.port), 5) as connection:
            connection.sendall(b"POST /a HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}")
            connection.settimeout(3)
            said = connection.makefile("rb").read(40)
            self.assertTrue(said.startswith(b"HTTP/1.1 200 OK\r\nX-Long: aaa"), said)


class PeerTests(unittest.TestCase):
    def test_every_peer_has_attacks_of_different_names(self):
        for name in run.PEERS:
            module = importlib.import_module(name)
            names = [attack.__name__ for attack in module.ATTACKS]
            self.assertEqual(len(names), len(set(names)), name)
            self.assertGreaterEqual(len(names), 8, name)
            self.assertNotIn(module.good.__name__, names)

    def test_the_same_seed_gives_the_same_order(self):
        names = list("abcdefgh")
        self.assertEqual(peer.shuffled(names, "1 x"), peer.shuffled(names, "1 x"))
        self.assertNotEqual(peer.shuffled(names, "1 x"), peer.shuffled(names, "2 x"))

    def test_messages_of_the_receiver_have_their_checksums(self):
        receiver = importlib.import_module("receiver")
        # An answer of pysiaalarm's, which the tests of our own reader have, too.
        message = b'"ACK"0007R0L0#1234[]'
        self.assertEqual(receiver.frame(message), b"\nD3EF0014" + message + b"\r")
        self.assertEqual(receiver.frame(message, error=1), b"\nD3EE0014" + message + b"\r")
        self.assertEqual(receiver.frame(message, length=0xFFFF), b"\nD3EFFFFF" + message + b"\r")
        self.assertNotEqual(receiver.seal(b"]"), receiver.seal(b"]"))

    def test_limits_of_helpers_are_those_of_their_units(self):
        self.assertEqual(helper.unit_value("howalarming-picture@.service", "Service", "LimitNOFILE"), "64")
        for name in run.PEERS:
            module = importlib.import_module(name)
            if hasattr(module, "HELPER"):
                self.assertGreater(int(helper.unit_value(f"howalarming-{module.HELPER}.socket", "Socket", "MaxConnections")), 0)

    def test_helper_process_for_each_connection_is_measured_and_ends(self):
        with tempfile.TemporaryDirectory() as place, open(os.devnull, "wb") as log:
            made = helper.Helper("picture", f"{place}/socket", ["cat"], log)
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(f"{place}/socket")
                connection.sendall(b"word")
                connection.settimeout(30)
                self.assertEqual(connection.recv(4), b"word")
                time.sleep(0.5)
                self.assertEqual(made.left(0), 1)
            self.assertEqual(made.left(30), 0)
            started, memory, files, at_once = made.take()
            self.assertEqual((started, at_once), (1, 1))
            self.assertGreater(memory, 0)
            self.assertGreaterEqual(files, 3)
            self.assertEqual(made.take(), (0, 0, 0, 0))

    def test_lines_of_the_panel_have_their_checksums(self):
        panel = importlib.import_module("panel")
        self.assertEqual(panel.line("6543"), b"6543D2\r\n")
        self.assertEqual(panel.line("65212"), b"6521200\r\n")
        self.assertNotIn(b"6543D2", panel.line("6543", True))

    def test_no_flood_of_the_panel_holds_an_alarm_of_ours(self):
        panel = importlib.import_module("panel")
        for make in panel.MAKES:
            rng = random.Random(make.__name__)
            for _ in range(50):
                self.assertNotIn(panel.line("625").strip(), make(rng).split(b"\r\n"))


if __name__ == "__main__":
    unittest.main()
