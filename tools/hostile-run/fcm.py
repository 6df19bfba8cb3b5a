"""Google's sign-in and FCM over HTTP, with an original app that is let in, so that each alarm is a request."""
import json
import os
import subprocess

import web
from wire import say

PORT = 7105
TLS = True
RECOVERS = True
NEEDS_ALARM = True
IS_LEGACY = True


def prepare(place, program):
    """The key of a service account that signs in here."""
    made = subprocess.run(["openssl", "genpkey", "-algorithm", "RSA"], check=True, capture_output=True, text=True, timeout=60)
    account = {"type": "service_account", "project_id": "house-1", "private_key_id": "kid1", "private_key": made.stdout,
               "client_email": "box@house-1.iam.gserviceaccount.com", "token_uri": f"https://localhost:{PORT}/token"}
    file = os.path.join(place, "account.json")
    with open(os.open(file, os.O_WRONLY | os.O_CREAT, 0o600), "w") as out:
        json.dump(account, out)


def section(place, database=""):
    return f"""fcm_v1:
  service_account: {place}/account.json
  host: localhost
  port: {PORT}
{database}  ca_file: {place}/ca.pem
  timing: {{reconnect_minimum: 50ms, reconnect_maximum: 400ms, reconnect_urgent: 200ms, answer_patience: 2s,
           setup_deadline: 2s, refused_wait: 20ms, quota_wait: 200ms}}
phones:
  legacy: {{enabled: true}}
  timing: {{reconnect_minimum: 50ms, reconnect_maximum: 400ms, refused_wait: 20ms}}
"""


def is_sign_in(request):
    return request.target.startswith("/token")


def serve(talk, request):
    """As Google does."""
    if is_sign_in(request):
        said = {"access_token": "a-token", "expires_in": 3599, "token_type": "Bearer"}
    else:
        said = {"name": "projects/house-1/messages/1"}
    web.answer(talk, json.dumps(said).encode(), fields=("Content-Type: application/json",))


def good(talk, rng):
    while True:
        request = web.Request(talk)
        serve(talk, request)
        if ":send" in request.target:
            say("ready")


def is_spared(request, rng):
    """Without a token there is nothing else to attack."""
    return is_sign_in(request) and rng.random() < 0.7


def odd_errors(talk, rng, request):
    code = rng.choice(("UNREGISTERED", "QUOTA_EXCEEDED", "SENDER_ID_MISMATCH", "INTERNAL", "UNAVAILABLE", "x" * 50_000, ""))
    status = rng.choice(("400 a", "401 b", "403 c", "429 e", "500 f", "503 g", "200 OK", "299 x", "600 y", "0 z"))
    detail = {"@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", "errorCode": code}
    body = {"error": {"status": code, "message": "m" * rng.randrange(2000), "details": [detail] * rng.randrange(1, 200)}}
    web.answer(talk, json.dumps(body).encode(), status)
    talk.pause(0.1)


def odd_tokens(talk, rng, request):
    said = rng.choice((
        {"access_token": "t" * 200_000, "expires_in": 3599}, {"access_token": "a\r\nX: y", "expires_in": 3599},
        {"access_token": "t", "expires_in": -1}, {"access_token": "t", "expires_in": 10**30}, {"access_token": None}, [], {}))
    if is_sign_in(request):
        web.answer(talk, json.dumps(said).encode())
    else:
        web.answer(talk, b"{}", "401 Unauthorized")


ATTACKS = web.attacks((*web.TRICKS, odd_errors), is_spared, serve) + web.attacks((odd_tokens,))
