"""The book as one PDF, tried on two of its pages."""

import subprocess
import sys

import pytest
from build import ROOT
from pypdf import PdfReader

NAMES = ["softmax_saturation", "notation"]


@pytest.fixture(scope="module")
def printed(site, tmp_path_factory):
    target = tmp_path_factory.mktemp("pdf") / "book.pdf"
    subprocess.run(
        [sys.executable, ROOT / "site" / "pdf.py", target, *NAMES], check=True
    )
    return PdfReader(target)


def chapters(printed):
    """The bookmarks of the chapters: title and number of the page."""
    return {
        mark.title: printed.get_destination_page_number(mark) + 1
        for mark in printed.outline
        if not isinstance(mark, list) and mark.title != "Contents"
    }


def test_contents_name_the_page_on_which_a_chapter_starts(printed):
    found = chapters(printed)
    assert list(found) == ["Softmax saturation", "Notation"]
    listed = printed.pages[1].extract_text()
    for title, number in found.items():
        assert f"{title} {number}" in listed
        page = printed.pages[number - 1].extract_text()
        assert title in page
        assert page.rstrip().endswith(str(number))


def test_every_chapter_has_bookmarks_for_its_sections(printed):
    sections = next(part for part in printed.outline if isinstance(part, list))
    titles = [mark.title for mark in sections if not isinstance(mark, list)]
    assert {"Summary", "Exercises", "References"} <= set(titles)


def test_a_chapter_is_printed_whole_and_without_what_is_there_to_press(printed):
    text = " ".join(page.extract_text() for page in printed.pages)
    assert "Saturation" in text
    for gone in ("Search this book", "Skip to main content", "On this page"):
        assert gone not in text
    assert "With JavaScript" not in text
    assert "Scores multiplied by" in text  # the picture of the live figure
