"""Messages of the server on the WebSocket of a table. `state_message` is the one place where a View becomes JSON."""

from typing import Literal

from shangyou.engines import reference
from shangyou.engines.reference import Turn, View
from shangyou.games import NOBODY, PASS, Game
from shangyou.web.table import Status, Table
from shangyou.web.wire.play_answers import CardNames, PlayOut, SuggestionOut, card_names, hand_names, legal_plays, public_names
from shangyou.web.wire.reasons import Answer, Fault


class ToBeat(PlayOut):
    by: int


class TurnOut(PlayOut):
    seat: int
    think_ms: int | None = None  # of people


class Put(Answer):
    label: str
    cards: CardNames


class SeatOut(Answer):
    name: str
    kind: Literal["me", "person", "agent", "open"]
    online: bool
    left: int
    landlord: bool
    bid: int | None
    passed: bool
    turn: bool
    place: int
    put: Put | None


class ResultOut(Answer):
    scores: tuple[int, ...]
    winners: tuple[int, ...]
    places: tuple[int, ...]
    hands: tuple[CardNames, ...]
    deal: tuple[CardNames, ...]
    public: CardNames | None
    replay: str


class StateOut(Answer):
    kind: Literal["state"] = "state"
    table: str
    version: int
    status: Status
    game: str
    rules: str
    seat: int | None
    hints: bool
    pace: int
    rated: bool
    seats: list[SeatOut]
    hand: CardNames
    public: CardNames | None
    multiplier: int
    bombs: int
    unseen: list[int]
    to_beat: ToBeat | None
    legal: list[PlayOut]
    bids: tuple[int, ...]
    history: list[TurnOut]
    result: ResultOut | None


class RefusedOut(Fault):
    kind: Literal["refused"] = "refused"


class HintOut(Answer):
    kind: Literal["hint"] = "hint"
    version: int
    agent: str  # who would do so
    suggestions: list[SuggestionOut]
    bid: int | None = None  # what the adviser would bid, while bids are due


class Pong(Answer):
    kind: Literal["pong"] = "pong"


def state_message(table: Table, seat: int | None, online: frozenset[int] = frozenset()) -> StateOut:
    """All that a seat (None: an onlooker) may know of a table."""
    seen, game = table.view(seat), table.game
    bombs = sum(turn.play in game.table.bombs for turn in seen.history)
    my_turn = table.running and seat == table.state.turn
    return StateOut(
        table=table.id,
        version=table.version,
        status=table.status,
        game=game.name,
        rules=str(game.rules),
        seat=seat,
        hints=table.hints,
        pace=table.pace,
        rated=table.rated,
        seats=_seats(table, seen, seat, online),
        hand=card_names(game.deck, seen.hand),
        public=public_names(game, seen.public),
        multiplier=game.multiplier(bombs),
        bombs=bombs,
        unseen=game.deck.counts(seen.unseen),
        to_beat=_to_beat(seen, seat or 0),
        legal=legal_plays(game, seen.hand, reference.legal(table.state).tolist()) if my_turn else [],
        bids=reference.legal_bids(table.state) if my_turn else (),
        history=_history(table, seen, seat or 0),
        result=_result(table) if table.status is Status.OVER else None,
    )


def _seats(table: Table, seen: View, me: int | None, online: frozenset[int]) -> list[SeatOut]:
    base, size = me or 0, table.game.seats
    bids = {(seat + base) % size: points for seat, points in seen.bids}
    landlord = (seen.landlord + base) % size if seen.landlord != NOBODY else NOBODY
    latest = {(turn.seat + base) % size: turn for turn in seen.history[table.round_start :]}
    return [
        SeatOut(
            name=seat.name,
            kind="me" if number == me else seat.kind,
            online=seat.kind == "agent" or number in online,
            left=seen.left[(number - base) % size],
            landlord=number == landlord,
            bid=bids.get(number),
            passed=number in latest and latest[number].play == PASS,
            turn=table.running and number == table.state.turn,
            place=table.state.places[number],
            put=_put(table.game, latest.get(number)),
        )
        for number, seat in enumerate(table.seats)
    ]


def _put(game: Game, turn: Turn | None) -> Put | None:
    return Put(label=game.table.labels[turn.play], cards=card_names(game.deck, turn.cards)) if turn else None


def _to_beat(seen: View, base: int) -> ToBeat | None:
    if seen.last == PASS:
        return None
    cards = next(turn.cards for turn in reversed(seen.history) if turn.cards)
    return ToBeat.of(seen.game, seen.last, cards, by=(seen.last_by + base) % seen.game.seats)


def _history(table: Table, seen: View, base: int) -> list[TurnOut]:
    """The turns, without the think times of agents, which might depend on what they hold."""
    turns = []
    for turn, think_ms in zip(seen.history, table.think_times, strict=True):
        seat = (turn.seat + base) % table.game.seats
        shown = think_ms if table.seats[seat].kind == "person" else None
        turns.append(TurnOut.of(table.game, turn.play, turn.cards, seat=seat, think_ms=shown))
    return turns


def _result(table: Table) -> ResultOut:
    state, deck = table.state, table.game.deck
    return ResultOut(
        scores=state.scores,
        winners=state.winners,
        places=state.places,
        hands=hand_names(deck, state.hands),
        deal=hand_names(deck, state.start.hands),
        public=public_names(table.game, state.start.public),
        replay=table.replay,
    )
