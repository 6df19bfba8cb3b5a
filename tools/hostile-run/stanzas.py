"""What a server can do with XML, for both ways that speak XMPP: the pushes of CCS and an account."""
import base64
import hashlib
import hmac
import re

PASSWORD = b"word-of-a-test"
HEADER = (b'<stream:stream from="%s" id="9F095DD2A3785B12" version="1.0" xmlns:stream="http://etherx.jabber.org/streams" '
          b'xmlns="jabber:client">')
OFFER = (b'<stream:features><mechanisms xmlns="urn:ietf:params:xml:ns:xmpp-sasl"><mechanism>PLAIN</mechanism></mechanisms>'
         b'</stream:features>')
INSIDE = (b'<stream:features><bind xmlns="urn:ietf:params:xml:ns:xmpp-bind"/>%s</stream:features>')


def said(talk, tag):
    """What the client says for its login, out of base64."""
    talk.until(b"<" + tag)
    return base64.b64decode(talk.until(b"</" + tag).split(b">", 1)[1].rsplit(b"<", 1)[0])


def challenge(talk, text, name=b"challenge"):
    talk.send(b'<%s xmlns="urn:ietf:params:xml:ns:xmpp-sasl">%s</%s>' % (name, base64.b64encode(text), name))


def scram(talk, rounds=4096):
    """SCRAM-SHA-256: the server proves that it knows the password, too."""
    bare = said(talk, b"auth").split(b",", 2)[2]
    salt = b"salt of a test"
    first = b"r=%sx,s=%s,i=%d" % (bare.split(b"r=")[1], base64.b64encode(salt), rounds)
    challenge(talk, first)
    final = said(talk, b"response").rsplit(b",p=", 1)[0]
    salted = hashlib.pbkdf2_hmac("sha256", PASSWORD, salt, rounds)
    key = hmac.digest(salted, b"Server Key", "sha256")
    signature = hmac.digest(key, b",".join((bare, first, final)), "sha256")
    challenge(talk, b"v=" + base64.b64encode(signature), b"success")


def enter(talk, domain, jid, more=b"", is_scram=False):
    """The login, up to a stream that stands."""
    talk.until(b"<stream:stream")
    talk.until(b">")
    talk.send(HEADER % domain + (OFFER.replace(b"PLAIN", b"SCRAM-SHA-256") if is_scram else OFFER))
    if is_scram:
        scram(talk)
    else:
        talk.until(b"</auth>")
        talk.send(b'<success xmlns="urn:ietf:params:xml:ns:xmpp-sasl"/>')
    talk.until(b"<stream:stream")
    talk.until(b">")
    talk.send(HEADER % domain + INSIDE % more)
    talk.until(b"</iq>")
    talk.send(b'<iq id="b1" type="result"><bind xmlns="urn:ietf:params:xml:ns:xmpp-bind"><jid>%s</jid></bind></iq>' % jid)


def questions(talk):
    """The ids of the questions and messages that have come, each with its kind; what is half there stays."""
    found = []
    for match in re.finditer(rb"<(iq|message)\b[^>]*?\bid=[\"']([^\"']+)[\"'][^>]*>.*?</\1>", talk.heard, re.S):
        found.append((match.group(1), match.group(2), match.group(0)))
        end = match.end()
    if found:
        talk.heard = talk.heard[end:]
    return found


def serve(talk, answer):
    """Answers what comes, until somebody hangs up."""
    while True:
        for kind, number, whole in questions(talk):
            answer(talk, kind, number, whole)
        talk.pause(0.05)


# Before the login, or after it: it makes no difference to a reader.
def endless_attribute(talk, rng):
    talk.send(b'<message from="')
    talk.flood(b"a" * 16384)


def endless_name(talk, rng):
    talk.send(b"<")
    talk.flood(b"m" * 16384)


def endless_text(talk, rng):
    talk.send(b"<message><body>")
    talk.flood(b"text &amp; " * 1500)


def many_attributes(talk, rng):
    talk.send(b"<message")
    number = 0
    while True:
        talk.send(b"".join(b' a%d="1"' % (number + k) for k in range(500)))
        number += 500


def many_children(talk, rng):
    talk.send(b"<message>")
    talk.flood(b"<a/>" * 4000)


def deep_nesting(talk, rng):
    talk.send(b"<message>")
    talk.flood(b"<a>" * 5000)


def many_namespaces(talk, rng):
    talk.send(b"<message>")
    number = 0
    while True:
        number += 1
        talk.send(b'<x%d:y xmlns:x%d="urn:%s"/>' % (number, number, b"u" * 2000))


def entities(talk, rng):
    talk.send(rng.choice((
        b'<!DOCTYPE a [<!ENTITY b "bbbbbbbb"><!ENTITY c "&b;&b;&b;&b;&b;&b;">]><a>&c;</a>',
        b"<?xml version='1.0' encoding='utf-7'?>",
        b"<message>&undefined;</message>", b"<message>&#0;&#x110000;&#xD800;</message>", b"<!-- " + b"-" * 100_000,
        b"<![CDATA[" + b"]" * 100_000, b"<message>" + b"&#65;" * 30_000)))
    talk.pause(0.2)


def blanks(talk, rng):
    talk.flood(b" \n" * 8192)


def noise(talk, rng):
    talk.flood(rng.randbytes(8192))


def byte_by_byte(talk, rng):
    for byte in b"<message><body>" + b"slow " * 1000:
        talk.send(bytes([byte]))
        talk.pause(0.02)


def swallow(talk, rng):
    talk.swallow()


def ends(talk, rng):
    condition = rng.choice((b"conflict", b"see-other-host", b"system-shutdown", b"policy-violation", b"x" * 5000))
    talk.send(rng.choice((b"", b'<stream:error><%s xmlns="urn:ietf:params:xml:ns:xmpp-streams"/></stream:error>' % condition))
              + b"</stream:stream>")
    talk.pause(0.1)


RAW = (endless_attribute, endless_name, endless_text, many_attributes, many_children, deep_nesting, many_namespaces, entities,
       blanks, noise, byte_by_byte, swallow, ends)


def before_login(domain, play):
    """Behind the header, where the features belong."""
    def attack(talk, rng):
        talk.until(b"<stream:stream")
        talk.until(b">")
        talk.send(HEADER % domain)
        play(talk, rng)
    attack.__name__ = f"{play.__name__}_before"
    return attack


def endless_features(talk, rng):
    talk.send(b'<stream:features><mechanisms xmlns="urn:ietf:params:xml:ns:xmpp-sasl">')
    talk.flood(b"<mechanism>SCRAM-SHA-999</mechanism>" * 400)


def no_mechanism(talk, rng):
    names = (rng.choice((b"X-OAUTH2", b"EXTERNAL", b"m" * 200)) for _ in range(300))
    all_ = b"".join(b"<mechanism>%s</mechanism>" % name for name in names)
    talk.send(OFFER.replace(b"<mechanism>PLAIN</mechanism>", all_))
    talk.pause(0.2)


def challenges(talk, rng):
    talk.send(OFFER.replace(b"PLAIN", b"SCRAM-SHA-256"))
    talk.until(b"</auth>")
    talk.flood(b'<challenge xmlns="urn:ietf:params:xml:ns:xmpp-sasl">cj1h</challenge>' * 200)


EARLY = (endless_attribute, endless_text, deep_nesting, swallow, endless_features, no_mechanism, challenges)
