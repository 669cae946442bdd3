"""Messages of the server on the WebSocket of a table. `state_message` is the one place where a View becomes JSON."""

from typing import Literal, NamedTuple

from shangyou.engines import reference
from shangyou.engines.reference import Turn, View
from shangyou.games import PASS, Game
from shangyou.web.table import Status, Table
from shangyou.web.wire.answers import BidOut, ClockOut, bids_out, game_fields, hides_cards, table_fields
from shangyou.web.wire.play_answers import CardNames, PlayOut, SuggestionOut, card_names, hand_names, legal_plays, public_names
from shangyou.web.wire.reasons import Answer, Fault
from shangyou.web.wire.requests import Phrase


class ToBeat(PlayOut):
    by: int


class TurnOut(PlayOut):
    seat: int
    think_ms: int | None = None  # of people


class Put(Answer):
    label: str
    pattern: str  # its family in the table of plays
    bomb: bool
    cards: CardNames


class SeatOut(Answer):
    name: str
    kind: Literal["me", "person", "bot", "agent", "open"]
    online: bool
    stand_in: str | None  # the agent that plays on for a person who left or ran out of time
    hints: bool  # agrees to hints
    helped: int  # hints taken
    left: int
    landlord: bool
    bid: int | None
    doubled: bool | None  # None: has not said so
    passed: bool
    turn: bool
    place: int
    put: Put | None


class ResultOut(Answer):
    scores: tuple[int, ...]
    winners: tuple[int, ...]
    places: tuple[int, ...]
    hands: tuple[CardNames, ...]  # empty, as `deal` and `replay`, until the daily deal played here is closed
    deal: tuple[CardNames, ...]
    public: CardNames | None
    replay: str


class ClockState(ClockOut):
    """The clock as it stands when the message is made."""

    left_ms: list[int]  # of each seat's reserve
    spent_ms: int  # by the seat to act, on this turn


class RematchOut(Answer):
    """The seats that want to play again, and the table, once all do."""

    seats: list[int]
    table: str | None


class StateOut(Answer):
    kind: Literal["state"] = "state"
    table: str
    version: int
    status: Status
    game: str
    rules: str
    suits: bool  # whether they matter
    sides: tuple[int, ...]  # [S] who plays together, by number; each seat alone as long as a landlord is to be found
    places_paid: bool  # every place is worth more than the next
    seat: int | None
    forfeited: int | None  # the seat I gave up
    hints: bool
    listed: bool
    clock: ClockState | None
    onlookers: int
    rematch: RematchOut | None
    pace: int
    match: str | None
    daily: str | None  # the day whose deal this is
    rated: bool
    seats: list[SeatOut]
    hand: CardNames
    public: CardNames | None
    stake: int
    multiplier: int
    bombs: int
    unseen: list[int]
    to_beat: ToBeat | None
    legal: list[PlayOut]
    bids: tuple[int, ...]
    bids_made: list[BidOut]
    history: list[TurnOut]
    result: ResultOut | None


class RefusedOut(Fault):
    kind: Literal["refused"] = "refused"


class HintOut(Answer):
    kind: Literal["hint"] = "hint"
    version: int
    agent: str  # who would do so
    suggestions: list[SuggestionOut]
    thinking: bool = False  # a better one follows
    can_think: bool = False  # whether it could think longer
    bid: int | None = None  # what the adviser would bid, while bids are due; 1 or 0 while seats say whether they double


class PhraseOut(Answer):
    kind: Literal["phrase"] = "phrase"
    seat: int
    phrase: Phrase


class Pong(Answer):
    kind: Literal["pong"] = "pong"


TableNews = StateOut | HintOut | PhraseOut | RefusedOut | Pong  # all that is sent on the WebSocket of a table


class Around(NamedTuple):
    """What is true of a table beside its game: who is there, how long the seat to act has taken, who wants to play again."""

    online: frozenset[int] = frozenset()
    onlookers: int = 0
    spent_ms: int = 0
    rematch: frozenset[int] = frozenset()


NOTHING_AROUND = Around()


def state_message(table: Table, seat: int | None, around: Around = NOTHING_AROUND, forfeited: int | None = None) -> StateOut:
    """All that a seat (None: an onlooker, perhaps one who gave up the seat `forfeited`) may know of a table."""
    mine, public, game = table.view(seat), table.view(None), table.game  # `public` has the numbers of the seats
    bombs = sum(turn.play in game.table.bombs for turn in public.history)
    my_turn = table.running and seat == table.state.turn
    return StateOut(
        version=table.version,
        forfeited=forfeited,
        onlookers=around.onlookers,
        rematch=_rematch(table, around),
        seats=_seats(table, public, seat, around.online),
        hand=card_names(game.deck, mine.hand),
        public=public_names(game, public.public),
        stake=_stake(public, seat, bombs),
        multiplier=game.multiplier(bombs),
        bombs=bombs,
        unseen=game.deck.counts(mine.unseen),
        to_beat=_to_beat(public),
        legal=legal_plays(mine, reference.legal(table.state)) if my_turn else [],
        bids=reference.legal_bids(table.state) if my_turn else (),
        bids_made=bids_out(game, table.state.start.first, table.state.bids),
        history=_history(table, public),
        result=_result(table) if table.status is Status.OVER else None,
        **game_fields(game, public.landlord),
        **table_fields(table, seat) | {"clock": _clock(table, around.spent_ms)},
    )


def _stake(public: View, seat: int | None, bombs: int) -> int:
    """What a peasant wins or loses: this one, if the seat is one, else one that has not doubled."""
    doubled = {one for one, doubles in public.doubles.items() if doubles}
    return public.game.stake(max(public.auction.values(), default=0), bombs, len(doubled & {seat, public.landlord}))


def _clock(table: Table, spent_ms: int) -> ClockState | None:
    if table.clock is None:
        return None
    left = [table.reserve_left(seat) for seat in range(table.game.seats)]
    return ClockState(move=table.clock.move, reserve=table.clock.reserve, left_ms=left, spent_ms=spent_ms)


def _rematch(table: Table, around: Around) -> RematchOut | None:
    if table.running or table.status is Status.OPEN:
        return None
    return RematchOut(seats=sorted(around.rematch), table=table.rematch or None)


def _seats(table: Table, public: View, me: int | None, online: frozenset[int]) -> list[SeatOut]:
    bids, doubles, latest = public.auction, public.doubles, {turn.seat: turn for turn in public.history[table.round_start :]}
    return [
        SeatOut(
            name=seat.name,
            kind="me" if number == me else seat.kind,
            online=seat.kind == "agent" or number in online,
            stand_in=seat.stand_in or None,
            hints=seat.hints,
            helped=seat.helped,
            left=public.left[number] if table.dealt else 0,
            landlord=number == public.landlord,
            bid=bids.get(number),
            doubled=doubles.get(number),
            passed=number in latest and latest[number].play == PASS,
            turn=table.running and number == table.state.turn,
            place=table.state.places[number],
            put=_put(table.game, latest.get(number)),
        )
        for number, seat in enumerate(table.seats)
    ]


def _put(game: Game, turn: Turn | None) -> Put | None:
    if turn is None:
        return None
    table, row = game.table, turn.play
    return Put(
        label=table.labels[row], pattern=table.family[row], bomb=row in table.bombs, cards=card_names(game.deck, turn.cards)
    )


def _to_beat(public: View) -> ToBeat | None:
    if public.last == PASS:
        return None
    return ToBeat.of(public.game, public.last, public.last_cards, by=public.last_by)


def _history(table: Table, public: View) -> list[TurnOut]:
    """The turns, without the think times of agents, which might depend on what they hold."""
    people = [seat.kind == "person" for seat in table.seats]
    return [
        TurnOut.of(table.game, turn.play, turn.cards, seat=turn.seat, think_ms=think_ms if people[turn.seat] else None)
        for turn, think_ms in zip(public.history, table.think_times, strict=True)
    ]


def _result(table: Table) -> ResultOut:
    """How it ended, with all cards, unless others may still play the same deal."""
    state, deck, hidden = table.state, table.game.deck, hides_cards(table)
    return ResultOut(
        scores=state.scores,
        winners=state.winners,
        places=state.places,
        hands=() if hidden else hand_names(deck, state.hands),
        deal=() if hidden else hand_names(deck, state.start.hands),
        public=public_names(table.game, state.start.public),
        replay="" if hidden else table.replay,
    )
