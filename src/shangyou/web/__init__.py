"""The arena: tables in the browser, on a server that deals, checks and stores everything. `docs/arena.md` describes it."""
