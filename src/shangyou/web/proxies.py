"""What a proxy in front of the server says of a request is believed from named proxies, and ignored from anybody else."""

import ipaddress
from collections.abc import Mapping
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Receive, Scope, Send

from shangyou.games import BadInput

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
SECURE = {"http": "https", "ws": "wss"}


class Proxies:
    """Addresses and networks, written with commas between them."""

    def __init__(self, text: str) -> None:
        self.networks = [_read_network(part.strip()) for part in text.split(",") if part.strip()]

    def __contains__(self, address: str) -> bool:
        try:
            found = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(found in network for network in self.networks)


def _read_network(text: str) -> Network:
    try:
        return ipaddress.ip_network(text)
    except ValueError as error:
        raise BadInput(f"proxy {text!r} is no address or network, as 127.0.0.1 or 10.0.0.0/8 are") from error


class BehindProxy:
    """Puts the address, the protocol and the host that a named proxy forwards in place of the proxy's own."""

    def __init__(self, app: ASGIApp, proxies: Proxies) -> None:
        self.app, self.proxies = app, proxies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope.get("client") and scope["client"][0] in self.proxies:
            scope = dict(scope) | self._forwarded(scope, Headers(scope=scope))
        await self.app(scope, receive, send)

    def _forwarded(self, scope: Mapping[str, Any], headers: Headers) -> dict[str, Any]:
        forwarded: dict[str, Any] = {}
        senders = [part.strip() for part in ",".join(headers.getlist("x-forwarded-for")).split(",") if part.strip()]
        if address := next((sender for sender in reversed(senders) if sender not in self.proxies), None):
            forwarded["client"] = (address, 0)  # the last that no named proxy has: what stands before it anybody may write
        if headers.get("x-forwarded-proto") in ("https", "wss"):
            forwarded["scheme"] = SECURE.get(scope["scheme"], scope["scheme"])
        if host := headers.get("x-forwarded-host"):
            changed = MutableHeaders(raw=list(scope["headers"]))
            changed["host"] = host
            forwarded["headers"] = changed.raw
        return forwarded
