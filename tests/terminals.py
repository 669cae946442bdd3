"""Our command in a pseudo-terminal, as a person would start it."""

import signal
import sys

import pexpect


def spawn(*words, term="dumb", columns=200, more=None):
    """`shangyou ...`. Ctrl-C works in it even where the tests themselves were started with it switched off.
    `more` is added to what it has of an environment."""
    env = {"TERM": term, "COLUMNS": str(columns), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"} | (more or {})
    arguments = ["-m", "shangyou", *words]
    return pexpect.spawn(sys.executable, arguments, encoding="utf-8", timeout=60, env=env, preexec_fn=_hear_interrupts)


def _hear_interrupts():
    signal.signal(signal.SIGINT, signal.SIG_DFL)
