"""Attention as the book builds it: softmax, one function, and the modules around it.

Tokens are rows: ``X`` is ``(T, d_model)`` and each row of the weights sums to 1.
Scores are before the softmax, weights after. Masks are boolean, True = may attend.
Leading axes are batches. Each definition is taught in the chapter its docstring names.
"""

import math

import torch
from torch import nn

from selfattention.shapes import (
    check_attention,
    check_heads,
    check_lengths,
    check_tokens,
    check_width,
)


def softmax(scores, dim=-1):
    """Softmax that cannot overflow, and that is 0 where nothing may be attended to.

    The largest score is subtracted first, which changes no weight and keeps every
    exponential at most 1. A row of scores that is −∞ throughout has no largest score to
    speak of; its weights are 0, and so are the gradients through it.

    Args:
        scores: any shape.
        dim: the axis whose entries will sum to 1.

    Returns:
        The weights, of the shape and type of ``scores``.

    Taught in *Softmax saturation*.
    """
    largest = scores.amax(dim, keepdim=True).detach()
    lowest = torch.finfo(scores.dtype).min
    exponentials = (scores - largest.clamp(min=lowest)).exp()
    # The largest score adds exp(0) = 1: only a row of −∞ totals less.
    return exponentials / exponentials.sum(dim, keepdim=True).clamp(min=1)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    """Weigh the values by how well their keys fit each query.

    Args:
        query: ``(..., T, d_k)``.
        key: ``(..., S, d_k)``.
        value: ``(..., S, d_v)``.
        mask: boolean, broadcastable to ``(..., T, S)``, True = may attend. A query that
            may attend to nothing gets weights, output and gradients of 0.
        dropout: the probability with which each weight is set to 0; the others are
            divided by ``1 - dropout``. A module passes 0 when it is not in training.

    Returns:
        The output ``(..., T, d_v)`` and the weights ``(..., T, S)`` that made it.

    Raises:
        ValueError: shapes do not fit; TypeError: the mask is not boolean.

    Equation 1 of Vaswani et al. (2017). Taught in *Queries, keys, values*; mask and
    dropout in *Masking*.
    """
    check_attention(query, key, value, mask)
    scores = query @ key.transpose(-2, -1) / math.sqrt(key.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = softmax(scores, dim=-1)  # (..., T, S)
    weights = nn.functional.dropout(weights, dropout)
    return weights @ value, weights


def causal_mask(length):
    """The mask ``(length, length)`` in which position i may attend to positions ≤ i.

    Taught in *Masking*.
    """
    return torch.ones(length, length, dtype=torch.bool).tril()


def padding_mask(lengths, longest=None):
    """The mask ``(B, 1, S)`` that hides what was added to fill up a batch.

    Args:
        lengths: B whole numbers, how many tokens of each sequence are real.
        longest: S, the width of the batch; the largest length unless given.

    Raises:
        ValueError: a length is negative or larger than ``longest``.

    Taught in *Masking*.
    """
    lengths = torch.as_tensor(lengths)
    longest = int(lengths.max()) if longest is None else longest
    check_lengths(lengths, longest)
    position = torch.arange(longest, device=lengths.device)
    return (position < lengths.unsqueeze(-1)).unsqueeze(-2)


def sinusoidal_positions(length, width):
    """Sines and cosines ``(length, width)`` that say where a token stands.

    Column 2i holds the sine and column 2i + 1 the cosine of the position times
    ``10000 ** (-2i / width)``.

    Raises:
        ValueError: the width is odd.

    Section 3.5 of Vaswani et al. (2017). Taught in *Multi-head attention*.
    """
    check_width(width)
    position = torch.arange(length).unsqueeze(-1)  # (T, 1)
    rate = 10_000 ** (-torch.arange(0, width, 2) / width)  # (d / 2,)
    angle = position * rate  # (T, d / 2)
    return torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(-2)


class SelfAttention(nn.Module):
    """One head of self-attention with three parameter matrices and no bias.

    The matrices are drawn uniformly from [0, 1) in the order query, key, value.

    Args:
        embed_dim: width of a token, ``d``.
        d_k: width of queries and keys.
        d_v: width of values; ``d_k`` unless given.

    Taught in *Queries, keys, values*.
    """

    def __init__(self, embed_dim, d_k, d_v=None):
        """Draw the three matrices."""
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(embed_dim, d_k))
        self.W_key = nn.Parameter(torch.rand(embed_dim, d_k))
        self.W_value = nn.Parameter(torch.rand(embed_dim, d_v or d_k))

    def forward(self, x, mask=None):
        """Map tokens ``(..., T, d)`` to contexts ``(..., T, d_v)`` and weights."""
        query = x @ self.W_query  # (..., T, d_k)
        key = x @ self.W_key  # (..., T, d_k)
        value = x @ self.W_value  # (..., T, d_v)
        return scaled_dot_product_attention(query, key, value, mask)


class CausalAttention(SelfAttention):
    """One head of self-attention in which position i sees positions ≤ i.

    Args:
        embed_dim: width of a token, ``d``.
        d_k: width of queries and keys.
        d_v: width of values; ``d_k`` unless given.
        dropout: the probability of a weight to be dropped, in training only.

    Taught in *Masking*.
    """

    def __init__(self, embed_dim, d_k, d_v=None, dropout=0.0):
        """Draw the three matrices."""
        super().__init__(embed_dim, d_k, d_v)
        self.dropout = dropout

    def forward(self, x, mask=None):
        """Map tokens ``(..., T, d)`` to contexts ``(..., T, d_v)`` and weights.

        A mask, for instance of padding, forbids more on top of the future.
        """
        causal = causal_mask(x.size(-2)).to(x.device)
        return scaled_dot_product_attention(
            x @ self.W_query,  # (..., T, d_k)
            x @ self.W_key,  # (..., T, d_k)
            x @ self.W_value,  # (..., T, d_v)
            mask=causal if mask is None else causal & mask,
            dropout=self.dropout if self.training else 0.0,
        )


class MultiHeadAttention(nn.Module):
    """Several heads of attention side by side, concatenated and mixed by ``W_O``.

    Args:
        embed_dim: width of a token; what comes out is as wide.
        num_heads: number of heads, a divisor of ``embed_dim``.
        bias: whether the four projections add a bias, as BERT's do.
        dropout: the probability of a weight to be dropped, in training only.

    Raises:
        ValueError: ``num_heads`` does not divide ``embed_dim``.

    Section 3.2.2 of Vaswani et al. (2017). Taught in *Multi-head attention*.
    """

    def __init__(self, embed_dim, num_heads, bias=True, dropout=0.0):
        """Make the four projections."""
        super().__init__()
        check_heads(embed_dim, num_heads)
        self.num_heads, self.dropout = num_heads, dropout
        self.q_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.k_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.v_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)

    def split(self, x):
        """Cut the width into heads: ``(B, T, d)`` becomes ``(B, h, T, d / h)``."""
        batch, length, width = x.shape
        heads = x.view(batch, length, self.num_heads, width // self.num_heads)
        return heads.transpose(1, 2)

    def forward(self, query, key=None, value=None, mask=None):
        """Attend from ``query`` to ``key`` and ``value``, or to ``query`` itself.

        Args:
            query: ``(B, T, d)``.
            key: ``(B, S, d)``; ``query`` unless given.
            value: ``(B, S, d)``; ``key`` unless given.
            mask: boolean, True = may attend; broadcastable to ``(T, S)``, to
                ``(B, T, S)``, which is for all heads, or to ``(B, h, T, S)``.

        Returns:
            The output ``(B, T, d)`` and the weights of every head ``(B, h, T, S)``.

        Raises:
            ValueError: an input is not ``(B, T, d)`` or shapes do not fit.
        """
        key = query if key is None else key
        value = key if value is None else value
        d = self.q_proj.in_features
        check_tokens(d, query=query, key=key, value=value)
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)  # (B, 1, T, S)
        heads, weights = scaled_dot_product_attention(
            self.split(self.q_proj(query)),
            self.split(self.k_proj(key)),
            self.split(self.v_proj(value)),
            mask,
            self.dropout if self.training else 0.0,
        )  # (B, h, T, d / h), (B, h, T, S)
        concatenated = heads.transpose(1, 2).flatten(2)  # (B, T, d)
        return self.out_proj(concatenated), weights
