"""Who may do what: keys limited to directories, tokens of an identity provider."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import anyio
import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519, rsa
from jwt.algorithms import OKPAlgorithm, RSAAlgorithm
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from pydantic import BaseModel

import toolroll
from toolroll.context import tenant_of
from toolroll.host.keys import KeyStore
from toolroll.host.tokens import TokenVerifier
from toolroll.settings import JwtSettings

ISSUER, AUDIENCE = "https://id.example", "toolroll"


class Nothing(toolroll.Params):
    pass


class Where(toolroll.Params):
    path: str


class Text(BaseModel):
    text: str


class Probe(toolroll.Pack):
    name = "probe"
    credential_headers = ("X-Probe-Api-Key",)

    @toolroll.tool()
    def keys(self, ctx: toolroll.ToolContext, args: Nothing) -> Text:
        """Say which keys for other services have come, and how the caller looks in a log."""
        found = [ctx.principal.credentials.get(n) for n in ("x-probe-api-key", "X-Other-Api-Key")]
        return Text(text=f"{found} {ctx.principal!r} {ctx.principal.credentials!r}")

    @toolroll.tool()
    def whoami(self, ctx: toolroll.ToolContext, args: Nothing) -> Text:
        """Say who calls."""
        return Text(text=f"{ctx.principal.tenant} {' '.join(sorted(ctx.principal.scopes))}")

    @toolroll.tool()
    def project(self, ctx: toolroll.ToolContext, args: Nothing) -> Text:
        """Say where the project root is."""
        return Text(text=ctx.root.path.name)

    @toolroll.tool()
    def locate(self, ctx: toolroll.ToolContext, args: Where) -> Text:
        """Find an absolute path in the allowed roots."""
        return Text(text=ctx.roots.find(args.path).path.name)

    @toolroll.tool(writes=True)
    def change(self, ctx: toolroll.ToolContext, args: Nothing) -> Text:
        """Change nothing, but need the scope."""
        return Text(text="changed")


class Other(toolroll.Pack):
    name = "other"
    credential_headers = ("X-Other-Api-Key",)

    @toolroll.tool()
    def other_keys(self, ctx: toolroll.ToolContext, args: Nothing) -> Text:
        """Say which keys for other services have come."""
        found = [ctx.principal.credentials.get(n) for n in ("x-probe-api-key", "X-Other-Api-Key")]
        return Text(text=f"{found}")


def call(host, bearer, tool, arguments=None, **more):
    """Call a tool over HTTP with a bearer text; return its payload, or the error's."""

    async def run():
        headers = {"Authorization": f"Bearer {bearer}", **more}
        url = f"{host.url}/mcp"
        async with (
            httpx.AsyncClient(headers=headers, timeout=120) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            return await client.call_tool(tool, arguments or {})

    result = anyio.run(run)
    return json.loads(result.content[0].text)


@pytest.fixture
def directories(tmp_path: Path) -> Path:
    for name in ("one", "two", "two/inner"):
        (tmp_path / name).mkdir()
    return tmp_path


@pytest.fixture
def limited(directories, serve):
    """Start a host with the project root above, and return it with a key for directory `two`."""
    key = KeyStore(directories / ".toolroll").create("team", roots=(directories / "two",))
    return serve(Probe()), key


def test_a_limited_key_reaches_its_directories_and_what_lies_in_them(limited, directories):
    host, key = limited
    assert (
        call(host, key, "locate", {"path": str(directories / "two" / "inner")})["text"] == "inner"
    )
    assert call(host, key, "locate", {"path": str(directories / "two")})["text"] == "two"


@pytest.mark.parametrize("name", ["one", "", "two/../one"])
def test_a_limited_key_reaches_nothing_else(limited, directories, name):
    host, key = limited
    assert call(host, key, "locate", {"path": str(directories / name)})["code"] == "invalid_path"


def test_a_limited_key_may_not_use_the_project_root(limited):
    host, key = limited
    assert call(host, key, "project")["code"] == "permission_denied"


def test_a_key_limited_to_the_project_root_may_use_it(directories, serve):
    key = KeyStore(directories / ".toolroll").create("all", roots=(directories,))
    assert call(serve(Probe()), key, "project")["text"] == directories.name


def test_a_key_can_be_limited_on_the_command_line(command, directories):
    made = command(
        "keys", "new", "team", "--limit-to", directories / "two", "--root", directories, "--json"
    )
    listed = json.loads(command("keys", "list", "--root", directories, "--json").out)
    assert listed[0]["roots"] == [str((directories / "two").resolve())]
    record = KeyStore(directories / ".toolroll").verify(json.loads(made.out)["key"])
    assert record is not None
    assert record.roots == (str((directories / "two").resolve()),)


@pytest.fixture(scope="module")
def signer():
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture
def jwks(tmp_path, signer):
    """Write the key set of `signer` and return the table `[http.jwt]`."""
    write_keys(tmp_path / "jwks.json", ("one", RSAAlgorithm, signer.public_key()))
    return {"issuer": ISSUER, "audience": AUDIENCE, "jwks_file": str(tmp_path / "jwks.json")}


def write_keys(path, *keys):
    entries = [{**json.loads(kind.to_jwk(key)), "kid": kid} for kid, kind, key in keys]
    path.write_text(json.dumps({"keys": entries}), "utf-8")


def token_of(signer, *, algorithm="RS256", kid="one", **changes):
    claims = {
        "iss": ISSUER,
        "aud": AUDIENCE,
        "sub": "ada",
        "exp": int(time.time()) + 600,
        "scope": "read openid",
        **changes,
    }
    claims = {name: value for name, value in claims.items() if value is not None}
    return jwt.encode(claims, signer, algorithm=algorithm, headers={"kid": kid})


def test_a_token_calls_as_its_subject_with_its_scopes(serve, jwks, signer):
    host = serve(Probe(), http={"jwt": jwks})
    answer = call(host, token_of(signer), "whoami")
    assert answer["text"] == f"{tenant_of(f'jwt {ISSUER} ada')} read"
    assert call(host, token_of(signer), "change")["code"] == "permission_denied"
    writer = token_of(signer, scope=["read", "write"])
    assert call(host, writer, "change")["text"] == "changed"


def test_keys_work_beside_tokens(serve, jwks, tmp_path):
    key = KeyStore(tmp_path / ".toolroll").create("k")
    host = serve(Probe(), http={"jwt": jwks})
    assert call(host, key, "whoami")["text"] == f"{tenant_of(key)} read write"


def test_a_host_with_an_issuer_lets_nobody_in_without_a_token(serve, jwks):
    host = serve(Probe(), http={"jwt": jwks})
    assert httpx.post(f"{host.url}/mcp", json={}, timeout=120).status_code == 401


@pytest.mark.parametrize(
    "changes",
    [
        {"iss": "https://evil.example"},
        {"aud": "other"},
        {"exp": 1_000_000},
        {"exp": None},
        {"sub": None},
        {"nbf": 4_000_000_000},
        {"kid": "unknown"},
    ],
    ids=lambda changes: "-".join(changes),
)
def test_a_token_that_is_not_for_us_is_refused(serve, jwks, signer, changes):
    host = serve(Probe(), http={"jwt": jwks})
    headers = {"Authorization": f"Bearer {token_of(signer, **changes)}"}
    answer = httpx.post(f"{host.url}/mcp", json={}, headers=headers, timeout=120)
    assert answer.status_code == 401


def test_tokens_signed_by_others_or_by_nobody_are_refused(jwks, tmp_path, signer):
    verifier = TokenVerifier(JwtSettings(**jwks), tmp_path)
    other = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    assert verifier.verify(token_of(signer)) is not None
    assert verifier.verify(token_of(other)) is None
    assert verifier.verify(token_of("", algorithm="none")) is None
    assert verifier.verify(token_of("x" * 64, algorithm="HS256")) is None
    assert verifier.verify("a.b.c") is None


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"aud": "other"}, "for others than [http.jwt] audience"),
        ({"iss": "https://evil.example"}, "from another than [http.jwt] issuer"),
        ({"sub": None}, "not all of exp, iss, aud and sub"),
        ({"scope": "openid"}, "scope_claim and scope_prefix"),
    ],
)
def test_why_a_token_of_the_issuer_does_not_fit_is_logged_once(
    jwks, tmp_path, signer, caplog, changes, said
):
    verifier = TokenVerifier(JwtSettings(**jwks), tmp_path)
    for _ in range(3):
        verifier.verify(token_of(signer, **changes))
    (record,) = caplog.records
    assert said in record.message
    assert record.levelname == "WARNING"


def test_clocks_may_differ_a_little(serve, jwks, signer):
    host = serve(Probe(), http={"jwt": jwks})
    late = token_of(signer, exp=int(time.time()) - 5)
    assert call(host, late, "whoami")["text"].endswith(" read")


def test_keys_of_the_issuer_can_be_exchanged_while_the_host_runs(jwks, tmp_path, signer):
    verifier = TokenVerifier(JwtSettings(**jwks), tmp_path)
    new = ed25519.Ed25519PrivateKey.generate()
    fresh = token_of(new, algorithm="EdDSA", kid="two")
    assert verifier.verify(fresh) is None
    write_keys(tmp_path / "jwks.json", ("two", OKPAlgorithm, new.public_key()))
    assert verifier.verify(fresh) is not None
    assert verifier.verify(token_of(signer)) is None


@pytest.fixture
def issuer():
    """An identity provider that publishes `keys`, counts who asks, and can be away."""

    class Provider(BaseHTTPRequestHandler):
        def do_GET(self):
            state.asked += 1
            body = state.path.read_bytes() if state.path.is_file() else b""
            self.send_response(200 if body else 503)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Provider) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}/jwks.json"
        settings = JwtSettings(issuer=ISSUER, audience=AUDIENCE, jwks_url=url)
        state = SimpleNamespace(asked=0, path=Path(), settings=settings)
        yield state
        server.shutdown()
        thread.join()


def test_published_keys_are_kept_a_while_and_then_fetched_anew(
    issuer, tmp_path, signer, monkeypatch
):
    issuer.path = tmp_path / "published.json"
    write_keys(issuer.path, ("one", RSAAlgorithm, signer.public_key()))
    verifier = TokenVerifier(issuer.settings, tmp_path)
    assert all(verifier.verify(token_of(signer)) for _ in range(5))
    assert issuer.asked == 1
    monkeypatch.setattr("toolroll.host.tokens._KEY_SET_SECONDS", 0.000_001)
    brief = TokenVerifier(issuer.settings, tmp_path)
    assert brief.verify(token_of(signer)) is not None
    new = ed25519.Ed25519PrivateKey.generate()
    write_keys(issuer.path, ("two", OKPAlgorithm, new.public_key()))
    assert brief.verify(token_of(new, algorithm="EdDSA", kid="two")) is not None
    assert brief.verify(token_of(signer)) is None


def test_tokens_with_invented_keys_do_not_flood_the_provider(issuer, tmp_path, signer):
    issuer.path = tmp_path / "published.json"
    write_keys(issuer.path, ("one", RSAAlgorithm, signer.public_key()))
    verifier = TokenVerifier(issuer.settings, tmp_path)
    assert not any(verifier.verify(token_of(signer, kid=f"k{n}")) for n in range(20))
    assert issuer.asked <= 2


def test_a_provider_that_is_away_is_named_in_the_log_and_asked_again(
    issuer, tmp_path, signer, caplog
):
    issuer.path = tmp_path / "published.json"
    verifier = TokenVerifier(issuer.settings, tmp_path)
    assert verifier.verify(token_of(signer)) is None
    assert "key set can't be fetched" in caplog.text
    write_keys(issuer.path, ("one", RSAAlgorithm, signer.public_key()))
    assert verifier.verify(token_of(signer)) is not None


def test_scopes_may_carry_a_prefix(jwks, tmp_path, signer):
    verifier = TokenVerifier(JwtSettings(**jwks, scope_prefix="toolroll:"), tmp_path)
    claims = verifier.verify(token_of(signer, scope="toolroll:write read"))
    assert claims is not None
    assert claims.scopes == ("write",)


def test_an_issuer_needs_exactly_one_key_set():
    with pytest.raises(ValueError, match="needs an audience"):
        JwtSettings(issuer=ISSUER)
    with pytest.raises(ValueError, match="one of the two"):
        JwtSettings(issuer=ISSUER, audience=AUDIENCE)
    with pytest.raises(ValueError, match="must be https"):
        JwtSettings(issuer=ISSUER, audience=AUDIENCE, jwks_url="http://id.example/keys")


def test_a_missing_key_set_stops_the_host(tmp_path):
    settings = JwtSettings(issuer=ISSUER, audience=AUDIENCE, jwks_file="nope.json")
    with pytest.raises(toolroll.SettingsError, match="jwks_file"):
        TokenVerifier(settings, tmp_path)


def test_a_pack_gets_the_callers_keys_that_it_asks_for_and_no_other(serve, key):
    host = serve(Probe(), Other())
    sent = {"X-Probe-Api-Key": "one", "X-Other-Api-Key": "two", "X-Unasked-Api-Key": "three"}
    said = call(host, key, "keys", **sent)["text"]
    assert said.startswith("['one', '']")
    assert not {"one", "two", "three"} & set(said.partition("]")[2].replace("'", " ").split())
    assert call(host, key, "other_keys", **sent)["text"] == "['', 'two']"
    assert call(host, key, "other_keys")["text"] == "['', '']"


def test_a_key_of_the_callers_that_is_no_key_is_ignored(serve, key, caplog):
    host = serve(Probe())
    long = "k" * 4_097
    assert call(host, key, "keys", **{"X-Probe-Api-Key": long})["text"].startswith("['', '']")
    assert "longer than 4096 characters is ignored: X-Probe-Api-Key" in caplog.text
    assert long not in caplog.text


def test_without_keys_of_its_own_a_host_takes_the_callers_keys_too(serve):
    sent = {"X-Probe-Api-Key": "one"}
    assert call(serve(Probe()), "any", "keys", **sent)["text"].startswith("['one', '']")
