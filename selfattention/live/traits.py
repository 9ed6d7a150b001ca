"""The state of live figures: traits that say what was expected of a bad value."""

import math
import reprlib
from collections.abc import Sequence
from numbers import Real

from traitlets import TraitError, TraitType


class Number(TraitType):
    """A trait that holds a finite number from ``low`` to ``high``, as a float.

    Anything else raises ``TraitError`` and leaves the old number where it was. With
    ``optional``, it may be ``None``, too.
    """

    def __init__(self, default, low=-math.inf, high=math.inf, optional=False):
        """Set the default and the ends of the range, which are allowed too."""
        super().__init__(default)
        self.low, self.high, self.optional = low, high, optional

    def validate(self, obj, value):
        """Return the float, or say what was expected."""
        if value is None and self.optional:
            return None
        number = as_float(value)
        if math.isfinite(number) and self.low <= number <= self.high:
            return number
        bounded = math.isfinite(self.low) and math.isfinite(self.high)
        kind = f"number from {self.low} to {self.high}" if bounded else "finite number"
        raise TraitError(f"{self.name} must be a {kind}, not {reprlib.repr(value)}")


class Whole(TraitType):
    """A trait that holds a whole number from 0 to ``high``, as an int."""

    def __init__(self, default=0, high=2**31):
        """Set the default and the largest number allowed."""
        super().__init__(default)
        self.high = high

    def validate(self, obj, value):
        """Return the int, or say what was expected."""
        number = as_float(value)
        if 0 <= number <= self.high and number == int(number):
            return int(number)
        raise TraitError(
            f"{self.name} must be a whole number from 0 to {self.high}, "
            f"not {reprlib.repr(value)}"
        )


class Numbers(TraitType):
    """A trait that holds ``fewest`` to ``most`` finite numbers, as a tuple of floats.

    It takes any sequence, array or tensor with one axis. Anything else raises
    ``TraitError`` and leaves the old numbers where they were.
    """

    def __init__(self, default, fewest, most):
        """Set the default and how many numbers there may be."""
        super().__init__(default)
        self.fewest, self.most = fewest, most

    def validate(self, obj, value):
        """Return the tuple, or say what was expected."""
        sequence = as_lists(value)
        if isinstance(sequence, Sequence) and self.fewest <= len(sequence) <= self.most:
            numbers = tuple(as_float(number) for number in sequence)
            if all(map(math.isfinite, numbers)):
                return numbers
        raise TraitError(
            f"{self.name} must be {self.fewest} to {self.most} finite numbers, "
            f"not {reprlib.repr(value)}"
        )


class Table(TraitType):
    """A trait that holds numbers with two or more axes, as nested tuples.

    Args:
        default: what it is before it is set.
        axes: names of the axes, such as ``("T", "d")``, for the message.
        entry: turns an entry into what is kept or NaN: ``as_float``, ``as_bool``.
        what: what entries are, for the message.
        digits: how many decimals are kept; all unless given.
    """

    def __init__(self, default, axes, entry=None, what="finite numbers", digits=None):
        """Set the default, the axes, and what entries are."""
        super().__init__(default)
        self.axes, self.entry, self.what = axes, entry or as_float, what
        self.digits = digits

    def validate(self, obj, value):
        """Return the nested tuples, or say what was expected."""
        try:
            table = self.tuples(as_lists(value), len(self.axes))
            lengths(table, len(self.axes))
        except ValueError:
            raise TraitError(
                f"{self.name} must be {self.what}, ({', '.join(self.axes)}), "
                f"not {reprlib.repr(value)}"
            ) from None
        return table

    def tuples(self, value, depth):
        """Copy ``value``; a ``ValueError`` says that it is not what it has to be."""
        if depth == 0:
            entry = self.entry(value)
            if not math.isfinite(entry):
                raise ValueError
            return entry if self.digits is None else round(entry, self.digits)
        value = as_lists(value)
        if isinstance(value, str) or not isinstance(value, Sequence) or not value:
            raise ValueError
        return tuple(self.tuples(inner, depth - 1) for inner in value)


class Names(TraitType):
    """A trait that holds ``fewest`` to ``most`` texts with letters, as a tuple."""

    def __init__(self, default, fewest, most):
        """Set the default and how many texts there may be."""
        super().__init__(default)
        self.fewest, self.most = fewest, most

    def validate(self, obj, value):
        """Return the tuple, or say what was expected."""
        if isinstance(value, list | tuple) and self.fewest <= len(value) <= self.most:
            names = tuple(value)
            if all(isinstance(name, str) and name for name in names):
                return names
        raise TraitError(
            f"{self.name} must be {self.fewest} to {self.most} texts that are not "
            f"empty, not {reprlib.repr(value)}"
        )


def lengths(table, axes):
    """How long a nested tuple is along each axis; ``ValueError`` if it is ragged."""
    if axes == 0:
        return ()
    (inner,) = {lengths(row, axes - 1) for row in table}
    return (len(table), *inner)


def fit(condition, message):
    """Raise ``TraitError`` with the message unless the condition holds."""
    if not condition:
        raise TraitError(message)


def as_lists(value):
    """Turn an array or a tensor into lists; leave anything else as it is."""
    return value.tolist() if hasattr(value, "tolist") else value


def as_float(value):
    """A real number as a float; NaN for whatever is not one."""
    number = as_lists(value)
    if isinstance(number, bool) or not isinstance(number, Real):
        return math.nan
    try:
        return float(number)
    except OverflowError:  # an int beyond the largest float
        return math.inf


def as_bool(value):
    """True or False as it is; NaN for whatever is neither."""
    value = as_lists(value)
    return value if isinstance(value, bool) else math.nan
