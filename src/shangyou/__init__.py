"""Chinese climbing card games, played, studied and mastered by machines."""

__version__ = "0.1.0"
