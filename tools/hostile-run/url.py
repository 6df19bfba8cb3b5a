"""A web address of the house that is told of alarms beside the good one; the dead man's switch and the provider of calls are
at the same server."""
import web
from wire import say

PORT = 7106
TLS = True
# Told to wait for a day it waits for minutes (docs/push.md C.2): longer than anybody looks on here.
RECOVERS = False
NEEDS_ALARM = True


def section(place):
    """`alert_url` stands there already: its list goes on here."""
    return f"""    - {{url: 'https://localhost:{PORT}/hook?type=', ca_file: {place}/ca.pem}}
    - {{url: 'https://localhost:{PORT}/post', method: post, secret: at-least-16-characters, ca_file: {place}/ca.pem}}
heartbeat: {{url: 'https://localhost:{PORT}/ping', every: 1s, ca_file: {place}/ca.pem}}
calls:
  {{numbers: {{Anna: '+431234567'}}, after: 1s, url: 'https://localhost:{PORT}/call', ca_file: {place}/ca.pem,
   form: {{to: '{{number}}', say: '{{words}}'}}, call_id: id, status_url: 'https://localhost:{PORT}/call/{{call}}', key: key}}
"""


def good(talk, rng):
    while True:
        request = web.Request(talk)
        web.answer(talk)
        if "hook" in request.target:
            say("ready")


ATTACKS = web.attacks()
