"""Convolutions along the columns of many nets at once, with a backward pass that keeps a GPU busy.

The gradient of a weight is a sum over every window of a batch, hundreds of thousands of them, while the result is small: one
product would occupy only a few blocks of threads. So it is the sum of many short products.

K nets of a stack, N pairs of position and play, P columns, C channels.
"""

from math import gcd
from typing import Any

import torch
from torch import Tensor

PIECES = 64  # into which a long sum is cut


def rectified(x: Tensor, slopes: Tensor) -> Tensor:
    """One kernel, whatever the negative slope of each net."""
    return torch.prelu(x[None], slopes.to(x.dtype)).squeeze(0)


def before_rectified(grad: Tensor, found: Tensor, slopes: Tensor, out: Tensor | None = None) -> Tensor:
    """The gradient by what was rectified to `found`, [K, ...]; `slopes` are not negative, so that signs have not changed."""
    below = slopes.to(grad.dtype).view(-1, *[1] * (grad.dim() - 1))
    return torch.where(found > 0, grad, grad * below, out=out)


def summed_products(left: Tensor, right: Tensor) -> Tensor:
    """[K, A, B] float32 of [K, rows, A] and [K, rows, B], over many rows."""
    nets, rows, _ = left.shape
    pieces = nets * gcd(rows, PIECES)
    products = torch.bmm(left.reshape(pieces, -1, left.shape[2]).transpose(1, 2), right.reshape(pieces, -1, right.shape[2]))
    return products.view(nets, -1, *products.shape[1:]).sum(1, dtype=torch.float32)


def side_by_side(x: Tensor, width: int) -> Tensor:
    """[K, N, P', width * C] every so many neighbouring columns of [K, N, P, C]."""
    if width == 1:
        return x
    last = x.shape[2] - width + 1
    return torch.cat([x[:, :, first : first + last] for first in range(width)], 3)


def convolve(x: Tensor, weight: Tensor, bias: Tensor, slopes: Tensor) -> Tensor:
    """[K, N, P', out] of [K, N, P, C], rectified; weights [K, width * C, out]."""
    if torch.is_grad_enabled() and weight.requires_grad:
        return Convolve.apply(x, weight, bias, slopes)  # type: ignore[no-any-return, no-untyped-call]
    return _of_windows(side_by_side(x, weight.shape[1] // x.shape[3]), weight, bias, slopes)


def _of_windows(seen: Tensor, weight: Tensor, bias: Tensor, slopes: Tensor) -> Tensor:
    products = torch.baddbmm(bias.to(seen.dtype), seen.flatten(1, 2), weight.to(seen.dtype))
    return rectified(products, slopes).view(*seen.shape[:3], -1)


class Convolve(torch.autograd.Function):
    """`convolve` with its backward pass."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, slopes: Tensor) -> Tensor:
        seen = side_by_side(x, weight.shape[1] // x.shape[3])
        found = _of_windows(seen, weight, bias, slopes)
        ctx.save_for_backward(seen, found, weight, slopes)
        ctx.channels = x.shape[3]
        return found

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        seen, found, weight, slopes = ctx.saved_tensors
        nets, pairs, last, out = found.shape
        wanted = before_rectified(grad, found, slopes).view(nets, -1, out)
        by_window = torch.bmm(wanted, weight.to(wanted.dtype).transpose(1, 2)).view(nets, pairs, last, -1, ctx.channels)
        width = by_window.shape[3]
        by_column = by_window.new_zeros(nets, pairs, last + width - 1, ctx.channels)
        for first in range(width):
            by_column[:, :, first : first + last] += by_window[:, :, :, first]
        return by_column, summed_products(seen.flatten(1, 2), wanted), wanted.sum(1, keepdim=True, dtype=torch.float32), None
