"""A course of one small chapter, written by the real tools into a folder of its own."""

import shutil
from pathlib import Path

import pytest
from assign import write_course
from small_course import TINY


@pytest.fixture(scope="session")
def overlay(tmp_path_factory):
    """A private folder with a chapter of its own."""
    folder = tmp_path_factory.mktemp("overlay")
    (folder / "tiny.md").write_text(TINY, encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def written(tmp_path_factory, overlay):
    """A course with the small chapter, released. Cells of students have 5 seconds."""
    folder = tmp_path_factory.mktemp("written") / "course"
    write_course(["tiny"], folder, overlay)
    settings = folder / "nbgrader_config.py"
    settings.write_text(settings.read_text() + "c.PatientExecute.student_seconds = 5\n")
    return folder


@pytest.fixture
def course(tmp_path, written):
    """A copy of the course for one test."""
    return Path(shutil.copytree(written, tmp_path / "course"))
