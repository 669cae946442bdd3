"""Sets of cards as int64 words, on tensors whose second to last axis is the words: counting, adding, taking away."""

import torch
from torch import Tensor

LOW_NIBBLES = 0x0F0F0F0F0F0F0F0F
BYTES = 0x0101010101010101


def count_cards(words: Tensor, suited: bool) -> Tensor:
    """[..., W, n] -> [..., n] int32 the number of cards."""
    if suited:  # bits to counts of four
        words = (words & 0x5555555555555555) + (words >> 1 & 0x5555555555555555)
        words = (words & 0x3333333333333333) + (words >> 2 & 0x3333333333333333)
    in_bytes = (words & LOW_NIBBLES) + (words >> 4 & LOW_NIBBLES)
    return (in_bytes * BYTES >> 56).sum(-2).to(torch.int32)


def add_words(a: Tensor, b: Tensor) -> Tensor:
    """[W, n] two sets together."""
    if a.shape[-2] == 1:
        return a + b
    return torch.stack([a[0] | b[0], a[1] | b[1] | (a[0] & b[0])])


def subtract_words(a: Tensor, b: Tensor) -> Tensor:
    """[W, n] a set without a part of it."""
    if b.shape[-2] == 1:
        return a - b
    return torch.stack([(a[0] & ~b[0]) | (a[1] & b[0] & ~b[1]), a[1] & ~b[0]])
