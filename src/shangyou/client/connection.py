"""A WebSocket of an arena that is opened again whenever it is lost."""

import asyncio
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

from shangyou.games import BadInput

FIRST_WAIT, LONGEST_WAIT = 0.5, 15.0  # seconds before connecting again; doubled each time
FOR_GOOD = {
    4401: "this token of a bot is unknown here, or was revoked",  # as the refusal says that comes before, which may be missed
    4404: "the arena has no such table",
    4409: "this bot has connected from elsewhere",
}
Talk = Callable[[ClientConnection], Awaitable[None]]


class Arena:
    """Where it is and who we are there."""

    def __init__(self, address: str, token: str, report_lost: Callable[[str], None]) -> None:
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.netloc or parts.path.strip("/"):
            raise BadInput(f"arena {address!r}: an address such as http://127.0.0.1:8000 or https://arena.example is needed")
        if not (token and token.isascii() and token.isprintable()) or " " in token:
            raise BadInput(
                "the token of the bot is missing, or is no token: the arena gives one at #/bots; set SHANGYOU_BOT_TOKEN to it"
            )
        self.address = f"{parts.scheme}://{parts.netloc}"
        self.headers = {"Authorization": f"Bearer {token}"}
        self.report_lost = report_lost
        self.reached = False

    async def stay(self, path: str, talk: Talk) -> None:
        """Connect and talk until the talk is over. A lost connection is opened again, one that is refused is an error."""
        wait = FIRST_WAIT
        while True:
            try:
                async with connect(self._url(path), additional_headers=self.headers, max_size=1 << 20) as socket:
                    self.reached, wait = True, FIRST_WAIT
                    return await talk(socket)
            except ConnectionClosed as closed:
                code = closed.rcvd.code if closed.rcvd else 0
                if code in FOR_GOOD:
                    raise BadInput(FOR_GOOD[code]) from closed
                why = f"the connection was closed ({code})" if code else "the connection was lost"
            except (OSError, WebSocketException) as error:
                why = self._why_not(error)
                if not self.reached:
                    raise BadInput(why) from error
            self.report_lost(why)
            await asyncio.sleep(wait)
            wait = min(2 * wait, LONGEST_WAIT)

    def _url(self, path: str) -> str:
        return f"{self.address.replace('http', 'ws', 1)}/api/v1/{path}"

    def _why_not(self, error: Exception) -> str:
        if isinstance(error, InvalidStatus):
            return f"{self.address} is no arena: it answers with HTTP status {error.response.status_code}"
        return f"cannot reach {self.address}: {error or type(error).__name__}"
