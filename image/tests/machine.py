"""One emulated board with a copy of the card image in it.

`inspect` looks inside through a shell that the emulator brings along (a systemd credential by fw_cfg), so that the
image under test is the very one that is flashed, and holds no way in.
"""
import os
import re
import socket
import subprocess
import threading
import time

INSPECTOR = """[Unit]
Description=A shell for the test, on a line that only the emulator has
DefaultDependencies=no
StartLimitIntervalSec=0
After=dev-hvc0.device systemd-tmpfiles-setup.service
Conflicts=shutdown.target
Before=shutdown.target
[Service]
ExecStart=/usr/bin/sh -c 'while read -r line; do eval "$line"; done'
StandardInput=tty-force
StandardOutput=tty
StandardError=tty
TTYPath=/dev/hvc0
Restart=always
RestartSec=1
Environment=PATH=/usr/bin:/usr/sbin PS1=
"""
CARD_OFFSET = 16 << 20
MIB = 1 << 20
PROCESSORS = os.environ.get("HOWALARMING_PROCESSORS", "2")
# Factor of every limit of a wait. An emulated processor is many times slower than a board's, and slower still on a busy machine.
# A wait ends with what it waits for, so patience costs nothing but the time to a failure.
SLOW = float(os.environ.get("HOWALARMING_PATIENCE", "4"))


class Machine:
    def __init__(self, directory, image, firmware, network=None, size_mib=1024, memory=512):
        self.directory, self.firmware, self.network, self.memory = directory, firmware, network, memory
        self.card = os.path.join(directory, "card.img")
        self.image, self.size_mib = image, size_mib
        self.flash()
        self.process = self.hvc = self.stick = self.twin = None
        # The card takes nothing any more.
        self.is_locked = False
        # Where the emulator keeps each write to the card, in order (see written.py).
        self.log = None
        self.text, self.seen = "", 0
        self.changed = threading.Condition()
        self.boots = 0

    def flash(self):
        """A new card, as it comes from the image."""
        subprocess.run(["cp", "--sparse=always", self.image, self.card], check=True)
        os.truncate(self.card, self.size_mib * MIB)

    # The owner's partition, as any computer sees it.
    def make_directory(self, name):
        subprocess.run(["mmd", "-i", f"{self.card}@@{CARD_OFFSET}", f"::{name}"], check=True)

    def write_card(self, name, content):
        path = os.path.join(self.directory, "to-card")
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        subprocess.run(["mcopy", "-o", "-i", f"{self.card}@@{CARD_OFFSET}", path, f"::{name}"], check=True)

    def read_card(self, name):
        done = subprocess.run(["mtype", "-i", f"{self.card}@@{CARD_OFFSET}", f"::{name}"], capture_output=True, check=False)
        return done.stdout.decode(errors="replace") if done.returncode == 0 else None

    def words(self):
        """The emulator's command."""
        place = lambda name: os.path.join(self.directory, name)
        with open(place("inspector"), "w") as file:
            file.write(INSPECTOR)
        with open(place("wanted"), "w") as file:
            file.write("[Unit]\nWants=i.service\n")
        credentials = "name=opt/io.systemd.credentials/systemd."
        words = [
            # Without what none of the boards has, and what is dear to emulate.
            "qemu-system-aarch64", "-M", "virt", "-cpu", "max,pauth=off,sve=off,sme=off", "-smp", PROCESSORS, "-m", str(self.memory),
            "-display", "none", "-serial", "stdio", "-monitor", f"unix:{place('monitor')},server,nowait",
            "-bios", self.firmware, *self.drive(), "-device", "virtio-blk-pci,drive=card", "-device", "i6300esb", "-action", "watchdog=reset",
            "-device", "virtio-rng-pci", "-device", "virtio-serial-pci",
            "-chardev", f"socket,id=line,path={place('line')},server=on,wait=off", "-device", "virtconsole,chardev=line",
            "-fw_cfg", f"{credentials}extra-unit.i.service,file={place('inspector')}",
            "-fw_cfg", f"{credentials}unit-dropin.-.slice,file={place('wanted')}",
        ]
        for number, tap in enumerate(("one", "two")):
            link = f"tap,ifname={tap},script=no,downscript=no" if self.network else "user"
            words += ["-netdev", f"{link},id=n{number}", "-device",
                      f"virtio-net-pci,netdev=n{number},id=nic{number},mac=52:54:00:00:00:0{number + 1},romfile="]
        if self.twin:
            words += ["-drive", f"if=none,file={self.twin},format=raw,id=twin", "-device", "virtio-blk-pci,drive=twin"]
        if self.stick:
            words += ["-device", "qemu-xhci", "-drive", f"if=none,file={self.stick},format=raw,id=stick", "-device",
                      "usb-storage,drive=stick"]
        return words

    def drive(self):
        """This machine's own disk is not waited for: it keeps what the emulator wrote, also when that is killed, and may stall."""
        if not self.log:
            return ["-drive", f"if=none,file={self.card},format=raw,id=card,cache=unsafe,readonly={'on' if self.is_locked else 'off'}"]
        open(self.log, "wb").close()
        return ["-blockdev", f"driver=file,filename={self.card},node-name=file,cache.no-flush=on",
                "-blockdev", f"driver=file,filename={self.log},node-name=log,cache.no-flush=on",
                "-blockdev", "driver=blklogwrites,node-name=card,file=file,log=log"]

    def start(self):
        for name in ("monitor", "line"):
            if os.path.exists(os.path.join(self.directory, name)):
                os.unlink(os.path.join(self.directory, name))
        words = self.words()
        if self.network:
            words = self.network.inside(words)
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.boots += 1
        self.seen = len(self.text)
        self.hvc = None
        threading.Thread(target=self._read, args=(self.process,), daemon=True).start()

    def _read(self, process):
        begin, line = time.time(), b""
        with open(os.path.join(self.directory, f"serial-{self.boots}.log"), "wb") as log:
            while data := os.read(process.stdout.fileno(), 4096):
                with self.changed:
                    self.text += data.decode(errors="replace")
                    self.changed.notify_all()
                for part in data.splitlines(True):
                    line += part
                    if line.endswith(b"\n"):
                        log.write(b"[%7.2f] " % (time.time() - begin) + line)
                        log.flush()
                        line = b""
            log.write(line)
        with self.changed:
            self.changed.notify_all()

    # The serial line.
    def expect(self, pattern, within):
        """Waits for a text on the serial line; gives the match."""
        limit = time.time() + within
        with self.changed:
            while True:
                found = re.search(pattern, self.text[self.seen:])
                if found:
                    self.seen += found.end()
                    return found
                left = limit - time.time()
                if left <= 0:
                    raise AssertionError(f"'{pattern}' did not come within {within} s; last on the line:\n{self.text[-2500:]}")
                self.changed.wait(min(left, 1))

    def type(self, text):
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()

    # The shell inside.
    def inspect(self, command, within=60 * SLOW):
        """What a command, in one line, prints inside on both streams. It is given once, when the shell answers."""
        limit, pause = time.time() + within, 4
        while self._ask("true", min(limit, time.time() + pause)) is None:
            if time.time() > limit or self.process.poll() is not None:
                raise AssertionError(f"the shell inside did not come within {within} s; on the line:\n{self.text[-1500:]}")
            # What was asked before the shell was there is lost; a machine that is only slow answers in a longer pause.
            pause = min(pause * 1.5, 60)
        answer = self._ask(command, limit)
        if answer is None:
            raise AssertionError(f"'{command}' did not end within {within} s; on the line:\n{self.text[-1500:]}")
        return answer

    def read(self, command, within=60 * SLOW):
        """What a command that changes nothing prints; asked again while the box is too busy to answer it, as an owner would."""
        limit = time.time() + within
        while True:
            answer = self.inspect(command, within)
            if "did not answer in time" not in answer or time.time() > limit:
                return answer
            time.sleep(2)

    def _ask(self, command, limit):
        # The emulator hears nothing more from a line that was closed once: it is kept.
        if self.hvc is None:
            self.hvc = socket.socket(socket.AF_UNIX)
            try:
                self.hvc.connect(os.path.join(self.directory, "line"))
            except OSError:
                self.hvc = None
                time.sleep(0.2)
                return None
        mark = f"END-{time.monotonic_ns()}"
        end = "" if command.endswith("&") else ";"
        self.hvc.sendall(f"echo BEGIN-{mark}; {{ {command}{end} }} 2>&1 </dev/null; echo; echo {mark}\n".encode())
        out = ""
        while f"\n{mark}\n" not in out:
            self.hvc.settimeout(max(0.05, limit - time.time()))
            try:
                data = self.hvc.recv(65536)
            except TimeoutError:
                return None
            if not data:
                return None
            out += data.decode(errors="replace").replace("\r", "")
        return out[out.rindex(f"\nBEGIN-{mark}\n") + len(mark) + 8:out.rindex(f"{mark}\n")].strip()

    def wait_inside(self, command, wanted, within):
        """Repeats a command until its answer matches."""
        limit, answer = time.time() + within, ""
        while time.time() < limit:
            try:
                answer = self.inspect(command, within=max(5, min(60 * SLOW, limit - time.time())))
            except AssertionError:
                continue
            if re.search(wanted, answer):
                return answer
            time.sleep(1)
        raise AssertionError(f"'{command}' did not answer '{wanted}' within {within} s, but: {answer[-2000:]}\n{self.text[-1500:]}")

    # The hardware.
    def monitor(self, command):
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(os.path.join(self.directory, "monitor"))
            line.settimeout(60)
            line.recv(4096)
            line.sendall(command.encode() + b"\n")
            time.sleep(0.3)
            return line.recv(65536).decode(errors="replace")

    def plug(self, nic, is_in):
        self.monitor(f"set_link nic{nic} {'on' if is_in else 'off'}")

    def cut_power(self):
        """From one moment to the next; what the machine's kernel had not written is lost."""
        if self.process and self.process.poll() is None:
            self.process.kill()
        if self.process:
            self.process.wait()
            self.process.stdin.close()
        self.hvc = None

    def data_place(self):
        """First sector and count of sectors of the data partition."""
        with open(self.card, "rb") as card:
            card.seek(446 + 3 * 16 + 8)
            return int.from_bytes(card.read(4), "little"), int.from_bytes(card.read(4), "little")

    def slot_place(self, slot, path):
        """Where a file of a slot begins on the card, in bytes."""
        with open(self.card, "rb") as card:
            card.seek(446 + {"A": 1, "B": 2}[slot] * 16 + 8)
            start = int.from_bytes(card.read(4), "little") * 512
        copy = os.path.join(self.directory, "slot.img")
        subprocess.run(["dd", f"if={self.card}", f"of={copy}", "bs=1M", f"skip={start // MIB}", "count=256", "conv=sparse",
                        "status=none"], check=True)
        block = subprocess.run(["debugfs", "-R", f"bmap {path} 0", copy], check=True, capture_output=True, text=True).stdout
        os.unlink(copy)
        return start + int(block.split()[-1]) * 4096

    def write_sector(self, sector, content):
        with open(self.card, "r+b") as card:
            card.seek(sector * 512)
            card.write(content)

    def ruin_data(self):
        """The data partition of the machine, which is off, is no file system any more: no superblock is left."""
        start, count = self.data_place()
        with open(self.card, "r+b") as card:
            for place in range(start * 512, (start + count) * 512, 32768 * 4096):
                card.seek(place)
                card.write(bytes(min(65536, (start + count) * 512 - place)))

    def data_partition(self, target, card=None):
        """A copy of the data partition of the machine, which is off, or of what lies at that place of another card."""
        start, count = self.data_place()
        subprocess.run(["dd", f"if={card or self.card}", f"of={target}", "bs=1M", f"skip={start // 2048}",
                        f"count={count // 2048}", "conv=sparse", "status=none"], check=True)


class RaspberryPi(Machine):
    """QEMU's `raspi3b` with the card as it is. Where the board's own firmware would start U-Boot from the card and hand it
    the card's device tree, the emulator does so.

    One thing is changed, in that device tree: the emulated watchdog restarts the machine in the moment in which it is
    started, so it is not found. A keyboard is plugged in. No network: the emulated USB host does not carry one far enough.
    """

    def __init__(self, directory, image):
        super().__init__(directory, image, os.path.join(directory, "u-boot.bin"))
        self.tree = os.path.join(directory, "board.dtb")
        for name, target in (("u-boot.bin", self.firmware), ("bcm2837-rpi-3-b.dtb", self.tree)):
            subprocess.run(["mcopy", "-n", "-i", f"{self.card}@@{CARD_OFFSET}", f"::{name}", target], check=True)
        with open(self.tree, "rb") as file:
            tree = file.read()
        name = b"brcm,bcm2835-pm\0brcm,bcm2835-pm-wdt\0"
        if tree.count(name) != 1:
            raise RuntimeError("the board's device tree does not name its watchdog once")
        with open(self.tree, "wb") as file:
            file.write(tree.replace(name, name.replace(b"brcm", b"none")))

    def words(self):
        return ["qemu-system-aarch64", "-M", "raspi3b", "-display", "none", "-kernel", self.firmware, "-dtb", self.tree,
                "-drive", f"if=sd,file={self.card},format=raw", "-serial", "null", "-serial", "stdio",
                "-device", "usb-kbd",
                "-monitor", f"unix:{os.path.join(self.directory, 'monitor')},server,nowait"]

    def press(self, text):
        """Letters without capitals, digits and line ends, on the keyboard of the screen's console."""
        for key in text:
            self.monitor(f"sendkey {'ret' if key == chr(10) else key}")
