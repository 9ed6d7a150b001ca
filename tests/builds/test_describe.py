"""What search engines are told, where the address of the site is known or not."""

import json
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest
from bs4 import BeautifulSoup
from describe import summary
from docutils import nodes
from test_build import first_build  # noqa: F401  (a fixture)

HOME = "https://book.example/attention/"


@pytest.fixture(scope="module")
def known(first_build, tmp_path_factory):  # noqa: F811
    """The small book of ``test_build`` with its address; the folder of its site."""
    book = tmp_path_factory.mktemp("known") / "book"
    shutil.copytree(first_build[0], book, symlinks=True)
    subprocess.run(
        [sys.executable, book / "site" / "build.py"],
        check=True,
        capture_output=True,
        env=os.environ | {"BOOK_ADDRESS": HOME.rstrip("/")},
    )
    return book / "_build" / "html"


def head(site, name="two"):
    text = (site / "chapters" / f"{name}.html").read_text(encoding="utf-8")
    return BeautifulSoup(text, "html.parser").head


def test_known_address_is_canonical(known):
    page = head(known)
    address = f"{HOME}chapters/two.html"
    assert page.select_one("link[rel=canonical]")["href"] == address
    assert page.select_one("meta[property='og:url']")["content"] == address
    picture = page.select_one("meta[property='og:image']")["content"]
    assert (known / picture.removeprefix(HOME)).is_file()
    data = json.loads(page.select_one("script[type='application/ld+json']").string)
    assert data["url"] == address
    assert data["isPartOf"]["url"] == HOME


def test_site_map_lists_every_page(known):
    tree = ET.parse(known / "sitemap.xml")
    found = [place.text for place in tree.iter() if place.tag.endswith("loc")]
    assert found == [f"{HOME}chapters/one.html", f"{HOME}chapters/two.html"]


def test_page_for_wrong_addresses_leads_on_from_any_depth(known):
    text = (known / "404.html").read_text(encoding="utf-8")
    links = BeautifulSoup(text, "html.parser").select("a")
    assert [link["href"] for link in links] == [
        "/attention/chapters/one.html",
        "/attention/chapters/two.html",
    ]


def test_unknown_address_is_not_made_up(first_build):  # noqa: F811
    site = first_build[0] / "_build" / "html"
    page = head(site)
    assert not page.select("link[rel=canonical], meta[property='og:url']")
    assert not (site / "sitemap.xml").exists()
    assert page.select_one("meta[name=description]")["content"] == "Some prose."


def test_description_is_that_of_the_goals_and_ends_at_a_word():
    goals = nodes.admonition("", nodes.paragraph(text="You will see. " + "word " * 60))
    goals["classes"] = ["goals"]
    text = summary(nodes.section("", nodes.paragraph(text="First words."), goals))
    assert text.startswith("You will see.")
    assert text.endswith("word …")
    assert len(text) <= 202
