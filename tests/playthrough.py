"""Golden games, written out for a person to read: `python tests/playthrough.py` rewrites tests/playthroughs/*.txt.

Seats play at random, but draw two plays and put down the larger, which makes for livelier games. The random numbers come from
the stream that shuffles the cards, so the text is the same on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shangyou import games
from shangyou.engines import reference
from shangyou.engines.reference import State
from shangyou.games import NOBODY, PASS, Game
from shangyou.games.shuffle import Stream

FOLDER = Path(__file__).parent / "playthroughs"
PLAYS_LISTED = 20


@dataclass(frozen=True)
class Script:
    """One golden game; the seed was searched for, so that something happens in it."""

    game: str
    seed: int
    rules: dict[str, Any] = field(default_factory=dict)
    shows: tuple[str, ...] = ()  # phrases that must come up in it

    @property
    def file(self) -> str:
        words = [name if value is True else f"{name}={str(value).lower()}" for name, value in self.rules.items()]
        return "-".join([self.game, *words]) + ".txt"


SCRIPTS = [
    Script("zsy2", 193, shows=("a bomb", "33444 (chain 2-3)")),
    Script("zsy2", 243, {"two_in_chain": False}, shows=("a bomb on a bomb",)),
    Script("zsy2", 1, {"cards_each": 10}, shows=("chain",)),
    Script("doudizhu", 288, shows=("a bomb", "the rocket", "plane+solos")),
    Script("doudizhu", 55, {"bidding": True, "spring": True}, shows=("dealt again", "bids 3", "a bomb")),
    Script("doudizhu", 40, {"bidding": True, "doubling": True}, shows=("doubles", "does not double", "a bomb")),
    Script("doudizhu", 132, {"pass_is_final": True}, shows=("a bomb on a bomb",)),
    Script("zsy4", 4046, shows=("a flush on a plain straight", "the lead passes on", "a bomb", "double-straight")),
    Script("zsy4", 7, {"decks": 2}, shows=("bomb x5", "a bomb on a bomb", "a flush on a plain straight")),
    Script("zsy4", 6, {"two_in_straight": True}, shows=("the lead passes on", "QhKhAh2c (straight x4)")),
    Script("zsy4", 544, {"flush_is_higher": False}, shows=("double-straight", "a bomb")),
    Script("zsy4", 1, {"points": "winner"}, shows=("number 3",)),
]


def tell(script: Script) -> str:
    """The whole text of a golden game."""
    game = games.load(script.game, **script.rules)
    state, stream = reference.deal(game, script.seed), Stream(script.seed, index=1)
    lines = [*_header(game, script.seed), *_deal(state)]
    turn = 0
    while not state.over:
        turn += 1
        state, told = _turn(state, stream)
        lines += ["", f"{turn}. {told[0]}", *(f"    {line}".rstrip() for line in told[1:])]
    return "\n".join([*lines, "", *_ending(state)]) + "\n"


def _header(game: Game, seed: int) -> list[str]:
    table = f"table  {len(game.table)} plays, {game.table.hash}"
    return [f"game   {game.name}", f"rules  {game.rules}", f"seed   {seed}", table]


def _deal(state: State) -> list[str]:
    text, dealt = state.game.deck.format, state.start
    lines = ["", *(f"seat {seat}  {text(hand)}" for seat, hand in enumerate(dealt.hands))]
    lines += [f"public  {text(dealt.public)}"] if dealt.public else []
    lines += [f"hidden  {text(dealt.hidden)}"] if dealt.hidden else []
    does = {"bid": "bids first", "double": "says first whether it doubles", "play": "leads first"}
    return [*lines, f"Seat {state.turn} {does[state.phase]}."]


def _turn(state: State, stream: Stream) -> tuple[State, list[str]]:
    """What one turn leads to, and how it is told."""
    return _bid(state, stream) if state.bidding else _play(state, stream)


def _bid(state: State, stream: Stream) -> tuple[State, list[str]]:
    bids = reference.legal_bids(state)
    points = bids[stream.below(len(bids))]
    after = reference.bid(state, points)
    told = [f"Seat {state.turn} holds {state.game.deck.format(state.hands[state.turn])}"]
    if state.phase == "double":
        return after, [*told, "doubles" if points else "does not double"]
    told += [f"may bid {' '.join(map(str, bids))}", f"bids {points}"]
    if after.landlord != NOBODY:
        told.append(f"Seat {after.landlord} is landlord and takes {state.game.deck.format(state.start.public)}.")
    elif not after.bids:
        told += ["Nobody wants to be landlord: the cards are dealt again.", *_deal(after)]
    return after, told


def _play(state: State, stream: Stream) -> tuple[State, list[str]]:
    table, legal = state.game.table, reference.legal(state).tolist()
    play = max((legal[stream.below(len(legal))] for _ in range(2)), key=lambda row: table.size[row])
    after = reference.step(state, play)
    hand = f"Seat {state.turn} holds {state.game.deck.format(state.hands[state.turn])}"
    if legal == [PASS]:
        told = [f"{hand}, cannot beat {_to_beat(state)} and passes"]
    else:
        due = "leads" if state.last == PASS else f"to beat: {_to_beat(state)}"
        told = [hand, due, _listed(state, legal), _said(state, play)]
    told += [f"Seat {state.turn} is out, number {len(after.out)}."] if len(after.out) > len(state.out) else []
    told += [_new_round(state, after)] if after.last == PASS and not after.over else []
    return after, told


def _to_beat(state: State) -> str:
    table = state.game.table
    return f"{table.labels[state.last]} ({table.pattern_of(state.last)}) by seat {state.last_by}"


def _listed(state: State, legal: list[int]) -> str:
    labels = " ".join(state.game.table.labels[row] for row in legal[:PLAYS_LISTED])
    more = f" ... and {len(legal) - PLAYS_LISTED} more" if len(legal) > PLAYS_LISTED else ""
    return f"{len(legal)} legal: {labels}{more}"


def _said(state: State, play: int) -> str:
    if play == PASS:
        return "passes"
    table, hand = state.game.table, state.hands[state.turn]
    cards = state.game.deck.format(state.game.pick(hand, play)) if state.game.deck.suited else table.labels[play]
    return f"plays {cards} ({table.pattern_of(play)}){_remark(state, play)}"


def _remark(state: State, play: int) -> str:
    """What a watcher would cry out at."""
    table = state.game.table
    if table.family[play] == "rocket":
        return ": the rocket!"
    if table.bomb[play]:
        return ": a bomb on a bomb!" if table.bomb[state.last] else ": a bomb!"
    if state.last != PASS and table.suit[play] >= 0 > table.suit[state.last]:
        return ": a flush on a plain straight!"
    return ""


def _new_round(state: State, after: State) -> str:
    """Who leads next; a winner of the round who is out of cards cannot."""
    winner = state.last_by if after.history[-1].play == PASS else state.turn
    if after.turn == winner:
        return f"All others have passed: seat {winner} leads."
    return f"All others have passed and seat {winner} is out: the lead passes on to seat {after.turn}."


def _ending(state: State) -> list[str]:
    lines = [f"The game is over. Bombs played: {state.bombs}."]
    for seat, (place, score) in enumerate(zip(state.places, state.scores, strict=True)):
        won = "won " if seat in state.winners else "lost"
        rest = f"place {place}" if place else f"left with {state.game.deck.format(state.hands[seat])}"
        lines.append(f"seat {seat}  {score:+d}  {won}  {rest}")
    return lines


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.txt"):
        old.unlink()
    for script in SCRIPTS:
        (FOLDER / script.file).write_text(tell(script), encoding="utf-8")
    print(f"wrote {len(SCRIPTS)} playthroughs to {FOLDER}")


if __name__ == "__main__":
    main()
