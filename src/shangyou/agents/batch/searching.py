"""Search in many games at once, on the batch engine and any device: what `search/` does for one position, for measuring it.

    searched = play_with_search(engine, agent, mine, engine.deal(2048, seed=7), Search(candidates=4, worlds=128))

One agent plays every seat; in the seats that are A's the best few plays are tried in the same worlds, played to their end by a
player (the agent, or the small net), and worlds are weighed by the player over the whole past. One pack.

n positions, k candidates, D worlds, S seats, C cards of the deck, T past turns.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log
from typing import NamedTuple

import torch
from torch import Tensor

from shangyou.agents.batch.agent import BatchAgent, first_best
from shangyou.agents.batch.play import Played, in_order, play
from shangyou.engines.batch import BatchEngine, Legal, State
from shangyou.engines.kernels import layout
from shangyou.games import PASS, BadInput
from shangyou.search.beliefs import BLUNDERS, OTHER_CARDS

AT_ONCE = 1 << 18  # games played to their end together


@dataclass(frozen=True)
class Search:
    """How to search."""

    candidates: int = 4
    worlds: int = 128  # tried
    n0: float = 256.0
    weighed: int = 512  # even worlds that those tried are drawn from by their weights; 0: even worlds are tried
    temperature: float = 0.02  # of the softmax by which worlds are weighed


class PastTurn(NamedTuple):
    """A turn of all games, before the plays were made."""

    cards: Tensor
    scalars: Tensor
    running: Tensor  # [n]
    plays: Tensor  # [n]
    put: Tensor  # [n] the cards they put down


class Searcher:
    def __init__(self, engine: BatchEngine, agent: BatchAgent, player: BatchAgent, search: Search, seed: int = 0) -> None:
        if engine.constants.words > 1 or engine.game.has_bidding:
            raise BadInput(f"search in many games plays one pack and no bidding, not {engine.game.name} ({engine.game.rules})")
        self.engine, self.agent, self.player, self.search = engine, agent, player, search
        self.generator = torch.Generator(engine.device).manual_seed(seed)
        self.past: list[PastTurn] = []
        deck = engine.game.deck
        kinds = [(kind, copy) for kind, copies in deck.kinds.items() for copy in range(copies)]
        place = {kind: 4 * kind[0] + (kind[1] if deck.suited else 0) for kind in deck.kinds}
        self.shifts = torch.tensor([place[kind] for kind, _ in kinds], device=engine.device)  # [C]
        self.copy = torch.tensor([copy for _, copy in kinds], device=engine.device)
        self.mask = 1 if deck.suited else 15
        self.log_factorial = torch.tensor([0.0, *range(1, 16)], device=engine.device).clamp(min=1).log().cumsum(0)

    def remember(self, state: State, plays: Tensor) -> None:
        """The turn of all games, before its plays are made."""
        copied = state.copy()
        hands = state.cards[self.engine.turn(state).long(), state.running]
        put = self.engine.cards_of(hands[:, None], plays)[:, 0]
        self.past.append(PastTurn(copied.cards, copied.scalars, state.running, plays, put))

    # -- worlds -------------------------------------------------------------------------------------------------------

    def worlds(self, state: State, games: Tensor, number: int) -> Tensor:
        """[n, number, S] hands by absolute seats, evenly drawn; the hand of the seat to act is its own."""
        seats = self.engine.constants.seats
        hands, played = state.cards[:seats, games], state.cards[seats : 2 * seats, games]  # [S, n]
        turn = state.scalars[layout.TURN, games].long()
        mine = hands.gather(0, turn[None])[0]
        known = self._known(state, games)
        free = self._copies(self.engine.game.deck.full - played.sum(0) - mine - known.sum(0)) > self.copy  # [n, C]
        noise = torch.rand(len(games), number, len(self.copy), generator=self.generator, device=free.device)
        order = noise.where(free[:, None], 2.0).argsort(-1).argsort(-1)  # [n, D, C] the place of each card in a shuffle
        values, at, found = 1 << self.shifts, torch.zeros_like(turn), list[Tensor]()
        for seat in range(seats):
            size = self._size(hands[seat]) - self._size(known[seat])
            size = torch.where(turn == seat, 0, size)
            taken = (order >= at[:, None, None]) & (order < (at + size)[:, None, None])
            drawn = (taken * values).sum(-1) + known[seat][:, None]
            found.append(torch.where((turn == seat)[:, None], mine[:, None], drawn))
            at = at + size
        return torch.stack(found, -1)

    def _known(self, state: State, games: Tensor) -> Tensor:
        """[S, n] what everybody knows a seat other than the one to act to hold."""
        k, turn = self.engine.constants, state.scalars[layout.TURN, games].long()
        known = torch.zeros_like(state.cards[: k.seats, games])
        if k.public:
            landlord = state.scalars[layout.LANDLORD, games].long()
            played = state.cards[k.seats : 2 * k.seats, games].gather(0, landlord[None])[0]
            copies = self._lanes(state.cards[-1, games]) - self._lanes(played)
            kept = (copies.clamp(min=0) << 4 * torch.arange(15, device=copies.device)).sum(-1)
            known.scatter_(0, landlord[None], torch.where(landlord == turn, 0, kept)[None])
        if self.engine.game.first_by == "spade3":
            first = state.scalars[layout.FIRST, games].long()
            gone = (state.cards[k.seats : 2 * k.seats, games].sum(0) & 1) > 0
            known.scatter_(0, first[None], torch.where(gone | (first == turn), 0, 1)[None])
        return known

    def _copies(self, cards: Tensor) -> Tensor:
        """[..., C] how many cards of the kind of each card of the deck."""
        return cards[..., None] >> self.shifts & self.mask

    def _lanes(self, cards: Tensor) -> Tensor:
        return cards[..., None] >> 4 * torch.arange(15, device=cards.device) & 15

    def _size(self, cards: Tensor) -> Tensor:
        return (self._copies(cards) > self.copy).sum(-1)

    # -- weights ------------------------------------------------------------------------------------------------------

    def log_weights(self, state: State, games: Tensor, hands: Tensor) -> Tensor:
        """[n, D] of hands [n, D, S], as `PolicyJudge` has them."""
        seats, turn = self.engine.constants.seats, state.scalars[layout.TURN, games].long()
        played = state.cards[seats : 2 * seats, games]  # [S, n]
        total = self._log_prior(state, games, hands)
        for past in self.past:
            where = torch.searchsorted(past.running, games).clamp(max=len(past.running) - 1)
            acted = past.scalars[layout.TURN, games].long()
            here = torch.nonzero((past.running[where] == games) & (acted != turn))[:, 0]
            if len(here):
                since = (played - past.cards[seats : 2 * seats, games]).gather(0, acted[None])[0]  # what it has played since
                then = hands.gather(2, acted[:, None, None].expand(-1, hands.shape[1], 1))[..., 0] + since[:, None]
                total[here] += self._log_chance(past, where[here], then[here], acted[here])
        return total

    def _log_chance(self, past: PastTurn, where: Tensor, then: Tensor, acted: Tensor) -> Tensor:
        """[n, D] log P of what was done in the games at places where [n], were these the hands then [n, D]."""
        (n, worlds), games = then.shape, past.running[where]
        plays = past.plays[where].repeat_interleave(worlds)
        cards = past.cards[:, games].repeat_interleave(worlds, 1)
        cards.scatter_(0, acted.repeat_interleave(worlds)[None], then.reshape(1, -1))
        state = self._state(cards, past.scalars[:, games].repeat_interleave(worlds, 1))
        legal = self.engine.legal(state)
        choice = torch.nonzero(legal.counts > 1)[:, 0]
        found = torch.zeros(n * worlds, dtype=torch.float64, device=then.device)
        if len(choice):
            asked = in_order(legal, choice)
            view = self.engine.view(replace(state, running=choice))
            scaled = self.player.win_chances(view, asked).double() / self.search.temperature
            most = scaled.new_full((len(choice),), -torch.inf).scatter_reduce(0, asked.rows, scaled, "amax")
            shares = (scaled - most[asked.rows]).exp()
            total = torch.zeros_like(most).index_add(0, asked.rows, shares)
            made = asked.plays == plays[choice][asked.rows]
            chosen = torch.zeros_like(most).index_add(0, asked.rows, shares * made)
            found[choice] = ((1 - BLUNDERS) * chosen / total + BLUNDERS / asked.counts).log()
        if self.engine.constants.suited:
            other = self.engine.cards_of(then.reshape(-1, 1), plays)[:, 0] != past.put[where].repeat_interleave(worlds)
            found += torch.where(other & (plays != PASS), log(OTHER_CARDS), 0.0)
        return found.reshape(n, worlds)

    def _log_prior(self, state: State, games: Tensor, hands: Tensor) -> Tensor:
        """[n, D] as `log_prior` of beliefs: of equal cards any may be those that were played."""
        total = torch.zeros(hands.shape[:2], dtype=torch.float64, device=hands.device)
        if self.engine.constants.suited:
            return total
        seats, landlord = self.engine.constants.seats, state.scalars[layout.LANDLORD, games]
        for seat in range(seats):
            public = torch.where(landlord == seat, state.cards[-1, games], 0)
            played, open_cards = self._lanes(state.cards[seats + seat, games]), self._lanes(public)
            drawn = self._lanes(hands[..., seat]) - (open_cards - played).clamp(min=0)[:, None]
            put = (played - open_cards).clamp(min=0)[:, None]
            total += (self.log_factorial[drawn] - self.log_factorial[drawn + put]).sum(-1)
        return total

    # -- search -------------------------------------------------------------------------------------------------------

    def choose(self, state: State, games: Tensor, legal: Legal, prior: Tensor) -> Tensor:
        """[n] the plays of these games, each of which has several: prior [N] are the agent's own chances."""
        counts, k = legal.counts, min(self.search.candidates, int(legal.counts.max()))
        table = prior.new_full((len(games), int(counts.max())), -1.0)
        table[legal.rows, torch.arange(len(prior), device=prior.device) - legal.starts[legal.rows]] = prior
        top = table.topk(k, 1)
        rows = legal.plays[(legal.starts[:-1, None] + top.indices).clamp(max=len(legal.plays) - 1)]  # [n, k]
        hands, counted = self._tried(state, games)
        wins = self._wins(state, games, rows.where(top.values >= 0, rows[:, :1]), hands)  # [n, k, D]
        worth = counted.sum(1)  # [n]
        value = ((wins * counted[:, None]).sum(-1) + self.search.n0 * top.values) / (worth + self.search.n0)[:, None]
        best = value.where(top.values >= 0, -1.0).argmax(1)
        return rows.gather(1, best[:, None])[:, 0]

    def _tried(self, state: State, games: Tensor) -> tuple[Tensor, Tensor]:
        """Worlds [n, D, S] and what each counts [n, D]: all together as many even ones as their weights are worth."""
        if not self.search.weighed:
            hands = self.worlds(state, games, self.search.worlds)
            return hands, torch.ones(hands.shape[:2], dtype=torch.float64, device=hands.device)
        hands = self.worlds(state, games, self.search.weighed)
        weights = self.log_weights(state, games, hands).softmax(1)
        worth = 1 / (weights * weights).sum(1, keepdim=True)
        noise = torch.rand(len(games), 1, generator=self.generator, device=weights.device, dtype=torch.float64)
        places = (torch.arange(self.search.worlds, device=weights.device) + noise) / self.search.worlds
        drawn = torch.searchsorted(weights.cumsum(1), places).clamp(max=hands.shape[1] - 1)
        tried = hands.gather(1, drawn[..., None].expand(-1, -1, hands.shape[2]))
        return tried, (worth / self.search.worlds).clamp(max=1).expand(-1, self.search.worlds)

    def _wins(self, state: State, games: Tensor, rows: Tensor, hands: Tensor) -> Tensor:
        """[n, k, D] whether the seat to act wins after each play [n, k] in each world [n, D, S]."""
        (n, k), (worlds, seats) = rows.shape, hands.shape[1:]
        cards = state.cards[:, games][:, :, None, None].repeat(1, 1, k, worlds)
        cards[:seats] = hands.permute(2, 0, 1)[:, :, None]
        cards = cards.reshape(len(cards), -1)
        scalars = state.scalars[:, games].repeat_interleave(k * worlds, 1)
        turn, plays, won = scalars[layout.TURN].long(), rows.repeat_interleave(worlds, 1).reshape(-1), list[Tensor]()
        for start in range(0, cards.shape[1], AT_ONCE):
            part = slice(start, start + AT_ONCE)
            begun = self.engine.step(self._state(cards[:, part].contiguous(), scalars[:, part].contiguous()), plays[part])
            ended = play(self.engine, [self.player] * seats, None, begun)
            won.append(ended.won.gather(1, turn[part, None])[:, 0])
        return torch.cat(won).reshape(n, k, worlds).double()

    def _state(self, cards: Tensor, scalars: Tensor) -> State:
        everybody = torch.arange(cards.shape[1], device=cards.device)
        return State(cards, scalars, everybody, 0, everybody)


def play_with_search(engine: BatchEngine, searcher: Searcher, mine: Tensor, state: State, positions: int = 64) -> Played:
    """Games to their end, where mine [B, S] says which seats search; so many positions at once."""
    while len(state.running):
        legal, turn = engine.legal(state), engine.turn(state).long()
        chances = searcher.agent.win_chances(engine.view(state), legal)
        plays = legal.plays[first_best(chances, legal)].clone()
        out = (engine.places(state)[state.running] == 1).any(1)  # who wins is known
        here = torch.nonzero(mine[state.running, turn] & (legal.counts > 1) & ~out)[:, 0]
        for part in torch.split(here, positions) if len(here) else ():
            own = in_order(legal, part)
            places = torch.arange(len(own.plays), device=part.device) - own.starts[own.rows] + legal.starts[part][own.rows]
            plays[part] = searcher.choose(state, state.running[part], own, chances[places].double())
        searcher.remember(state, plays)
        state = engine.step(state, plays)
    searcher.past.clear()
    return Played(engine, state)
