"""An agent of this package as a bot at somebody's arena: what the arena sends, turned into what agents get."""
