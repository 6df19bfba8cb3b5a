"""A topic server (ntfy): takes what is published, and streams of topics that never end well."""
import json
import re

import web
from wire import say

PORT = 7101
TLS = True
RECOVERS = True
NEEDS_ALARM = True
PAIR = ("phones", "pair", "--person", "Anna", "--ntfy", "--name", "app", "--allow", "arm,status")


def section(place):
    return f"""ntfy:
  server: https://localhost:{PORT}
  ca_file: {place}/ca.pem
  timing: {{answer_patience: 2s, setup_deadline: 2s, silence: 3s, reconnect_minimum: 50ms, reconnect_maximum: 500ms,
           reconnect_urgent: 200ms, refused_wait: 20ms}}
"""


def is_stream(request):
    return request.method == "GET" and "/json" in request.target


def topic_of(request):
    return request.target.strip("/").split("/")[0].split(",")[0]


def publish(talk, request):
    """As a server does; the digits of a pairing are told to whoever started this."""
    found = re.search(rb"code (\d{6})", request.body)
    if found:
        say("digits", found.group(1).decode())
    web.answer(talk, json.dumps({"id": "abcdefgh1234", "time": web.now(), "event": "message", "topic": "t"}).encode())


def good(talk, rng):
    while True:
        request = web.Request(talk)
        if is_stream(request):
            web.stream(talk, "application/x-ndjson")
            say("ready")
            topic = topic_of(request)
            line = json.dumps({"id": "keep", "time": web.now(), "event": "keepalive", "topic": topic})
            web.keep_alive(talk, line.encode() + b"\n")
        publish(talk, request)


def message(topic, number, text="status"):
    return json.dumps({"id": f"m{number:010d}", "time": web.now(), "event": "message", "topic": topic,
                       "message": text}).encode() + b"\n"


def on_stream(play):
    """An attack by the stream; what is published is taken."""
    def attack(talk, rng):
        while True:
            request = web.Request(talk)
            if is_stream(request):
                web.stream(talk, "application/x-ndjson")
                play(talk, rng, topic_of(request))
            publish(talk, request)
    attack.__name__ = play.__name__
    return attack


def endless_line(talk, rng, topic):
    talk.send(web.chunk(b'{"event":"message","message":"'))
    talk.flood(web.chunk(b"a" * 16000))


def nested_lines(talk, rng, topic):
    talk.flood(web.chunk(rng.choice((b"[", b'{"a":')) * 6000 + b"\n"))


def millions_of_messages(talk, rng, topic):
    """Each a new one, as from an app that is let in: rubbish, or what it may ask for."""
    number = rng.randrange(10**9)
    while True:
        block = b"".join(message(topic, number + k, rng.choice(("status", "help", "x" * 200))) for k in range(50))
        number += 50
        talk.send(web.chunk(block))


def big_messages(talk, rng, topic):
    number = rng.randrange(10**9)
    while True:
        number += 1
        talk.send(web.chunk(message(topic, number, "z" * 60_000)))


def same_message(talk, rng, topic):
    talk.flood(web.chunk(message(topic, 7) * 100))


def strange_lines(talk, rng, topic):
    lines = (b"null\n", b"\n", b"{}\n", b'{"event":"message"}\n', b'{"event":1e999,"id":"\xff"}\n', b"\x00\n",
             b"9" * 5000 + b"\n",
             b'{"event":"open","time":-9223372036854775808}\n', b'{"event":"keepalive","time":9223372036854775807}\n')
    while True:
        talk.send(web.chunk(b"".join(rng.choice(lines) for _ in range(500))))


def opens_and_ends(talk, rng, topic):
    talk.send(b"0\r\n\r\n")
    talk.close()


def is_spared(request, rng):
    """The stream mostly: who is refused there waits for longer and longer."""
    return is_stream(request) and rng.random() < 0.8


def spare(talk, request):
    web.stream(talk, "application/x-ndjson")
    web.keep_alive(talk, b"{}\n")


ATTACKS = [on_stream(play) for play in (endless_line, nested_lines, millions_of_messages, big_messages, same_message,
                                        strange_lines, opens_and_ends)] + web.attacks(web.TRICKS, is_spared, spare)
