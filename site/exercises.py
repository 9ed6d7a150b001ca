"""What an exercise is made of, and what of it reaches the page.

A chapter is written once, with its solutions and its hidden tests. The page shows the
solution without its markers, and the visible tests alone; a course gets the rest.
"""

import re
from dataclasses import dataclass

MARKER = re.compile(r"^\s*# (BEGIN|END) (SOLUTION|HIDDEN TESTS)\s*$")
GATE = re.compile(
    r"^(?P<fence>`{3,})\{(?P<what>exercise|solution)-(?P<word>start|end)\}"
    r" *(?P<argument>.*)\n(?P<options>(?:.*\n)*?)(?P=fence) *$",
    re.MULTILINE,
)
ABOUT = re.compile(r"^% (minutes|points|goal): *(.+)$", re.MULTILINE)
SOLUTION = re.compile(
    r"^(`{3,})\{solution-start\} +(?P<label>\S+)\n(?:.*\n)*?\1 *\n"
    r"(?P<body>(?:.*\n)*?)(?P<end>`{3,})\{solution-end\} *\n(?P=end) *$",
    re.MULTILINE,
)
CODE_CELL = re.compile(r"^```\{code-cell\}.*\n(?:.*\n)*?^```$", re.MULTILINE)
STUB = "raise NotImplementedError  # your code"
WITHHELD = "*The solution of this exercise is not published.*\n"


class ExerciseError(ValueError):
    """Something of an exercise cannot be meant as it is written."""


@dataclass
class Exercise:
    """An exercise; one without code cells is answered in words and graded by hand."""

    label: str
    title: str
    points: int = 0
    minutes: int | None = None
    goal: str = ""
    written: bool = True


@dataclass
class Part:
    """A piece of a chapter.

    Its kind is ``prose``, ``code`` or ``glue``, a cell that only feeds sentences; in an
    exercise it is ``task``, ``solution``, ``why`` (what is said of it) or ``test``.
    """

    kind: str
    source: str
    cell: object = None
    exercise: Exercise | None = None


def parts(notebook):
    """Take a chapter, read as a notebook, apart; return a list of ``Part``.

    Raises:
        ExerciseError: a solution is not that of the exercise before it.
    """
    found, exercise, kind = [], None, "prose"
    for cell in notebook.cells:
        if cell.cell_type == "code":
            found.append(Part(code_kind(cell, kind), cell.source, cell, exercise))
            continue
        start = 0
        for gate in GATE.finditer(cell.source):
            found.append(Part(kind, cell.source[start : gate.start()], None, exercise))
            exercise, kind = through(gate, exercise)
            start = gate.end()
        found.append(Part(kind, cell.source[start:], None, exercise))
    for part in found:
        describe(part)
    return [part for part in found if part.source.strip()]


def code_kind(cell, around):
    """Say what a code cell is, by its tags and by where it stands."""
    tags = cell.metadata.get("tags", [])
    kinds = {"remove-cell": "glue", "test": "test", "solution": "solution"}
    named = [kind for tag, kind in kinds.items() if tag in tags]
    return named[0] if named else "why" if around == "why" else "code"


def through(gate, exercise):
    """Pass a gate: return the exercise behind it, and the kind of prose there."""
    what, word = gate["what"], gate["word"]
    if (what, word) == ("exercise", "start"):
        label = re.search(r"^:label: *(\S+)", gate["options"], re.MULTILINE)
        if label is None:
            raise ExerciseError(f"the exercise {gate['argument']!r} has no :label:")
        return Exercise(label[1], gate["argument"].strip()), "task"
    if word == "start" and (exercise is None or gate["argument"] != exercise.label):
        before = exercise.label if exercise else "no exercise"
        raise ExerciseError(f"the solution of {gate['argument']} follows {before}")
    return exercise, "why" if word == "start" else "prose"


def describe(part):
    """Add to an exercise what one of its parts says of it."""
    if part.kind == "task":
        for name, value in ABOUT.findall(part.source):
            value = value.strip() if name == "goal" else int(value)
            setattr(part.exercise, name, value)
        part.source = ABOUT.sub("", part.source).strip()
    elif part.kind == "test":
        part.exercise.points += int(part.cell.metadata["points"])
    if part.kind in ("solution", "test"):
        part.exercise.written = False


def exercises(notebook):
    """List the exercises of a chapter."""
    found = {}
    for part in parts(notebook):
        if part.exercise is not None:
            found[part.exercise.label] = part.exercise
    return list(found.values())


def published(text, withheld=()):
    """Return a chapter's text without hidden tests and without markers.

    Args:
        text: MyST Markdown, or the source of one cell.
        withheld: labels of the exercises whose solutions are left out as well.

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
    return "\n".join(kept) if not withheld else published(withhold(text, withheld))


def withhold(text, labels):
    """Leave of these exercises' solutions only what a student starts from."""

    def start_from(solution):
        if solution["label"] not in labels:
            return solution[0]
        cells = [stub_cell(cell[0]) for cell in CODE_CELL.finditer(solution["body"])]
        return "\n\n".join([WITHHELD, *cells])

    return SOLUTION.sub(start_from, text)


def stub_cell(text):
    """Stub a cell of a solution. One that holds no answer stays as an empty place, so
    that a page has as many cells as were executed.
    """
    if "# BEGIN SOLUTION" not in text:
        return "```{code-cell}\n:tags: [remove-cell]\n# withheld\n```"
    return stub(text) + "\n```"


def stub(source):
    """Return what a student starts from: the lines before the answer, and a stub.

    What follows the answer shows it at work, and goes with it.
    """
    before, _, _ = source.partition("# BEGIN SOLUTION")
    return before + STUB


def answered(source):
    """Return a solution without the lines that show it at work."""
    before, end, _ = source.partition("# END SOLUTION")
    return before + end
