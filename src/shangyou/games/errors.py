"""The one error a person's input can cause, on every surface."""


class BadInput(ValueError):
    """Input that cannot be accepted. The message names the input and the reason."""


class IllegalPlay(BadInput):
    """A play the rules do not allow here."""
