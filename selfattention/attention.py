"""Attention as the book builds it: softmax, one function, and the modules around it.

Tokens are rows: ``X`` is ``(T, d_model)`` and each row of the weights sums to 1.
Scores are before the softmax, weights after. Masks are boolean, True = may attend.
Leading axes are batches. Each definition is taught in the chapter its docstring names.
"""

import math

import torch
from torch import nn

from selfattention.shapes import check_attention, check_heads, check_tokens


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


def scaled_dot_product_attention(query, key, value, mask=None):
    """Weigh the values by how well their keys fit each query.

    Args:
        query: ``(..., T, d_k)``.
        key: ``(..., S, d_k)``.
        value: ``(..., S, d_v)``.
        mask: boolean, broadcastable to ``(..., T, S)``, True = may attend. A query that
            may attend to nothing gets weights, output and gradients of 0.

    Returns:
        The output ``(..., T, d_v)`` and the weights ``(..., T, S)``.

    Raises:
        ValueError: shapes do not fit; TypeError: the mask is not boolean.

    Equation 1 of Vaswani et al. (2017). Taught in *Queries, keys, values*; the mask in
    *Masking*.
    """
    check_attention(query, key, value, mask)
    scores = query @ key.transpose(-2, -1) / math.sqrt(key.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = softmax(scores, dim=-1)  # (..., T, S)
    return weights @ value, weights


def causal_mask(length):
    """The mask ``(length, length)`` in which position i may attend to positions ≤ i.

    Taught in *Masking*.
    """
    return torch.ones(length, length, dtype=torch.bool).tril()


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

    Taught in *Masking*.
    """

    def forward(self, x):
        """Map tokens ``(..., T, d)`` to contexts ``(..., T, d_v)`` and weights."""
        mask = causal_mask(x.size(-2)).to(x.device)
        return super().forward(x, mask)


class MultiHeadAttention(nn.Module):
    """Several heads of attention side by side, concatenated and mixed by ``W_O``.

    Args:
        embed_dim: width of a token; what comes out is as wide.
        num_heads: number of heads, a divisor of ``embed_dim``.
        bias: whether the four projections add a bias, as BERT's do.

    Raises:
        ValueError: ``num_heads`` does not divide ``embed_dim``.

    Section 3.2.2 of Vaswani et al. (2017). Taught in *Multi-head attention*.
    """

    def __init__(self, embed_dim, num_heads, bias=True):
        """Make the four projections."""
        super().__init__()
        check_heads(embed_dim, num_heads)
        self.num_heads = num_heads
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
            mask: boolean, broadcastable to ``(B, h, T, S)``, True = may attend.

        Returns:
            The output ``(B, T, d)`` and the weights of every head ``(B, h, T, S)``.

        Raises:
            ValueError: an input is not ``(B, T, d)`` or shapes do not fit.
        """
        key = query if key is None else key
        value = key if value is None else value
        d = self.q_proj.in_features
        check_tokens(d, query=query, key=key, value=value)
        heads, weights = scaled_dot_product_attention(
            self.split(self.q_proj(query)),
            self.split(self.k_proj(key)),
            self.split(self.v_proj(value)),
            mask,
        )  # (B, h, T, d / h), (B, h, T, S)
        concatenated = heads.transpose(1, 2).flatten(2)  # (B, T, d)
        return self.out_proj(concatenated), weights
