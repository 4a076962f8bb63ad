"""Grades one submission of an assignment on Classroom 50 with Warpgrade.

Put this file into CLASSROOM/autograders/ASSIGNMENT/ of the course's classroom50 repository, together with the kit that
`gradebook kit ASSIGNMENT` writes. Classroom 50 runs it in the student's checkout. It writes result.json there and, for
`release_assets`, report.html. docs/platforms.md of Warpgrade has the rest: runners, packages, a GPU.
"""

import datetime
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHECKOUT = Path.cwd()


def utc(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def time_of_commit():
    """When the graded commit was made: the same however often it is graded."""
    answer = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=CHECKOUT, capture_output=True, text=True)
    return int(answer.stdout) if answer.returncode == 0 else datetime.datetime.now().timestamp()


def grade():
    """What Warpgrade says about the files in the checkout."""
    kits = sorted(HERE.glob("*.tar.gz"))
    if len(kits) != 1:
        sys.exit(f"autograder.py: expected one kit (NAME.tar.gz) in {HERE}, found {len(kits)}")
    name = kits[0].name.removesuffix(".tar.gz")
    with tempfile.TemporaryDirectory() as work:
        with tarfile.open(kits[0]) as kit:
            kit.extractall(work)
        result = Path(work, "result.json")
        command = ["./grade", "--submission", str(CHECKOUT), "--for", f"classroom50={result}",
                   "--html", str(CHECKOUT / "report.html")]
        status = subprocess.run(command, cwd=Path(work, name)).returncode
        if status not in (0, 1):  # the grader's own failure: Classroom 50 shows an error, not a score
            sys.exit(f"autograder.py: Warpgrade ended with status {status}; its message is above")
        return json.loads(result.read_text(encoding="utf-8"))


def main():
    e = os.environ
    result = grade()
    result.update({
        "classroom": e["CLASSROOM"],
        "assignment": e["ASSIGNMENT"],
        "assignment_type": e.get("ASSIGNMENT_TYPE") or "individual",
        "owner": e.get("OWNER") or e["USERNAME"],
        "submission": e["SUBMISSION_TAG"],
        "commit": e["COMMIT_URL"],
        "release": e["RELEASE_URL"],
        "review": e.get("REVIEW_URL") or e["COMMIT_URL"],
        "datetime": utc(time_of_commit()),
        "graded_at": utc(datetime.datetime.now().timestamp()),
    })
    Path(CHECKOUT, "result.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
