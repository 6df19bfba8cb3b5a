"""A mail server that takes the mail and never lets go, or will not have it encrypted."""
from wire import Stage, say, tls_of

PORT = 7104
TLS = False
RECOVERS = True
NEEDS_ALARM = True


def section(place):
    return f"""alert_email:
  smtp_host: localhost
  smtp_port: {PORT}
  security: starttls
  ca_file: {place}/ca.pem
  user: box
  password: word-of-a-test
  addr_from: box@mail.test
  addr_to: [anna@mail.test, ben@mail.test]
  triggers: [alarm]
  timing: {{setup_deadline: 2s, answer_patience: 2s, reconnect_minimum: 50ms, reconnect_maximum: 500ms,
           reconnect_urgent: 200ms, refused_wait: 20ms, retry_first: 200ms}}
"""


def stage(place, seed):
    """TLS comes in the middle of a talk."""
    made = Stage(PORT, None, seed)
    made.later_tls = tls_of(place)
    return made


EHLO = b"250-mail.test\r\n250-PIPELINING\r\n250-AUTH PLAIN LOGIN\r\n250 8BITMIME\r\n"
USUAL = {"AUTH": b"235 in\r\n", "MAIL": b"250 ok\r\n", "RCPT": b"250 ok\r\n", "DATA": b"354 go on\r\n", "RSET": b"250 ok\r\n",
         "NOOP": b"250 ok\r\n"}


def serve(talk, rng, at="", play=None):
    """As a server does, until the command of the attack comes; the end of a mail is the command `.`"""
    talk.send(b"220 mail.test ESMTP\r\n")
    is_secure = False
    while True:
        verb = talk.until(b"\r\n").decode("latin-1").strip().upper()[:4]
        if verb == at:
            play(talk, rng)
        if verb == "EHLO":
            talk.send(EHLO if is_secure else b"250-mail.test\r\n250 STARTTLS\r\n")
        elif verb == "STAR":
            talk.send(b"220 go\r\n")
            talk.secure()
            is_secure = True
        elif verb == "DATA":
            talk.send(USUAL[verb])
            talk.until(b"\r\n.\r\n")
            if at == ".":
                play(talk, rng)
            talk.send(b"250 queued\r\n")
            say("ready")
        else:
            talk.send(USUAL.get(verb, b"502 what\r\n"))


def good(talk, rng):
    serve(talk, rng)


def inside(at, play, name):
    def attack(talk, rng):
        serve(talk, rng, at, play)
    attack.__name__ = name
    return attack


def endless_reply(talk, rng):
    talk.flood(rng.choice((b"250-more\r\n", b"354-more\r\n", b"235-x\r\n")) * 1000)


def endless_line(talk, rng):
    talk.flood(b"250-" + b"a" * 16000)


def refusal(talk, rng):
    code = rng.choice((421, 450, 451, 452, 500, 530, 535, 550, 552, 554))
    talk.send(b"%d %s\r\n" % (code, rng.choice((b"no", b"\xff\xfe" * 300, b"%s%n" * 50))))
    talk.pause(0.3)


def silence(talk, rng):
    talk.swallow()


def surplus(talk, rng):
    talk.flood(b"250 ok\r\n" * 2000)


def endless_greeting(talk, rng):
    talk.flood(b"220-welcome\r\n" * 1000)


def slow_greeting(talk, rng):
    for byte in b"220 " + b"z" * 10_000:
        talk.send(bytes([byte]))
        talk.pause(0.03)


def strips_encryption(talk, rng):
    """Who goes on without it gives the password away: that would be worse than any flood."""
    talk.send(b"220 mail.test ESMTP\r\n")
    while True:
        verb = talk.until(b"\r\n")[:4].upper()
        talk.send(EHLO if verb in (b"EHLO", b"HELO") else b"235 in\r\n" if verb == b"AUTH" else b"454 not now\r\n")
        if verb in (b"AUTH", b"MAIL"):
            say("clear", verb.decode())


def injects_before_encryption(talk, rng):
    """What is said in clear before TLS must not count inside."""
    talk.send(b"220 mail.test ESMTP\r\n")
    talk.until(b"\r\n")
    talk.send(b"250-mail.test\r\n250 STARTTLS\r\n")
    talk.until(b"\r\n")
    talk.send(b"220 go\r\n" + EHLO + b"235 in\r\n250 ok\r\n" * 50)
    talk.secure()
    talk.swallow()


def swallows_handshake(talk, rng):
    talk.send(b"220 mail.test ESMTP\r\n")
    talk.until(b"\r\n")
    talk.send(b"250-mail.test\r\n250 STARTTLS\r\n")
    talk.until(b"\r\n")
    talk.send(b"220 go\r\n")
    talk.flood(rng.choice((b"\x16\x03\x01\xff\xff", b"HTTP/1.1 200 OK\r\n", b"\0")) * 1000)


def noise(talk, rng):
    talk.flood(rng.randbytes(4096))


ATTACKS = [endless_greeting, slow_greeting, strips_encryption, injects_before_encryption, swallows_handshake, noise]
ATTACKS += [inside(at, play, f"{play.__name__}_at_{place}")
            for at, place in (("EHLO", "ehlo"), ("AUTH", "login"), ("DATA", "data"), (".", "end"))
            for play in (endless_reply, endless_line, refusal, silence, surplus)]
