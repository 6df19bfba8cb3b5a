"""A push service that speaks as Google's did (FCM over XMPP), with an original app that is let in."""
import json
import re

import stanzas
from wire import APP, say

PORT = 7108
TLS = True
RECOVERS = True
IS_LEGACY = True
DOMAIN, JID = b"gcm.googleapis.com", b"100200300@gcm.googleapis.com/1"
SESSION = b'<session xmlns="urn:ietf:params:xml:ns:xmpp-session"/>'


def section(place):
    return f"""alert_gcm: {{sender_id: '100200300', api_key: key-of-a-test}}
phones:
  fcm: {{host: localhost, port: {PORT}, ca_file: {place}/ca.pem}}
  legacy: {{enabled: true}}
  timing: {{ping_after: 1s, ping_patience: 1s, setup_deadline: 2s, ack_patience: 2s, reconnect_minimum: 50ms,
           reconnect_maximum: 400ms, reconnect_urgent: 200ms, refused_wait: 20ms}}
"""


def message(said):
    text = json.dumps(said).replace("&", "&amp;").replace("<", "&lt;")
    return b'<message><data:gcm xmlns:data="google:mobile:data">' + text.encode() + b"</data:gcm></message>"


def enter(talk):
    stanzas.enter(talk, DOMAIN, JID, SESSION)
    talk.until(b"</iq>")
    talk.send(b'<iq id="s1" type="result"/>')


def answer(talk, kind, number, whole):
    """As the service does: messages are taken, pings answered."""
    if kind == b"iq":
        talk.send(b'<iq type="result" id="%s"/>' % number)
        return
    found = re.search(rb'message_id(?:"|&quot;):(?:"|&quot;)([^"&]+)', whole)
    if found:
        talk.send(message({"message_type": "ack", "from": APP, "message_id": found.group(1).decode()}))


def good(talk, rng):
    enter(talk)
    say("ready")
    stanzas.serve(talk, answer)


def inside(play):
    def attack(talk, rng):
        enter(talk)
        play(talk, rng)
    attack.__name__ = play.__name__
    return attack


def upstream(rng, token, said):
    return message({"category": "com.x", "from": token, "message_id": f"m-{rng.randrange(10**12)}", "data": said})


def asks_without_end(talk, rng):
    """An app that is let in asks for the state; each is owed an answer and an acknowledgement."""
    while True:
        talk.send(b"".join(upstream(rng, APP, {"command": "status"}) for _ in range(30)))


def asks_and_hears_nothing(talk, rng):
    talk.is_reading = False
    asks_without_end(talk, rng)


def strangers(talk, rng):
    """Each with a token of its own."""
    while True:
        tokens = (f"t{rng.randrange(10**15)}:APA91b" + "x" * 100 for _ in range(30))
        talk.send(b"".join(upstream(rng, token, {"command": "arm"}) for token in tokens))


def deep_messages(talk, rng):
    deep = rng.choice((b"[", b'{"data":')) * 7000
    talk.flood(b'<message><gcm xmlns="google:mobile:data">' + deep + b"</gcm></message>")


def wrong_acknowledgements(talk, rng):
    while True:
        kind = rng.choice(("ack", "nack", "receipt", "control", "x" * 500))
        said = {"message_type": kind, "from": APP, "error": "E" * 50, "registration_id": "r" * 50}
        talk.send(b"".join(message({**said, "message_id": str(rng.randrange(10**9))}) for _ in range(50)))


def always_draining(talk, rng):
    talk.flood(message({"message_type": "control", "control_type": "CONNECTION_DRAINING"}) * 50)


def questions_unread(talk, rng):
    """Each question is owed an answer, and nobody reads them."""
    talk.is_reading = False
    talk.flood(b'<iq type="get" id="q"><ping xmlns="urn:xmpp:ping"/></iq>' * 200)


def errors(talk, rng):
    talk.flood(b'<message id="1" type="error"><gcm xmlns="google:mobile:data">{}</gcm><error code="400"/></message>' * 100)


def refuses_all(talk, rng):
    def refuse(talk, kind, number, whole):
        found = re.search(rb'message_id(?:"|&quot;):(?:"|&quot;)([^"&]+)', whole)
        error = rng.choice(("DEVICE_MESSAGE_RATE_EXCEEDED", "SERVICE_UNAVAILABLE", "INVALID_JSON", "CONNECTION_DRAINING"))
        if found:
            talk.send(message({"message_type": "nack", "from": APP, "message_id": found.group(1).decode(), "error": error}))
    stanzas.serve(talk, refuse)


PLAYS = (asks_without_end, asks_and_hears_nothing, strangers, deep_messages, wrong_acknowledgements, always_draining,
         questions_unread, errors, refuses_all)
ATTACKS = [inside(play) for play in PLAYS + stanzas.RAW] + [stanzas.before_login(DOMAIN, play) for play in stanzas.EARLY]
