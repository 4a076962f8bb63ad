"""The course of `make demo-server`, as an instructor looks at it: at a glance, stuck students, a dispute, a regrade."""
import csv
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

from browser import driver
from browser.driver import ROOT, js, view
from browser.service_pages import ServiceInABrowser

SECONDS = 600  # the demo course grades a dozen files, and this machine may have other work


class CoursePages(ServiceInABrowser):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="warpgrade-course-pages-"))
        cls.dir = cls.folder / "demo"
        cls.log = open(cls.folder / "log", "w+")
        cls.process = subprocess.Popen([ROOT / "tools/demo-server", cls.dir], stdout=cls.log, stderr=cls.log, start_new_session=True)
        end = time.monotonic() + SECONDS
        while not (cls.dir / "filled").exists():
            said = (cls.folder / "log").read_text()
            if time.monotonic() > end or cls.process.poll() is not None or "only partly" in said:
                cls.process.send_signal(signal.SIGINT)
                raise AssertionError("the demo course was not filled:\n" + said)
            time.sleep(0.3)
        cls.url = (cls.dir / "service.url").read_text().strip()
        with open(cls.dir / "tokens.csv", newline="") as file:
            cls.tokens = {row["student"]: row["token"] for row in csv.DictReader(file)}

    @classmethod
    def tearDownClass(cls):
        cls.process.send_signal(signal.SIGINT)
        cls.process.wait(60)
        cls.log.close()
        shutil.rmtree(cls.folder)

    def keep(self, name, height=1000):
        if driver.pictures:
            view(1280, height)
            driver.picture(name, height)
            if name == "course":
                driver.picture("docs_course", height, 0, .6)  # of docs/server.md
            view()

    def test_an_instructor_sees_it_all(self):
        self.log_in("instructor")
        self.assertEqual(js("return document.querySelector('h1').innerText"), "The course at a glance")
        self.look("the course at a glance")
        page = self.text()
        self.assertIn("2 of 10", page, "not started: the one whose token is printed, and one more")
        self.assertIn("race", page, "somebody is stuck in a race")
        self.assertIn("Disputes (1)", page)
        self.keep("course")
        self.go("/course/hw6")
        self.look("an assignment at a glance")
        self.assertTrue(js("return document.querySelector('main svg') !== null"), "progress is drawn")
        self.keep("course-assignment", 1600)
        self.go("/students/20260002")
        self.look("a student")
        self.assertEqual(self.text().count("a run in the workspace"), 4)
        self.go("/disputes/1")
        self.assertIn("I multiply by alpha once", self.text())
        self.go("/regrading/hw6")
        self.look("regrading")
        self.assertIn("regrade applied", self.text())
        self.keep("regrading")
        for student in ("20260003", "20260004"):
            self.go(f"/students/{student}")
            self.assertIn("10/10", self.text(), "a mistake of ours was mended")
