"""The batch engine's work on CPU cores, compiled by Numba: the loops over games. CpuKernels calls them with torch tensors.

What is done with one game is in cpu_deal.py, cpu_legal.py and cpu_turns.py. Those functions are inlined before Numba compiles
them, since an array that crosses a call is counted in and out, which costs more than the call does.

Sets of cards are int64 words with four bits a rank: a count where suits do not matter; else the suits held (word 0) and,
with two packs, the suits held twice (word 1). `k` are the GameConstants of a game and `t` its Tables, taken apart before the
loop, since each access to a part would be counted in and out too. The state comes as cards [B, C] and scalars [B, M].
"""

from typing import Any

import numpy as np
import torch
from numba import prange
from torch import Tensor

from shangyou.engines.kernels.cpu_bits import GOLDEN, mix
from shangyou.engines.kernels.cpu_cache import kernel
from shangyou.engines.kernels.cpu_deal import deal_one
from shangyou.engines.kernels.cpu_legal import hand_of, legal_one
from shangyou.engines.kernels.cpu_turns import hash_choice, pick_suits, step_one
from shangyou.engines.kernels.layout import LAST, OUTS, TURN, TURNS, game_constants, tables_of
from shangyou.games import Game
from shangyou.games.shuffle import seed_key

NO_ROOM = np.empty(0, np.int32)
CHUNK = 64  # games a thread plays before it asks for more


@kernel
def deal_all(k: Any, t: Any, cards: Any, scalars: Any, games: Any, key: Any, index: Any) -> None:
    pile, sizes = t.pile, t.sizes
    for i in prange(len(games)):
        state = mix(key + np.uint64(index[i]) * GOLDEN)
        deal_one(k, pile, sizes, cards, scalars, games[i], state, np.empty(len(pile), np.int64))


@kernel
def legal_all(k: Any, t: Any, cards: Any, scalars: Any, games: Any, starts: Any, out: Any) -> None:
    """Without room in `out`, the number of legal plays of each game into `starts`; else the plays, from `starts` on."""
    nodes, fans, segments, walks, plays = t.nodes, t.fans, t.segments, t.walks, t.plays
    for i in prange(len(games)):
        b = games[i]
        held, twice = hand_of(k, cards, b, scalars[b, TURN])
        first = starts[i] if len(out) else 0
        end = legal_one(k, nodes, fans, segments, walks, plays, held, twice, scalars[b, LAST], out, first)
        if len(out) == 0:
            starts[i] = end


@kernel
def step_all(k: Any, t: Any, cards: Any, scalars: Any, games: Any, chosen: Any) -> None:
    plays, play_cards, mates = t.plays, t.play_cards, t.mates
    for i in prange(len(games)):
        step_one(k, plays, play_cards, mates, cards, scalars, games[i], chosen[i])


@kernel
def pick_all(k: Any, t: Any, hands: Any, chosen: Any, out: Any) -> None:
    """The cards that plays take from hands [N, W] where suits matter, into `out` [N, W]."""
    plays, play_cards = t.plays, t.play_cards
    for i in prange(len(chosen)):
        twice = hands[i, 1] if k.words == 2 else 0
        once, again = pick_suits(k, plays, play_cards[chosen[i]], chosen[i], hands[i, 0], twice)
        out[i, 0] = once
        if k.words == 2:
            out[i, 1] = again


@kernel
def random_games(k: Any, t: Any, cards: Any, scalars: Any, keys: Any) -> None:
    """Random play from the current positions to the end; `keys` are the `seed_key`s of the seats' random agents."""
    nodes, fans, segments, walks, plays, play_cards, _pile, _sizes, mates = t
    games = len(cards)
    for c in prange((games + CHUNK - 1) // CHUNK):
        out = np.empty(len(play_cards), np.int32)
        for b in range(c * CHUNK, min(games, (c + 1) * CHUNK)):
            while scalars[b, OUTS] < k.outs_to_end:
                seat = scalars[b, TURN]
                held, twice = hand_of(k, cards, b, seat)
                n = legal_one(k, nodes, fans, segments, walks, plays, held, twice, scalars[b, LAST], out, 0)
                choice = hash_choice(held, twice, scalars[b, TURNS], keys[seat], n) if n > 1 else 0
                step_one(k, plays, play_cards, mates, cards, scalars, b, out[choice])


class CpuKernels:
    def __init__(self, game: Game) -> None:
        self.rules = game_constants(game), tables_of(game)

    def deal(self, cards: Tensor, scalars: Tensor, games: Tensor, seed: int, index: Tensor) -> None:
        deal_all(*self.rules, cards.T.numpy(), scalars.T.numpy(), games.numpy(), np.uint64(seed_key(seed)), index.numpy())

    def count(self, cards: Tensor, scalars: Tensor, games: Tensor) -> Tensor:
        counts = torch.empty(len(games), dtype=torch.int64)
        legal_all(*self.rules, cards.T.numpy(), scalars.T.numpy(), games.numpy(), counts.numpy(), NO_ROOM)
        return counts

    def write(self, cards: Tensor, scalars: Tensor, games: Tensor, starts: Tensor, plays: Tensor) -> None:
        if len(plays):  # an empty `plays` would mean to count
            legal_all(*self.rules, cards.T.numpy(), scalars.T.numpy(), games.numpy(), starts.numpy(), plays.numpy())

    def step(self, cards: Tensor, scalars: Tensor, games: Tensor, plays: Tensor) -> None:
        step_all(*self.rules, cards.T.numpy(), scalars.T.numpy(), games.numpy(), plays.numpy())

    def pick(self, hands: Tensor, plays: Tensor) -> Tensor:
        cards = torch.empty_like(hands, memory_format=torch.contiguous_format)
        pick_all(*self.rules, hands.contiguous().numpy(), plays.to(torch.int32).numpy(), cards.numpy())
        return cards

    def random_games(self, cards: Tensor, scalars: Tensor, seeds: list[int]) -> None:
        keys = np.array([seed_key(seed) for seed in seeds], np.uint64)
        random_games(*self.rules, cards.T.numpy(), scalars.T.numpy(), keys)
