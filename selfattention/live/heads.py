"""The heads of a trained model, one at a time, on a few sentences."""

import torch
from traitlets import TraitError, TraitType, validate

from selfattention.live import still
from selfattention.live.figure import LiveFigure, module
from selfattention.live.traits import Whole, fit

DIGITS = "0123456789abcdefghijklmnopqrstuv"  # base 32, as JavaScript reads it


class Sentences(TraitType):
    """A trait that holds ``(tokens, layers, heads, digits)`` for each sentence.

    It takes pairs of tokens and weights ``(layers, heads, T, T)`` as well. The weights
    of all heads are kept as thousandths, each as two digits of base 32, in one string.
    """

    def validate(self, obj, value):
        """Return the tuple, or say what was expected."""
        if not isinstance(value, list | tuple) or not value:
            raise TraitError(f"{self.name} must be a list of (tokens, weights)")
        kept = tuple(map(self.sentence, value))
        sizes = {(layers, heads) for _, layers, heads, _ in kept}
        fit(len(sizes) == 1, f"all {self.name} need the same heads, not {sizes}")
        return kept

    def sentence(self, value):
        """Check one sentence and return it as it is kept."""
        fit(
            isinstance(value, list | tuple) and len(value) in (2, 4),
            f"each of {self.name} must be (tokens, weights)",
        )
        tokens = tuple(value[0])
        good = all(isinstance(token, str) and token for token in tokens)
        fit(good and 1 <= len(tokens) <= 16, "tokens must be 1 to 16 texts")
        if len(value) == 2:
            return (tokens, *encode(tokens, value[1]))
        layers, heads, digits = value[1:]
        wanted = 2 * layers * heads * len(tokens) ** 2
        good = isinstance(digits, str) and len(digits) == wanted
        fit(good and set(digits) <= set(DIGITS), f"digits must be {wanted} of base 32")
        return tokens, layers, heads, digits


class Heads(LiveFigure):
    """The weights of every head of a model, one sentence, layer and head at a time.

    The map of a head has a row per query. A row under the pointer, or else the chosen
    one, is written out. The traits are ``sentences``, with weights as thousandths;
    ``sentence``, ``layer``, ``head`` and ``row``, each counted from 0. ``weights``
    gives the numbers of the chosen sentence.

    Args:
        sentences: pairs of tokens, at most 16, and weights ``(layers, heads, T, T)``.
        sentence: the sentence to begin with.
        layer: the layer to begin with.
        head: the head to begin with.
        row: the token to begin with.

    Raises:
        traitlets.TraitError: a value is not of its kind or does not fit the others,
            here or when it is assigned later; the figure then keeps the old one.
    """

    kind = "heads"
    _esm = module("heads")

    sentences = Sentences(((("token",), 1, 1, "v8"),)).tag(sync=True)
    sentence = Whole().tag(sync=True)
    layer = Whole().tag(sync=True)
    head = Whole().tag(sync=True)
    row = Whole().tag(sync=True)

    def __init__(self, sentences, sentence=0, layer=0, head=0, row=0):
        """Write the weights of all heads down and show one."""
        super().__init__(
            sentences=sentences, sentence=sentence, layer=layer, head=head, row=row
        )

    @validate("sentences", "sentence", "layer", "head", "row")
    def _check(self, proposal):
        new = {**self.state(), proposal.trait.name: proposal.value}
        counts = {"sentence": len(new["sentences"])}
        chosen = new["sentences"][min(new["sentence"], counts["sentence"] - 1)]
        counts |= {"layer": chosen[1], "head": chosen[2], "row": len(chosen[0])}
        for name, count in counts.items():
            fit(new[name] < count, f"{name} must be below {count}, not {new[name]}")
        return proposal.value

    @property
    def tokens(self):
        """The tokens of the chosen sentence."""
        return self.sentences[self.sentence][0]

    @property
    def weights(self):
        """The weights of the chosen sentence, ``(layers, heads, T, T)``, float64."""
        tokens, layers, heads, digits = self.sentences[self.sentence]
        pairs = zip(digits[::2], digits[1::2], strict=True)
        flat = torch.tensor([int(a + b, 32) for a, b in pairs], dtype=torch.float64)
        return (flat / 1000).view(layers, heads, len(tokens), len(tokens))

    def picture(self):
        """The map of the head and the numbers of the row."""
        weights = self.weights[self.layer, self.head]
        longest = max(len(tokens) for tokens, *_ in self.sentences)
        row = weights[self.row].tolist()
        written = [still.decimals(weight, 3) for weight in row]
        title = "A row per query, a column per key"
        table = still.numbers(title, self.tokens, self.tokens, weights, 1, digits=3)
        side = [
            '<div class="live-matrix-title">'
            f"{still.escape(f'What {self.tokens[self.row]} attends to')}</div>",
            still.bars("key", "weight", self.tokens, row, written),
        ]
        room = still.columns([still.with_class("live-map", table)], side)
        text = f"{' '.join(self.tokens)} – layer {self.layer}, head {self.head}"
        return still.room(2, text) + room.replace(
            'class="live-columns"',
            f'class="live-columns live-longest" style="--live-longest: {longest}"',
            1,
        )


def encode(tokens, weights):
    """Layers, heads, and the weights of all heads as digits of base 32."""
    weights = torch.as_tensor(weights).detach().double()
    T = len(tokens)
    shape = tuple(weights.shape)
    fit(
        len(shape) == 4 and shape[2:] == (T, T),
        f"weights must be (layers, heads, {T}, {T}) for {T} tokens, not {shape}",
    )
    sums = weights.sum(dim=-1)
    fair = bool((weights >= 0).all() and ((sums - 1).abs() < 1e-3).all())
    fit(fair, "weights must not be negative, and each row must sum to 1")
    thousandths = (1000 * weights).round().int().flatten().tolist()
    digits = "".join(DIGITS[n // 32] + DIGITS[n % 32] for n in thousandths)
    return shape[0], shape[1], digits
