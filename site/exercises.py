"""What of an exercise reaches the page.

A chapter is written once, with its solutions and its hidden tests. The page shows the
solution without its markers, and the visible tests alone.
"""

import re

MARKER = re.compile(r"^\s*# (BEGIN|END) (SOLUTION|HIDDEN TESTS)\s*$")


class ExerciseError(ValueError):
    """A marker of an exercise stands where it cannot be meant."""


def published(text):
    """Return a chapter's text without hidden tests and without markers.

    Args:
        text: MyST Markdown, or the source of one cell.

    Raises:
        ExerciseError: a marker has no partner; the message names the line.
    """
    kept, region, opened = [], None, 0
    for number, line in enumerate(text.split("\n"), start=1):
        marker = MARKER.match(line)
        if marker is None:
            if region != "HIDDEN TESTS":
                kept.append(line)
            continue
        word, name = marker.groups()
        if (word == "BEGIN") == (region is not None) or (word, region) == ("END", None):
            raise ExerciseError(f"line {number}: unexpected `# {word} {name}`")
        if word == "END" and name != region:
            raise ExerciseError(
                f"line {number}: `# END {name}` closes `# BEGIN {region}`"
            )
        region, opened = (name, number) if word == "BEGIN" else (None, 0)
    if region is not None:
        raise ExerciseError(f"line {opened}: `# BEGIN {region}` is never closed")
    return "\n".join(kept)
