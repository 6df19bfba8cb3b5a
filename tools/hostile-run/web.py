"""What a web server can do to whoever asks it, for every way that speaks HTTP."""
import gzip
import time

# Made once: an attack has no time for it.
BOMB = gzip.compress(bytes(20_000_000), 1)
FOREVER = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: {}\r\n\r\n"


class Request:
    def __init__(self, talk):
        lines = talk.until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        self.method, self.target = (lines[0].split(" ") + ["", ""])[:2]
        self.fields = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
        self.body = talk.take(int(self.fields.get("content-length", "0")))


def answer(talk, body=b"", status="200 OK", fields=()):
    head = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *fields]
    talk.send("\r\n".join(head).encode() + b"\r\n\r\n" + body)


def chunk(data):
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


def stream(talk, kind):
    talk.send(FOREVER.format(kind).encode())


def endless_status_line(talk, rng, request):
    talk.send(b"HTTP/1.1 200 ")
    talk.flood(b"OK" * 8192)


def endless_header(talk, rng, request):
    talk.send(b"HTTP/1.1 200 OK\r\nX-Long: ")
    talk.flood(b"a" * 16384)


def endless_headers(talk, rng, request):
    talk.send(b"HTTP/1.1 200 OK\r\n")
    talk.flood(b"X-A: 1\r\n" * 1000)


def endless_body(talk, rng, request):
    talk.send(b"HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n")
    talk.flood(b'{"a":' * 3000)


def body_without_length(talk, rng, request):
    talk.send(b"HTTP/1.1 200 OK\r\n\r\n")
    talk.flood(b"[" * 16384)


def endless_chunk(talk, rng, request):
    talk.send(FOREVER.format("application/json").encode() + b"7fffffffffffffff\r\n")
    talk.flood(b" " * 16384)


def chunk_nonsense(talk, rng, request):
    sizes = (b"-5", b"zz", b"0x10", b"ffffffffffffffffffff", b" 5", b"", b"5;" + b"e" * 30000)
    talk.send(FOREVER.format("text/plain").encode() + rng.choice(sizes) + b"\r\nabcde\r\n")
    talk.flood(b"\r\n" * 8000)


def endless_trailers(talk, rng, request):
    talk.send(FOREVER.format("text/plain").encode() + b"0\r\n")
    talk.flood(b"X-T: 1\r\n" * 1000)


def tiny_chunks(talk, rng, request):
    stream(talk, "application/json")
    talk.flood(chunk(b"x") * 2000)


def interim_flood(talk, rng, request):
    talk.flood(b"HTTP/1.1 100 Continue\r\n\r\n" * 500)


def retry_in_a_day(talk, rng, request):
    status = rng.choice(("503 Service Unavailable", "429 Too Many Requests", "500 Internal"))
    answer(talk, b"{}", status, ("Retry-After: 86400",))
    talk.pause(0.2)


def redirects(talk, rng, request):
    place = rng.choice((request.target, "https://localhost/", "//x/", "https://" + "a" * 5000, "ftp://[::1", "\x01"))
    answer(talk, b"", rng.choice(("301 Moved", "302 Found", "307 Again", "308 Again")), (f"Location: {place}",))
    talk.pause(0.1)


def gzip_bomb(talk, rng, request):
    answer(talk, BOMB, fields=("Content-Encoding: gzip", "Content-Type: application/json"))
    talk.pause(0.2)


def slow_loris(talk, rng, request):
    for byte in b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\nX: " + b"y" * 10_000:
        talk.send(bytes([byte]))
        talk.pause(0.05)


def surplus(talk, rng, request):
    answer(talk, b"{}")
    talk.flood(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}" * 300)


def deep_json(talk, rng, request):
    part = rng.choice((b"[", b'{"a":', b'{"error":['))
    answer(talk, part * (250_000 // len(part)), rng.choice(("200 OK", "400 Bad Request")))
    talk.pause(0.1)


def false_time(talk, rng, request):
    year = rng.choice((1970, 1999, 2099, 9999))
    answer(talk, b"{}", "503 No", (f"Date: Fri, 01 Jan {year} 00:00:00 GMT",))
    talk.pause(0.1)


def noise(talk, rng, request):
    talk.flood(rng.randbytes(16384))


def hang_up(talk, rng, request):
    talk.send(b"HTTP/1.1 200 OK\r\nContent-Le"[:rng.randrange(1, 27)])
    talk.close(rng.random() < 0.5)


def nothing(talk, rng, request):
    talk.swallow()


TRICKS = (
    endless_status_line, endless_header, endless_headers, endless_body, body_without_length, endless_chunk, chunk_nonsense,
    endless_trailers, tiny_chunks, interim_flood, retry_in_a_day, redirects, gzip_bomb, slow_loris, surplus, deep_json,
    false_time, noise, hang_up, nothing)


def attacks(tricks=TRICKS, is_spared=None, good=None):
    """The tricks as attacks; what `is_spared` says of a request is answered by `good`, so that others follow."""
    def attack_of(trick):
        def attack(talk, rng):
            while True:
                request = Request(talk)
                if is_spared and is_spared(request, rng):
                    good(talk, request)
                else:
                    trick(talk, rng, request)
        attack.__name__ = trick.__name__
        return attack
    return [attack_of(trick) for trick in tricks]


def keep_alive(talk, line, every=1.0):
    """A stream's signs of life, until somebody hangs up."""
    while True:
        talk.send(chunk(line))
        talk.pause(every)


def now():
    return int(time.time())
