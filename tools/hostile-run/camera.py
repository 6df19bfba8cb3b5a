"""A camera over TLS that gives no picture, or one without end; the process that takes pictures meets it, not the daemon."""
import os

import web
from wire import say

PORT = 7110
TLS = True
RECOVERS = True
NEEDS_ALARM = True
HELPER = "picture"
SHORTEST = 1.2
START = b"\xff\xd8\xff\xe0"
END = b"\xff\xd9"
# Bytes of the largest picture that is accepted (AlarmModel, PictureReference).
LARGEST = 400_000
PICTURE = START + bytes(LARGEST - len(START + END)) + END
CHALLENGE = 'WWW-Authenticate: Digest realm="camera", nonce="{}", qop="auth"'


def socket_of(place):
    return os.path.join(place, "picture.socket")


def helper(program, place):
    return [program, "run-picture", "--directory", os.path.join(place, "pictures"), "--ca-file", f"{place}/ca.pem"]


def prepare(place, program):
    os.mkdir(os.path.join(place, "pictures"))


def section(place):
    """One camera: with two, ten minutes would take more pictures than a day may have."""
    return f"""cameras:
  Hall: {{url: 'https://localhost:{PORT}/hall.jpg', user: box, password: word-of-a-test}}
pictures: {{socket: {socket_of(place)}, megabytes: 8}}
"""


def is_logged_in(request):
    return "authorization" in request.fields


def ask_login(talk, nonce="n1"):
    web.answer(talk, status="401 Unauthorized", fields=(CHALLENGE.format(nonce),))


def give(talk, picture):
    web.answer(talk, picture, fields=("Content-Type: image/jpeg",))


def good(talk, rng):
    while True:
        if is_logged_in(web.Request(talk)):
            give(talk, PICTURE)
            say("ready")
        else:
            ask_login(talk)


def endless_picture(talk, rng, request):
    talk.send(b"HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\n\r\n" + START)
    talk.flood(bytes(16384))


def pictures_in_a_stream(talk, rng, request):
    """What many cameras have at the address beside: each part a whole picture."""
    talk.send(b"HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=b\r\n\r\n")
    part = PICTURE[:20_000] + END
    talk.flood(b"--b\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(part) + part)


def too_large(talk, rng, request):
    give(talk, PICTURE[:-2] + bytes(rng.choice((1, 100, 8_000_000))) + END)
    talk.pause(0.1)


def no_end(talk, rng, request):
    give(talk, PICTURE[:rng.randrange(len(START), LARGEST)])
    talk.pause(0.1)


def wild_segments(talk, rng, request):
    """Segments of JPEG whose lengths lead nowhere."""
    lengths = (b"\0\0", b"\0\1", b"\0\2", b"\xff\xff")
    segments = b"".join(b"\xff" + bytes([rng.randrange(0xC0, 0xFF)]) + rng.choice(lengths) for _ in range(500))
    give(talk, START + segments * 190 + rng.choice((END, b"", END * 1000)))
    talk.pause(0.1)


def picture_drip(talk, rng, request):
    talk.send(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n")
    talk.drip(PICTURE[:5000], 0.05)


def picture_in_bytes(talk, rng, request):
    """A good answer, split at each byte."""
    talk.drip(b"HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\n" + PICTURE[:198] + END, 0.001)


def picture_in_tiny_chunks(talk, rng, request):
    web.stream(talk, "image/jpeg")
    talk.send(web.chunk(START))
    for _ in range(LARGEST):
        talk.send(web.chunk(b"\0") * 100)


def same_challenge_again(talk, rng, request):
    ask_login(talk, rng.choice(("n1", "n" * 5000, "\\", "")))
    talk.pause(0.1)


def many_challenges(talk, rng, request):
    schemes = ('Basic realm="c"', 'Digest nonce="x", algorithm=SHA-512', 'Digest qop="auth-int", nonce="y"', "Negotiate",
               'Digest nonce="', "Digest " + "a=b, " * 300)
    fields = [f"WWW-Authenticate: {rng.choice(schemes)}" for _ in range(rng.choice((1, 20, 200)))]
    web.answer(talk, status="401 Unauthorized", fields=fields)
    talk.pause(0.1)


OWN = (endless_picture, pictures_in_a_stream, too_large, no_end, wild_segments, picture_drip, picture_in_bytes,
       picture_in_tiny_chunks, many_challenges)
ATTACKS = web.attacks((*web.TRICKS, *OWN), lambda request, rng: not is_logged_in(request) and rng.random() < 0.5,
                      lambda talk, request: ask_login(talk)) + web.attacks((same_challenge_again,))
