"""Legal plays by comparing every row with every hand, in plain torch: slow, short, and what the kernels are tested against."""

from __future__ import annotations

import torch
from torch import Tensor

from shangyou.games import PASS, Game
from shangyou.games.table import MIXED

CHUNK = 128  # hands compared at once: each with all rows, so that memory stays small


def legal_plays(game: Game, hands: Tensor, last: Tensor) -> tuple[Tensor, Tensor]:
    """hands [n, W], last [n] -> how many plays each has [n], and the plays one hand after the other [N]."""
    allowed = [_allowed(game, hands[i : i + CHUNK], last[i : i + CHUNK]) for i in range(0, len(hands), CHUNK)]
    if not allowed:
        return last.new_zeros(0, dtype=torch.int64), last.new_zeros(0, dtype=torch.int32)
    together = torch.cat(allowed)
    return together.sum(1), together.nonzero()[:, 1].to(torch.int32)


def _allowed(game: Game, hands: Tensor, last: Tensor) -> Tensor:
    """[n, P] which rows each hand may play."""
    table, device = game.table, hands.device
    need = torch.from_numpy(table.need).to(device).T  # [P, R]
    pattern, strength, bomb, suit = (
        torch.from_numpy(column).to(device, torch.int64) for column in (table.pattern, table.strength, table.bomb, table.suit)
    )
    copies = _copies(hands, game.deck.suited)  # [n, R, 4 or 1]
    have = copies.sum(2)
    held = (need <= have[:, None, :]).all(2)
    if game.deck.suited:
        touched = need > 0
        for flush in range(4):
            of_suit = (need <= copies[:, None, :, flush]).all(2)
            held = torch.where(suit == flush, of_suit, held)
        suits_met = ((copies > 0).float().transpose(1, 2) @ touched.float().T > 0).sum(1)  # [n, P]
        held &= (suit != MIXED) | (suits_met > 1)
    lead = (last == PASS)[:, None]
    last = last.long()
    higher = (pattern == pattern[last][:, None]) & (strength > strength[last][:, None])
    follows = higher | (bomb > bomb[last][:, None])
    rows = torch.arange(len(table), device=device)
    return torch.where(rows == PASS, ~lead, held & (lead | follows))


def _copies(hands: Tensor, suited: bool) -> Tensor:
    """[n, W] words -> [n, R, 4] copies of each kind, or [n, R, 1] counts."""
    lanes = hands[:, :, None] >> (4 * torch.arange(15, device=hands.device)) & 15  # [n, W, R]
    if not suited:
        return lanes[:, 0, :, None]
    return (lanes[..., None] >> torch.arange(4, device=hands.device) & 1).sum(1)
