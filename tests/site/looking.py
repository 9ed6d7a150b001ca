"""What the tests of live figures see: numbers, places and colours on a page."""

import re

NARROW = {"width": 360, "height": 640}
WIDE = {"width": 1200, "height": 800}


def numbers(figure):
    """Every number the figure shows, with all its digits."""
    return figure.locator("data").evaluate_all("all => all.map(one => +one.value)")


def texts(figure):
    return figure.locator("data").all_text_contents()


def boxes(locator):
    """Where every element of the locator is: left, top, width and height."""
    return locator.evaluate_all(
        "all => all.map(one => { const {x, y, width, height} ="
        " one.getBoundingClientRect(); return [x, y, width, height] })"
    )


def box(locator):
    (only,) = boxes(locator)
    return only


COLOURS = """figure => {
  const opaque = colour => !/, 0\\)|transparent/.test(colour);
  const behind = node => {
    const colour = getComputedStyle(node).backgroundColor;
    return opaque(colour) || !node.parentElement ? colour : behind(node.parentElement);
  };
  const written = node => [...node.childNodes].some(
    child => child.nodeType === Node.TEXT_NODE && child.data.trim());
  return [...figure.querySelectorAll(':not(script, noscript)')].flatMap(node => {
    const style = getComputedStyle(node);
    const svg = node instanceof SVGElement;
    if (written(node)) {
      return [['text', svg ? style.fill : style.color, behind(node)]];
    }
    if (node.matches('.live-bar-fill')) {
      return [['bar', style.backgroundColor, behind(node.parentElement)]];
    }
    return node.matches('rect') ? [['bar', style.fill, behind(node)]] : [];
  });
}"""


def luminance(colour):
    mixed = re.fullmatch(r"color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)\)", colour)
    plain = re.fullmatch(r"rgb\((\d+), (\d+), (\d+)\)", colour)
    channels = [float(channel) for channel in (mixed or plain).groups()]
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (channel / (1 if mixed else 255) for channel in channels)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    """The contrast ratio of WCAG 2, from 1 to 21."""
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)
