"""All peers, several at a time, each in a network of its own: PROGRAM SECONDS SEED DIRECTORY [PEER…]."""
import concurrent.futures
import json
import os
import subprocess
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "nemesis-run"))

import entry  # noqa: E402
from judge import Figures, broken, line  # noqa: E402

PEERS = ("panel", "ccs", "xmpp", "fcm", "database", "ntfy", "mqtt", "beanstalk", "smtp", "url", "dns", "receiver", "ups",
         "webpush", "camera", "updates")
# A processor each would be idle for most of the time: a peer waits for the daemon, and the daemon for its peer. With three
# for each processor, delays tell more of the machine than of the daemon.
AT_ONCE = 2 * len(os.sched_getaffinity(0))


def try_peer(program, name, seconds, seed, directory):
    here = os.path.dirname(os.path.abspath(__file__))
    place = os.path.join(directory, name)
    os.makedirs(place, mode=0o700)
    words = ["unshare", "--net", "--mount", "--", sys.executable, "-B", os.path.join(here, "watch.py"),
             program, name, str(seconds), str(seed), place]
    try:
        with open(os.path.join(place, "watch.log"), "w") as log:
            done = subprocess.run(words, stdin=subprocess.DEVNULL, check=False, stdout=subprocess.PIPE, stderr=log, text=True,
                                  timeout=seconds + 600)
        figures = Figures(**json.loads(done.stdout.splitlines()[-1]))
    except (subprocess.TimeoutExpired, ValueError, IndexError, TypeError) as problem:
        figures = Figures(name, problem=f"the run itself failed: {problem}")
    return figures


def main(program, seconds, seed, directory):
    names = sys.argv[5:] or PEERS
    begin = time.monotonic()
    print(f"Hostile peers: {len(names)}, {seconds:g} s each, seed {seed}", flush=True)
    failed = []
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        runs = [pool.submit(try_peer, program, name, seconds, seed, directory) for name in names]
        for run in concurrent.futures.as_completed(runs):
            figures = run.result()
            sentences = broken(figures)
            print(("held   " if not sentences else "BROKEN ") + line(figures), flush=True)
            for sentence in sentences:
                print(f"           {sentence}", flush=True)
            if sentences:
                failed.append(figures.peer)
    spent = time.monotonic() - begin
    verdict = f"BROKEN: {', '.join(failed)}" if failed else "Every bound held"
    print(f"\n{verdict}: {len(names)} hostile peers, seed {seed}, {spent:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    entry.run(main)
