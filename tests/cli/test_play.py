"""Games in a real terminal: a pseudo-terminal types what a person would."""

import re

import pexpect
import pytest

from shangyou import records
from terminals import spawn
from tiny_models import write_tiny

PROMPT = "your play> "


def start(*words):
    return spawn("play", *words)


def say(terminal, text, expect=PROMPT):
    """Type a line and return what is shown up to `expect`."""
    terminal.sendline(text)
    terminal.expect(expect)
    return terminal.before


def follow_hints(terminal):
    """Play the hint until the game is over; the plays typed."""
    typed = []
    while True:
        hint = say(terminal, "hint", [PROMPT])
        typed.append(re.search(r"1\. (\S+)", hint).group(1))
        terminal.sendline(typed[-1])
        if terminal.expect([PROMPT, r"Another game\?"]) == 1:
            return typed


@pytest.mark.parametrize(("game", "seat"), [("zsy2", 1), ("doudizhu", 0), ("doudizhu", 2), ("zsy4", 3)])
def test_a_whole_game(game, seat):
    terminal = start(game, "--seed", "4", "--seat", str(seat))
    terminal.expect(PROMPT)
    assert follow_hints(terminal)
    assert re.search(r"You (win|lose)", terminal.before)
    terminal.sendline("n")
    terminal.expect("Goodbye|$")
    terminal.expect(pexpect.EOF)


def test_what_can_be_typed(tmp_path):
    terminal = start("zsy2", "--seed", "4", "--against", "random")
    terminal.expect(PROMPT)
    first = terminal.before
    assert "your hand" in first
    assert "undo" in say(terminal, "help")
    assert re.search("single|pair|triple", say(terminal, "plays"))
    assert "'z' is no card" in say(terminal, "zz")
    assert "is no play of zsy2" in say(terminal, "345")
    assert "nothing to take back" in say(terminal, "undo")
    hand = re.findall(r"your hand\s+(.*)\r", first)[-1]
    play = re.search(r"1\. (\S+)", say(terminal, "hint")).group(1)
    say(terminal, play)
    assert re.findall(r"your hand\s+(.*)\r", say(terminal, "undo"))[-1] == hand
    say(terminal, play)
    assert "you: " in say(terminal, "history")
    assert "needs a file name" in say(terminal, "save")
    saved = tmp_path / "game.txt"
    assert "saved to" in say(terminal, f"save {saved}")
    (record,) = records.read(saved)
    assert record.players == ("you", "random")
    assert not record.result.finished
    terminal.sendline("quit")
    terminal.expect("Goodbye")
    terminal.expect(pexpect.EOF)


def test_bidding():
    terminal = start("doudizhu", "--seed", "4", "--rules", "bidding=true")
    while terminal.expect([r"your bid \(.*\)> ", PROMPT]) == 0:
        assert "would bid" in say(terminal, "hint", r"your bid \(.*\)> ")
        assert "is no bid you may make" in say(terminal, "7", r"your bid \(.*\)> ")
        terminal.sendline("3")
    assert "landlord for" in terminal.before
    terminal.close()


def test_doubling():
    terminal = start("doudizhu", "--seed", "4", "--rules", "doubling=true", "--against", "greedy")
    ask = r"double\? \(yes, no\)> "
    terminal.expect(ask)
    assert re.search(r"seat 1.*: (no )?double", terminal.before)
    assert re.search("would (not )?double", say(terminal, "hint", ask))
    assert "is no answer" in say(terminal, "2", ask)
    assert "you: double" in say(terminal, "yes")
    terminal.close()


def test_hints_of_a_net_say_how_likely_a_play_wins(tmp_path):
    terminal = start("doudizhu", "--seed", "4", "--against", str(write_tiny(tmp_path, "doudizhu")))
    terminal.expect(PROMPT)
    assert re.search(r"1\. \S+ .*wins \d+%, [+-]\d+\.\d\d points", say(terminal, "hint"))
    terminal.close()


def test_leaving_at_the_end_of_input_or_by_interrupt():
    for leave in (lambda terminal: terminal.sendeof(), lambda terminal: terminal.sendintr()):
        terminal = start("zsy2", "--seed", "4")
        terminal.expect(PROMPT)
        leave(terminal)
        terminal.expect("Goodbye")
        terminal.expect(pexpect.EOF)
