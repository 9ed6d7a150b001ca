"""The book's attention against independent ones, and the properties it must have."""

import io
import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from selfattention.attention import (
    CausalAttention,
    MultiHeadAttention,
    SelfAttention,
    causal_mask,
    padding_mask,
    scaled_dot_product_attention,
    softmax,
)
from selfattention.toys import journey

X = journey()

# The same examples in every run: what passed once does not fail by another draw.
few = settings(max_examples=40, deadline=None, derandomize=True)
seeds = st.integers(0, 2**32 - 1)
lengths = st.integers(1, 8)
half = pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])


def draw(*shape, seed=0, dtype=torch.float32):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype)


def draw_mask(*shape, seed=0):
    """A random mask; some of its rows may be False throughout."""
    generator = torch.Generator().manual_seed(seed)
    return torch.rand(*shape, generator=generator) < 0.6


def assert_close(actual, expected, tolerance=1e-6):
    torch.testing.assert_close(actual, expected, atol=tolerance, rtol=0)


# softmax


@pytest.mark.parametrize("dim", [0, 1, -1])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_softmax_is_that_of_torch(dim, dtype):
    scores = 5 * draw(3, 4, 5, dtype=dtype)
    assert_close(softmax(scores, dim), torch.softmax(scores, dim))


def test_softmax_runs_over_the_last_axis_unless_told():
    scores = draw(3, 4)
    assert_close(softmax(scores), torch.softmax(scores, -1))


@half
def test_softmax_of_half_precision_stays_so(dtype):
    scores = draw(3, 4, dtype=dtype)
    assert_close(softmax(scores), torch.softmax(scores, -1), 2e-2)


@pytest.mark.parametrize(
    ("dtype", "huge"),
    [(torch.float16, 6e4), (torch.bfloat16, 3e38), (torch.float32, 3e38)],
)
def test_softmax_of_huge_scores_does_not_overflow(dtype, huge):
    scores = torch.tensor([[huge, huge, -huge], [huge, 0, -huge]], dtype=dtype)
    expected = torch.tensor([[0.5, 0.5, 0], [1, 0, 0]], dtype=dtype)
    assert torch.equal(softmax(scores), expected)


@pytest.mark.parametrize(
    "dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64]
)
def test_row_of_minus_infinity_has_weights_and_gradients_of_zero(dtype):
    scores = torch.full((2, 3), -math.inf, dtype=dtype)
    scores[1] = torch.tensor([1.0, -math.inf, 2.0])
    scores.requires_grad_()
    weights = softmax(scores)
    weights.backward(draw(2, 3, dtype=dtype))
    assert torch.equal(weights[0], torch.zeros(3, dtype=dtype))
    assert torch.equal(scores.grad[0], torch.zeros(3, dtype=dtype))
    # The row beside it is not disturbed.
    assert_close(weights[1], torch.softmax(scores[1], 0), 1e-2)
    assert scores.grad[1].isfinite().all()
    assert scores.grad[1, 0] != 0


def test_softmax_has_the_gradient_of_torch():
    scores = draw(3, 4, dtype=torch.float64).requires_grad_()
    assert torch.autograd.gradcheck(softmax, (scores,))
    upstream = draw(3, 4, seed=1, dtype=torch.float64)
    ours = torch.autograd.grad(softmax(scores), scores, upstream)[0]
    theirs = torch.autograd.grad(torch.softmax(scores, -1), scores, upstream)[0]
    assert_close(ours, theirs, 1e-12)


# scaled_dot_product_attention against independent references


def attention_by_loops(query, key, value, mask=None):
    """Attention on lists of numbers, as slowly and plainly as it can be written."""
    output, weights = [], []
    for i, q in enumerate(query):
        exponentials = []
        for j, k in enumerate(key):
            score = sum(a * b for a, b in zip(q, k, strict=True)) / math.sqrt(len(k))
            seen = mask is None or mask[i][j]
            exponentials.append(math.exp(score) if seen else 0.0)
        total = sum(exponentials) or 1.0
        row = [exponential / total for exponential in exponentials]
        columns = zip(*value, strict=True)
        output.append(
            [sum(w * v for w, v in zip(row, c, strict=True)) for c in columns]
        )
        weights.append(row)
    return output, weights


@pytest.mark.parametrize("masked", [False, True])
def test_attention_is_that_of_loops(masked):
    query, key, value = draw(5, 4, seed=1), draw(7, 4, seed=2), draw(7, 3, seed=3)
    mask = draw_mask(5, 7, seed=4) if masked else None
    if masked:
        mask[2] = False  # a query that may attend to nothing
    output, weights = scaled_dot_product_attention(query, key, value, mask)
    lists = [tensor.tolist() for tensor in (query, key, value)]
    lists.append(mask.tolist() if masked else None)
    expected_output, expected_weights = attention_by_loops(*lists)
    assert_close(output, torch.tensor(expected_output))
    assert_close(weights, torch.tensor(expected_weights))


@pytest.mark.parametrize("leading", [(), (3,), (2, 4)], ids=str)
@pytest.mark.parametrize("masking", ["none", "full", "shared"])
def test_attention_is_that_of_torch(leading, masking):
    query = draw(*leading, 5, 8, seed=1)
    key = draw(*leading, 6, 8, seed=2)
    value = draw(*leading, 6, 3, seed=3)
    shape = {"none": None, "full": (*leading, 5, 6), "shared": (1, 6)}[masking]
    mask = None
    if shape is not None:
        mask = draw_mask(*shape, seed=4)
        mask[..., 0] = True  # torch's is not defined where nothing may be attended to
        mask[..., 3] = False
    output, weights = scaled_dot_product_attention(query, key, value, mask)
    expected = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    assert_close(output, expected)
    assert weights.shape == (*leading, 5, 6)
    assert_close(weights @ value, expected)


def test_leading_axes_broadcast():
    query = draw(2, 1, 5, 8, seed=1)
    key, value = draw(4, 6, 8, seed=2), draw(4, 6, 3, seed=3)
    output, weights = scaled_dot_product_attention(query, key, value)
    assert output.shape == (2, 4, 5, 3)
    for i in range(2):
        for j in range(4):
            alone = scaled_dot_product_attention(query[i, 0], key[j], value[j])
            assert_close(output[i, j], alone[0])
            assert_close(weights[i, j], alone[1])


def test_query_that_may_attend_to_nothing_gives_zero_and_finite_gradients():
    inputs = [draw(4, 8, seed=seed).requires_grad_() for seed in (1, 2, 3)]
    mask = causal_mask(4)
    mask[2] = False
    output, weights = scaled_dot_product_attention(*inputs, mask)
    assert torch.equal(output[2], torch.zeros(8))
    assert torch.equal(weights[2], torch.zeros(4))
    output.sum().backward()
    for tensor in inputs:
        assert tensor.grad.isfinite().all()
    assert torch.equal(inputs[0].grad[2], torch.zeros(8))
    assert inputs[0].grad[3].abs().sum() > 0


def test_causal_mask_lets_a_position_see_itself_and_what_came_before():
    expected = [[True, False, False], [True, True, False], [True, True, True]]
    assert causal_mask(3).dtype == torch.bool
    assert causal_mask(3).tolist() == expected


# The modules against independent references


def test_self_attention_has_the_numbers_of_seed_123():
    torch.manual_seed(123)
    output, weights = SelfAttention(3, 2)(X)
    expected = [
        [0.2996, 0.8053],
        [0.3061, 0.8210],
        [0.3058, 0.8203],
        [0.2948, 0.7939],
        [0.2927, 0.7891],
        [0.2990, 0.8040],
    ]
    assert_close(output, torch.tensor(expected), 5e-5)
    assert weights.shape == (6, 6)


@pytest.mark.parametrize("d_v", [None, 5])
def test_self_attention_is_that_of_torch(d_v):
    torch.manual_seed(0)
    module = SelfAttention(3, 2, d_v)
    x = draw(4, 6, 3)
    output, _ = module(x)
    projected = x @ module.W_query, x @ module.W_key, x @ module.W_value
    assert_close(output, F.scaled_dot_product_attention(*projected))
    assert output.shape == (4, 6, d_v or 2)


def test_self_attention_takes_a_mask():
    torch.manual_seed(0)
    module = SelfAttention(3, 2)
    mask = draw_mask(6, 6, seed=1) | torch.eye(6, dtype=torch.bool)
    projected = X @ module.W_query, X @ module.W_key, X @ module.W_value
    expected = F.scaled_dot_product_attention(*projected, attn_mask=mask)
    assert_close(module(X, mask)[0], expected)


@pytest.mark.parametrize("leading", [(), (4,)], ids=str)
def test_causal_attention_is_that_of_torch(leading):
    torch.manual_seed(0)
    module = CausalAttention(3, 2)
    x = draw(*leading, 6, 3)
    output, weights = module(x)
    projected = x @ module.W_query, x @ module.W_key, x @ module.W_value
    assert_close(output, F.scaled_dot_product_attention(*projected, is_causal=True))
    assert torch.equal(weights, weights.tril())


def multi_head_pair(embed_dim, num_heads, bias=True):
    """Torch's multi-head attention, and the book's with the same weights."""
    torch.manual_seed(0)
    theirs = nn.MultiheadAttention(embed_dim, num_heads, bias=bias, batch_first=True)
    if bias:  # torch starts with biases of 0, which would hide a bias gone astray
        nn.init.normal_(theirs.in_proj_bias)
        nn.init.normal_(theirs.out_proj.bias)
    ours = MultiHeadAttention(embed_dim, num_heads, bias)
    names = ("weight", "bias") if bias else ("weight",)
    with torch.no_grad():
        for name in names:
            parts = getattr(theirs, f"in_proj_{name}").chunk(3)
            modules = (ours.q_proj, ours.k_proj, ours.v_proj)
            for module, part in zip(modules, parts, strict=True):
                getattr(module, name).copy_(part)
    ours.out_proj.load_state_dict(theirs.out_proj.state_dict())
    return ours, theirs


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("num_heads", [1, 2, 8])
def test_multi_head_attention_is_that_of_torch(num_heads, bias, causal):
    ours, theirs = multi_head_pair(8, num_heads, bias)
    x = draw(3, 5, 8)
    mask = causal_mask(5) if causal else None
    output, weights = ours(x, mask=mask)
    expected_output, expected_weights = theirs(
        x,
        x,
        x,
        attn_mask=~mask if causal else None,  # torch's masks are the other way about
        average_attn_weights=False,
    )
    assert_close(output, expected_output)
    assert_close(weights, expected_weights)
    assert (ours.q_proj.bias is not None) == bias


@pytest.mark.parametrize("apart", [False, True], ids=["key only", "key and value"])
def test_multi_head_attention_to_other_tokens_is_that_of_torch(apart):
    ours, theirs = multi_head_pair(8, 2)
    query, key = draw(3, 5, 8, seed=1), draw(3, 7, 8, seed=2)
    value = draw(3, 7, 8, seed=3) if apart else key
    output, weights = ours(query, key, value) if apart else ours(query, key)
    expected = theirs(query, key, value, average_attn_weights=False)
    assert_close(output, expected[0])
    assert_close(weights, expected[1])


def test_multi_head_attention_takes_a_mask_for_every_head():
    ours, theirs = multi_head_pair(8, 2)
    x = draw(3, 5, 8)
    mask = draw_mask(3, 2, 5, 5) | torch.eye(5, dtype=torch.bool)
    output, weights = ours(x, mask=mask)
    expected = theirs(
        x, x, x, attn_mask=~mask.flatten(0, 1), average_attn_weights=False
    )
    assert_close(output, expected[0])
    assert_close(weights, expected[1])


# Properties


def make_modules():
    """One of each: name, module, and whether position i sees positions ≤ i only."""
    torch.manual_seed(0)
    return {
        "self": SelfAttention(8, 4),
        "causal": CausalAttention(8, 4),
        "multi-head": MultiHeadAttention(8, 2),
        "multi-head without bias": MultiHeadAttention(8, 4, bias=False),
    }


MODULES = make_modules()
every_module = pytest.mark.parametrize("name", MODULES)
unmasked_module = pytest.mark.parametrize("name", [n for n in MODULES if n != "causal"])


def apply_causally(name, x):
    """Apply a module with a causal mask, which CausalAttention brings itself."""
    if name == "causal":
        return MODULES[name](x)[0]
    return MODULES[name](x, mask=causal_mask(x.size(-2)))[0]


@given(seed=seeds, length=lengths, others=lengths, spread=st.sampled_from([0.1, 1, 30]))
@few
def test_weights_are_a_distribution_over_what_may_be_seen(seed, length, others, spread):
    query = spread * draw(length, 4, seed=seed)
    key = draw(others, 4, seed=seed + 1)
    mask = draw_mask(length, others, seed=seed)
    _, weights = scaled_dot_product_attention(query, key, key, mask)
    assert (weights >= 0).all()
    assert torch.equal(weights * ~mask, torch.zeros(length, others))
    assert_close(weights.sum(-1), mask.any(-1).float())


@every_module
def test_future_has_no_gradient(name):
    x = draw(2, 6, 8).requires_grad_()
    output = apply_causally(name, x)
    for i in range(6):
        [gradient] = torch.autograd.grad(output[:, i].sum(), x, retain_graph=True)
        assert torch.equal(gradient[:, i + 1 :], torch.zeros(2, 5 - i, 8))
        assert (gradient[:, : i + 1].abs().sum(-1) > 0).all()


@every_module
@given(seed=seeds, length=st.integers(2, 8), data=st.data())
@few
def test_changing_the_future_changes_nothing_before_it(name, seed, length, data):
    now = data.draw(st.integers(1, length - 1), label="now")
    x = draw(1, length, 8, seed=seed)
    changed = x.clone()
    changed[:, now:] = 10 * draw(1, length - now, 8, seed=seed + 1)
    before, after = apply_causally(name, x), apply_causally(name, changed)
    assert torch.equal(before[:, :now], after[:, :now])
    assert not torch.equal(before[:, now:], after[:, now:])


@unmasked_module
@given(seed=seeds, order=st.permutations(range(6)))
@few
def test_permuting_the_tokens_permutes_the_output(name, seed, order):
    x = draw(2, 6, 8, seed=seed)
    output, weights = MODULES[name](x)
    permuted_output, permuted_weights = MODULES[name](x[:, order])
    assert_close(permuted_output, output[:, order], 1e-5)
    assert_close(permuted_weights, weights[..., order, :][..., order], 1e-5)


@given(seed=seeds, length=lengths, others=lengths)
@few
def test_attention_never_writes_to_its_inputs(seed, length, others):
    inputs = [
        draw(2, length, 4, seed=seed),
        draw(2, others, 4, seed=seed + 1),
        draw(2, others, 3, seed=seed + 2),
        draw_mask(2, length, others, seed=seed),
    ]
    before = [tensor.clone() for tensor in inputs]
    scaled_dot_product_attention(*inputs)
    for tensor, copy in zip(inputs, before, strict=True):
        assert torch.equal(tensor, copy)


def test_softmax_never_writes_to_its_input():
    scores = draw(3, 4)
    scores[1] = -math.inf
    before = scores.clone()
    softmax(scores)
    assert torch.equal(scores, before)


@every_module
def test_modules_never_write_to_their_inputs(name):
    x, mask = draw(2, 6, 8), draw_mask(6, 6)
    copies = x.clone(), mask.clone()
    with torch.no_grad():
        MODULES[name](x) if name == "causal" else MODULES[name](x, mask=mask)
    assert torch.equal(x, copies[0])
    assert torch.equal(mask, copies[1])


@half
@every_module
def test_half_precision_is_kept(name, dtype):
    module = make_modules()[name].to(dtype)
    x = draw(2, 6, 8, dtype=dtype)
    output, weights = module(x)
    assert (output.dtype, weights.dtype) == (dtype, dtype)
    expected, _ = MODULES[name](x.float())
    assert_close(output.float(), expected, 0.1)


@every_module
def test_single_token_attends_to_itself(name):
    module = MODULES[name]
    x = draw(2, 1, 8)
    output, weights = module(x)
    assert torch.equal(weights, torch.ones_like(weights))
    if isinstance(module, MultiHeadAttention):
        assert_close(output, module.out_proj(module.v_proj(x)))
    else:
        assert_close(output, x @ module.W_value)


@every_module
def test_state_dict_goes_out_and_in_again(name):
    file = io.BytesIO()
    torch.save(MODULES[name].state_dict(), file)
    file.seek(0)
    other = make_modules()[name]
    for parameter in other.parameters():
        nn.init.zeros_(parameter)
    other.load_state_dict(torch.load(file, weights_only=True))
    x = draw(2, 6, 8)
    assert torch.equal(other(x)[0], MODULES[name](x)[0])


@every_module
def test_batches_do_not_see_each_other(name):
    x = draw(4, 6, 8)
    output, weights = MODULES[name](x)
    for i in range(4):
        alone, weights_alone = MODULES[name](x[i : i + 1])
        assert_close(output[i : i + 1], alone)
        assert_close(weights[i : i + 1], weights_alone)


@every_module
def test_every_parameter_is_trained(name):
    module = make_modules()[name]
    module(draw(2, 6, 8))[0].square().sum().backward()
    for parameter_name, parameter in module.named_parameters():
        # Adding the same number to every score of a row changes no weight.
        if parameter_name == "k_proj.bias":
            assert_close(parameter.grad, torch.zeros(8), 1e-5)
        else:
            assert parameter.grad.abs().sum() > 1e-4, parameter_name


# Padding, dropout, and both masks together


def test_padding_mask_is_true_for_as_many_keys_as_there_are_tokens():
    mask = padding_mask([3, 0, 2])
    assert mask.dtype == torch.bool
    assert mask.tolist() == [
        [[True, True, True]],
        [[False, False, False]],
        [[True, True, False]],
    ]


def test_padding_mask_may_be_wider_than_the_longest():
    mask = padding_mask(torch.tensor([2, 1]), longest=4)
    assert mask.shape == (2, 1, 4)
    assert mask.sum(-1).flatten().tolist() == [2, 1]
    assert torch.equal(mask[..., :2], padding_mask([2, 1]))


@pytest.mark.parametrize(
    ("lengths", "longest", "message"),
    [
        ([3, -1], None, "lengths must lie between 0 and 3: [3, -1]"),
        ([3, 5], 4, "lengths must lie between 0 and 4: [3, 5]"),
        ([[1, 2]], None, "one row of whole numbers, not torch.int64 of shape (1, 2)"),
        (3, None, "one row of whole numbers, not torch.int64 of shape ()"),
        ([1.0, 2.0], 4, "one row of whole numbers, not torch.float32 of shape (2)"),
    ],
)
def test_lengths_that_make_no_sense_are_refused(lengths, longest, message):
    with pytest.raises(ValueError) as refusal:  # noqa: PT011
        padding_mask(lengths, longest)
    assert message in str(refusal.value)


def padded_batch(lengths, longest, filler, left=False):
    """Tokens that are the same whatever the padding holds, and their mask."""
    x, mask = draw(len(lengths), longest, 8), padding_mask(lengths, longest)
    out = torch.full_like(x, filler)
    for row, tokens, length in zip(out, x, lengths, strict=True):
        place = slice(longest - length, longest) if left else slice(length)
        row[place] = tokens[:length]
    return out, mask.flip(-1) if left else mask


@pytest.mark.parametrize("left", [False, True], ids=["right", "left"])
@every_module
def test_real_tokens_do_not_depend_on_the_padding(name, left):
    module, lengths = MODULES[name], [6, 3, 1]
    x, mask = padded_batch(lengths, 6, 0.0, left)
    real = mask.squeeze(1)
    output, weights = module(x, mask=mask)
    other, other_weights = module(padded_batch(lengths, 6, 50.0, left)[0], mask=mask)
    assert torch.equal(output[real], other[real])
    columns = mask if weights.dim() == 3 else mask.unsqueeze(1)
    assert torch.equal(weights * ~columns, torch.zeros_like(weights))
    assert torch.equal(other_weights * ~columns, torch.zeros_like(weights))
    for i, length in enumerate(lengths):
        alone, _ = module(x[i : i + 1, real[i]])
        assert alone.shape[1] == length
        assert_close(output[i, real[i]], alone[0])


@every_module
def test_padding_gets_no_gradient_from_real_tokens(name):
    x, mask = padded_batch([6, 3, 1], 6, 1.0, left=True)
    x.requires_grad_()
    output, _ = MODULES[name](x, mask=mask)
    real = mask.squeeze(1)
    [gradient] = torch.autograd.grad(output[real].square().sum(), x)
    assert torch.equal(gradient[~real], torch.zeros_like(gradient[~real]))
    assert (gradient[real].abs().sum(-1) > 0).all()


@pytest.mark.parametrize("more", [0, 1, 9])
@every_module
def test_amount_of_padding_does_not_matter(name, more):
    module, lengths = MODULES[name], [4, 2]
    x = draw(2, 4, 8)
    wide = torch.cat((x, torch.ones(2, more, 8)), dim=1)
    output, _ = module(x, mask=padding_mask(lengths))
    wider, _ = module(wide, mask=padding_mask(lengths, 4 + more))
    for i, length in enumerate(lengths):
        assert_close(wider[i, :length], output[i, :length])


def test_causal_attention_joins_its_mask_with_another():
    module = make_modules()["causal"]
    x, mask = padded_batch([5, 2], 5, 3.0, left=True)
    output, weights = module(x, mask)
    projected = x @ module.W_query, x @ module.W_key, x @ module.W_value
    both = causal_mask(5) & mask
    expected = scaled_dot_product_attention(*projected, both)
    assert torch.equal(output, expected[0])
    assert torch.equal(weights, expected[1])
    assert weights.shape == (2, 5, 5)
    assert torch.equal(weights > 0, both)
    # What may attend to nothing: zero, and finite gradients for every parameter.
    assert torch.equal(output[1, :3], torch.zeros(3, 4))
    output.square().sum().backward()
    for parameter in module.parameters():
        assert parameter.grad.isfinite().all()
        assert parameter.grad.abs().sum() > 0


def test_causal_attention_refuses_a_mask_that_does_not_fit():
    x = draw(2, 5, 8)
    with pytest.raises(ValueError, match="does not broadcast"):
        MODULES["causal"](x, draw_mask(3, 1, 5))
    with pytest.raises(TypeError, match="mask must be boolean"):
        MODULES["causal"](x, padding_mask([5, 2]).long())


@pytest.mark.parametrize("p", [0.1, 0.5, 0.8])
def test_dropout_scales_what_survives_and_keeps_the_expectation(p):
    torch.manual_seed(0)
    query, key = draw(4, 8, seed=1).expand(4000, 4, 8), draw(6, 8, seed=2)
    _, expected = scaled_dot_product_attention(query[0], key, key)
    output, weights = scaled_dot_product_attention(query, key, key, dropout=p)
    kept = weights != 0
    assert kept.float().mean().item() == pytest.approx(1 - p, abs=0.01)
    assert_close((weights * (1 - p))[kept], expected.expand_as(weights)[kept])
    assert_close(weights @ key, output)  # the weights that made it
    error = expected * math.sqrt(p / (1 - p) / 4000)
    assert ((weights.mean(0) - expected).abs() < 5 * error).all()
    assert weights.sum(-1).std() > 0.01  # rows no longer sum to 1


@pytest.mark.parametrize("name", ["causal", "multi-head"])
def test_dropout_is_for_training_only(name):
    torch.manual_seed(0)
    makers = {"causal": CausalAttention, "multi-head": MultiHeadAttention}
    sizes = {"causal": (8, 4), "multi-head": (8, 2)}[name]
    module, x = makers[name](*sizes, dropout=0.5), draw(2, 6, 8)
    plain = makers[name](*sizes)
    plain.load_state_dict(module.state_dict())
    expected, weights = plain(x)
    module.eval()
    assert torch.equal(module(x)[0], expected)
    assert torch.equal(module(x)[1], weights)
    module.train()
    first, second = module(x), module(x)
    assert not torch.equal(first[0], second[0])
    kept = first[1] != 0
    assert_close(first[1][kept], 2 * weights[kept])
    assert not kept[weights != 0].all()


def test_no_dropout_unless_asked_for():
    module = CausalAttention(8, 4).train()
    x = draw(2, 6, 8)
    assert torch.equal(module(x)[0], module(x)[0])


def test_dropout_opens_nothing_that_a_mask_has_closed():
    torch.manual_seed(0)
    module = CausalAttention(8, 4, dropout=0.5).train()
    x, mask = padded_batch([6, 3], 6, 1.0, left=True)
    closed = ~(causal_mask(6) & mask)
    for _ in range(20):
        assert torch.equal(module(x, mask)[1] * closed, torch.zeros(2, 6, 6))


@half
@pytest.mark.parametrize("left", [False, True], ids=["right", "left"])
def test_masks_and_dropout_in_half_precision(dtype, left):
    torch.manual_seed(0)
    module = CausalAttention(8, 4, dropout=0.5)
    x, mask = padded_batch([6, 3], 6, 1.0, left)
    module.eval()
    expected, _ = module(x, mask)
    module = module.to(dtype)
    output, weights = module(x.to(dtype), mask)
    assert (output.dtype, weights.dtype) == (dtype, dtype)
    assert_close(output.float(), expected, 0.1)
    assert torch.equal(weights > 0, (causal_mask(6) & mask) & (weights > 0))
    empty = ~(causal_mask(6) & mask).any(-1)
    assert torch.equal(output[empty], torch.zeros_like(output[empty]))
    module.train()
    dropped, _ = module(x.to(dtype), mask)
    dropped.sum().backward()
    assert dropped.isfinite().all()
    assert all(p.grad.isfinite().all() for p in module.parameters())


def test_sentences_of_a_padded_batch_do_not_see_each_other():
    module = MODULES["causal"]
    x, mask = padded_batch([6, 3, 1], 6, 2.0)
    output, _ = module(x, mask)
    changed = x.clone()
    changed[1] = 10 * draw(6, 8, seed=9)
    moved, _ = module(changed, mask)
    assert torch.equal(moved[[0, 2]], output[[0, 2]])
    assert not torch.equal(moved[1], output[1])


# Wrong input is refused


@pytest.mark.parametrize(
    ("query", "key", "value", "message"),
    [
        (
            (2, 4, 8),
            (2, 4, 6),
            (2, 4, 6),
            "scores need equal key widths: query (2, 4, 8) and key (2, 4, 6)",
        ),
        (
            (2, 4, 8),
            (2, 5, 8),
            (2, 6, 8),
            "each key needs one value: key (2, 5, 8) and value (2, 6, 8)",
        ),
        (
            (2, 4, 8),
            (3, 4, 8),
            (3, 4, 8),
            "query, key and value need the same leading axes: "
            "query (2, 4, 8), key (3, 4, 8), value (3, 4, 8)",
        ),
        (
            (2, 4, 8),
            (2, 4, 8),
            (3, 4, 8),
            "query, key and value need the same leading axes: "
            "query (2, 4, 8), key (2, 4, 8), value (3, 4, 8)",
        ),
        (
            (8,),
            (4, 8),
            (4, 8),
            "query needs at least two axes (tokens, width), not (8)",
        ),
        ((4, 8), (8,), (4, 8), "key needs at least two axes (tokens, width), not (8)"),
        ((4, 8), (4, 8), (), "value needs at least two axes (tokens, width), not ()"),
    ],
)
def test_shapes_that_do_not_fit_are_named(query, key, value, message):
    with pytest.raises(ValueError) as refusal:  # noqa: PT011
        scaled_dot_product_attention(draw(*query), draw(*key), draw(*value))
    assert str(refusal.value) == message


@pytest.mark.parametrize(
    ("query", "key", "mask"),
    [
        ((2, 4, 8), (2, 5, 8), (5, 4)),
        ((2, 4, 8), (2, 5, 8), (3, 4, 5)),
        ((4, 8), (5, 8), (2, 4, 5)),
        # A mask must not widen the scores either.
        ((1, 8), (5, 8), (4, 5)),
        ((1, 4, 8), (1, 5, 8), (3, 4, 5)),
        ((4, 8), (1, 8), (4, 5)),
    ],
    ids=str,
)
def test_mask_that_does_not_fit_is_named_with_the_scores(query, key, mask):
    query, key, mask = draw(*query), draw(*key), draw_mask(*mask)
    with pytest.raises(ValueError, match="does not broadcast") as refusal:
        scaled_dot_product_attention(query, key, key, mask)
    for tensor in (query, key, mask):
        assert str(tuple(tensor.shape)) in str(refusal.value)


def test_mask_may_be_as_wide_as_the_keys_of_a_broadcast_batch():
    query, key = draw(1, 4, 8, seed=1), draw(3, 5, 8, seed=2)
    mask = draw_mask(3, 4, 5)
    _, weights = scaled_dot_product_attention(query, key, key, mask)
    assert weights.shape == (3, 4, 5)
    assert torch.equal(weights * ~mask, torch.zeros(3, 4, 5))


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.uint8])
def test_mask_must_be_boolean(dtype):
    mask = causal_mask(6).to(dtype)
    with pytest.raises(TypeError, match=f"mask must be boolean.*not {dtype}"):
        scaled_dot_product_attention(X, X, X, mask)


@pytest.mark.parametrize("num_heads", [3, 16, 0, -2])
def test_number_of_heads_must_divide_the_width(num_heads):
    with pytest.raises(ValueError, match=f"must divide embed_dim: {num_heads} and 8"):
        MultiHeadAttention(8, num_heads)


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ([(5, 8)], "query must be (B, T, 8), not (5, 8)"),
        ([(2, 5, 6)], "query must be (B, T, 8), not (2, 5, 6)"),
        ([(2, 5, 8), (2, 5, 6)], "key must be (B, T, 8), not (2, 5, 6)"),
        ([(2, 5, 8), (2, 5, 8), (2, 5, 6)], "value must be (B, T, 8), not (2, 5, 6)"),
    ],
)
def test_tokens_of_the_wrong_shape_are_named(shapes, message):
    with pytest.raises(ValueError) as refusal:  # noqa: PT011
        MultiHeadAttention(8, 2)(*(draw(*shape) for shape in shapes))
    assert str(refusal.value) == message
