"""The long calm run: `soak.py PROGRAM MINUTES SEED DIRECTORY`, in namespaces of its own (tools/soak makes them).

An event a second with bursts to 50 a second, a link cut now and then, and what the daemon's process costs meanwhile.
Exit: 0 within the figures, 1 not, or the run could not be made.
"""
import os
import threading
import time

import entry
import series
from history import History
from house import House
from phones import Phone
from run import is_up, wait
from settle import collect_rows
from soak_script import BareTimer, Cutter, Script
from world import World

EVERY = 5.0
COLUMNS = ["seconds", "rss_kib", "anonymous_kib", "fds", "threads", "wal_bytes", "journal_bytes", "cpu_seconds",
           "latency_ms", "timer_late_ms", "waiting", "events"]
STRIPS = [("rss_kib", "resident memory, KiB"), ("anonymous_kib", "of it the process's own, KiB"),
          ("fds", "open descriptors"), ("threads", "threads"), ("wal_bytes", "log ahead of the journal, bytes"),
          ("latency_ms", "alarm line of the panel to phone, ms (median of the span)"),
          ("timer_late_ms", "lateness of the 5 s poll, ms (worst of the span)"), ("waiting", "messages waiting")]
POLL = 5.0


class Watcher(History):
    """Keeps what a long run can afford: how long alarms took, and when polls came."""

    def __init__(self, path):
        super().__init__(path)
        self.sent, self.latencies, self.gaps = {}, [], []
        self.arrived = 0
        self.last_poll, self.last_line = None, 0.0

    def trace(self, line):
        if line.startswith("# client"):
            self.last_poll = None
        elif line.startswith("< ") and not line.startswith("< 500"):
            self.last_line = time.time()
        elif line == "> 000":
            now = time.time()
            # While lines come in, the daemon waits for a gap between them, 300 ms at most: that is no late timer.
            if self.last_poll and now - self.last_line > 0.1:
                self.gaps.append(now - self.last_poll)
            self.last_poll = now

    def arrival(self, arrival):
        if arrival.code == "601":
            with self.lock:
                zone = arrival.message.split("zone ")[1].split(",")[0]
                begin = self.sent.pop(zone, None)
                if begin:
                    self.latencies.append((time.time(), (time.time() - begin) * 1000))
                    self.arrived += 1

    def outcome(self, *_):
        pass


def measure(pid, state):
    status = dict(line.split(":", 1) for line in open(f"/proc/{pid}/status"))
    stat = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    size = lambda name: os.path.getsize(path) if os.path.exists(path := os.path.join(state, name)) else 0
    return {"rss_kib": int(status["VmRSS"].split()[0]), "anonymous_kib": int(status["RssAnon"].split()[0]),
            "threads": int(status["Threads"]), "fds": len(os.listdir(f"/proc/{pid}/fd")),
            "wal_bytes": size("journal.db-wal"), "journal_bytes": size("journal.db"),
            "cpu_seconds": (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")}


def window(watcher):
    """The median latency and the worst poll since the last look."""
    with watcher.lock:
        fresh, watcher.fresh = getattr(watcher, "fresh", [0, 0]), [len(watcher.latencies), len(watcher.gaps)]
        latencies = [ms for _, ms in watcher.latencies[fresh[0]:]]
        late = series.lateness(list(watcher.gaps), POLL)[fresh[1]:]
    return {"latency_ms": series.quantile(latencies, 0.5), "timer_late_ms": max((1000 * span for span in late), default=None)}


def judge(table, watcher, script, cutter, bare, start, seconds, house, rows, integrity):
    warm = min(3600.0, seconds / 4)
    found = series.verdicts(table, warm, [(begin, end + 45) for begin, end in cutter.cuts])
    late = series.lateness(watcher.gaps, POLL)
    p99, allowed = series.quantile(late, 0.99) or 0, series.quantile(bare.late, 0.99) or 0
    found.append((p99 <= series.LATE_SHARE * POLL + allowed,
                  f"timers: the poll every 5 s came {1000 * (series.quantile(late, 0.5) or 0):.1f} ms late at the "
                  f"median, {1000 * p99:.1f} ms at p99, {1000 * max(late, default=0):.1f} ms at worst ({len(late)} "
                  f"polls); allowed is 1 % at p99, and what a bare timer is late on this machine ({1000 * allowed:.1f} "
                  f"ms at p99, {1000 * max(bare.late, default=0):.1f} ms at worst)"))
    calm = [ms for when, ms in watcher.latencies
            if not any(begin <= when - start <= end + 60 for begin, end in cutter.cuts)]
    found.append((watcher.arrived == script.alarms, f"alarms: {watcher.arrived} of {script.alarms} reached the phone"))
    ends = house.history.evidence.own_ends
    found.append((not ends, "; ".join(ends) or "the daemon never ended by itself"))
    found.append((integrity == "ok", f"integrity_check: {integrity}"))
    last = table.rows[-1]
    facts = [f"{seconds / 60:.0f} minutes, {len(rows)} events in the journal, {len(cutter.cuts)} cuts of links",
             f"alarm line to phone with links healthy: {series.quantile(calm, 0.5) or 0:.0f} ms at the median, "
             f"{series.quantile(calm, 0.99) or 0:.0f} ms at p99 ({len(calm)} alarms)",
             f"processor: {100 * last[COLUMNS.index('cpu_seconds')] / last[0]:.2f} % of one core; "
             f"journal {last[COLUMNS.index('journal_bytes')] / 1024:.0f} KiB"]
    return facts, found


def main(program, minutes, seed, directory):
    seconds = minutes * 60
    watcher = Watcher(f"{directory}/history.jsonl")
    world = World()
    house = House(directory, program, watcher, seed, is_disk_small=False)
    house.start_daemon()
    wait("a session with the panel", lambda: is_up(house))
    house.command("people", "add", "Anna")
    phone = Phone(house, "anna-phone", is_kept=False)
    phone.pair("Anna")
    print(f"{minutes:g} minutes, seed {seed}; a line of the table every {EVERY:g} s", flush=True)
    table = series.Series(COLUMNS)
    script, cutter = Script(watcher, seed), Cutter(world, seconds, seed)
    start = time.time()
    bare = BareTimer()
    threads = [threading.Thread(target=script.run, daemon=True), threading.Thread(target=bare.run, daemon=True),
               threading.Thread(target=cutter.run, args=(start,), daemon=True)]
    for thread in threads:
        thread.start()
    due = start
    try:
        while time.time() - start < seconds:
            due += EVERY
            time.sleep(max(0, due - time.time()))
            waiting = None
            if len(table.rows) % 6 == 5:
                waiting = (house.phones() or {}).get("waiting")
            table.add(seconds=time.time() - start, events=script.events, waiting=waiting, **window(watcher),
                      **measure(house.daemon.pid, house.state))
            table.write(f"{directory}/soak.csv")
    except KeyboardInterrupt:
        seconds = time.time() - start
        print("interrupted; this is what there is", flush=True)
    script.stopped.set()
    cutter.stopped.set()
    bare.stopped.set()
    for thread in threads:
        thread.join(30)
    world.mend()
    try:
        wait("the last alarm at the phone", lambda: watcher.arrived == script.alarms, within=120)
    except RuntimeError:
        pass  # The verdict says how many are missing.
    house.end_daemon()
    rows, integrity = collect_rows(os.path.join(house.state, "journal.db"))
    facts, found = judge(table, watcher, script, cutter, bare, start, seconds, house, rows, integrity)
    title = f"howalarming, {seconds / 60:.0f} minutes, seed {seed}"
    series.plot(table, f"{directory}/soak.svg", STRIPS, cutter.cuts, title)
    lines = [*facts, *(f"{'held  ' if held else 'BROKEN'}  {text}" for held, text in found)]
    print("\n".join(lines))
    with open(f"{directory}/report.txt", "w") as file:
        file.write("\n".join(lines) + "\n")
    return 0 if all(held for held, _ in found) else 1


if __name__ == "__main__":
    entry.run(main)
