"""The Realtime Database, whose stream of events never ends and says anything; sign-in and messages are well."""
import json

import fcm
import web
from wire import say

PORT = fcm.PORT
TLS = True
RECOVERS = True
IS_LEGACY = True
prepare = fcm.prepare


def section(place):
    return fcm.section(place, f"  database: https://localhost:{PORT}/up/box1\n")


def is_stream(request):
    return request.method == "GET" and ".json" in request.target


def serve(talk, request):
    """What is no stream; removals, too."""
    if ".json" in request.target:
        web.answer(talk, b"null")
    else:
        fcm.serve(talk, request)


def event(kind, path, data):
    return f"event: {kind}\ndata: {json.dumps({'path': path, 'data': data})}\n\n".encode()


def good(talk, rng):
    while True:
        request = web.Request(talk)
        if is_stream(request):
            web.stream(talk, "text/event-stream")
            talk.send(web.chunk(event("put", "/", None)))
            say("ready")
            web.keep_alive(talk, b"event: keep-alive\ndata: null\n\n")
        serve(talk, request)


def on_stream(play):
    def attack(talk, rng):
        while True:
            request = web.Request(talk)
            if is_stream(request):
                web.stream(talk, "text/event-stream")
                play(talk, rng)
            serve(talk, request)
    attack.__name__ = play.__name__
    return attack


def endless_line(talk, rng):
    talk.send(web.chunk(b"data: "))
    talk.flood(web.chunk(b"a" * 16000))


def endless_event(talk, rng):
    talk.send(web.chunk(b"event: put\n"))
    talk.flood(web.chunk(b'data: {"path":"/","data":[\n' * 500))


def endless_comment(talk, rng):
    talk.flood(web.chunk(b":" + b"c" * 8000 + b"\n"))


def signs_of_life(talk, rng):
    talk.flood(web.chunk(b"event: keep-alive\ndata: null\n\n" * 400))


def many_nodes(talk, rng):
    """More than was asked for, and each new."""
    while True:
        nodes = {f"-k{rng.randrange(10**12)}": {"command": "ping", "token": "t" * 40} for _ in range(300)}
        talk.send(web.chunk(event("put", "/", nodes)))


def new_nodes(talk, rng):
    while True:
        talk.send(web.chunk(b"".join(event("put", f"/-n{rng.randrange(10**12)}", {"command": "status"}) for _ in range(50))))


def large_node(talk, rng):
    talk.send(web.chunk(b'event: put\ndata: {"path":"/-big","data":{"m":"'))
    talk.flood(web.chunk(b"b" * 16000))


def deep_nodes(talk, rng):
    deep = rng.choice((b"[", b'{"a":')) * 9000
    talk.flood(web.chunk(b'event: put\ndata: {"path":"/-deep","data":' + deep + b"\n\n"))


def patches(talk, rng):
    while True:
        talk.send(web.chunk(b"".join(event("patch", f"/-n{rng.randrange(50)}/x/y", {"a": 1}) for _ in range(100))))


def takes_rights_away(talk, rng):
    talk.send(web.chunk(rng.choice((b"event: cancel\ndata: null\n\n", b"event: auth_revoked\ndata: no\n\n"))))
    talk.pause(0.2)


def strange_events(talk, rng):
    parts = (b"event: put\ndata: x\n\n", b"event: put\n\n", b"data:\n\n", b"event: \xff\xfe\ndata: 1e999\n\n",
             b"\r\r\n\n", b"id: 1\nretry: 99999999999999\n\n",
             b'event: put\ndata: {"path":"../../x","data":1}\n\n',
             b'event: put\ndata: {"path":"/","data":"a"}\n\n', b"\xef\xbb\xbf\n")
    while True:
        talk.send(web.chunk(b"".join(rng.choice(parts) for _ in range(400))))


def is_spared(request, rng):
    return not is_stream(request) or rng.random() < 0.3


def spare(talk, request):
    if is_stream(request):
        web.stream(talk, "text/event-stream")
        talk.pause(0.3)
        talk.close()
    else:
        serve(talk, request)


PLAYS = (endless_line, endless_event, endless_comment, signs_of_life, many_nodes, new_nodes, large_node, deep_nodes, patches,
         takes_rights_away, strange_events)
TRICKS = (web.endless_header, web.endless_chunk, web.tiny_chunks, web.redirects, web.interim_flood, web.chunk_nonsense)
ATTACKS = [on_stream(play) for play in PLAYS] + web.attacks(TRICKS, is_spared, spare)
