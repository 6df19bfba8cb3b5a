"""The other side of one way, as a process: PEER[:ATTACK] good SEED SECONDS PLACE, or `hostile` in place of `good`.

Good, it says "ready" whenever the daemon's way stands, and lives until it is ended. Hostile, it plays all its attacks in
an order from the seed, in the seconds given, and says at last what it did.
"""
import importlib
import json
import os
import random
import sys
import threading
import time

from wire import Stage, say, tls_of


def shuffled(attacks, seed):
    attacks = list(attacks)
    random.Random(seed).shuffle(attacks)
    return attacks


def play(stage, attacks, seconds, turns):
    """Each attack has its turn; the turns come round again in a long run. Whom nobody comes to says so."""
    slice_ = seconds / (len(attacks) * turns)
    for _ in range(turns):
        for attack in attacks:
            say("plays", attack.__name__)
            stage.begin(attack)
            before = stage.counts[attack.__name__][0]
            time.sleep(slice_ / 3)
            if stage.counts[attack.__name__][0] == before:
                say("unmet")
            time.sleep(slice_ * 2 / 3)


# Seconds for an attack: shorter, and the daemon's pause between two attempts is longer than it. A module whose peer is met
# by a new process each time has a longer `SHORTEST` of its own.
SHORTEST, LONGEST = 0.7, 4.0


def main(name, mode, seed, seconds, place):
    name, _, wanted = name.partition(":")
    module = importlib.import_module(name)
    make = getattr(module, "stage", None)
    stage = make(place, seed) if make else Stage(module.PORT, tls_of(place) if module.TLS else None, seed)
    stage.begin(module.good)
    if mode == "good":
        say("listens")
        threading.Event().wait()
    attacks = shuffled([attack for attack in module.ATTACKS if wanted in ("", attack.__name__)], f"{seed} {name}")
    # As many as fit; another seed, others of them.
    attacks = attacks[:max(4, int(seconds / getattr(module, "SHORTEST", SHORTEST)))]
    turns = max(1, round(seconds / (LONGEST * len(attacks))))
    say("listens")
    play(stage, attacks, seconds, turns)
    stage.end()
    del stage.counts[module.good.__name__]
    say("played", json.dumps(stage.counts))


if __name__ == "__main__":
    os.nice(10)
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), sys.argv[5])
