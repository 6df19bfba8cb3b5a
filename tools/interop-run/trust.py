"""The same house with a broker that is another machine, has TLS with an authority of its own and is trusted by the box.

All checks are tried over it; then what has to be refused where the authority, TLS or the trust is another.
"""
import time

import judge
from checks import Checks
from house import BASE, CODE


class OverTLS(Checks):
    def all(self):
        checks = super().all()
        place = [name for name, _ in checks].index("more commands") + 1
        return [*checks[:place], ("a broker of another authority", self.stranger),
                ("verbs without TLS", lambda: self.refused("plain")),
                ("verbs without trust", lambda: self.refused("untrusted")), *checks[place:]]

    def stranger(self):
        """The broker shows a certificate that the box's authority has not signed: nothing is said to it."""
        self.house.restart("stranger")
        self.ha.wait(self.panel, "unavailable")
        mark = self.ha.mark()
        time.sleep(8)
        wrong = judge.stays(self.path(mark, self.panel), self.now(self.panel), "unavailable")
        said = [line.strip() for line in self.house.command("phones", "list").stdout.splitlines() if "certificate" in line]
        wrong += [] if said else ["the box does not say that it is the certificate"]
        self.house.restart("tls")
        wrong += [] if self.ha.wait(self.panel, "disarmed") else ["it does not come back by the right authority"]
        return f"the box stays away: '{said[0] if said else ''}'", wrong

    def refused(self, way):
        """Each verb that needs TLS and trust, also from somebody who knows what to write where nothing is offered."""
        self.house.restart(way)
        wrong, _ = self.until(lambda: judge.announced(self.house.announced(), self.ha.entities()), 30)
        self.learn()
        wrong += [f"{key} is offered" for key in self.ids if key.startswith(("bypass_", "output_"))]
        wrong += [] if self.ha.wait(self.panel, "disarmed") else ["the panel does not become 'disarmed'"]
        mark, order = self.ha.mark(), f"{BASE}/partition/1/set"
        for verb, action in (("force", "ARM_CUSTOM_BYPASS"), ("panic", "TRIGGER")):
            answer = self.answer(lambda: self.house.tell_broker(order, f'{{"action":"{action}"}}'))
            wrong += judge.answered(verb, answer, ("refused",))
        # Where nothing is offered the box does not even listen.
        before = self.now(self.event)
        self.house.tell_broker(f"{BASE}/zone/3/bypass", "ON")
        self.house.tell_broker(f"{BASE}/partition/1/output", "1")
        time.sleep(3)
        wrong += judge.are({self.event: before}, {self.event: self.now(self.event)})
        wrong += judge.stays(self.path(mark, self.panel), self.now(self.panel), "disarmed") + self.arm()
        answer = self.answer(lambda: self.house.tell_broker(order, f'{{"action":"DISARM","code":"{CODE}"}}'))
        wrong += judge.answered("disarm by the code that is always the same", answer, ("refused",))
        wrong += judge.stays([], self.now(self.panel), "armed_away")
        self.house.tell("keypad 1 disarm user 1")
        wrong += [] if self.ha.wait(self.panel, "disarmed") else ["disarming at the keypad was not shown"]
        self.house.restart("tls")
        wrong += [] if self.ha.wait(self.panel, "disarmed") else ["it does not come back by TLS"]
        self.learn()
        wrong += [] if self.ha.wait(self.ids["bypass_3"], "off") else ["the zone was bypassed"]
        return (f"force, panic, disarm refused, bypass and output not heard; arming is done. Of disarm: "
                f"'{answer.get('text')}'"), wrong
