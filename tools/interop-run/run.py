"""One run with the real Home Assistant, in namespaces of its own: PROGRAM ROOT VERSION PLACE WAY."""
import json
import os
import signal
import subprocess
import sys
import time
import traceback

from checks import NOTHING, Checks
from home_assistant import HomeAssistant
from house import BROKER, ELSEWHERE, SECURED_BROKER, USERS, House
from pages import Pages
from trust import OverTLS


def interrupted(*_):
    raise KeyboardInterrupt


def mount(root, place):
    """The Debian sees this run's directory, its processes, and the machine's devices; the box, that the clock is set."""
    os.makedirs(f"{root}/interop", exist_ok=True)
    for words in (["ip", "link", "set", "lo", "up"], ["ip", "address", "add", f"{ELSEWHERE}/32", "dev", "lo"],
                  ["mount", "--bind", place, f"{root}/interop"],
                  ["mount", "-t", "proc", "proc", f"{root}/proc"], ["mount", "--rbind", "/dev", f"{root}/dev"],
                  ["mount", "-t", "tmpfs", "none", "/run"]):
        subprocess.run(words, check=True)
    os.makedirs("/run/systemd/timesync")
    open("/run/systemd/timesync/synchronized", "w").close()


def try_all(checks):
    broken = []
    for name, check in checks.all():
        try:
            seen, sentences = check()
        except (OSError, RuntimeError, KeyError, ValueError, subprocess.SubprocessError) as problem:
            seen, sentences = "the check could not be ended", [f"{type(problem).__name__}: {problem}"]
            traceback.print_exc(file=open(checks.house.path("run.log"), "a"))
        verdict = "BROKEN" if sentences else "left  " if seen.startswith(NOTHING) else "held  "
        print(f"{verdict} {name}: {seen}", flush=True)
        for sentence in sentences[:12]:
            print(f"           {sentence}", flush=True)
        if len(sentences) > 12:
            print(f"           and {len(sentences) - 12} more", flush=True)
        if sentences:
            broken.append(name)
    return broken


def main(program, root, version, place, way):
    begin = time.monotonic()
    mount(root, place)
    house = House(program, root, place, way)
    home_assistant = HomeAssistant(root, version, place)
    home_assistant.start()
    release = home_assistant.take_over()
    broker = (ELSEWHERE, SECURED_BROKER) if way == "tls" else ("127.0.0.1", BROKER)
    home_assistant.add_mqtt(*broker, "homeassistant", USERS["homeassistant"],
                            house.path("authority.pem") if way == "tls" else None)
    home_assistant.listen()
    print(f"Home Assistant {release}, up and joined to the broker after {time.monotonic() - begin:.0f} s", flush=True)
    house.start()
    house.wait_up()
    pages = Pages(home_assistant, place)
    checks = (OverTLS if way == "tls" else Checks)(house, home_assistant, pages)
    broken = try_all(checks)
    with open(house.path("entities.json"), "w") as file:
        json.dump(home_assistant.entities(), file, indent=1)
    pages.close()
    home_assistant.stop()
    verdict = f"BROKEN: {', '.join(broken)}" if broken else "Everything that could be tried held"
    print(f"\n{verdict}: {len(checks.all())} checks with Home Assistant {release}, {time.monotonic() - begin:.0f} s")
    return 1 if broken else 0


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupted)
    status = 1
    try:
        status = main(*sys.argv[1:])
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        status = 130
    except Exception:
        traceback.print_exc()
    # The namespaces end with this process, and everything in them.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
