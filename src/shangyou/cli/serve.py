"""`shangyou serve`: the arena in the browser."""

import os
import socket
from pathlib import Path
from typing import Annotated

import typer

from shangyou.cli.options import console
from shangyou.games import BadInput

LARGEST_MESSAGE = 1 << 14  # bytes; a longer one closes the connection
PATIENCE = 3  # seconds for open requests when the server stops


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on; default: SHANGYOU_HOST or 127.0.0.1.")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="Default: SHANGYOU_PORT or 8000; 0: any.")] = None,
    database: Annotated[
        str | None, typer.Option(help="URL, sqlite:///FILE or postgresql://...; default: SHANGYOU_DATABASE.")
    ] = None,
    proxies: Annotated[
        str | None, typer.Option(help="Addresses whose X-Forwarded headers are believed; default: SHANGYOU_PROXIES or none.")
    ] = None,
    models: Annotated[Path | None, typer.Option(help="Folder of your own models; default: SHANGYOU_MODELS.")] = None,
) -> None:
    """The arena: play, learn, replay and review in the browser."""
    import uvicorn

    from shangyou.web.app import create_app
    from shangyou.web.connections import protocol_of, raise_file_limit
    from shangyou.web.live.arena import Arena
    from shangyou.web.logs import start_logs
    from shangyou.web.settings import Settings

    if models is not None:
        os.environ["SHANGYOU_MODELS"] = str(models)
    settings = Settings.from_environment(host=host, port=port, database=database, proxies=proxies)
    start_logs()
    raise_file_limit()
    with _listen(settings.host, settings.port) as listening:
        arena = Arena(settings)  # here, so that a database that cannot be opened is one clear line
        config = uvicorn.Config(
            create_app(settings, arena), log_config=None, ws_max_size=LARGEST_MESSAGE, ws_per_message_deflate=False,
            server_header=False, timeout_graceful_shutdown=PATIENCE, http=protocol_of(settings), proxy_headers=False,
        )  # fmt: skip
        arena.compiler.start()
        console.print(f"the arena is at [bold]{_address(listening)}[/]  (Ctrl-C stops it; games are stored)")
        uvicorn.Server(config).run(sockets=[listening])


def _listen(host: str, port: int) -> socket.socket:
    """A socket that listens, or an error that says why not."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family, backlog=2048)
    except OSError as error:
        raise BadInput(f"cannot listen on {host} port {port}: {error.strerror or error}; --port chooses another") from error


def _address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"
