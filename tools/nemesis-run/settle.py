"""After the faults: waits until everything is at rest, and collects what the checks look at."""
import json
import os
import shutil
import sqlite3
import subprocess
import time

from checker import undelivered
from history import Row

# Twice what it takes at most: the longest back-off of the box is a minute, and a silent connection takes 75 s to be noticed.
BOUND = 300.0


def collect_rows(path):
    """The journal as it is on disk, and what integrity_check says."""
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)
    try:
        rows = [Row(seq, ms / 1000, code, raw, message, mark) for seq, ms, code, raw, message, mark in database.execute(
            "SELECT seq, time, code, raw, message, unstored FROM events ORDER BY seq")]
        integrity = database.execute("PRAGMA integrity_check").fetchone()[0]
    finally:
        database.close()
    return rows, integrity


def not_at_rest(house, phones, evidence):
    """Sentences; none when everything is as it should be."""
    status = house.status()
    if status is None:
        return ["the daemon does not answer"]
    found = []
    if status["panel"]["phase"] != "up":
        found.append(f"the panel link is {status['panel']['phase']}: {status['panel']['problem']}")
    if status["store"]["problem"] or status["store"]["waiting"]:
        found.append(f"the store: {status['store']['problem']}, {status['store']['waiting']} waiting")
    push = status["phones"]
    if push["connection"] != "ready":
        found.append(f"the push connection is {push['connection']}: {push['problem']}")
    # Overdue are alarms without a receipt: they are repeated after minutes, and whether they arrived is seen below.
    if push["waiting"]:
        found.append(f"{push['waiting']} messages wait")
    for link in status["links"]["links"]:
        if link.get("state", "up") != "up":
            found.append(f"the link {link.get('link', link.get('name'))} is {link['state']}")
        found += [f"{way['kind']}: {way['problem']}" for way in push["ways"] if way["problem"]]
    names = {phone.name for phone in phones}
    pending = [c for c in evidence.commands if c.phone in names and c.number and c.result == "pending"]
    found += [f"{c.phone} waits for what became of '{c.words}' (number {c.number})" for c in pending[:3]]
    if not found:
        evidence.rows, _ = collect_rows(os.path.join(house.state, "journal.db"))
        found = undelivered(evidence)[0][:3]
    return found


def settle(house, phones, evidence):
    begin = told = time.time()
    while True:
        left = not_at_rest(house, phones, evidence)
        if not left or time.time() - begin > BOUND:
            break
        if time.time() - told > 30:
            told = time.time()
            print(f"  {told - begin:.0f} s after the last fault: {'; '.join(left)}", flush=True)
        time.sleep(1)
    evidence.unsettled = [f"{text} ({BOUND:.0f} s after the last fault)" for text in left]
    evidence.settled_after = time.time() - begin


def collect(house, phones, evidence):
    """Each phone asks for what it knows that it misses, shows its log, and the daemon ends in order."""
    limit = time.time() + BOUND
    for phone in phones:
        asked = 0.0
        while time.time() < limit:
            # The phone may ask 30 times a minute in all, most of which is for the gaps themselves.
            if time.time() - asked > 20:
                asked = time.time()
                phone.say("sync")
            time.sleep(3)
            if phone.read_log() and not phone.log.missing:
                break
    evidence.differences = differences(house)
    if not house.end_daemon():
        evidence.unsettled.append("the daemon did not end after SIGTERM")
    evidence.rows, evidence.integrity = collect_rows(os.path.join(house.state, "journal.db"))
    evidence.replay = replay(house)
    with open(house.place("push.json"), "w") as file:
        json.dump(house.push_truth(), file, indent=1)
    shutil.copy(os.path.join(house.state, "journal.db"), house.place("journal.db"))


def replay(house):
    """The flight recorder's ring, kept with the run, told to the core of the same program."""
    recorder = house.place("recorder")
    shutil.copytree(os.path.join(house.state, "recorder"), recorder)
    done = subprocess.run([house.program, "replay", recorder], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=300, check=False)
    lines = done.stdout.strip().splitlines() or [""]
    if done.returncode != 0:
        print("\n".join(lines[-40:]), flush=True)
    return done.returncode, lines[-1]


def differences(house):
    """What is really so in the simulated house, against what the box believes.

    Of zones it can know what the module knows, which takes them for closed after its start.
    """
    truth, status = house.tell_panel("truth"), house.status()
    if not truth or status is None:
        return [("state", "shown" if truth else "not shown", "shown" if status else "not shown")]
    truth = json.loads(truth)
    boxes = {zone["zone"]: zone["open"] for zone in status["zones"]}
    words = {True: "open", False: "closed"}
    found = [(f"zone {zone['number']}", words[zone["isOpenAtModule"]], words[boxes[zone["number"]]])
             for zone in truth["zones"] if boxes.get(zone["number"]) not in (None, zone["isOpenAtModule"])]
    armed = {"armed", "exitDelay", "entryDelay"}
    for partition in truth["partitions"][:2]:
        box = next(p["state"] for p in status["partitions"] if p["partition"] == partition["number"])
        known = next(iter(partition["status"]), "") if isinstance(partition["status"], dict) else partition["status"]
        if (known in armed) != box.startswith(("armed", "exit", "entry")):
            found.append((f"partition {partition['number']}", known, box))
    return found
