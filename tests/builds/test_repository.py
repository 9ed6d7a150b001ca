"""The repository's address comes from outside, and the launch link is made of it."""

import subprocess

import pytest
import repository


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A repository with a remote: ``checkout(url)`` gives its folder."""
    monkeypatch.delenv("GITHUB_REPOSITORY", raising=False)
    monkeypatch.delenv("GITHUB_SERVER_URL", raising=False)

    def with_remote(url):
        subprocess.run(["git", "init", "-q", tmp_path], check=True)
        add = ["git", "-C", tmp_path, "remote", "add", "origin", url]
        subprocess.run(add, check=True)
        return tmp_path

    return with_remote


@pytest.mark.parametrize(
    ("remote", "address"),
    [
        ("https://github.com/some/book.git", "https://github.com/some/book"),
        ("https://github.com/some/book", "https://github.com/some/book"),
        ("git@github.com:some/book.git", "https://github.com/some/book"),
        (
            "ssh://git@git.example.org/some/book.git",
            "https://git.example.org/some/book",
        ),
        ("https://me:secret@github.com/some/book.git", "https://github.com/some/book"),
        ("https://git.example.org/a/b/book", "https://git.example.org/a/b/book"),
        ("/home/me/book", None),
        ("file:///home/me/book.git", None),
        ("../book", None),
    ],
)
def test_address_is_that_of_the_remote(checkout, remote, address):
    assert repository.address(checkout(remote)) == address


def test_environment_comes_before_the_remote(checkout, monkeypatch):
    folder = checkout("https://github.com/some/book.git")
    monkeypatch.setenv("GITHUB_REPOSITORY", "other/fork")
    assert repository.address(folder) == "https://github.com/other/fork"
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://git.example.org")
    assert repository.address(folder) == "https://git.example.org/other/fork"


def test_faulty_environment_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("GITHUB_REPOSITORY", "https://github.com/some/book")
    with pytest.raises(ValueError, match="must be owner/name, not 'https"):
        repository.address(tmp_path)


def test_without_a_repository_no_address_is_known(tmp_path, monkeypatch):
    monkeypatch.delenv("GITHUB_REPOSITORY", raising=False)
    assert repository.address(tmp_path) is None


def test_launch_link_opens_the_chapter_in_jupyterlab():
    link = repository.launch_link("https://github.com/some/book", "chapters/circle.md")
    assert link == (
        "https://mybinder.org/v2/gh/some/book/HEAD?urlpath=lab/tree/chapters/circle.md"
    )


def test_launch_link_of_another_host_names_it_as_a_whole():
    link = repository.launch_link("https://git.example.org/a/b", "chapters/circle.md")
    assert link.startswith(
        "https://mybinder.org/v2/git/https%3A%2F%2Fgit.example.org%2Fa%2Fb/HEAD?"
    )


@pytest.mark.parametrize(
    ("repository_address", "site"),
    [
        ("https://github.com/Some/book", "https://some.github.io/book/"),
        ("https://github.com/some/some.github.io", "https://some.github.io/"),
        ("https://git.example.org/some/book", None),
        (None, None),
    ],
)
def test_site_stands_where_github_puts_it(monkeypatch, repository_address, site):
    monkeypatch.delenv("BOOK_ADDRESS", raising=False)
    assert repository.site_address(repository_address) == site


def test_address_that_is_given_comes_first(tmp_path, monkeypatch):
    monkeypatch.setenv("BOOK_ADDRESS", "https://book.example/here")
    assert repository.site(tmp_path) == "https://book.example/here/"
    monkeypatch.setenv("BOOK_ADDRESS", "book.example")
    with pytest.raises(ValueError, match="BOOK_ADDRESS must be https"):
        repository.site(tmp_path)
