"""A work queue (beanstalkd) that hands out what nobody put in, in any size."""

from wire import say

PORT = 7103
TLS = False
RECOVERS = True


def section(place):
    return f"""beanstalkd:
  enabled: true
  host: 127.0.0.1
  port: {PORT}
  tubes: {{commands: [commands], events: [cli]}}
  commands: [status, arm]
  timing: {{ping_after: 1s, setup_deadline: 2s, answer_patience: 2s, reconnect_minimum: 50ms, reconnect_maximum: 500ms}}
"""


def reply(talk):
    """Does what one line asks, as beanstalkd does; false where it asks for a job."""
    words = talk.until(b"\r\n").decode("latin-1").split()
    verb = words[0] if words else ""
    if verb == "put":
        talk.take(int(words[4]) + 2)
        talk.send(b"INSERTED 1\r\n")
    elif verb == "use":
        talk.send(f"USING {words[1]}\r\n".encode())
    elif verb in ("watch", "ignore"):
        talk.send(b"WATCHING 1\r\n")
    elif verb.startswith("reserve"):
        return False
    elif verb.startswith("stats") or verb.startswith("list"):
        table = b"---\ntotal-jobs: 1\n"
        talk.send(b"OK %d\r\n" % len(table) + table + b"\r\n")
    else:
        talk.send({"delete": b"DELETED\r\n", "release": b"RELEASED\r\n", "bury": b"BURIED\r\n",
                   "touch": b"TOUCHED\r\n"}.get(verb, b"UNKNOWN_COMMAND\r\n"))
    return True


def good(talk, rng):
    while True:
        if not reply(talk):
            say("ready")
            talk.pause(1)
            talk.send(b"TIMED_OUT\r\n")


def at_job(play):
    """An attack when a job is asked for; it may come back, for the next one."""
    def attack(talk, rng):
        while True:
            if not reply(talk):
                play(talk, rng)
    attack.__name__ = play.__name__
    return attack


def job(number, body):
    return b"RESERVED %d %d\r\n" % (number, len(body)) + body + b"\r\n"


def jobs_without_end(talk, rng):
    """As fast as they are asked for: commands, and what is none."""
    body = rng.choice((b"status", b"arm", b"open sesame", b'{"code":"030","data":"1"}'))
    talk.send(job(rng.randrange(1, 10**9), body))


def huge_job(talk, rng):
    talk.send(b"RESERVED 7 %d\r\n" % rng.choice((9_999_999_999, 2_000_000_000)))
    talk.flood(b'{"type":' * 2000)


def impossible_jobs(talk, rng):
    talk.send(rng.choice((b"RESERVED 1 -1\r\n", b"RESERVED 99999999999999999999 5\r\n", b"RESERVED 1\r\n",
                          b"RESERVED x y\r\n", b"RESERVED 1 3\r\nabcdefgh\r\n", b"RESERVED  \r\n", b"\r\n",
                          b"RESERVED 1 5\n")))


def unasked_jobs(talk, rng):
    talk.flood(job(5, b"status") * 300)


def large_jobs(talk, rng):
    talk.send(job(rng.randrange(1, 10**9), b"z" * 65_000))


def deep_jobs(talk, rng):
    body = rng.choice((b"[", b'{"a":')) * 700
    talk.send(job(rng.randrange(1, 10**9), body))


def timeouts(talk, rng):
    talk.flood(b"TIMED_OUT\r\n" * 1000)


def endless_line(talk, rng):
    talk.flood(b"RESERVED" * 2000)


def huge_table(talk, rng):
    talk.send(b"OK 9999999999\r\n")
    talk.flood(b"key: value\n" * 1000)


def noise(talk, rng):
    talk.flood(rng.randbytes(8192))


def byte_by_byte(talk, rng):
    for byte in job(3, b"status" * 100):
        talk.send(bytes([byte]))
        talk.pause(0.02)


def refuses_all(talk, rng):
    """From the first line on, in the words of the protocol."""
    while True:
        talk.until(b"\r\n")
        talk.send(rng.choice((b"OUT_OF_MEMORY\r\n", b"INTERNAL_ERROR\r\n", b"DRAINING\r\n", b"BAD_FORMAT\r\n",
                              b"JOB_TOO_BIG\r\n", b"EXPECTED_CRLF\r\n", b"NOT_FOUND\r\n", b"NOT_IGNORED\r\n",
                              b"DEADLINE_SOON\r\n")))


def answers_before_questions(talk, rng):
    talk.flood(b"INSERTED 1\r\nUSING cli\r\nWATCHING 2\r\n" * 300)


def hangs_up(talk, rng):
    talk.pause(rng.random() * 0.2)
    talk.close(rng.random() < 0.5)


def says_nothing(talk, rng):
    talk.swallow()


ATTACKS = [at_job(play) for play in (
    jobs_without_end, huge_job, impossible_jobs, unasked_jobs, large_jobs, deep_jobs, timeouts, endless_line, huge_table,
    noise, byte_by_byte)] + [refuses_all, answers_before_questions, hangs_up, says_nothing]
