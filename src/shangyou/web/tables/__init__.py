"""A table as a value: who sits where, what was done, who may act. No sockets, no database, no event loop."""
