"""Sinusoidal positions, and what multi-head attention does with masks and dropout."""

import io
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from selfattention.attention import (
    MultiHeadAttention,
    causal_mask,
    padding_mask,
    sinusoidal_positions,
)

few = settings(max_examples=30, deadline=None, derandomize=True)
seeds = st.integers(0, 2**32 - 1)


def draw(*shape, seed=0, dtype=torch.float32):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype)


def assert_close(actual, expected, tolerance=1e-6):
    torch.testing.assert_close(actual, expected, atol=tolerance, rtol=0)


def make(num_heads=2, width=12, seed=0, **options):
    torch.manual_seed(seed)
    return MultiHeadAttention(width, num_heads, **options)


# Positions


@pytest.mark.parametrize("width", [2, 4, 6, 64])
def test_positions_are_the_formula_entry_by_entry(width):
    found = sinusoidal_positions(50, width)
    assert found.shape == (50, width)
    assert found.dtype == torch.float32
    for t in range(50):
        for column in range(width):
            angle = t * 10_000 ** (-(column - column % 2) / width)
            expected = math.cos(angle) if column % 2 else math.sin(angle)
            assert found[t, column].item() == pytest.approx(expected, abs=1e-5)


def test_first_position_is_sines_of_zero_and_cosines_of_zero():
    assert torch.equal(sinusoidal_positions(1, 6), torch.tensor([[0.0, 1.0] * 3]))


def test_no_positions_have_no_rows():
    assert sinusoidal_positions(0, 6).shape == (0, 6)


def test_a_longer_table_begins_with_the_shorter_one():
    assert torch.equal(sinusoidal_positions(90, 16)[:40], sinusoidal_positions(40, 16))


@pytest.mark.parametrize("width", [2, 16, 64])
def test_dot_products_depend_on_the_distance_only(width):
    positions = sinusoidal_positions(80, width)
    products = positions @ positions.T
    for k in range(80):
        assert_close(products.diagonal(k), products[0, k].expand(80 - k), 1e-3)
    assert_close(products.diagonal(), torch.full((80,), width / 2), 1e-4)


@pytest.mark.parametrize("steps", [1, 7, 30])
def test_a_shift_turns_every_pair_by_one_angle(steps):
    positions = sinusoidal_positions(80, 16).double()
    pairs = positions.unflatten(-1, (8, 2))
    sine, cosine = pairs[:-steps].unbind(-1)
    turn = steps * 10_000 ** (-torch.arange(0, 16, 2, dtype=torch.float64) / 16)
    new_sine = sine * turn.cos() + cosine * turn.sin()
    new_cosine = cosine * turn.cos() - sine * turn.sin()
    assert_close(torch.stack((new_sine, new_cosine), -1), pairs[steps:], 1e-4)


def test_no_two_positions_are_alike():
    positions = sinusoidal_positions(512, 64)
    distances = torch.cdist(positions, positions) + 10 * torch.eye(512)
    assert distances.min() > 0.5


@pytest.mark.parametrize("width", [7, 1, 0, -2])
def test_width_must_be_even_and_positive(width):
    with pytest.raises(ValueError, match=f"even and positive, not {width}"):
        sinusoidal_positions(5, width)


def test_positions_break_the_equivariance():
    module, x, order = make(), draw(2, 5, 12), torch.tensor([3, 0, 4, 1, 2])
    positions = sinusoidal_positions(5, 12)
    assert_close(module(x[:, order])[0], module(x)[0][:, order], 1e-5)
    moved = module(x[:, order] + positions)[0] - module(x + positions)[0][:, order]
    assert moved.abs().max() > 1e-2


# Masks of two, three and four axes


@pytest.mark.parametrize("num_heads", [2, 3])
@given(seed=seeds)
@few
def test_mask_of_three_axes_is_for_all_heads_of_its_sentence(num_heads, seed):
    # A batch of 3 with 3 heads is the trap: the wrong axes would line up.
    module, x = make(num_heads), draw(3, 5, 12, seed=seed)
    mask = draw(3, 5, 5, seed=seed + 1) > 0
    output, weights = module(x, mask=mask)
    forbidden = ~mask.unsqueeze(1).expand(3, num_heads, 5, 5)
    assert torch.equal(weights[forbidden], torch.zeros(int(forbidden.sum())))
    for i in range(3):
        alone, weights_alone = module(x[i : i + 1], mask=mask[i])
        assert_close(output[i : i + 1], alone)
        assert_close(weights[i : i + 1], weights_alone)


@pytest.mark.parametrize("num_heads", [1, 2, 3, 4])
def test_padding_changes_nothing(num_heads):
    module, x = make(num_heads), draw(3, 6, 12)
    lengths = [6, 4, 1]
    mask = padding_mask(torch.tensor(lengths))
    output, _ = module(x, mask=mask)
    noise = torch.where(mask.mT, x, 100 * draw(3, 6, 12, seed=1))
    other, weights = module(noise, mask=mask)
    for i, length in enumerate(lengths):
        assert_close(other[i, :length], output[i, :length])
        assert_close(module(x[i : i + 1, :length])[0][0], output[i, :length])
        assert torch.equal(
            weights[i, ..., length:], torch.zeros(num_heads, 6, 6 - length)
        )


def test_causal_and_padding_masks_combine():
    module, x = make(3), draw(3, 5, 12)
    both = causal_mask(5) & padding_mask(torch.tensor([5, 3, 2]))
    assert both.shape == (3, 5, 5)
    output, weights = module(x, mask=both)
    assert torch.equal(weights, weights.tril())
    for i, length in enumerate((5, 3, 2)):
        alone = module(x[i : i + 1, :length], mask=causal_mask(length))[0]
        assert_close(output[i : i + 1, :length], alone)


def test_mask_of_four_axes_may_differ_from_head_to_head():
    module, x = make(2), draw(2, 5, 12)
    heads = torch.stack((causal_mask(5), torch.eye(5, dtype=torch.bool)))
    _, weights = module(x, mask=heads[None])
    assert torch.equal(weights[:, 0], weights[:, 0].tril())
    assert_close(weights[:, 1], torch.eye(5).expand(2, 5, 5))


def test_mask_of_three_axes_for_other_tokens():
    module, query, key = make(3), draw(3, 4, 12), draw(3, 6, 12, seed=1)
    mask = padding_mask(torch.tensor([6, 2, 3]))
    output, weights = module(query, key, mask=mask)
    assert weights.shape == (3, 3, 4, 6)
    for i, length in enumerate((6, 2, 3)):
        alone = module(query[i : i + 1], key[i : i + 1, :length])[0]
        assert_close(output[i : i + 1], alone)


def test_mask_is_not_written_to_or_reshaped():
    mask = padding_mask(torch.tensor([5, 3, 2]))
    copy = mask.clone()
    make(3)(draw(3, 5, 12), mask=mask)
    assert mask.shape == (3, 1, 5)
    assert torch.equal(mask, copy)


@pytest.mark.parametrize("shape", [(2, 5, 5), (3, 4, 5), (3, 1, 4)], ids=str)
def test_mask_of_three_axes_that_does_not_fit_is_refused(shape):
    with pytest.raises(ValueError, match="does not broadcast"):
        make(2)(draw(3, 5, 12), mask=torch.ones(shape, dtype=torch.bool))


def test_sentence_of_nothing_but_padding_gives_the_bias():
    module, x = make(2), draw(2, 4, 12).requires_grad_()
    output, weights = module(x, mask=padding_mask(torch.tensor([4, 0]), 4))
    assert torch.equal(weights[1], torch.zeros(2, 4, 4))
    assert_close(output[1], module.out_proj.bias.expand(4, 12))
    output.sum().backward()
    assert torch.equal(x.grad[1], torch.zeros(4, 12))
    assert x.grad.isfinite().all()


# Dropout


def test_dropout_is_off_in_evaluation_and_unless_asked_for():
    forgetful, plain = make(dropout=0.5), make()
    x = draw(2, 5, 12)
    assert torch.equal(forgetful.eval()(x)[0], plain.eval()(x)[0])
    assert torch.equal(plain.train()(x)[0], plain.eval()(x)[0])


def test_dropout_scales_what_survives_and_makes_the_output_from_it():
    module, x = make(dropout=0.25), draw(64, 5, 12)
    kept = module.eval()(x)[1]
    torch.manual_seed(1)
    output, dropped = module.train()(x)
    ratio = dropped / kept
    survived = ratio != 0
    assert_close(ratio[survived], torch.full_like(ratio[survived], 4 / 3), 1e-4)
    assert 0.2 < 1 - survived.float().mean() < 0.3
    value = module.split(module.v_proj(x))
    made = module.out_proj((dropped @ value).transpose(1, 2).flatten(2))
    assert_close(output, made, 1e-5)


def test_heads_and_sentences_drop_on_their_own():
    module, x = make(dropout=0.5), draw(1, 8, 12).expand(2, 8, 12)
    torch.manual_seed(1)
    survived = module.train()(x)[1] != 0
    assert not torch.equal(survived[0], survived[1])
    assert not torch.equal(survived[:, 0], survived[:, 1])


def test_dropout_brings_nothing_back_that_a_mask_took_away():
    module, x = make(3, dropout=0.5), draw(3, 5, 12)
    torch.manual_seed(1)
    _, weights = module.train()(x, mask=causal_mask(5))
    assert torch.equal(weights, weights.tril())


def test_dropout_follows_the_seed():
    module, x = make(dropout=0.5).train(), draw(2, 5, 12)
    outputs = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        outputs.append(module(x)[0])
    assert torch.equal(outputs[0], outputs[1])
    assert not torch.equal(outputs[0], outputs[2])


def test_everything_dropped_leaves_the_bias():
    module = make(dropout=1.0).train()
    output, weights = module(draw(2, 5, 12))
    assert torch.equal(weights, torch.zeros(2, 2, 5, 5))
    assert_close(output, module.out_proj.bias.expand(2, 5, 12))


def test_dropout_adds_no_parameters():
    assert make(dropout=0.5).state_dict().keys() == make().state_dict().keys()


# Small, and half as precise


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_half_precision_with_masks(dtype, dropout):
    module = make(3, dropout=dropout).to(dtype)
    x, mask = draw(3, 5, 12, dtype=dtype), padding_mask(torch.tensor([5, 3, 0]), 5)
    torch.manual_seed(1)
    output, weights = module(x, mask=mask)
    assert (output.dtype, weights.dtype) == (dtype, dtype)
    assert output.isfinite().all()
    assert torch.equal(weights[1, ..., 3:], torch.zeros(3, 5, 2, dtype=dtype))
    assert torch.equal(weights[2], torch.zeros(3, 5, 5, dtype=dtype))
    if dropout == 0:
        assert_close(output.float(), make(3)(x.float(), mask=mask)[0], 0.05)


def test_single_token_with_masks_of_every_rank():
    module, x = make(), draw(2, 1, 12)
    expected = module.out_proj(module.v_proj(x))
    for axes in (2, 3, 4):
        mask = torch.ones((1,) * axes, dtype=torch.bool)
        assert_close(module(x, mask=mask)[0], expected)
    assert_close(module(x, mask=padding_mask(torch.tensor([1, 1])))[0], expected)


def test_state_dict_goes_out_and_into_a_module_with_dropout():
    module, file = make(seed=1), io.BytesIO()
    torch.save(module.state_dict(), file)
    file.seek(0)
    other = make(dropout=0.3)
    for parameter in other.parameters():
        nn.init.zeros_(parameter)
    other.load_state_dict(torch.load(file, weights_only=True))
    x, mask = draw(2, 5, 12), padding_mask(torch.tensor([5, 3]))
    assert torch.equal(other.eval()(x, mask=mask)[0], module(x, mask=mask)[0])
