"""The service manager's part for a helper process of the daemon: one process for each connection to a socket, as its unit
says, and how much memory and how many descriptors these processes take."""
import configparser
import os
import re
import socket
import subprocess
import threading
import time

UNITS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "rootfs", "usr", "lib", "systemd", "system")
# Seconds between two looks at the processes: a helper lives for some 100 ms at least.
LOOK = 0.02


def unit_value(file, section, key):
    """A value of a unit; the first of several with this key."""
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str
    with open(os.path.join(UNITS, file)) as text:
        unit.read_string(text.read())
    return unit[section][key]


def anonymous_memory(pid):
    """Memory of a process that is no file's, in KiB; 0 when it is gone."""
    try:
        with open(f"/proc/{pid}/status") as file:
            return int(re.search(r"RssAnon:\s+(\d+)", file.read()).group(1))
    except (OSError, AttributeError):
        return 0


def descriptors(pid):
    """Number of a process's open descriptors; 0 when it is gone."""
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return 0


class Helper:
    """Accepts connections at `path` for the unit `howalarming-NAME`, and measures all processes since the last `take`."""

    def __init__(self, name, path, words, log):
        self.words, self.log = ["nice", "-n", unit_value(f"howalarming-{name}@.service", "Service", "Nice"), *words], log
        self.file_limit = int(unit_value(f"howalarming-{name}@.service", "Service", "LimitNOFILE"))
        self.limit = int(unit_value(f"howalarming-{name}.socket", "Socket", "MaxConnections"))
        self.lock, self.running = threading.Lock(), []
        self.started = self.memory = self.files = self.at_once = 0
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen()
        for work in (self._accept, self._look):
            threading.Thread(target=work, daemon=True).start()

    def _accept(self):
        while True:
            connection, _ = self.listener.accept()
            with connection, self.lock:
                self.running.append(subprocess.Popen(self.words, stdin=connection, stdout=connection, stderr=self.log))
                self.started += 1

    def _look(self):
        while True:
            with self.lock:
                self.running = [process for process in self.running if process.poll() is None]
                pids = [process.pid for process in self.running]
            self.at_once = max(self.at_once, len(pids))
            for pid in pids:
                self.memory = max(self.memory, anonymous_memory(pid))
                self.files = max(self.files, descriptors(pid))
            time.sleep(LOOK)

    def take(self):
        """The largest process and the most of everything since the last time: (started, memory, files, at once)."""
        taken = self.started, self.memory, self.files, self.at_once
        self.started = self.memory = self.files = self.at_once = 0
        return taken

    def left(self, within):
        """Number of processes that still run after so many seconds, or 0 as soon as none does."""
        end = time.monotonic() + within
        while self.running and time.monotonic() < end:
            time.sleep(LOOK)
        return len(self.running)
