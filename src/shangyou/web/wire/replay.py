"""Finished games as they are sent, step by step."""

from itertools import pairwise
from typing import Literal

from shangyou.engines.reference import State
from shangyou.games import NOBODY, PASS
from shangyou.records import states
from shangyou.web.storage.archive import BOT, StoredGame
from shangyou.web.wire.answers import PlayerOut, ReplayOut, ReplayTurn, bids_out, game_fields
from shangyou.web.wire.play_answers import hand_names, public_names


def replay_out(stored: StoredGame, person: int | None) -> ReplayOut:
    """As a person sees it, or nobody the server knows."""
    record, game = stored.record, stored.record.game
    steps = list(states(record))
    players = [PlayerOut(kind=_kind(row.version), **row._mapping) for row in stored.players]
    return ReplayOut(
        replay=stored.id,
        game=game.name,
        rules=str(game.rules),
        name=record.name,
        players=players or [PlayerOut(name=name, kind="unknown") for name in record.players],
        mine=next((row.seat for row in stored.players if person is not None and row.person == person), None),
        rated=stored.rated,
        finished_at=stored.finished_at,
        deal=hand_names(game.deck, record.deal.hands),
        public=public_names(game, record.deal.public),
        first=record.deal.first,
        bids=bids_out(game, record.deal.first, record.bids),
        landlord=steps[0].landlord if steps[0].landlord != NOBODY else None,
        hands=hand_names(game.deck, steps[0].hands),
        turns=[_turn(before, after, ms) for (before, after), ms in zip(pairwise(steps), stored.think_ms, strict=True)],
        result=record.result,
        **game_fields(game, steps[0].landlord),
    )


def _kind(version: str) -> Literal["person", "bot", "agent"]:
    """What played, by the version that is stored with it: people have none."""
    return "bot" if version == BOT else "agent" if version else "person"


def _turn(before: State, after: State, think_ms: int | None) -> ReplayTurn:
    """A turn and the hands after it."""
    turn, game, leads = after.history[-1], after.game, before.last == PASS
    fields = {"seat": turn.seat, "leads": leads, "think_ms": think_ms, "multiplier": game.multiplier(after.bombs)}
    return ReplayTurn.of(game, turn.play, turn.cards, hands=hand_names(game.deck, after.hands), **fields)
