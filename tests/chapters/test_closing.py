"""The pages that close the book, and the one that opens it."""

import ast
import re
from functools import cache

import pytest
from build import ROOT
from reading import CHAPTERS, PAGES, cells, glued, outputs, soup, source


def sections(page):
    """The sections of a built page that hold no others, by their heading."""
    for section in soup(page).select("article section"):
        if section.find("section") is None:
            heading = section.find(["h2", "h3"]).find(string=True, recursive=False)
            yield heading.strip(), section


def printed(section):
    said = " ".join(pre.get_text() for pre in section.select(".cell_output pre"))
    return re.sub(r"\s+", " ", said).strip()


def mistakes():
    return [
        (heading, printed(section))
        for heading, section in sections("common_mistakes")
        if section.find("h3")
    ]


def test_there_are_twenty_mistakes():
    assert len(mistakes()) == 20


def test_every_mistake_fails_its_check_and_its_mended_version_passes():
    for heading, said in mistakes():
        assert re.search(r"wrong: \S+", said), heading
        assert said.endswith("mended: passes"), heading
    assert "blind" not in outputs("common_mistakes")


def test_every_mistake_has_a_symptom():
    text = source("common_mistakes").split("\n### ")[1:]
    assert all(part.split("\n\n")[1].startswith("**Symptom.**") for part in text)


STATEMENTS = {
    "scores sum to 1”": r"scores of journey: .* sum 6\.5617 weights .* sum 1\.0000",
    "every column": r"row sums: tensor\(\[1\.0000(, 1\.0000){5}\]\) column .*0\.7540",
    "most to itself": r"2 of 6 .* width 3: 6\d\.\d% .* 100\.0% .*by chance 16\.7%",
    "number of keys”": r"3 keys .* scores (8\.|7\.9)\d+, .* 300 keys .* by 300 0\.03",
    "same width”": r"keys \(7, 4\) values \(7, 9\) → output \(5, 9\) .* agrees: True",
    "−1e9": r"weights tensor\(\[0\.3333.*float16.*nan.*−∞: \[0\.0, 0\.0, 0\.0\]",
    "never vanish": r"scores × 100: strongest answer 3\.7e-44.*1000 equal .* 1\.0e-03",
    "Without the scale": r"rate 0\.03, not divided: right",
    "bag of words": r"mask, layers 2: .* 0\.000 .*causal, layers 2: .* 0\.[1-9]",
    "splits the input": r"has 4 numbers per query and reads 12 of 12",
    "more parameters": r"1 heads .* 16384 .* 64 heads of width 1: 16384",
    "explain": r"with: weight 0\.124 or 0\.000.* differ by \de-0[678]",
    "O(n²)": r"n = 64: RNN 8,388,608, mixing 2,097,152, .* 14,680,064",
}


@pytest.mark.parametrize("words", STATEMENTS)
def test_statement_is_refuted_by_its_number(words):
    found = [
        (printed(section), section.get_text(" "))
        for heading, section in sections("reading_critically")
        if words in heading
    ]
    ((said, prose),) = found
    assert re.search(STATEMENTS[words], said), said
    assert re.search(r"\bright\b", prose), "no word on when the statement is right"


def test_without_the_scale_it_depends_on_the_learning_rate():
    numbers = {name: float(n) for name, n in glued("reading_critically").items()}
    assert numbers["plain-slow"] > 0.98
    assert numbers["scaled-fast"] > 0.98
    assert numbers["plain-fast"] < numbers["scaled-fast"] - 0.02


def test_the_page_says_how_many_statements_it_refutes():
    headings = [heading for heading, _ in sections("reading_critically")]
    statements = [heading for heading in headings if heading.startswith("“")]
    assert len(statements) == len(STATEMENTS) == 13
    assert "Thirteen statements" in source("reading_critically")


def terms():
    return soup("glossary").select("dl.glossary dt[id^=term-]")


def test_glossary_is_sorted_and_each_term_names_its_chapter():
    names = [term.find(string=True).strip() for term in terms()]
    assert len(names) >= 60
    assert names == sorted(names, key=lambda name: name.lower().replace("–", "-"))
    for term in terms():
        assert term.find_next_sibling("dd").select("a[href*='.html']"), term["id"]


def test_every_term_is_linked_from_a_page():
    linked = {
        link["href"].split("#")[1]
        for page in PAGES
        if page != "glossary"
        for link in soup(page).select("article a[href*='glossary.html#term-']")
    }
    assert {term["id"] for term in terms()} <= linked


@cache
def identifiers(text):
    """Every name that stands in Python code."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        for field in ("id", "attr", "name", "arg"):
            if isinstance(getattr(node, field, None), str):
                found.add(getattr(node, field))
    return found


def rows_of_notation():
    for table in soup("notation").select("article table"):
        for row in table.select("tbody tr"):
            cells_ = row.find_all("td")
            names = [code.get_text() for code in cells_[-1].select("code")]
            chapter = cells_[1].find("a")["href"].split(".html")[0]
            yield cells_[0].get_text(" "), names, chapter


def test_names_of_the_notation_are_those_of_the_code():
    package = set()
    for path in (ROOT / "selfattention").rglob("*.py"):
        package |= identifiers(path.read_text(encoding="utf-8"))
    rows = list(rows_of_notation())
    assert len(rows) > 40
    for symbol, names, chapter in rows:
        shown = set()
        for cell in cells(chapter):
            shown |= identifiers(cell.source)
        assert set(names) - {"*"} <= package | shown, (symbol, chapter)


def test_notation_names_every_parameter_that_is_taught():
    named = {name for _, names, _ in rows_of_notation() for name in names}
    assert {"query", "key", "value", "mask", "scores", "weights"} <= named
    assert {"W_query", "W_key", "W_value", "out_proj", "num_heads"} <= named


def test_colophon_says_what_executing_each_page_took():
    rows = [row.select("td") for row in soup("colophon").select("article tbody tr")]
    assert len(rows) == len(CHAPTERS)
    for page, seconds, peak in rows:
        assert page.find("a"), page
        assert re.fullmatch(r"\d+\.\d", seconds.get_text().strip()), page
        assert int(peak.get_text()) > 50, page


def test_instructors_find_each_exercise_below_its_chapter():
    article = soup("instructors").find("article")
    pages = [name.find("a")["href"] for name in article.select(".rubric")]
    assert len(pages) == len(article.select("table"))
    for page, table in zip(pages, article.select("table"), strict=True):
        assert all(
            row.find("a")["href"].startswith(page) for row in table.select("tbody tr")
        )


def test_bibliography_is_labelled_as_the_text_cites():
    labels = [label.get_text() for label in soup("bibliography").select(".label")]
    assert len(labels) == len(set(labels))
    assert "[Vaswani et al., 2017]" in labels
    for year in ("2013a", "2013b", "2013c"):
        assert f"[Mikolov et al., {year}]" in labels
        assert f"[{year}]" in soup("embeddings").get_text()


def test_front_page_moves_and_leads_everywhere():
    article = soup("index").find("article")
    assert article.select(".live-figure[data-figure=saturation]")
    assert article.find("h2").find_previous(class_="live-figure") is not None
    linked = {link["href"].split(".html")[0] for link in article.select("a[href]")}
    assert set(PAGES) - {"index"} <= linked
    named = article.select_one("table").select("a")
    assert len(named) == len(set(CHAPTERS) - {"index", "colophon"}) + 1  # where next


def test_what_the_book_leaves_out_comes_with_a_reference_and_a_question():
    parts = source("where_next").split("\n## ")[1:]
    assert len(parts) >= 8
    for part in parts:
        assert "{cite:" in part, part[:40]
        assert "**A question.**" in part, part[:40]
        assert "?" in part.split("**A question.**")[1], part[:40]
