"""Shape checks: bad input is refused at the door, with both shapes in the message."""

import torch


def show(tensor):
    """Write a shape as it stands in an error message: ``(2, 4, 8)``."""
    return "(" + ", ".join(str(size) for size in tensor.shape) + ")"


def check_attention(query, key, value, mask=None):
    """Check that query, key, value and mask fit together for attention.

    Args:
        query: ``(..., T, d_k)``.
        key: ``(..., S, d_k)``.
        value: ``(..., S, d_v)``; ``d_v`` is free.
        mask: boolean, broadcastable to ``(..., T, S)``, True = may attend; or None.

    Raises:
        ValueError: the shapes do not fit; the message holds both shapes.
        TypeError: the mask is not boolean.
    """
    for name, tensor in (("query", query), ("key", key), ("value", value)):
        if tensor.dim() < 2:
            raise ValueError(
                f"{name} needs at least two axes (tokens, width), not {show(tensor)}"
            )
    if query.size(-1) != key.size(-1):
        raise ValueError(
            f"scores need equal key widths: query {show(query)} and key {show(key)}"
        )
    if key.size(-2) != value.size(-2):
        raise ValueError(
            f"each key needs one value: key {show(key)} and value {show(value)}"
        )
    batches = [tuple(tensor.shape[:-2]) for tensor in (query, key, value)]
    if not broadcastable(*batches):
        raise ValueError(
            "query, key and value need the same leading axes: "
            f"query {show(query)}, key {show(key)}, value {show(value)}"
        )
    if mask is not None:
        check_mask(mask, query, key)


def check_mask(mask, query, key):
    """Check that a mask is boolean and broadcasts to the scores of query and key."""
    if mask.dtype != torch.bool:
        raise TypeError(
            f"mask must be boolean with True = may attend, not {mask.dtype}"
        )
    leading = torch.broadcast_shapes(query.shape[:-2], key.shape[:-2])
    scores = (*leading, query.size(-2), key.size(-2))
    # The mask may be stretched to the scores, but must not stretch them.
    fits = broadcastable(tuple(mask.shape), scores)
    if not fits or torch.broadcast_shapes(mask.shape, scores) != scores:
        raise ValueError(
            f"mask {show(mask)} does not broadcast to scores "
            f"of query {show(query)} and key {show(key)}"
        )


def check_heads(embed_dim, num_heads):
    """Check that a width can be shared out among heads.

    Raises:
        ValueError: ``num_heads`` does not divide ``embed_dim``.
    """
    if num_heads < 1 or embed_dim % num_heads:
        raise ValueError(
            f"num_heads must divide embed_dim: {num_heads} and {embed_dim}"
        )


def check_tokens(width, **inputs):
    """Check that each named input is a batch of tokens ``(B, T, width)``.

    Raises:
        ValueError: an input is not; the message holds its name and its shape.
    """
    for name, tensor in inputs.items():
        if tensor.dim() != 3 or tensor.size(-1) != width:
            raise ValueError(f"{name} must be (B, T, {width}), not {show(tensor)}")


def check_width(width):
    """Check that sines and cosines can share a width evenly.

    Raises:
        ValueError: the width is odd or not positive.
    """
    if width < 2 or width % 2:
        raise ValueError(f"width must be even and positive, not {width}")


def check_lengths(lengths, longest):
    """Check that every length of a batch lies between 0 and the longest.

    Raises:
        ValueError: a length does not, or the lengths are not one row of whole numbers.
    """
    if lengths.dim() != 1 or lengths.is_floating_point():
        raise ValueError(
            "lengths must be one row of whole numbers, "
            f"not {lengths.dtype} of shape {show(lengths)}"
        )
    if lengths.min() < 0 or lengths.max() > longest:
        raise ValueError(
            f"lengths must lie between 0 and {longest}: {lengths.tolist()}"
        )


def broadcastable(*shapes):
    """Whether shapes broadcast together: from the right, sizes are equal or 1."""
    width = max(len(shape) for shape in shapes)
    padded = [(1,) * (width - len(shape)) + tuple(shape) for shape in shapes]
    return all(len(set(sizes) - {1}) <= 1 for sizes in zip(*padded, strict=True))
