"""One run: `run.py PROGRAM MINUTES SEED DIRECTORY`, in namespaces of its own (tools/nemesis makes them).

Exit: 0 every promise held, 1 one did not, or the run could not be made.
"""
import random
import threading
import time

import entry
import faults
import settle
from history import History
from house import PATIENCE, House
from phones import Phone
from report import table
from workload import Workload
from world import World

STAYING = {"anna-phone": "Anna", "anna-tablet": "Anna", "ben-phone": "Ben"}
OUTSIDER, NEWCOMER = "stolen", "carla-phone"


def wait(what, condition, within=2 * PATIENCE):
    limit = time.time() + within
    while not condition():
        if time.time() > limit:
            raise RuntimeError(f"{what} did not come about within {within} s")
        time.sleep(0.3)


def is_up(house):
    status = house.status()
    return status is not None and status["panel"]["phase"] == "up" and status["phones"]["connection"] == "ready"


def arrive(house, phones, delay):
    """A phone that comes in the middle of it all; when that fails it tries again, as people do."""
    time.sleep(delay)
    phone = Phone(house, NEWCOMER)
    for _ in range(8):
        try:
            phone.pair("Carla")
            phones.append(phone)
            return
        except RuntimeError as problem:
            house.history.note("pairing failed", why=str(problem))
            house.command("phones", "cancel")
            time.sleep(3)


def main(program, minutes, seed, directory):
    seconds = minutes * 60
    history = History(f"{directory}/history.jsonl")
    world = World()
    house = House(directory, program, history, seed)
    house.start_daemon()
    wait("a session with the panel", lambda: is_up(house))
    for person in ("Anna", "Ben", "Carla", "Thief"):
        house.command("people", "add", person)
    phones = {name: Phone(house, name) for name in STAYING}
    outsider = Phone(house, OUTSIDER)
    for name, person in STAYING.items():
        phones[name].pair(person)
    outsider.pair("Thief")
    outsider.shut_out()
    print(f"{len(phones)} phones are paired, one was shut out; {minutes:g} minutes of faults, seed {seed}", flush=True)

    start = time.time()
    planned = faults.plan(seed, seconds, sorted(phones))
    history.evidence.planned = len(planned)
    nemesis = faults.Nemesis(world, house, phones, outsider, history)
    work = Workload(house, phones, history, seed)
    worker = threading.Thread(target=work.run, daemon=True)
    worker.start()
    late = []
    newcomer = threading.Thread(
        target=arrive, args=(house, late, random.Random(seed).uniform(0.1, 0.4) * seconds), daemon=True)
    newcomer.start()
    nemesis.run(planned, start)
    time.sleep(max(0, start + seconds - time.time()))
    work.stopped.set()
    worker.join(30)
    nemesis.calm()
    newcomer.join(120)
    everyone = [*phones.values(), *late]
    settle.settle(house, everyone, history.evidence)
    if not history.evidence.unsettled:
        # An alarm after all faults: the way is whole again. Three polls later the box is known to have read it.
        rest = history.evidence.settled_after
        work.alarm()
        history.evidence.final_alarm = history.evidence.alarms[-1]
        time.sleep(18)
        settle.settle(house, everyone, history.evidence)
        history.evidence.settled_after = rest
    settle.collect(house, everyone, history.evidence)
    lines, held = table(history.evidence)
    if not late:
        lines.insert(1, "  The newcomer could not be paired; its checks are left out.")
    text = "\n".join(lines)
    print(text)
    with open(f"{directory}/report.txt", "w") as file:
        file.write(text + "\n")
    print(f"\n{'Every promise held' if held else 'A PROMISE IS BROKEN'}: {minutes:g} minutes, seed {seed}")
    return 0 if held else 1


if __name__ == "__main__":
    entry.run(main)
