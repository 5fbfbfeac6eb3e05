"""Lists behind every way to sign in, as libraries of PyPI serve them: Authlib, PyJWT, Flask and Flask-HTTPAuth.

usage: signin.py DATABASE PORT FOLDER

DATABASE gets the things of each list. FOLDER gets the keys that sign: rsa.pem, ec.pem, and account.json as Google writes
it. Refresh tokens are good for one use, and /count says how often one was used.
"""

import json
import os
import pathlib
import secrets
import sqlite3
import sys
import time

import jwt
from authlib.integrations.flask_oauth2 import AuthorizationServer, ResourceProtector
from authlib.oauth2.rfc6749 import ClientMixin, TokenMixin, grants
from authlib.oauth2.rfc6750 import BearerTokenGenerator, BearerTokenValidator
from authlib.oauth2.rfc7523 import JWTBearerGrant
from authlib.oauth2.rfc8628 import DeviceAuthorizationEndpoint, DeviceCodeGrant, DeviceCredentialDict
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from flask import Flask, abort, jsonify, request, session
from flask_httpauth import HTTPDigestAuth

database, port, folder = sys.argv[1], int(sys.argv[2]), pathlib.Path(sys.argv[3])
address = f"http://127.0.0.1:{port}"
app = Flask(__name__)
app.secret_key = secrets.token_hex()
# Or Authlib wants https.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
THINGS = [{"id": number, "name": f"thing {number} – ü"} for number in range(1, 236)]
HS256_KEY = "0123456789abcdef" * 4


def pem(key):
    coding = serialization
    return key.private_bytes(coding.Encoding.PEM, coding.PrivateFormat.PKCS8, coding.NoEncryption()).decode()


rsa_key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
ec_key = ec.generate_private_key(ec.SECP256R1())
(folder / "rsa.pem").write_text(pem(rsa_key))
(folder / "ec.pem").write_text(pem(ec_key))
(folder / "account.json").write_text(
    json.dumps({"private_key": pem(rsa_key), "private_key_id": "key-1", "client_email": "robot@example.com"}))
for name in ("rsa.pem", "ec.pem", "account.json"):
    (folder / name).chmod(0o600)

with sqlite3.connect(database) as connection:
    connection.execute("CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT)")
    connection.executemany("INSERT INTO things VALUES (:id, :name)", THINGS)


class Client(ClientMixin):
    def __init__(self, client_id, secret):
        self.client_id, self.secret = client_id, secret

    def get_client_id(self):
        return self.client_id

    def get_default_redirect_uri(self):
        return None

    def get_allowed_scope(self, scope):
        return scope or "read"

    def check_redirect_uri(self, uri):
        return uri.startswith("http://127.0.0.1:")

    def check_client_secret(self, secret):
        return secret == self.secret

    def check_endpoint_auth_method(self, method, endpoint):
        return method == "none" if self.secret is None else method in ("client_secret_basic", "client_secret_post")

    def check_grant_type(self, grant):
        return True

    def check_response_type(self, kind):
        return kind == "code"


class Token(TokenMixin):
    def __init__(self, client, user, data):
        self.client, self.user, self.data = client, user, data
        self.expires_at, self.revoked = time.time() + data["expires_in"], False

    def check_client(self, client):
        return client.client_id == self.client.client_id

    def get_scope(self):
        return self.data.get("scope", "")

    def get_expires_in(self):
        return self.data["expires_in"]

    def is_expired(self):
        return self.expires_at < time.time()

    def is_revoked(self):
        return self.revoked

    def get_user(self):
        return self.user

    def get_client(self):
        return self.client


clients = {
    "app": Client("app", "app secret +/é"), "public": Client("public", None),
    "robot@example.com": Client("robot@example.com", None)}
tokens: list[Token] = []
refreshes = 0


def keep(data, oauth_request):
    tokens.append(Token(oauth_request.client, oauth_request.user, data))


def generate(grant_type, client, user=None, scope=None, expires_in=None, include_refresh_token=True):
    def text(**_):
        return secrets.token_urlsafe(24)

    make = BearerTokenGenerator(text, text, lambda *_: int(os.environ.get("LIFETIME", "3600")))
    return make(grant_type, client, user, scope, expires_in, include_refresh_token)


class Credentials(grants.ClientCredentialsGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "client_secret_post"]


class Password(grants.ResourceOwnerPasswordCredentialsGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "client_secret_post", "none"]

    def authenticate_user(self, username, password):
        return username if (username, password) == ("ada", "pass word +/é") else None


class Refresh(grants.RefreshTokenGrant):
    INCLUDE_NEW_REFRESH_TOKEN = True
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "client_secret_post", "none"]

    def authenticate_refresh_token(self, text):
        return next((each for each in tokens if each.data.get("refresh_token") == text and not each.revoked), None)

    def authenticate_user(self, token):
        return token.user

    def revoke_old_credential(self, token):
        global refreshes
        refreshes += 1
        token.revoked = True


class Assertion(JWTBearerGrant):
    def get_audiences(self):
        return [f"{address}/token"]

    def resolve_issuer_client(self, issuer):
        return clients.get(issuer)

    def resolve_client_key(self, client, headers, payload):
        return rsa_key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)

    def authenticate_user(self, subject):
        return subject

    def has_granted_permission(self, client, user):
        return True


devices = {}


class DeviceEndpoint(DeviceAuthorizationEndpoint):
    CLIENT_AUTH_METHODS = ["client_secret_basic", "client_secret_post", "none"]
    INTERVAL = 1

    def get_verification_uri(self):
        return f"{address}/device"

    def save_device_credential(self, client_id, scope, data):
        devices[data["device_code"]] = DeviceCredentialDict(
            client_id=client_id, scope=scope, expires_at=time.time() + 900, **data)


class Device(DeviceCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "client_secret_post", "none"]
    asked = {}

    def query_device_credential(self, device_code):
        return devices.get(device_code)

    def query_user_grant(self, user_code):
        # The user allows it when the second request has come.
        self.asked[user_code] = self.asked.get(user_code, 0) + 1
        return ("ada", True) if self.asked[user_code] > 1 else None

    def should_slow_down(self, credential):
        return False


server = AuthorizationServer(app, query_client=lambda name: clients.get(name), save_token=keep)
server.register_token_generator("default", generate)
server.register_endpoint(DeviceEndpoint)
for grant in (Credentials, Password, Refresh, Assertion, Device):
    server.register_grant(grant)


class Validator(BearerTokenValidator):
    def authenticate_token(self, text):
        return next((each for each in tokens if each.data["access_token"] == text), None)


protect = ResourceProtector()
protect.register_token_validator(Validator())

# Without cookies: its own nonces live in a session.
digest = HTTPDigestAuth(use_ha1_pw=False)
NONCE = secrets.token_hex()
digest.generate_nonce(lambda: NONCE)
digest.verify_nonce(lambda nonce: nonce == NONCE)
digest.generate_opaque(lambda: NONCE)
digest.verify_opaque(lambda opaque: opaque == NONCE)


@digest.get_password
def password_of(user):
    return "pass word" if user == "ada" else None


def page():
    number = request.args.get("page", 1, type=int)
    items = THINGS[(number - 1) * 50:number * 50]
    following = number + 1 if number * 50 < len(THINGS) else None
    return jsonify(items=items, next_page=following)


@app.post("/token")
def token():
    return server.create_token_response()


@app.post("/device_authorization")
def device_authorization():
    return server.create_endpoint_response("device_authorization")


@app.get("/things")
@protect()
def things():
    return page()


@app.get("/digest/things")
@digest.login_required
def by_digest():
    return page()


@app.get("/jwt/<algorithm>/things")
def by_jwt(algorithm):
    key = {"RS256": rsa_key.public_key(), "ES256": ec_key.public_key(), "HS256": bytes.fromhex(HS256_KEY)}[algorithm]
    kind, _, text = request.headers.get("Authorization", "").partition(" ")
    try:
        claims = jwt.decode(text, key, algorithms=[algorithm], audience="things", options={"require": ["exp", "iat", "iss"]})
    except jwt.PyJWTError as error:
        return jsonify(error=str(error)), 401
    if kind != "Bearer" or claims["iss"] != "app":
        abort(401)
    return page()


@app.post("/installations/7/access_tokens")
def installation():
    """As GitHub gives apps the token of an installation."""
    kind, _, text = request.headers.get("Authorization", "").partition(" ")
    claims = jwt.decode(text, rsa_key.public_key(), algorithms=["RS256"], options={"require": ["exp", "iat", "iss"]})
    assert kind == "Bearer" and claims["exp"] - claims["iat"] <= 600
    data = {"access_token": f"ghs_{secrets.token_hex(18)}", "expires_in": 3600, "token_type": "Bearer"}
    tokens.append(Token(clients["app"], claims["iss"], data))
    expires = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600))
    return jsonify(token=data["access_token"], expires_at=expires), 201


@app.post("/login")
def login():
    given = request.get_json(silent=True) or request.form
    if (given.get("user"), given.get("password")) != ("ada", "pass word +/é"):
        abort(401)
    session["user"] = given["user"]
    return jsonify(ok=True)


@app.get("/cookie/things")
def by_cookie():
    if session.get("user") != "ada":
        abort(401)
    return page()


@app.get("/count")
def count():
    return str(refreshes)


@app.get("/first")
def first():
    """A refresh token for a client, as an API's page for apps shows one."""
    client = clients[request.args["client"]]
    keep_for = {"access_token": secrets.token_hex(8), "refresh_token": secrets.token_urlsafe(24), "expires_in": 1}
    tokens.append(Token(client, "ada", keep_for))
    return keep_for["refresh_token"]


app.run("127.0.0.1", port, threaded=True)
