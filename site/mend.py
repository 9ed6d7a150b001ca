"""Mend what theme and extensions leave on a page: HTML that is faulty, parts that a
screen reader or a keyboard would miss, and lines that break where they should not.
"""

import re

from bs4 import NavigableString

CLOSING = re.compile(r"[.,;:!?)”’]+")
SHORT = 16  # letters of code that stay on one line
ENTRANCE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url={target}">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'">
<link rel="canonical" href="{target}">
<title>{title}</title>
</head>
<body><p><a href="{target}">{title}</a></p></body>
</html>
"""


def mend(soup):
    """Mend a page, in place."""
    # sphinx-exercise gives the same ids to every exercise of a page.
    for section in soup.select("#exercise-content, #solution-content"):
        section.name = "div"
        del section["id"]
    # A click enlarges a drawing; it must not lead away to the file of the drawing, too.
    for link in soup.select("figure a.image-reference:has(> img)"):
        link.unwrap()
    # The role is deprecated; the list of references asks for items.
    for entry in soup.select("[role=doc-biblioentry]"):
        entry["role"] = "listitem"
    # What a button says is what it is called.
    for button in soup.select("button.search-button-field[aria-label]"):
        del button["aria-label"]
    # A summary holds a phrase, not two paragraphs, and needs no other name.
    for fold in soup.select("details.hide"):
        fold["class"] = ["folded"]
        fold.summary.string = fold.summary.select_one(".collapsed").get_text()
        del fold.summary["aria-label"]
    # The way home is a landmark, as all else beside the text is.
    for item in soup.select(".sidebar-primary-item:has(> .navbar-brand)"):
        item["role"] = "navigation"
        item["aria-label"] = "Front page"
    # Views of bertviz may be wider than the page: the keyboard has to move them, too.
    for view in soup.select("div[id^='bertviz-']"):
        view["role"] = "group"
        view["aria-label"] = "Attention of the heads, as lines between tokens"
        view["tabindex"] = "0"
    for drawing in soup.select("div[id^='bertviz-'] > .vis"):
        del drawing["aria-label"]
    # The space before a link is not part of it.
    for link in soup.select(".solution > .admonition-title > a"):
        link.string = link.get_text().lstrip()
        link.insert_before(" ")
    keep_together(soup)


def keep_together(soup):
    """Let no line begin with what closes a formula, nor break within short code."""
    for formula in soup.select("span.math:has(> .katex)"):
        after = formula.next_sibling
        closing = isinstance(after, NavigableString) and CLOSING.match(after)
        # A longer one has to break where it can.
        if closing and len(formula.select(".base")) <= 2:
            after.replace_with(after[closing.end() :])
            formula.wrap(soup.new_tag("span", attrs={"class": "together"}))
            formula.insert_after(closing[0])
    for code in soup.select("code.literal"):
        if len(code.get_text()) <= SHORT:
            code["class"].append("short")


def entrance(title, target):
    """Write the page at the root of the site, which leads to the front page."""
    return ENTRANCE.format(title=title, target=target)
