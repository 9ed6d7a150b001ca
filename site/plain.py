"""MyST Markdown as plain Markdown, for notebooks that any Jupyter can show.

Directives become headings, quotes and tables; roles become numbers and links, to the
published site where its address is known, and plain text where it is not.
"""

import base64
import mimetypes
import re
from dataclasses import dataclass

import yaml
from pybtex.database import parse_file

import chapters

DIRECTIVE = re.compile(
    r"^(?P<fence>`{3,}|:{3,})\{(?P<name>[\w:-]+)\} *(?P<argument>.*)$"
)
FENCE = re.compile(r"^ *(`{3,}|~{3,})")
ROLE = re.compile(
    r"\{(?P<role>[\w:-]+)\}`(?P<body>[^`]+)`|(?P<code>(?P<tick>`+)[^`].*?(?P=tick)(?!`))",
    re.DOTALL,
)
NUMBERED = re.compile(
    r"^\((?P<section>[\w-]+)\)=\n+#+ (?P<title>.+)$"
    r"|^\$\$ \((?P<equation>[\w-]+)\)$"
    r"|^`{3,}\{(?P<kind>figure|list-table|exercise-start)\} *(?P<caption>.*)\n"
    r"(?P<options>(?:(?!`{3,}).+\n)*)",
    re.MULTILINE,
)
QUOTED = ("note", "tip", "hint", "important", "warning", "caution", "seealso")
PAGE_ONLY = ("execution-table", "exercise-table", "bibliography")
KINDS = {"figure": "Figure", "list-table": "Table", "exercise-start": "Exercise"}


class PlainError(ValueError):
    """A page holds something that has no plain form here; the message names it."""


@dataclass
class Target:
    """What a reference leads to: ``text`` is what the reader sees."""

    page: str
    anchor: str
    text: str


class Book:
    """What plain Markdown has to know of the whole book: its labels and its sources."""

    def __init__(self, root, address=""):
        """Read the pages in ``root``; links lead below ``address``, if it is given."""
        self.root, self.address = root, address.rstrip("/")
        self.sources = parse_file(str(root / "references.bib")).entries
        self.targets, self.counts = {}, {}
        for path in chapters.pages(root):
            self.note(path.stem, chapters.read(path))

    def note(self, page, notebook):
        """Remember the labels of a page, numbered as on the site."""
        for cell in notebook.cells:
            if cell.cell_type == "code":
                figure = cell.metadata.get("mystnb", {}).get("figure")
                if figure:
                    self.number(page, "Figure", figure["name"])
                continue
            for found in NUMBERED.finditer(cell.source):
                if found["section"]:
                    target = Target(page, found["section"], f"*{found['title']}*")
                    self.targets[found["section"]] = target
                elif found["equation"]:
                    self.number(page, "Equation", found["equation"])
                elif found["caption"]:
                    label = re.search(
                        r"^:?(name|label): *(\S+)", found["options"], re.M
                    )
                    self.number(page, KINDS[found["kind"]], label and label[2])

    def number(self, page, kind, label):
        """Give the next number of its kind to a label."""
        count = self.counts[kind] = self.counts.get(kind, 0) + 1
        text = f"({count})" if kind == "Equation" else f"{kind} {count}"
        anchor = f"equation-{label}" if kind == "Equation" else label
        self.targets[label] = Target(page, anchor, text)

    def target(self, label):
        """Find what a label stands for."""
        if label not in self.targets:
            raise PlainError(f"nothing has the label {label!r}")
        return self.targets[label]

    def link(self, text, page, anchor=""):
        """Link to the published site, if its address is known."""
        place = f"{self.address}/chapters/{page}.html" + (
            f"#{anchor}" if anchor else ""
        )
        return f"[{text}]({place})" if self.address else text

    # -- roles ---------------------------------------------------------------------

    def inline(self, text, numbers):
        """Replace the roles of a piece of text; code spans stay as they are."""

        def replace(found):
            if found["code"]:
                return found[0]
            return self.role(found["role"], " ".join(found["body"].split()), numbers)

        return ROLE.sub(replace, text)

    def role(self, role, body, numbers):
        """Return one role as plain Markdown."""
        if role == "glue:text":
            return glued(body, numbers)
        if role in ("cite:t", "cite:p"):
            return self.cite(body, textual=role == "cite:t")
        if role not in ("ref", "numref", "eq", "term"):
            raise PlainError(f"the role {{{role}}} has no plain form")
        named = re.fullmatch(r"(.+?) *<(.+)>", body)
        if role == "term":
            return self.link(named[1] if named else body, "glossary")
        target = self.target(named[2] if named else body)
        text = named[1] if named else target.text
        return self.link(text, target.page, target.anchor)

    def cite(self, keys, textual):
        """Cite by author and year."""
        cited = []
        for key in keys.split(","):
            source = self.source(key.strip())
            who, year = authors(source), source.fields["year"]
            text = f"{who} ({year})" if textual else f"{who}, {year}"
            cited.append(self.link(text, "bibliography"))
        return ", ".join(cited) if textual else f"({'; '.join(cited)})"

    def source(self, key):
        """Find a source in ``references.bib``."""
        if key not in self.sources:
            raise PlainError(f"references.bib has no {key!r}")
        return self.sources[key]

    # -- directives ----------------------------------------------------------------

    def plain(self, text, numbers=None):
        """Return MyST Markdown as plain Markdown.

        Args:
            text: Markdown without the gates of exercises.
            numbers: what the chapter's cells have glued, by name.

        Raises:
            PlainError: a directive or a role has no plain form, or no target.
        """
        blocks, prose, lines = [], [], text.split("\n")
        while lines:
            line = lines.pop(0)
            directive, fence = DIRECTIVE.match(line), FENCE.match(line)
            if directive is None and fence is None:
                prose.append(line)
                continue
            blocks.append(self.prose("\n".join(prose), numbers or {}))
            prose, body = [], until((directive or fence)[1], lines)
            if directive is None:
                blocks.append("\n".join([line, *body]))
            else:
                block = self.directive(directive, body[:-1], numbers or {})
                blocks.append(block)
        blocks.append(self.prose("\n".join(prose), numbers or {}))
        return "\n".join(block for block in blocks if block.strip()).strip()

    def prose(self, text, numbers):
        """Return text without directives as plain Markdown."""
        text = re.sub(r"^(%.*|\([\w-]+\)=|\+\+\+.*)\n?", "", text, flags=re.MULTILINE)

        def tag(found):
            number = self.target(found[1]).text.strip("()")
            return rf"\tag{{{number}}}" + "\n$$"

        text = re.sub(r"^\$\$ \(([\w-]+)\)$", tag, text, flags=re.MULTILINE)
        return self.inline(text, numbers)

    def directive(self, found, body, numbers):
        """Return one directive as plain Markdown."""
        name, argument = found["name"], found["argument"].strip()
        options, body = options_of(body)
        if name == "admonition" or name in QUOTED:
            title = self.inline(argument or name.capitalize(), numbers)
            text = f"**{title}**\n\n" + self.plain("\n".join(body), numbers)
            return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))
        if name == "dropdown":
            return folded(argument, self.plain("\n".join(body), numbers))
        if name == "figure":
            caption = self.plain("\n".join(body), numbers)
            image = f"![{options.get('alt', '')}]({self.embedded(argument)})"
            return f"{image}\n\n{self.caption(options['name'], caption)}"
        if name == "list-table":
            rows = table("\n".join(body))
            return self.inline("\n".join(rows), numbers) + "\n"
        if name in ("code", "code-block"):
            return "\n".join([f"```{argument}", *body, "```"])
        if (name, argument) == ("raw", "html"):
            return "\n".join(body)
        if name == "math":
            return "\n".join(["$$", *body, "$$"])
        if name in PAGE_ONLY:
            return "*What stands here is made for the site alone.*\n"
        raise PlainError(f"the directive {{{name}}} has no plain form")

    def caption(self, label, text):
        """Return the caption of a figure with its number."""
        return f"**{self.target(label).text}.** {self.inline(text.strip(), {})}"

    def embedded(self, name):
        """Return an image as an address that holds it: a notebook travels alone."""
        path = self.root / "chapters" / name
        data = base64.b64encode(path.read_bytes()).decode()
        return f"data:{mimetypes.guess_type(name)[0]};base64,{data}"

    def bibliography(self, text):
        """List the sources that a text cites."""
        keys = re.findall(r"\{cite:[tp]\}`([^`]+)`", text)
        keys = {key.strip() for several in keys for key in several.split(",")}
        return "\n".join(sorted(f"- {entry(self.source(key))}" for key in keys))


def until(fence, lines):
    """Take lines up to the closing fence, which is the last one returned."""
    body = []
    while lines:
        body.append(lines.pop(0))
        if body[-1].strip() == fence:
            return body
    raise PlainError(f"the fence {fence} is never closed")


def options_of(body):
    """Split the body of a directive into its options and the rest."""
    if body and body[0] == "---":
        end = body.index("---", 1)
        return yaml.safe_load("\n".join(body[1:end])), body[end + 1 :]
    options = {}
    while body and (found := re.match(r"^:([\w-]+): *(.*)$", body[0])):
        options[found[1]] = found[2]
        body = body[1:]
    return options, body


def table(text):
    """Turn the items of a list table into the rows of a Markdown table."""
    rows = []
    for item in re.split(r"^\* ", text, flags=re.MULTILINE)[1:]:
        cells = re.split(r"^ {0,2}-(?: |$)", item, flags=re.MULTILINE)[1:]
        joined = " | ".join(" ".join(cell.split()) for cell in cells)
        rows.append(f"| {joined} |")
    rule = "|---" * (rows[0].count(" | ") + 1) + "|"
    return ["", rows[0], rule, *rows[1:]]


def glued(body, numbers):
    """Return a number that a cell has glued, in the format that the role asks for."""
    name, _, form = body.partition(":")
    if name not in numbers:
        raise PlainError(f"no cell has glued {name!r}")
    value = numbers[name].strip("'\"")
    return format(float(value), form) if form else value


def authors(source):
    """Name the authors as a citation in the text does."""
    people = source.persons.get("author") or source.persons.get("editor") or []
    names = [bare(" ".join(person.last_names)) for person in people]
    return f"{names[0]} et al." if len(names) > 2 else " and ".join(names)


def entry(source):
    """Write out a source: authors, year, title, where it appeared."""
    fields = {name: bare(value) for name, value in source.fields.items()}
    where = [fields.get(n) for n in ("journal", "booktitle", "publisher", "note")]
    said = [f"{authors(source)} ({fields['year']}). *{fields['title']}*"]
    said += [", ".join(filter(None, where))]
    if "doi" in fields:
        said += [f"doi:{fields['doi']}"]
    return ". ".join(filter(None, [*said, fields.get("url")])) + "."


def bare(text):
    """Take the braces of BibTeX out of a text."""
    return text.replace("{", "").replace("}", "").replace("--", "–")


def folded(title, text):
    """Fold a text away under a title."""
    return f"<details>\n<summary>{title}</summary>\n\n{text}\n\n</details>"
