"""The boot program's work before Linux runs: it chooses a slot, checks it, and keeps count. By tools/image-test."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from booted import IMAGE, SLOW, Booted  # noqa: E402
from machine import Machine, RaspberryPi  # noqa: E402
from start import FIRST_COPY, SECOND_COPY, state  # noqa: E402

RPI_IMAGE = os.environ.get("HOWALARMING_RPI_IMAGE")


def boot_script(machine, name, source):
    """Puts a script of U-Boot on the owner's partition."""
    made = os.path.join(machine.directory, "made.scr")
    subprocess.run(["mkimage", "-A", "arm64", "-T", "script", "-C", "none", "-d", source, made], check=True, capture_output=True)
    with open(made, "rb") as file:
        machine.write_card(name, file.read())


class TheBootProgram(unittest.TestCase):
    """A card in a machine of its own; Linux is not waited for."""

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="howalarming-start-")
        self.addCleanup(shutil.rmtree, self.directory, True)
        self.machine = Machine(self.directory, IMAGE, os.path.join(os.path.dirname(IMAGE), "u-boot-virt.bin"))
        self.addCleanup(self.machine.cut_power)

    def starts(self, slot, words):
        self.machine.start()
        self.machine.expect(f"HowAlarming: starting slot {slot}, {words}", 60 * SLOW)

    def test_01_a_slot_of_which_one_byte_is_wrong_is_not_started(self):
        for path, offset, sign in (
            ("/boot/vmlinuz", 5_000_000, "/boot/vmlinuz is damaged"),
            ("/boot/initrd.img", 1_000_000, "/boot/initrd.img is damaged"),
            ("/boot/slot.scr", 200, "Bad data crc"),
        ):
            with self.subTest(path):
                self.machine.flash()
                place = self.machine.slot_place("A", path) + offset
                with open(self.machine.card, "r+b") as card:
                    card.seek(place)
                    byte = card.read(1)[0]
                    card.seek(place)
                    card.write(bytes([byte ^ 1]))
                # The last try of a version that has not proved itself.
                self.machine.write_sector(FIRST_COPY, state("A B", 1, 9, "B"))
                self.starts("A", "0 more tries")
                self.machine.expect(sign, 60 * SLOW)
                self.machine.expect("HowAlarming: slot A could not be loaded", 10 * SLOW)
                self.machine.expect("HowAlarming: starting slot B, 8 more tries", 60 * SLOW)
                self.machine.expect("Starting kernel", 60 * SLOW)
                self.machine.cut_power()

    def test_02_of_the_two_copies_of_the_state_the_newer_one_counts_and_only_the_older_one_is_written(self):
        self.starts("A", r"8 more tries \(state: none\)")
        self.machine.cut_power()
        self.assertEqual(self.numbers(), [2, 1], "the first start writes both")
        self.starts("A", r"7 more tries \(state: first\)")
        self.machine.cut_power()
        self.assertEqual(self.numbers(), [2, 3])
        self.starts("A", r"6 more tries \(state: second\)")
        self.machine.cut_power()
        self.assertEqual(self.numbers(), [4, 3])
        # Power that goes while the older one is written.
        self.machine.write_sector(SECOND_COPY, bytes(100))
        self.starts("A", r"5 more tries \(state: first\)")
        self.machine.cut_power()
        self.assertEqual(self.numbers(), [4, 5])
        # Software of before knows no numbers, and writes behind those that do.
        self.machine.write_sector(FIRST_COPY, state("B A", 9, 9, "B"))
        self.starts("B", r"8 more tries \(state: first\)")
        self.machine.cut_power()
        self.assertEqual(self.numbers(), [2, 1])

    def numbers(self):
        found = []
        with open(self.machine.card, "rb") as card:
            for sector in (FIRST_COPY, SECOND_COPY):
                card.seek(sector * 512)
                found.append(int(re.search(rb"BOOT_SEQ=([0-9a-f]+)", card.read(512)).group(1), 16))
        return found

    def hide_own_script(self):
        """Slot A has no script of its own any more, so that the one on the owner's partition starts it and checks nothing."""
        with open(self.machine.card, "r+b") as card:
            # The name in the folder /boot; nobody has mounted the slot yet, so that its check sums are not asked for.
            place = self.machine.slot_place("A", "/boot")
            card.seek(place)
            folder = card.read(4096)
            self.assertIn(b"slot.scr", folder)
            card.seek(place)
            card.write(folder.replace(b"slot.scr", b"slot.no!"))

    def test_03_a_slot_of_before_which_has_no_script_is_started(self):
        self.hide_own_script()
        self.starts("A", "8 more tries")
        self.machine.expect("Starting kernel", 60 * SLOW)

    def test_04_a_hang_in_the_initial_ram_disk_is_ended_by_the_watchdog(self):
        self.hide_own_script()
        # A kernel that panics and does not start again by itself hangs for ever.
        with open(os.path.join(HERE, "..", "slot.cmd")) as file:
            script = file.read()
        self.assertEqual(script.count("panic=10"), 1)
        changed = os.path.join(self.directory, "slot.cmd")
        with open(changed, "w") as file:
            file.write(script.replace("panic=10", "panic=0"))
        boot_script(self.machine, "slot.scr", changed)
        # The last program that the initial RAM disk starts; dm-verity panics when it is read.
        with open(self.machine.card, "r+b") as card:
            card.seek(self.machine.slot_place("A", "/usr/lib/howalarming/mount-card"))
            card.write(b"not of this file")
        self.starts("A", "8 more tries")
        self.machine.expect("Kernel panic - not syncing: dm-verity device corrupted", 60 * SLOW)
        begin = time.time()
        self.machine.expect("HowAlarming: starting slot A, 7 more tries", 60 * SLOW)
        print(f"\n  started again {time.time() - begin:.0f} s after the hang began")


@unittest.skipUnless(RPI_IMAGE, "there is no image for Raspberry Pi here")
class TheBootProgramOfARaspberryPi(unittest.TestCase):
    """Another build of U-Boot, with other commands inside: what the scripts ask of it has to work there, too."""

    def test_01_it_starts_a_slot_that_is_whole_and_no_other(self):
        with tempfile.TemporaryDirectory(prefix="howalarming-start-") as directory:
            machine = RaspberryPi(directory, RPI_IMAGE)
            self.addCleanup(machine.cut_power)
            with open(machine.card, "r+b") as card:
                card.seek(machine.slot_place("A", "/boot/initrd.img") + 1_000_000)
                card.write(b"not of this file")
            machine.write_sector(FIRST_COPY, state("A B", 1, 9, "B"))
            machine.start()
            machine.expect("HowAlarming: starting slot A, 0 more tries", 120 * SLOW)
            machine.expect("/boot/initrd.img is damaged", 120 * SLOW)
            machine.expect("HowAlarming: starting slot B, 8 more tries", 120 * SLOW)
            machine.expect("Starting kernel", 120 * SLOW)
            self.assertNotIn("vmlinuz is damaged", machine.text)


class ACardOfBefore(Booted):
    """Flashed with the boot script of before: the version that runs brings its own, and the card goes on with that."""

    @classmethod
    def prepare(cls):
        super().prepare()
        boot_script(cls.machine, "boot.scr", os.path.join(HERE, "boot-of-before.cmd"))
        for name in ("slot.scr", "boot.sums"):
            subprocess.run(["mdel", "-i", f"{cls.machine.card}@@16M", f"::{name}"], check=True)

    def test_01_it_starts_and_what_it_keeps_of_the_slots_has_the_form_of_before(self):
        self.machine.expect("HowAlarming: starting slot A, 8 more tries", 60 * SLOW)
        self.wait_ready()
        self.assertNotIn("howalarming.state", self.machine.inspect("cat /proc/cmdline"))
        self.machine.inspect("howalarming slot good")
        self.machine.inspect("sync")
        with open(self.machine.card, "rb") as card:
            card.seek(FIRST_COPY * 512)
            self.assertNotIn(b"BOOT_SEQ", card.read(512))

    def test_02_its_version_is_the_good_one_so_the_card_has_its_boot_files_now(self):
        self.assertIn("boot.scr", self.machine.inspect("journalctl --unit howalarming-card --output cat | grep 'the card starts with'"))
        self.assertEqual(self.mounts()["/card"][2][0], "ro")
        self.machine.cut_power()
        self.assertIn("boot.scr", self.machine.read_card("boot.sums"))
        self.machine.start()
        self.machine.expect(r"HowAlarming: starting slot A, \d more tries \(state: first\)", 60 * SLOW)
        self.wait_ready()
        self.assertIn("howalarming.state=2", self.machine.inspect("cat /proc/cmdline"))
        self.machine.inspect("howalarming slot good")
        self.assertIn("(runs, good, 9 tries left, started first)", self.machine.inspect("howalarming slot"))
        self.wait_panel()

