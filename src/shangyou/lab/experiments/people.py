"""People: what the papers report of games against them, what people won of an arena's games, and who plays as they do.

Games of an arena lie in OUT/people, as `shangyou record export OUT/people/games.jsonl` writes them.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from shangyou import agents, records
from shangyou.agents.models.model_files import is_model
from shangyou.engines import reference
from shangyou.evaluation.intervals import ClusteredMean, share_interval
from shangyou.games import BadInput, Game
from shangyou.lab import deeprocket_match
from shangyou.lab.figures import RatesBySource, dots
from shangyou.lab.page import Page
from shangyou.lab.paper_numbers import PEOPLE
from shangyou.lab.stages import ZSY2, Context
from shangyou.records import Record

TITLE, SETUPS = "People", ZSY2
HUMAN = "human"  # the name of every person in exported games
PRINTED = "the DeepRocket paper's games"
PAPER_NETS = "paper/"  # the best agent of each kind is enough here


class Share(NamedTuple):
    """A share and its 95% interval."""

    mean: float
    interval: tuple[float, float]

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.mean:.3f} ({low:.3f} .. {high:.3f})"


def run(ctx: Context, page: Page) -> None:
    folder = ctx.folder.parent / "people"
    collected = list(_read(folder))
    won = {who: Share(wins / (wins + losses), share_interval(wins, wins + losses)) for who, (wins, losses) in PEOPLE.items()}
    played = {f"{game}, against {who}": share for (game, who), share in people_won(collected).items()}
    sources = {PRINTED: deeprocket_match.read_records(), "games of an arena": collected}
    alike = {
        f"{name}, {game.name}": shares
        for name, many in sources.items()
        for game, shares in ((game, agreement(group)) for game, group in _by_game(many).items())
    }
    (first, of_first), *_ = alike.items()
    most = max(of_first, key=lambda name: of_first[name].mean)
    page.open(
        "how do people fare against these agents, and which agent plays most as people do?",
        "; ".join(f"{who}: people won {share.mean:.3f}" for who, share in won.items()) + ".",
        (f"{len(collected):,} games of people, {len(played)} opponents" if collected else "no games of an arena are here yet")
        + f". On {first} the agent that agrees most with people is {most}, {of_first[most]} of the plays with a choice.",
        ("agreement", dots({f"plays as people: {name}": {who: _dot(one) for who, one in shares.items()}
                            for name, shares in alike.items()})),
    )  # fmt: skip
    page.heading("Won by people")
    page.text(
        "Of the papers: wins and losses as printed or counted from what is printed, with Wilson's 95% interval. Their scores "
        "were written down by the players themselves, and no games were stored."
    )
    page.table(["", "won by people", "games"], [[who, won[who], sum(PEOPLE[who])] for who in won])
    if played:
        page.text(
            "Of an arena: games between people who let others learn from theirs, and agents. A place shared counts as won."
        )
        page.table(["", "won by people"], list(played.items()))
    else:
        page.text(f"Games of an arena are read from `{folder.name}` beside the stages: `shangyou record export` writes them.")
    page.heading("Who plays as people do")
    page.text(
        "The share of people's plays that the agent would have made, where two plays or more are legal; 95% intervals over "
        "games. An expert agrees with itself less than always, since several plays may be as good."
    )
    for name, shares in alike.items():
        page.table([name, "plays as people"], list(shares.items()))


def _dot(share: Share) -> RatesBySource:
    return {"agreement": share}


def _read(folder: Path) -> Iterator[Record]:
    for file in sorted(folder.glob("*")) if folder.is_dir() else ():
        for record in records.read(file):
            if not isinstance(record, Record):
                raise BadInput(f"{file}, line {record.line}: {record}")
            yield record


def people_won(played: Iterable[Record]) -> dict[tuple[str, str], Share]:
    """By game and opponents: the share of finished games that a person won, of every seat with one."""
    results: dict[tuple[str, str], list[bool]] = {}
    for record in played:
        others = sorted({name for name in record.players if name != HUMAN})
        if not record.result.finished or not others:
            continue
        for seat, name in enumerate(record.players):
            if name == HUMAN:
                results.setdefault((record.game.name, ", ".join(others)), []).append(seat in record.result.winners)
    return {key: Share(sum(row) / len(row), share_interval(sum(row), len(row))) for key, row in results.items()}


def _by_game(many: Iterable[Record]) -> dict[Game, list[Record]]:
    groups: dict[Game, list[Record]] = {}
    for record in many:
        if HUMAN in record.players:
            groups.setdefault(record.game, []).append(record)
    return groups


def agreement(played: Sequence[Record]) -> dict[str, Share]:
    """How often each agent would have played as the people in these games of one game and its rules."""
    game = played[0].game
    states = [
        (number, state, after.history[-1].play)
        for number, record in enumerate(played)
        for state, after in _pairs(record)
        if record.players[state.turn] == HUMAN and len(reference.legal(state)) > 1
    ]
    if not states:
        return {}
    views, legals = [reference.view(state) for _, state, _ in states], [reference.legal(state) for _, state, _ in states]
    made, numbers = np.array([play for *_, play in states]), np.array([number for number, *_ in states])
    shares = {}
    for name in agents.names(game):
        if name.startswith(PAPER_NETS) or (is_model(name) and agents.strongest(game) != name):
            continue
        mean = ClusteredMean()
        mean.add((np.array(agents.load(name, game).act_many(views, legals)) == made).astype(np.float64), numbers)
        shares[name] = Share(mean.mean, (mean.mean - mean.half_width, mean.mean + mean.half_width))
    return shares


def _pairs(record: Record) -> Iterator[tuple[reference.State, reference.State]]:
    before, *rest = records.states(record)
    for after in rest:
        yield before, after
        before = after
