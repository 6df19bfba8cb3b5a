"""The host that offers newer versions, over TLS: what it gives for the offer or for the bundle is nonsense, old, or endless.
The process that fetches meets it, not the daemon."""
import json
import os
import socket
import subprocess
import threading
import time
import zlib

import web
from wire import Stage, say, tls_of

PORT = 7111
TLS = True
RECOVERS = True
# The host is asked because `drive` asks for it.
NEEDS_ALARM = True
HELPER = "fetch"
SHORTEST = 1.0
# A process for a bundle that `drive` begins itself, beside those of the daemon.
OWN_HELPERS = 1
BLOCK, BLOCKS = 4096, 1024
# Directory of the fetcher's socket, as the daemon knows it.
ROOT = "/run/howalarming-fetch"
OFFER, BUNDLE = "virt.offer", "1.1.0.bundle"
RUNNING = {"board": "virt", "version": "1.0.0", "number": 1_000_000, "floor": 900_000, "built": "2026-11-21T10:00:00Z"}


def socket_of(place):
    return os.path.join(ROOT, "socket")


def helper(program, place):
    return [program, "run-fetch", "--directory", f"{place}/fetched", "--release", f"{place}/release.json",
            "--keys", f"{place}/keys", "--floor", f"{place}/floor", "--status", f"{place}/status.json"]


def write(file, content):
    with open(file, "wb") as out:
        out.write(content)


def slot_image():
    """A slot of zeros with its trailer, which is checked when a bundle is made."""
    text = (f"howalarming-slot 1\nboard=virt\nversion=1.1.0\ndata_blocks={BLOCKS}\nhash_offset={BLOCKS * BLOCK}\n"
            f"root_hash={'cd' * 32}\nsalt=aa\n")
    trailer = text.encode().ljust(BLOCK - 4, b"\0")
    return bytes((BLOCKS + 1) * BLOCK) + trailer + zlib.crc32(trailer).to_bytes(4, "little")


def prepare(place, program):
    """Makes the machine look like the appliance's card: slots, a clock that is set, a link. Makes bundle and offers."""
    os.environ["RUNTIME_DIRECTORY"] = f"{place}/runtime"
    for directory in ("runtime", "fetched", "keys"):
        os.mkdir(os.path.join(place, directory))
    write(f"{place}/cmdline", b"howalarming.slot=A\n")
    write(f"{place}/release.json", json.dumps(RUNNING).encode())
    write(f"{place}/slot.image", slot_image())
    subprocess.run(["mount", "--bind", f"{place}/cmdline", "/proc/cmdline"], check=True)
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run"], check=True)
    os.mkdir(ROOT)
    os.makedirs("/run/systemd/timesync")
    write("/run/systemd/timesync/synchronized", b"")
    # Loopback is the link: an address of its own makes it one.
    subprocess.run(["ip", "address", "add", "10.9.0.1/24", "dev", "lo"], check=True)
    make_offers(place, program)


def make_offers(place, program):
    def bundle(*words):
        subprocess.run([program, "bundle", *words], check=True, capture_output=True, timeout=120)
    for key in ("key", "stranger"):
        bundle("keygen", "--out", f"{place}/{key}")
    os.rename(f"{place}/key.pub", f"{place}/keys/1.pub")
    file = f"{place}/{BUNDLE}"
    # The bundle that stays is the one with the known key.
    for key in ("stranger", "key"):
        bundle("make", "--board", "virt", "--version", "1.1.0", "--number", "1001000", "--floor", "900000",
               "--slot", f"{place}/slot.image", "--key", f"{place}/{key}", "--out", file)
        bundle("offer", file, "--key", f"{place}/{key}", "--out", f"{place}/{key}.offer", "--number", "7", "--days", "2")
    bundle("offer", file, "--key", f"{place}/key", "--out", f"{place}/old.offer", "--number", "3", "--days", "2")


def section(place):
    return f"""updates: {{url: 'https://localhost:{PORT}/{OFFER}', ca_file: {place}/ca.pem}}
links:
  ethernet: {{interface: lo}}
  probe: {{targets: ['127.0.0.1:8081', '127.0.0.1:4026'], timing: {{hold: 1s, flap_window: 1s}}}}
"""


def drive(box):
    """Has the daemon ask for the offer. The bundle is asked for in the daemon's place, which fetches none in an alarm."""
    box.request({"request": "updates", "do": "ask"})
    if fetching.acquire(blocking=False):
        threading.Thread(target=fetch, args=(box.directory,), daemon=True).start()


fetching = threading.Lock()


def fetch(place):
    """One bundle, as the daemon asks for it."""
    try:
        # A bundle that is there already is not fetched again.
        if os.path.exists(f"{place}/fetched/update.bundle"):
            os.unlink(f"{place}/fetched/update.bundle")
        with open(f"{place}/ca.pem") as file, socket.socket(socket.AF_UNIX) as connection:
            asked = {"do": "get", "url": f"https://localhost:{PORT}/{OFFER}", "authorities": file.read(), "seen": 0,
                     "now": int(time.time())}
            connection.connect(socket_of(place))
            connection.sendall(json.dumps(asked).encode() + b"\n")
            with open(f"{place}/fetched.log", "ab") as log:
                while data := connection.recv(65536):
                    log.write(data)
    except OSError:
        pass
    finally:
        fetching.release()


def stage(place, seed):
    made = Stage(PORT, tls_of(place), seed)
    for name in ("key", "stranger", "old"):
        with open(f"{place}/{name}.offer", "rb") as file:
            made.__dict__[name] = file.read()
    with open(f"{place}/{BUNDLE}", "rb") as file:
        made.bundle = file.read()
    return made


def is_offer(request):
    return request.target.endswith(OFFER)


def serve(talk, request):
    """Answers as a host of files does."""
    web.answer(talk, talk.stage.key if is_offer(request) else talk.stage.bundle)


def good(talk, rng):
    while True:
        request = web.Request(talk)
        serve(talk, request)
        if is_offer(request):
            say("ready")


def other_offers(talk, rng, request):
    """Offers that are signed by a stranger, older than one that was seen, or changed in one place."""
    whole = talk.stage.key
    place = rng.randrange(len(whole))
    changed = whole[:place] + bytes([whole[place] ^ 1 << rng.randrange(8)]) + whole[place + 1:]
    web.answer(talk, rng.choice((talk.stage.stranger, talk.stage.old, changed, whole[:place], whole + whole)))
    talk.pause(0.1)


def many_signatures(talk, rng, request):
    head, offer, signature = talk.stage.key.splitlines()[:3]
    web.answer(talk, b"\n".join([head, offer, *[signature] * rng.choice((2, 60, 5000))]) + b"\n")
    talk.pause(0.1)


def deep_offer(talk, rng, request):
    inner = rng.choice((b"[", b'{"bundle":', b'{"number":9' + b"9" * 5000 + b'}')) * 5
    web.answer(talk, b"howalarming-offer 1\n" + inner * rng.choice((1, 200)) + b"\n")
    talk.pause(0.1)


def other_bundle(talk, rng, request):
    """A bundle of the right length, with one bit changed."""
    content = bytearray(talk.stage.bundle)
    content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    web.answer(talk, bytes(content))
    talk.pause(0.1)


def other_length(talk, rng, request):
    content = talk.stage.bundle
    web.answer(talk, rng.choice((content + b"x", content[:-1], content * 2, b"", content[:4096])))
    talk.pause(0.1)


def breaks_off(talk, rng, request):
    content = talk.stage.bundle
    talk.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(content) + content[:rng.randrange(len(content))])
    talk.close(rng.random() < 0.5)


def part_of_it(talk, rng, request):
    """A range that nobody asked for."""
    web.answer(talk, talk.stage.bundle[100:5000], "206 Partial Content", ("Content-Range: bytes 100-4999/99999999999",))
    talk.pause(0.1)


def byte_by_byte(talk, rng, request):
    content = talk.stage.key if is_offer(request) else talk.stage.bundle[:3000]
    talk.drip(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(content) + content, 0)


def endless_bundle(talk, rng, request):
    web.stream(talk, "application/octet-stream")
    talk.flood(web.chunk(talk.stage.bundle[:65536]))


OFFERS = web.attacks((other_offers, many_signatures, deep_offer))
BUNDLES = (other_bundle, other_length, breaks_off, part_of_it, byte_by_byte, endless_bundle)
# Half of the offers are good ones, so that the bundle is asked for.
ATTACKS = OFFERS + web.attacks((*web.TRICKS, *BUNDLES), lambda request, rng: is_offer(request) and rng.random() < 0.5, serve)
