"""The conformance kit: what every game and every agent must do, as one line in your own tests.

    check_game(games.load("doudizhu", spring=True))
    check_agent(MyAgent, games.load("zsy2"))

A failure is an AssertionError that shows the position: seed, deal, turn, hand and the play to beat.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from shangyou.agents import Agent
from shangyou.engines import reference
from shangyou.engines.reference import State, View
from shangyou.games import NOBODY, PASS, BadInput, Cards, Deal, Game, IllegalPlay, PlayTable, Rows
from shangyou.games.judge import read_play
from shangyou.games.shuffle import Stream
from shangyou.games.table import Play

ROWS_PER_PATTERN = 40  # rows of a pattern compared pair by pair; all of them would be a hundred million pairs
ILLEGAL_PLAYS_TRIED = 2  # of each kind, drawn in every position
REDEALS_ALLOWED = 100  # a game of random bids has no business to be dealt again so often

ViewOf = Callable[[State, int], View]
T = TypeVar("T")


def check_game(game: Game, games: int = 50, seed: int = 0) -> None:
    """A game's table, its deals, and `games` random games played on it."""
    check_table(game)
    check_deals(game, games, seed)
    for index in range(games):
        _check_playout(reference.deal(game, seed, index), Stream(seed, index))


def check_agent(make_agent: Callable[[], Agent], game: Game, games: int = 10, seed: int = 0) -> None:
    """An agent in every seat of `games` games, half of whose turns go by lot, to lead it where it would not go.

    Takes a maker, not an agent, because three alike are made and asked the same: one for its values, two to act. What
    they say must agree, which proves that `act` is the best of `values` and that nothing but the construction decides
    (an agent that chooses by lot must take its seed there).
    """
    alike = make_agent(), make_agent(), make_agent()
    for index in range(games):
        state, stream = reference.deal(game, seed, index), Stream(seed, index)
        while not state.over:
            state = _bid_checked(state, alike, stream) if state.bidding else _play_checked(state, alike, stream)


def position(state: State) -> str:
    """Where a check failed, in words: enough to get there again."""
    game, hand = state.game, state.game.deck.format(state.hands[state.turn])
    rules = " ".join(f"{name}={value}" for name, value in game.rules.changes().items())
    where = f"{game.name} ({rules or 'default rules'}) seed {state.seed} deal {state.index} turn {len(state.history)}"
    return f"{where}: seat {state.turn} holds {hand or 'nothing'}, to beat {game.table.labels[state.last]}"


def _require(holds: bool, what: str, where: State | Game) -> None:
    """`assert` with the position, and one that Python's -O does not take away."""
    if not holds:
        raise AssertionError(f"{what}\n  {position(where) if isinstance(where, State) else f'{where.name} {where.rules}'}")


# -- the table --------------------------------------------------------------------------------------------------------


def check_table(game: Game) -> None:
    """Every row is one play that can be written and read; beating is an order; bombs stand above."""
    table = game.table
    passes = np.flatnonzero(table.size == 0).tolist()
    _require(passes == [PASS] and table.labels[PASS] == "pass", f"PASS is row 0 and no other, found rows {passes}", game)
    _require_unique(game, "label", table.labels)
    _require_unique(game, "set of cards", zip(table.cards.tolist(), table.suit.tolist(), strict=True))
    _require(bool((table.need.sum(axis=0) == table.size).all()), "size is the number of cards needed", game)
    _check_labels(game)
    _require(table.hash == _rebuilt(table).hash, "the table does not come out the same when built again", game)
    _check_answers(game)
    for rows in _comparable(table):
        _check_order(game, rows)


def _require_unique(game: Game, what: str, values: Iterable[object]) -> None:
    row_of: dict[object, int] = {}
    for row, value in enumerate(values):
        _require(value not in row_of, f"rows {row_of.get(value)} and {row} have the same {what} {value!r}", game)
        row_of[value] = row


def _check_labels(game: Game) -> None:
    """A row's label, read by somebody who holds just its cards, means that row."""
    for row, label in enumerate(game.table.labels[1:], start=1):
        try:
            read = game.table.find(read_play(game, game.pick(game.deck.full, row), PASS, label))
        except BadInput as refusal:
            raise AssertionError(f"{game.name}: label {label!r} of row {row} cannot be read: {refusal}") from refusal
        _require(read == row, f"label {label!r} of row {row} reads back as row {read}", game)


def _rebuilt(table: PlayTable) -> PlayTable:
    """The table from its own plays, given in another order inside each family."""
    columns = table.family, table.pattern, table.groups, table.strength, table.bomb, table.suit
    plays = [
        Play(family, table.patterns[pattern], groups, int(strength), int(bomb), int(suit))
        for family, pattern, groups, strength, bomb, suit in zip(*columns, strict=True)
    ][1:]
    plays.reverse()
    order = {family: i for i, family in enumerate(table.family_counts)}
    return PlayTable(table.deck, sorted(plays, key=lambda play: order[play.family]))


def _check_answers(game: Game) -> None:
    """What may be put on each play: a pass, its own pattern, and all bombs if it is none."""
    table, bombs = game.table, np.count_nonzero(game.table.bomb)
    keys = np.stack([table.pattern, table.strength, table.bomb])  # [3, P]
    for last in np.unique(keys, axis=1, return_index=True)[1].tolist():
        if last == PASS:
            continue
        answers, label = table.answers(last), table.labels[last]
        cards = answers[1:]
        _require(answers[0] == PASS, f"a pass does not answer {label}", game)
        _require(bool((np.diff(answers) > 0).all()), f"the answers to {label} are not in ascending order", game)
        is_bomb = table.bomb[cards] > 0
        fits = is_bomb | (table.pattern[cards] == table.pattern[last]) & (table.bomb[last] == 0)
        _require(bool(fits.all()), f"{label} is answered by {_labels(table, cards[~fits])}", game)
        _require(bool(table.bomb[last]) or is_bomb.sum() == bombs, f"{label} is not beaten by every bomb", game)


def _labels(table: PlayTable, rows: Rows) -> str:
    return " ".join(table.labels[row] for row in rows[:10])


def _comparable(table: PlayTable) -> Iterator[list[int]]:
    """Rows among which beating must be an order: those of each pattern, and the bombs."""
    by_pattern = np.split(np.argsort(table.pattern, kind="stable"), np.cumsum(np.bincount(table.pattern))[:-1])
    for rows in [*by_pattern, np.flatnonzero(table.bomb)]:
        by_strength = rows[np.argsort(table.strength[rows], kind="stable")]
        step = -(-len(rows) // ROWS_PER_PATTERN) or 1
        yield by_strength[::step].tolist()


def _check_order(game: Game, rows: list[int]) -> None:
    """`beats` is irreflexive, asymmetric and transitive among `rows`, and says what `answers` says."""
    table = game.table
    beats = np.array([[table.beats(a, b) for b in rows] for a in rows], bool).reshape(len(rows), len(rows))  # [N, N]
    answers = np.array([_beaten_by(table, b)[rows] for b in rows], bool).reshape(beats.shape).T
    through_another = (beats.astype(np.int32) @ beats.astype(np.int32)) > 0
    for what, wrong in (
        ("{} beats itself", beats & np.eye(len(rows), dtype=bool)),
        ("{} and {} beat each other", beats & beats.T),
        ("{} beats a play that beats {}, but not {} itself", through_another & ~beats),
        ("whether {} beats {}: `beats` and `answers` disagree", beats != answers),
    ):
        for a, b in np.argwhere(wrong)[:1]:
            labels = table.labels[rows[a]], table.labels[rows[b]]
            _require(False, what.format(*labels, labels[1]), game)


def _beaten_by(table: PlayTable, last: int) -> npt.NDArray[np.bool_]:
    """Whether each row is among the answers to `last`, `[P]`; nothing beats a pass."""
    beating = np.zeros(len(table), bool)
    if last != PASS:
        beating[table.answers(last)[1:]] = True
    return beating


# -- the deals --------------------------------------------------------------------------------------------------------


def check_deals(game: Game, deals: int = 50, seed: int = 0) -> None:
    """Deals come out the same again, use every card once, and differ from one another."""
    dealt = [game.deal(seed, index) for index in range(deals)]
    for index, deal in enumerate(dealt):
        start = reference.start(game, deal, seed, index)
        _require(deal == game.deal(seed, index), "dealing twice gives two deals", start)
        cards = (*deal.hands, deal.public, deal.hidden)
        _require(_is_whole_deck(game, cards), f"the deal is not the whole deck: {_spell(game, deal)}", start)
        _require(deal == game.make_deal(deal.hands, deal.public, deal.first), "make_deal does not take the deal", start)
    _require(len(set(dealt)) > deals // 2, f"{deals} deals of seed {seed} are only {len(set(dealt))} different ones", game)


def _is_whole_deck(game: Game, parts: Iterable[Cards]) -> bool:
    """Sizes count too: two equal cards could carry into a third inside a sum."""
    parts = list(parts)
    return sum(parts) == game.deck.full and sum(map(game.deck.size, parts)) == len(game.deck.cards)


def _spell(game: Game, deal: Deal) -> str:
    return " | ".join(game.deck.format(cards) for cards in (*deal.hands, deal.public, deal.hidden))


# -- the course of a game ---------------------------------------------------------------------------------------------


def _check_playout(state: State, stream: Stream) -> None:
    game = state.game
    for number in (-1, len(game.table)):
        _require(_is_refused(reference.step, state, number), f"row {number}, which does not exist, is taken", state)
    bound = game.seats * (len(game.deck.cards) + REDEALS_ALLOWED)  # a lead puts down a card, and all others may pass
    for _ in range(bound):
        if state.over:
            _check_ending(state)
            return
        _check_running(state)
        check_view(state, stream.below(game.seats), stream)
        state = _check_bids(state, stream) if state.bidding else _check_plays(state, stream)
    _require(False, f"the game is not over after {bound} turns", state)


def _check_running(state: State) -> None:
    game = state.game
    untaken = state.start.public if state.landlord == NOBODY else 0
    parts = (*state.hands, *state.played, state.start.hidden, untaken)
    _require(_is_whole_deck(game, parts), "cards were lost or made", state)
    _require(state.scores == (0,) * game.seats and state.winners == (), "points before the game is over", state)
    _require(bool(state.hands[state.turn]), "a seat without cards is to act", state)
    empty = {seat for seat in range(game.seats) if not state.hands[seat]}
    _require(empty == set(state.out), f"seats {sorted(empty)} have no cards, out are {state.out}", state)


def _check_bids(state: State, stream: Stream) -> State:
    bids = reference.legal_bids(state)
    _require(len(bids) > 0, "a bid is due and none is allowed", state)
    _require(reference.legal(state).size == 0, "plays are legal while bids are due", state)
    for points in set(range(-1, 5)) - set(bids):
        _require(_is_refused(reference.bid, state, points), f"bid {points} is taken, allowed are {bids}", state)
    return [reference.bid(state, points) for points in bids][stream.below(len(bids))]


def _check_plays(state: State, stream: Stream) -> State:
    """Legal plays are taken, others refused; returns what one of the legal ones leads to."""
    legal = reference.legal(state).tolist()
    _require(reference.legal_bids(state) == (), "bids are allowed while plays are due", state)
    _require(len(legal) > 0, "there is no legal play", state)
    _require(all(a < b for a, b in pairwise(legal)), f"legal plays are not in ascending order: {legal}", state)
    for play in _some_illegal(state, legal, stream):
        _require(_is_refused(reference.step, state, play), f"row {play} is not legal, yet `step` takes it", state)
    return [_stepped(state, play) for play in legal][stream.below(len(legal))]


def _stepped(state: State, play: int) -> State:
    try:
        return reference.step(state, play)
    except IllegalPlay as refusal:
        raise AssertionError(f"row {play} is legal, yet `step` refuses it: {refusal}\n  {position(state)}") from refusal


def _some_illegal(state: State, legal: list[int], stream: Stream) -> Iterator[int]:
    """Rows by lot, and, the likeliest to slip through, rows the hand has the cards for."""
    table = state.game.table
    held = [PASS, *table.held(state.hands[state.turn], table.leads).tolist()]
    for rows in (range(len(table)), held):
        drawn = [rows[stream.below(len(rows))] for _ in range(ILLEGAL_PLAYS_TRIED)]
        yield from set(drawn) - set(legal)


def _is_refused(verb: Callable[[State, int], State], state: State, number: int) -> bool:
    try:
        verb(state, number)
    except IllegalPlay:
        return True
    return False


def _check_ending(state: State) -> None:
    scores, winners = state.scores, state.winners
    losers = [seat for seat in range(state.game.seats) if seat not in winners]
    _require(reference.legal(state).size == 0, "plays are legal after the end", state)
    _require(_is_refused(reference.step, state, PASS), "a pass is taken after the end", state)
    _require(len(scores) == state.game.seats and sum(scores) == 0, f"scores {scores} are not zero in sum", state)
    _require(state.out[0] in winners, f"seat {state.out[0]} was first out, winners are {winners}", state)
    won, lost = [scores[seat] for seat in winners], [scores[seat] for seat in losers]
    _require(min(won) > max(lost), f"winners {winners} have no more than the others in {scores}", state)
    places = tuple(state.places[seat] for seat in state.out)
    _require(places == tuple(range(1, len(places) + 1)), f"places {state.places} of seats out in the order {state.out}", state)


# -- what a seat may know ---------------------------------------------------------------------------------------------


def check_view(state: State, seat: int, stream: Stream, view: ViewOf = reference.view) -> None:
    """A view is relative to its seat, and the same whatever cards the others hold."""
    game, seen = state.game, view(state, seat)
    around = [(seat + i) % game.seats for i in range(game.seats)]
    _require(seen.hand == state.hands[seat], f"seat {seat} does not see its own hand", state)
    _require(seen.left == tuple(game.deck.size(state.hands[s]) for s in around), f"seat {seat} sees wrong cards left", state)
    _require(seen.played == tuple(state.played[s] for s in around), f"seat {seat} sees wrong cards played", state)
    acted = [seen.last_by, seen.landlord, *(turn.seat for turn in seen.history)]
    truly = [state.last_by, state.landlord, *(turn.seat for turn in state.history)]
    _require(acted == [who if who == NOBODY else around.index(who) for who in truly], f"seat {seat} sees wrong seats", state)
    _require(_is_whole_deck(game, (seen.hand, seen.unseen, *seen.played)), f"seat {seat} does not see the whole deck", state)
    other = reshuffled(state, seat, stream)
    _require(view(other, seat) == seen, f"the view of seat {seat} changes with cards it cannot see", state)


def reshuffled(state: State, seat: int, stream: Stream) -> State:
    """The same position for `seat`, with the cards it cannot see dealt anew among those who may hold them."""
    known = [_known_to_all(state, s) if s != seat else hand for s, hand in enumerate(state.hands)]
    untaken = state.start.public if state.landlord == NOBODY else 0
    secret = [hand - kept for hand, kept in zip(state.hands, known, strict=True)] + [state.start.hidden, untaken]
    pool = stream.draw(_single_cards(state.game, sum(secret)), state.game.deck.size(sum(secret)))
    *drawn, hidden, public = (sum(pool.pop() for _ in range(state.game.deck.size(cards))) for cards in secret)
    hands = tuple(kept + cards for kept, cards in zip(known, drawn, strict=True))
    start = replace(state.start, hidden=hidden, public=public if untaken else state.start.public)
    return replace(state, hands=hands, start=replace(start, hands=_dealt_hands(state, hands)))


def _known_to_all(state: State, seat: int) -> Cards:
    """The public cards that the landlord must still have: those it has not put down."""
    return state.game.deck.missing(state.played[seat], state.start.public) if seat == state.landlord else 0


def _dealt_hands(state: State, hands: tuple[Cards, ...]) -> tuple[Cards, ...]:
    """The deal behind these hands: with what was played, without what the landlord took."""
    taken = [state.start.public * (seat == state.landlord) for seat in range(state.game.seats)]
    return tuple(hand + played - took for hand, played, took in zip(hands, state.played, taken, strict=True))


def _single_cards(game: Game, cards: Cards) -> tuple[Cards, ...]:
    return tuple(game.deck.card(*kind) for kind in game.deck.kinds for _ in range(game.deck.copies(cards, *kind)))


# -- agents -----------------------------------------------------------------------------------------------------------


def _bid_checked(state: State, alike: tuple[Agent, ...], stream: Stream) -> State:
    bids = reference.legal_bids(state)
    try:
        made = [agent.bid(reference.view(state), bids) for agent in alike]
    except BadInput as refusal:
        raise AssertionError(f"{refusal}\n  {position(state)}") from refusal
    _require(made[0] in bids, f"{alike[0].name} bids {made[0]!r}, allowed are {bids}", state)
    _require(len(set(made)) == 1, f"{alike[0].name} made three times bids {made}", state)
    return reference.bid(state, made[0] if stream.below(2) else bids[stream.below(len(bids))])


def _play_checked(state: State, alike: tuple[Agent, ...], stream: Stream) -> State:
    legal = reference.legal(state)
    valuer, player, twin = alike
    best = _best_checked(state, valuer, legal)
    plays = [_untouched(state, legal, agent.name, agent.act) for agent in (player, twin)]
    _require(plays[0] in legal.tolist(), f"{player.name} makes play {plays[0]!r}, which is not legal", state)
    _require(plays[0] == plays[1], f"{player.name} made twice alike plays {plays[0]} and {plays[1]}", state)
    _require(plays[0] == best, f"{player.name} plays {plays[0]}, the best of its values is {best}", state)
    return reference.step(state, plays[0] if stream.below(2) else int(legal[stream.below(len(legal))]))


def _best_checked(state: State, agent: Agent, legal: Rows) -> int:
    values = _untouched(state, legal, agent.name, agent.values)
    shape = np.shape(values)
    _require(shape == legal.shape, f"{agent.name} gives values of shape {shape} for {len(legal)} legal plays", state)
    _require(bool(np.isfinite(values).all()), f"{agent.name} gives values that are not finite: {values}", state)
    return int(legal[np.argmax(values)])


def _untouched(state: State, legal: Rows, name: str, ask: Callable[[View, Rows], T]) -> T:
    """What an agent answers; the list of legal plays it is given belongs to the table and must stay as it is."""
    lent = legal.copy()
    answer = ask(reference.view(state), lent)
    _require(bool(np.array_equal(lent, legal)), f"{name} changes the list of legal plays", state)
    return answer
