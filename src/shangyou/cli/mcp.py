"""`shangyou mcp`: the games as tools for programs that speak the Model Context Protocol."""

from shangyou.games import BadInput


def serve_mcp() -> None:
    """The games as tools of the Model Context Protocol, over standard input and output; a client starts this command."""
    try:
        from shangyou.mcp import make_server
    except ImportError as missing:
        raise BadInput("shangyou mcp needs the MCP SDK: pip install 'shangyou[mcp]'") from missing
    make_server().run("stdio")
