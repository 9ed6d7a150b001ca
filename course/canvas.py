"""Grades as a CSV file that Canvas imports: a plug-in for `nbgrader export`."""

import csv

from nbgrader.api import MissingEntry
from nbgrader.plugins import ExportPlugin

WHO = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]


class CanvasExport(ExportPlugin):
    """One row per student, one column per assignment.

    The id that nbgrader knows a student by is written as the login. Who has handed in
    nothing gets an empty cell, which Canvas leaves as it is. A submission that a person
    still has to read gets one, too.
    """

    def export(self, gradebook):
        """Write the file, `canvas.csv` unless `--to` says otherwise."""
        wanted = [str(name) for name in self.assignment]
        assignments = [
            one for one in gradebook.assignments if not wanted or one.name in wanted
        ]
        most = [one.max_score for one in assignments]
        with open(self.to or "canvas.csv", "w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file)
            rows.writerow([*WHO, *(one.name for one in assignments)])
            rows.writerow(["    Points Possible", *[""] * 4, *most])
            for student in gradebook.students:
                name = f"{student.last_name or student.id}, {student.first_name or ''}"
                scores = [score(gradebook, one.name, student.id) for one in assignments]
                rows.writerow([name.strip(", "), "", "", student.id, "", *scores])


def score(gradebook, assignment, student):
    """Return a student's points, or nothing where there are none yet."""
    try:
        submission = gradebook.find_submission(assignment, student)
    except MissingEntry:
        return ""
    if submission.needs_manual_grade:
        return ""
    return max(0.0, submission.score - submission.late_submission_penalty)
