"""A chat server with the house's account, and a person whom the box writes to."""
import re

import stanzas
from wire import say

PORT = 7109
TLS = True
RECOVERS = True
PAIR = ("phones", "pair", "--person", "Anna", "--xmpp", "anna@house.test", "--allow", "arm,status")
DOMAIN, JID = b"house.test", b"box@house.test/1"
MANAGED = b'<sm xmlns="urn:xmpp:sm:3"/>'


def section(place):
    return f"""xmpp:
  jid: box@house.test
  password: word-of-a-test
  host: 127.0.0.1
  port: {PORT}
  security: tls
  ca_file: {place}/ca.pem
  timing: {{ping_after: 1s, ping_patience: 1s, setup_deadline: 2s, ack_patience: 2s, reconnect_minimum: 50ms,
           reconnect_maximum: 400ms, reconnect_urgent: 200ms, refused_wait: 20ms}}
"""


def answer(talk, kind, number, whole):
    if kind == b"iq" and b"roster" in whole:
        talk.send(b'<iq type="result" id="%s"><query xmlns="jabber:iq:roster"/></iq>' % number)
    elif kind == b"iq":
        talk.send(b'<iq type="result" id="%s"/>' % number)
    else:
        found = re.search(rb"code[^0-9]{0,20}(\d{6})", whole)
        if found:
            say("digits", found.group(1).decode())


def good(talk, rng):
    stanzas.enter(talk, DOMAIN, JID, is_scram=True)
    say("ready")
    stanzas.serve(talk, answer)


def inside(play, more=b""):
    def attack(talk, rng):
        stanzas.enter(talk, DOMAIN, JID, more, is_scram=True)
        play(talk, rng)
    attack.__name__ = play.__name__ + ("_managed" if more else "")
    return attack


def enabled(talk):
    """Stream management: stanzas are counted, and what is not acknowledged is kept."""
    talk.until(b"<enable")
    talk.send(b'<enabled xmlns="urn:xmpp:sm:3" id="s" resume="true"/>')


def chat(sender, text):
    return b'<message from="%s/1" type="chat" id="c"><body>%s</body></message>' % (sender, text)


def a_person_asks(talk, rng):
    """A person who is let in writes without end; each is owed words, and nobody reads them."""
    talk.is_reading = False
    talk.flood(b"".join(chat(b"anna@house.test", rng.choice((b"help", b"status", b"arm", b"x" * 3000))) for _ in range(20)))


def strangers_write(talk, rng):
    while True:
        talk.send(b"".join(chat(b"e%d@house.test" % rng.randrange(10**9), b"open 123456") for _ in range(50)))


def strangers_ask_to_watch(talk, rng):
    while True:
        talk.send(b"".join(b'<presence type="%s" from="e%d@house.test"/>' % (
            rng.choice((b"subscribe", b"subscribed", b"unsubscribe")), rng.randrange(10**9)) for _ in range(80)))


def presences(talk, rng):
    while True:
        talk.send(b"".join(b'<presence from="anna@house.test/r%d"/>' % rng.randrange(10**9) for _ in range(100)))


def questions_unread(talk, rng):
    talk.is_reading = False
    disco = b'<query xmlns="http://jabber.org/protocol/disco#info"/>'
    kind = rng.choice((b'<ping xmlns="urn:xmpp:ping"/>', disco, b"<y xmlns='u'/>"))
    talk.flood(b"".join(b'<iq type="get" id="%s" from="x@y.test/%d">%s</iq>' % (b"i" * 900, k, kind) for k in range(20)))


def huge_roster(talk, rng):
    def reply(talk, kind, number, whole):
        if b"roster" in whole:
            people = b"".join(b'<item jid="p%d@house.test" subscription="both"/>' % k for k in range(1200))
            talk.send(b'<iq type="result" id="%s"><query xmlns="jabber:iq:roster">%s</query></iq>' % (number, people))
        else:
            answer(talk, kind, number, whole)
    stanzas.serve(talk, reply)


def messages_come_back(talk, rng):
    """What the box writes is taken, and returned as an error."""
    def reply(talk, kind, number, whole):
        if kind == b"message":
            talk.send(b'<message type="error" from="anna@house.test" id="%s"><error type="cancel"><service-unavailable '
                      b'xmlns="urn:ietf:params:xml:ns:xmpp-stanzas"/></error></message>' % number * 20)
        else:
            answer(talk, kind, number, whole)
    stanzas.serve(talk, reply)


def acknowledges_nothing(talk, rng):
    enabled(talk)
    talk.pause(3600)


def acknowledges_too_much(talk, rng):
    enabled(talk)
    while True:
        talk.send(b'<a xmlns="urn:xmpp:sm:3" h="%d"/>' % rng.choice((0, 7, 4294967295, 99999999999999999999)) * 100)


def asks_for_counts(talk, rng):
    enabled(talk)
    talk.is_reading = False
    talk.flood(b'<r xmlns="urn:xmpp:sm:3"/>' * 500)


def costly(talk, rounds):
    nonce = stanzas.said(talk, b"auth").split(b"r=")[1]
    stanzas.challenge(talk, b"r=%sx,s=c2FsdA==,i=%d" % (nonce, rounds))
    talk.pause(3600)


def costly_login(talk, rng):
    """SCRAM with as many rounds as fit: whoever computes them has nothing else to do."""
    talk.until(b"<stream:stream")
    talk.until(b">")
    talk.send(stanzas.HEADER % DOMAIN + stanzas.OFFER.replace(b"PLAIN", b"SCRAM-SHA-256"))
    costly(talk, rng.choice((4_294_967_295, 10_000_000, 1_000_000)))


PLAYS = (a_person_asks, strangers_write, strangers_ask_to_watch, presences, questions_unread, huge_roster, messages_come_back)
ATTACKS = [inside(play) for play in PLAYS + stanzas.RAW] + [
    inside(play, MANAGED) for play in (acknowledges_nothing, acknowledges_too_much, asks_for_counts)] + [
    stanzas.before_login(DOMAIN, play) for play in stanzas.EARLY] + [costly_login]
