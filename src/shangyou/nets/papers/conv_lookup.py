"""The first two convolutions of the papers' nets, looked up instead of computed.

A column of the array is one-hot or blank, so that it has six states. The output of the two convolutions for a window of five
columns depends on those alone: there are 6^5 = 7,776 outputs, far fewer than a batch has windows. They are computed once a
step, or once for all where the weights do not change.

The first convolution sees three columns, a triple with 6^3 = 216 states. The second adds the contributions of three triples, so
that the backward pass is a product with the one-hot states of the triples: the same sum in the same order every time.

K nets of a stack, N pairs of position and play, P windows of five columns, C channels after the second convolution.
"""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from shangyou.nets.papers.convolutions import before_rectified, rectified, summed_products
from shangyou.nets.papers.encoding import COLUMNS, STATES, EncodedBatch, expanded

TILE = 3  # rows and columns of either convolution
TRIPLES = STATES**3


def all_patches() -> Tensor:
    """[216 * 3, 9] the inputs of the first convolution for every triple of columns, row by row."""
    states = torch.cartesian_prod(*[torch.arange(STATES)] * TILE)  # [216, 3]
    return expanded(states).unfold(1, TILE, 1).transpose(2, 3).reshape(-1, TILE * TILE).float()


def triple_contributions(patches: Tensor, layers: list[tuple[Tensor, Tensor]], slopes: Tensor) -> Tensor:
    """[K, 3, 216, C] what a triple adds to a window as its left, middle and right triple; the first includes the bias."""
    (weight, bias), (second, second_bias) = layers
    first = rectified(torch.baddbmm(bias, patches.expand(len(slopes), -1, -1), weight), slopes)
    contributions = torch.matmul(first.view(len(slopes), 1, TRIPLES, -1), second.view(len(slopes), TILE, -1, second.shape[2]))
    return torch.cat([contributions[:, :1] + second_bias[:, None], contributions[:, 1:]], 1)


def answers_of(contributions: Tensor, slopes: Tensor) -> Tensor:
    """[K, 7776, C] the output for every possible window."""
    left, middle, right = contributions.view(len(slopes), TILE, *(STATES,) * 3, -1).unbind(1)  # [K, 6, 6, 6, C] each
    whole = left[:, :, :, :, None, None] + middle[:, None, :, :, :, None] + right[:, None, None]
    return rectified(whole.flatten(1, 5), slopes)


def look_up(answers: Tensor, windows: Tensor) -> Tensor:
    """[K, N, P, C] the outputs for windows [N, P]."""
    nets, count, channels = answers.shape
    places = windows + torch.arange(0, nets * count, count, device=windows.device)[:, None, None]
    return functional.embedding(places, answers.reshape(-1, channels))


class LookUp(torch.autograd.Function):
    """`look_up` of the answers to the contributions of triples, with its backward pass."""

    @staticmethod
    def forward(ctx: Any, contributions: Tensor, slopes: Tensor, encoded: EncodedBatch) -> Tensor:
        found = look_up(answers_of(contributions, slopes).to(encoded.dtype), encoded.windows)
        ctx.save_for_backward(found, slopes)
        ctx.encoded = encoded
        return found

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        found, slopes = ctx.saved_tensors
        nets, pairs, windows, channels = found.shape
        border = TILE - 1
        wanted = grad.new_zeros(pairs * COLUMNS + border, nets, channels)  # zeros before the windows of a pair, and after
        inner = wanted[: pairs * COLUMNS].view(pairs, COLUMNS, nets, channels)[:, border : border + windows]
        before_rectified(grad, found, slopes, out=inner.permute(2, 0, 1, 3))
        which = ctx.encoded.which_triples.view(1, -1, TRIPLES)
        sums = []
        for place in range(TILE):  # of a triple in a window: the window begins so many columns before it
            rows = wanted[border - place :][: pairs * COLUMNS].view(1, -1, nets * channels)
            sums.append(summed_products(which, rows).view(TRIPLES, nets, channels))
        return torch.stack(sums).permute(2, 0, 1, 3), None, None
