"""What can go wrong, and a plan of it from a seed. The plan is made before the run: the same seed, the same faults."""
import dataclasses
import random
import signal
import threading
import time

from house import CONFIGURATION


@dataclasses.dataclass(frozen=True)
class Kind:
    """`holds`: no other fault with one of these at the same time, nor within `rest` seconds after its end."""

    name: str
    weight: int
    shortest: float
    longest: float
    holds: tuple
    rest: float = 1.0


KINDS = (
    Kind("link down", 4, 2, 20, ("link",)),
    Kind("link black holed", 4, 2, 25, ("link",)),
    Kind("all links black holed", 2, 3, 20, ("ethernet", "wifi")),
    Kind("panel's wire black holed", 3, 2, 25, ("lan",)),
    Kind("panel's wire down", 2, 2, 15, ("lan",)),
    Kind("panel session dropped", 3, 0, 0, ("panel",)),
    Kind("module restarts", 2, 3, 8, ("panel",)),
    Kind("module takes the box for gone", 2, 2, 15, ("panel",), 3),
    Kind("module silent", 2, 3, 20, ("panel",)),
    Kind("module talks rubbish", 2, 0, 0, ("panel",)),
    Kind("module's lines in pieces", 2, 3, 15, ("panel",)),
    Kind("module acknowledges nothing", 2, 0, 0, ("panel",)),
    Kind("push connection cut", 3, 0, 0, ("push",)),
    Kind("push drains", 2, 0, 0, ("push",)),
    Kind("push half-open", 3, 0, 0, ("push",)),
    Kind("push refuses connections", 3, 3, 20, ("push",)),
    Kind("push stopped (SIGSTOP)", 2, 2, 25, ("push",)),
    Kind("push killed, with a new authority", 1, 0, 0, ("push", "daemon", "all phones"), 5),
    Kind("push certificate expired", 1, 5, 15, ("push",)),
    Kind("push talks rubbish", 2, 0, 0, ("push",)),
    Kind("push refuses messages", 2, 0, 0, ("push",)),
    Kind("push doubles and disorders", 3, 0, 0, ("push",)),
    Kind("daemon killed (SIGKILL)", 5, 0.1, 3, ("daemon",), 2),
    Kind("daemon stopped (SIGSTOP)", 3, 1, 12, ("daemon",)),
    Kind("disk full", 3, 3, 15, ("daemon", "disk"), 15),
    Kind("configuration read again", 2, 0, 0, ("daemon",)),
    Kind("wrong configuration read", 1, 1, 3, ("daemon",)),
    Kind("phone away", 4, 3, 30, ("phone",)),
    Kind("phone killed", 3, 1, 15, ("phone",)),
    Kind("messages replayed", 4, 0, 0, ()),
    Kind("shut-out phone commands", 3, 0, 0, ()),
)


@dataclasses.dataclass(frozen=True)
class Planned:
    begin: float
    span: float
    kind: Kind
    # Which of its like; whatever else it draws.
    choice: int


def plan(seed, seconds, phones):
    """Faults until `seconds`, none of which outlasts them by more than its span."""
    generator = random.Random(seed)
    free, planned, now = {}, [], 1.0
    while now < seconds:
        kind = generator.choices(KINDS, [kind.weight for kind in KINDS])[0]
        span = generator.uniform(kind.shortest, kind.longest)
        choice = generator.randrange(1_000_000)
        holds = held(kind, choice, phones)
        if all(free.get(name, 0) <= now for name in holds):
            planned.append(Planned(now, min(span, max(0, seconds - now)), kind, choice))
            for name in holds:
                free[name] = now + span + kind.rest
            now += generator.uniform(1, 7)
        else:
            now += 0.25
    return planned


def held(kind, choice, phones):
    names = {"link": ("ethernet", "wifi")[choice % 2], "phone": phones[choice % len(phones)]}
    result = tuple(names.get(name, name) for name in kind.holds)
    return (*result, *phones) if "all phones" in result else result


class Nemesis:
    """Carries a plan out. `phones`: by name; `outsider`: the phone that was shut out."""

    def __init__(self, world, house, phones, outsider, history):
        self.world, self.house, self.phones, self.outsider, self.history = world, house, phones, outsider, history
        self.ends = []
        self.pieces = []

    def run(self, planned, start):
        for item in planned:
            pause = start + item.begin - time.time()
            if pause > 0:
                time.sleep(pause)
            thread = threading.Thread(target=self._carry_out, args=(item,), daemon=True)
            thread.start()
            self.pieces.append(thread)
        for thread in self.pieces:
            thread.join(60)

    def _carry_out(self, item):
        try:
            begin, end = self._steps(item.kind.name, item.choice, item.span)
            # Whoever is told something and answers nothing was not there.
            told = begin()
            answer = "ok" if told is None else str(told) or "not made: nobody answered"
            self.history.fault(item.kind.name, item.span, answer)
            if end:
                time.sleep(item.span)
                end()
        except Exception as problem:  # A fault that could not be made is no failure of the box; it is told.
            self.history.fault(item.kind.name, item.span, f"not made: {problem}")

    def _steps(self, name, choice, span):
        """What begins it and what ends it."""
        house, world = self.house, self.world
        panel, push = house.tell_panel, house.tell_push
        link = ("ethernet", "wifi")[choice % 2]
        phone = self.phones[sorted(self.phones)[choice % len(self.phones)]]
        count = choice % 5 + 1

        def up(link):
            world.carrier(link, True)
            if link != "lan":
                world.route(link)

        def kill():
            house.kill_daemon()

        def reconfigure(text):
            house.write_configuration(text)
            house.reload()

        def away(is_online):
            phone.is_online = is_online
            phone.say("online" if is_online else "offline")

        def again():
            phone.start()

        steps = {
            "link down": (lambda: world.carrier(link, False), lambda: up(link)),
            "link black holed": (lambda: world.black_hole(link, True), lambda: world.black_hole(link, False)),
            "all links black holed": (lambda: [world.black_hole(n, True) for n in ("ethernet", "wifi")] and "ok",
                                      lambda: [world.black_hole(n, False) for n in ("ethernet", "wifi")]),
            "panel's wire black holed": (lambda: world.black_hole("lan", True), lambda: world.black_hole("lan", False)),
            "panel's wire down": (lambda: world.carrier("lan", False), lambda: up("lan")),
            "panel session dropped": (lambda: panel(f"drop {('reset', 'close')[choice % 2]}"), None),
            "module restarts": (lambda: panel(f"reboot {span:.0f}s"), lambda: None),
            # It holds the old session; its restart ends that.
            "module takes the box for gone": (lambda: panel("vanish"), lambda: panel("reboot 1s")),
            "module silent": (lambda: panel(f"fault silent {('on', 'deaf')[choice % 2]}"),
                              lambda: panel("fault silent off")),
            "module talks rubbish": (lambda: panel(f"fault garbage {count}"), None),
            "module's lines in pieces": (lambda: panel("fault fragment anywhere"), lambda: panel("fault fragment off")),
            "module acknowledges nothing": (lambda: panel("fault noack 1"), None),
            "push connection cut": (lambda: push(("close-abrupt", "close-graceful")[choice % 2]), None),
            "push drains": (lambda: push(("drain", "drain-nack")[choice % 2]), None),
            "push half-open": (lambda: push("half-open"), None),
            "push refuses connections": (lambda: (push("refuse-connect on"), push("close-abrupt"))[0],
                                         lambda: push("refuse-connect off")),
            "push stopped (SIGSTOP)": (lambda: house.push.send_signal(signal.SIGSTOP),
                                       lambda: house.push.send_signal(signal.SIGCONT)),
            "push killed, with a new authority": (lambda: house.replace_push(world), None),
            "push certificate expired": (lambda: (push("certificate expired"), push("close-abrupt"))[0],
                                         lambda: push("certificate valid")),
            "push talks rubbish": (lambda: push(("garbage", "stream-error reset", "space")[choice % 3]), None),
            "push refuses messages": (lambda: push(f"nack SERVICE_UNAVAILABLE {count}"), None),
            "push doubles and disorders": (
                lambda: push((f"duplicate down {count}", f"duplicate up {count}", f"reorder down {count + 1}",
                              f"reorder up {count + 1}", "delay-acks 3s")[choice % 5]),
                lambda: push("delay-acks off")),
            "daemon killed (SIGKILL)": (kill, house.start_daemon),
            "daemon stopped (SIGSTOP)": (lambda: house.signal_daemon(signal.SIGSTOP),
                                         lambda: house.signal_daemon(signal.SIGCONT)),
            "disk full": (house.fill_disk, house.free_disk),
            "configuration read again": (house.reload, None),
            "wrong configuration read": (lambda: reconfigure(CONFIGURATION + "nonsense: {a: 1}\n"),
                                         lambda: reconfigure(CONFIGURATION)),
            "phone away": (lambda: away(False), lambda: away(True)),
            "phone killed": (phone.kill, again),
            "messages replayed": (lambda: [phone.replay(choice + n) for n in range(count)][0], None),
            "shut-out phone commands": (
                lambda: (self.outsider.command("output 4"), self.outsider.replay(choice))[0], None),
        }
        return steps[name]

    def calm(self):
        """No fault is left; everything is alive."""
        self.world.mend()
        for phone in self.phones.values():
            if phone.process.poll() is not None:
                phone.start()
            if not phone.is_online:
                phone.say("online")
        self.house.push.send_signal(signal.SIGCONT)
        for word in ("faults off", "refuse-connect off", "half-open off", "certificate valid", "delay-acks off"):
            self.house.tell_push(word)
        # Connections whose end got lost on the way: a real service drops them by and by.
        self.house.tell_push("close-abrupt")
        for word in ("faults off", "keybus up"):
            self.house.tell_panel(word)
        self.house.free_disk()
        self.house.write_configuration(CONFIGURATION)
        if self.house.daemon.poll() is None:
            self.house.signal_daemon(signal.SIGCONT)
            self.house.reload()
        elif not self.house.is_wanted:
            self.house.start_daemon()
