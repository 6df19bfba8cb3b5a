"""Versions to be installed: signed bundles, a stick that brings them, and a host that offers them over the line.

`HOWALARMING_SLOTS` is a directory of tools/image-test: NAME.slot for each version, and the keys.
"""
import os
import shutil
import subprocess
import sys
import time

from booted import PROGRAM, SLOW
from machine import MIB

HERE = os.path.dirname(os.path.abspath(__file__))


def number_of(version):
    return int(subprocess.run([f"{HERE}/../lib/version-number", version], check=True, capture_output=True).stdout)


# The version that the tests install.
NEW, NEW_NUMBER = "1.1.0", number_of("1.1.0")


def make_bundle(directory, name, version, number, key="test.key"):
    slots = os.environ["HOWALARMING_SLOTS"]
    subprocess.run([PROGRAM, "bundle", "make", "--board", "virt", "--version", version, "--number", str(number),
                    "--floor", "1000000", "--slot", f"{slots}/{name}.slot", "--key", f"{slots}/{key}", "--out",
                    f"{directory}/{name}.bundle"], check=True, capture_output=True)


def make_stick(directory):
    """A USB stick with the files of a directory, which is gone then."""
    stick = directory + ".img"
    size = sum(os.path.getsize(os.path.join(directory, name)) for name in os.listdir(directory)) // MIB + 64
    with open(stick, "wb") as file:
        file.truncate(size * MIB)
    subprocess.run(["mkfs.vfat", "-F", "32", stick], check=True, capture_output=True)
    for name in os.listdir(directory):
        subprocess.run(["mcopy", "-i", stick, f"{directory}/{name}", "::"], check=True)
    shutil.rmtree(directory)
    return stick


class Host:
    """A host of the owner's: an offer and its bundle over https, with a certificate of an authority of its own.

    It can be told to be slow from the middle of an answer on, and says when it is.
    """

    name, port = "updates.test", 5238
    offer = "howalarming-virt.offer"

    def __init__(self, network, directory, name="new", version=NEW, number=NEW_NUMBER):
        self.files = os.path.join(directory, "offered")
        self.hold, self.log = os.path.join(directory, "hold"), os.path.join(directory, "host.log")
        self.bundle = f"{name}.bundle"
        os.mkdir(self.files)
        make_bundle(self.files, name, version, number)
        subprocess.run([PROGRAM, "bundle", "offer", f"{self.files}/{self.bundle}", "--key", f"{os.environ['HOWALARMING_SLOTS']}/test.key",
                        "--out", f"{self.files}/{self.offer}"], check=True, capture_output=True)
        place = os.path.join(directory, "host")
        self.authority = self.certify(place)
        network.start([sys.executable, os.path.join(HERE, "update_host.py"), self.files, place, str(self.port), self.hold], self.log)

    def certify(self, place):
        """PLACE.key and .pem: for its name, by an authority that nobody else trusts; gives that one's certificate."""
        make = ["openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        authority = place + "-ca"
        with open(place + ".ext", "w") as file:
            file.write(f"subjectAltName=DNS:{self.name}\n")
        for words in ([*make, "-x509", "-days", "30", "-subj", "/CN=An authority of the test", "-keyout", authority + ".key", "-out", authority + ".pem"],
                      [*make, "-subj", f"/CN={self.name}", "-keyout", place + ".key", "-out", place + ".csr"],
                      ["openssl", "x509", "-req", "-in", place + ".csr", "-CA", authority + ".pem", "-CAkey", authority + ".key", "-CAcreateserial",
                       "-days", "30", "-extfile", place + ".ext", "-out", place + ".pem"]):
            subprocess.run(words, check=True, capture_output=True)
        with open(authority + ".pem") as file:
            return file.read()

    def put_on(self, machine):
        """The owner edits the card; gives what he writes into the configuration."""
        machine.write_card("updates-ca.pem", self.authority)
        return f"updates:\n  url: https://{self.name}:{self.port}/{self.offer}\n  ca_file: updates-ca.pem\n"

    def said(self):
        with open(self.log) as file:
            return file.read()

    def slow_down_in(self, name, share):
        """From now on so much of this file comes at once, and the rest takes for ever."""
        size = os.path.getsize(os.path.join(self.files, name))
        with open(self.hold + ".new", "w") as file:
            file.write(f"{name} {int(size * share)}")
        os.replace(self.hold + ".new", self.hold)
        self.before = self.said().count(f"slow in {name}")

    def wait_slow(self, name, within):
        limit = time.time() + within * SLOW
        while self.said().count(f"slow in {name}") == self.before:
            if time.time() > limit:
                raise AssertionError(f"nobody has asked for {name} within {within * SLOW} s; the host said: {self.said()[-1500:]}")
            time.sleep(0.2)

    def go_on(self):
        os.unlink(self.hold)
