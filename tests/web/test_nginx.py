"""Servers behind a real nginx, as docs/deployment.md configures it; skipped where nginx or openssl is missing."""

import json
import re
import shutil
import signal
import socket
import ssl
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import httpx2 as httpx
import pytest
import websockets

from web.arena_client import run_async
from web.own_server import own_server, two_servers

PAGE = Path(__file__).parents[2] / "docs" / "deployment.md"
MISSING = [name for name in ("nginx", "openssl") if not shutil.which(name)]
ORIGIN = "https://arena.example"


@pytest.fixture
def proxied(tmp_path):
    """The address of nginx in front of a server that believes it."""
    if MISSING:
        pytest.skip(f"{MISSING[0]} is not installed")
    limited = own_server(tmp_path, SHANGYOU_PROXIES="127.0.0.1", SHANGYOU_REQUESTS="20")
    with limited as server, nginx(tmp_path, 0, {"127.0.0.1:8000": server}) as port:
        yield port


@contextmanager
def nginx(folder, which, servers):
    """The port of nginx with one of the configurations of the page, in front of these servers."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = start_nginx(folder, which, port, {said: f"127.0.0.1:{server.port}" for said, server in servers.items()})
    try:
        yield port
    finally:
        process.terminate()
        process.wait(10)


def start_nginx(folder, which, port, behind):
    name = "/CN=arena.example"
    words = [
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-subj",
        name,
        "-days",
        "1",
        "-keyout",
        "key.pem",
        "-out",
        "cert.pem",
    ]
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)
    site = re.findall(r"```nginx\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[which]
    for said, here in (
        ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
        ("/etc/letsencrypt/live/arena.example/fullchain.pem", str(folder / "cert.pem")),
        ("/etc/letsencrypt/live/arena.example/privkey.pem", str(folder / "key.pem")),
        *behind.items(),
    ):
        assert said in site
        site = site.replace(said, here)
    paths = "".join(f"{kind}_temp_path {folder}/{kind}; " for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (folder / "nginx.conf").write_text(
        f"daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; events {{}}\n"
        f"http {{ access_log off; {paths}\n{site}}}\n"
    )
    nginx = subprocess.Popen(["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")], stderr=subprocess.DEVNULL)
    for _ in range(100):
        with socket.socket() as knocking:
            if knocking.connect_ex(("127.0.0.1", port)) == 0:
                return nginx
        assert nginx.poll() is None, (folder / "error.log").read_text()
        time.sleep(0.05)
    raise AssertionError("nginx does not listen")


def test_behind_nginx_with_tls(proxied):
    address, host = f"https://127.0.0.1:{proxied}", {"host": "arena.example"}
    from_elsewhere = httpx.HTTPTransport(local_address="127.0.0.2", verify=False)  # 127.0.0.1 is the named proxy
    with httpx.Client(base_url=address, transport=from_elsewhere, timeout=20) as client:
        assert client.get("/", headers=host).status_code == 200
        body = {"game": "zsy2", "seats": ["me", "greedy"], "pace": 0}
        assert client.post("/api/v1/tables", json=body, headers=host | {"origin": "https://evil.example"}).status_code == 403
        answer = client.post("/api/v1/tables", json=body, headers=host | {"origin": ORIGIN})
        assert answer.status_code == 200
        assert "; Secure" in answer.headers["set-cookie"]
        token = re.search(r"shangyou=([^;]+)", answer.headers["set-cookie"])[1]
        table = answer.json()["table"]
        assert run_async(first_message(proxied, table, token)) == ("state", 0)
        lies = [host | {"x-forwarded-for": f"6.6.6.{i}"} for i in range(20)]  # nginx puts the true address after each
        statuses = [client.get("/api/v1/health", headers=lie).status_code for lie in lies]
        assert statuses[0] == 200
        assert statuses[-1] == 429


async def first_message(port, table, token):
    """What the live table says first, over a socket through nginx."""
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    url, sent = f"wss://arena.example/api/v1/tables/{table}/live", {"Cookie": f"shangyou={token}"}
    connecting = websockets.connect(url, host="127.0.0.1", port=port, ssl=trusting, origin=ORIGIN, additional_headers=sent)
    async with connecting as live:
        state = json.loads(await live.recv())
        return state["kind"], state["seat"]


def test_two_processes_behind_nginx_and_one_is_killed(tmp_path, postgres):
    """Nobody notices, but for a socket that closes and is opened again."""
    if MISSING:
        pytest.skip(f"{MISSING[0]} is not installed")
    with two_servers(tmp_path, postgres, SHANGYOU_PROXIES="127.0.0.1") as (one, two):
        places = {"127.0.0.1:8000": one, "127.0.0.1:8001": two}
        with (
            nginx(tmp_path, 1, places) as port,
            httpx.Client(base_url=f"https://127.0.0.1:{port}/api/v1", verify=False) as client,
        ):
            client.headers = {"host": "arena.example", "origin": ORIGIN}
            body = {"game": "zsy2", "seats": ["me", "greedy"], "pace": 0}
            answer = client.post("/tables", json=body, timeout=30)
            token, table = re.search(r"shangyou=([^;]+)", answer.headers["set-cookie"])[1], answer.json()["table"]
            assert client.get("/health").json()["processes"] == 2
            assert client.get("/bots").json() == []
            one.stop(signal.SIGKILL)
            assert [client.get("/health", timeout=30).status_code for _ in range(20)] == [200] * 20
            assert client.post("/tables", json=body, timeout=30).status_code == 200
            assert client.get("/bots", timeout=30).json() == []  # the other has the bots now
            assert run_async(first_message(port, table, token)) == ("state", 0)
