"""The pages of a service, used as a student and as an instructor use them."""
import base64
import csv
import json
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest
import urllib.request

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select
from selenium.webdriver.support.ui import WebDriverWait

from browser import driver
from browser.driver import CONTRAST, ROOT, js, view

SECONDS = 120  # this machine may have other work


class ServiceInABrowser(unittest.TestCase):
    """A service of the test's own, and what its tests do in the browser."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="warpgrade-service-pages-"))
        cls.dir = cls.folder / "service"
        cls.dir.mkdir()
        (cls.dir / "service.yaml").write_text("assignments:\n  hw6:\n    leaderboard: names_by_consent\n")
        cls.tokens = {person: cls.token(person, role) for person, role in (("20261234", "student"), ("teacher", "instructor"))}
        for part in ("assignments", "starter"):  # a course of the test's own, whose thresholds it changes
            shutil.copytree(ROOT / part, cls.folder / "course" / part)
        cls.log = open(cls.folder / "log", "w")
        cls.process = subprocess.Popen([ROOT / "gradebook", "serve", cls.dir, "--assignment", "hw6", "--device", "sim", "--port", "0"],
                                       stdout=cls.log, stderr=cls.log, cwd=cls.folder / "course")
        end = time.monotonic() + SECONDS
        while not (cls.dir / "service.url").exists() and time.monotonic() < end and cls.process.poll() is None:
            time.sleep(0.1)
        if not (cls.dir / "service.url").exists():
            raise AssertionError("the service does not listen:\n" + (cls.folder / "log").read_text())
        cls.url = (cls.dir / "service.url").read_text().strip()

    @classmethod
    def tearDownClass(cls):
        cls.process.terminate()
        cls.process.wait(30)
        cls.log.close()
        shutil.rmtree(cls.folder)

    @classmethod
    def token(cls, person, role):
        made = subprocess.run([ROOT / "gradebook", "tokens", cls.dir, "--add", person, "--role", role], capture_output=True, text=True,
                              check=True, cwd=ROOT)
        return list(csv.DictReader(made.stdout.splitlines()))[0]["token"]

    def go(self, path):
        driver.browser.get(self.url + path)

    def text(self):
        return js("return document.body.innerText")

    def wait(self, condition, what):
        WebDriverWait(driver.browser, SECONDS).until(lambda _: condition(), what)

    def log_in(self, person):
        driver.browser.delete_all_cookies()
        self.go("/")
        field = driver.browser.find_element(By.NAME, "token")
        field.send_keys(self.tokens[person], Keys.ENTER)  # by keyboard
        self.wait(lambda: "Log out" in self.text(), f"{person} is logged in")

    def look(self, what):
        """A page is readable in light and dark and on a phone, says what its fields are, and asks nobody else for anything."""
        for scheme in ("light", "dark"):
            view(scheme=scheme)
            self.assertEqual(js(CONTRAST), [], what)
        self.assertEqual(js("return [...document.querySelectorAll('input:not([type=hidden]),select,textarea')].filter(i => !i.labels.length).length"), 0, what)
        self.assertEqual(js("return document.querySelectorAll('h1').length"), 1, what)
        for width in (360, 1200):
            view(width)
            self.assertLessEqual(js("return document.documentElement.scrollWidth"), width, what)
        view()

    def press(self, button):
        driver.browser.find_element(By.XPATH, f"//button[.='{button}']").send_keys(Keys.ENTER)

    def send_thresholds(self, text):
        area = driver.browser.find_element(By.NAME, "text")
        area.clear()
        area.send_keys(text)
        self.press("What would change?")
        self.wait(lambda: "No student" in self.text(), "what would change")

    def requests(self):
        """The addresses asked for since the last call."""
        found = []
        for entry in driver.browser.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return found


class ServicePages(ServiceInABrowser):
    def test_a_student_submits_and_reads_the_report_and_an_instructor_sees_the_class(self):
        self.requests()
        driver.browser.get_log("browser")
        self.go("/")
        self.look("the login")
        self.log_in("20261234")
        self.look("an empty history")
        self.go("/upload")
        self.look("the upload")
        driver.browser.find_element(By.CSS_SELECTOR, "input[type=file]").send_keys(str(ROOT / "solutions/hw6/step0_naive.cu"))
        driver.browser.find_element(By.CSS_SELECTOR, "main form button").send_keys(Keys.ENTER)
        self.wait(lambda: "/submissions/" in driver.browser.current_url, "a submission")
        self.wait(lambda: "Score:" in self.text(), "the report")  # the page renews itself
        self.look("a submission")
        driver.browser.find_element(By.LINK_TEXT, "The whole report").click()
        self.wait(lambda: driver.browser.current_url.endswith("/report"), "the whole report")
        self.assertIn("step0", self.text())
        for path in ("/", "/queue"):
            self.go(path)
            self.look(path)
        self.assertEqual(js("return document.cookie"), "", "scripts do not see the session")

        self.log_in("teacher")
        self.go("/class/hw6/class.html")
        self.assertIn("20261234", self.text())
        driver.browser.find_element(By.LINK_TEXT, "20261234").click()
        self.wait(lambda: "Give points" in self.text(), "a student's history")
        self.look("a student's history")
        Select(driver.browser.find_element(By.NAME, "step")).select_by_visible_text("step0")
        driver.browser.find_element(By.NAME, "points").send_keys("3.5")
        driver.browser.find_element(By.NAME, "reason").send_keys("handed in on paper", Keys.ENTER)
        self.wait(lambda: (self.dir / "hw6/grades.csv").exists() and "20261234,3.5," in (self.dir / "hw6/grades.csv").read_text(),
                  "points by hand in grades.csv")
        self.go("/staff")
        self.look("the staff's page")
        self.assertIn("handed in on paper", self.text())
        driver.browser.find_element(By.NAME, "text").send_keys("<b>Announced</b>")
        driver.browser.find_element(By.XPATH, "//button[.='Announce']").send_keys(Keys.ENTER)
        self.wait(lambda: "End" in self.text(), "the announcement")
        self.assertIn("<b>Announced</b>", self.text())

        self.go("/policy")
        self.look("the policy")
        self.go("/rescore")
        self.look("other thresholds")
        file = self.folder / "course/assignments/hw6/thresholds/default.yaml"
        before = file.read_text()
        self.send_thresholds(before.replace("pass: 0.05 cublas", "pass: 0.04 cublas"))
        self.look("what other thresholds would change")
        self.assertEqual(file.read_text(), before)
        self.press("Apply these thresholds")
        self.wait(lambda: "teacher changed them here" in self.text(), "the changed thresholds")
        self.look("thresholds that were changed")
        self.assertEqual(file.read_text(), before.replace("pass: 0.05 cublas", "pass: 0.04 cublas"))
        self.press("What would the previous thresholds change?")
        self.wait(lambda: "Apply these thresholds" in self.text(), "the preview of the thresholds before")
        self.press("Apply these thresholds")
        self.wait(lambda: "teacher changed them here" in self.text(), "the thresholds before")
        self.assertEqual(file.read_text(), before)
        self.go("/regrading")
        self.look("grading again")
        self.go("/regrading/hw6")
        self.press("Preview grading again")
        self.wait(lambda: "Apply to the student of the preview" in self.text(), "the preview of grading again")
        self.look("what grading again would change")
        self.press("Apply to nobody: discard the preview")
        self.wait(lambda: "regrade discarded" in self.text(), "the discarded preview")
        # An open leaderboard loads again by itself once a result changes it.
        self.go("/class/hw6/leaderboard.html")
        self.assertNotIn("ranked by", self.text())
        self.look("the leaderboard")
        file = ROOT / "solutions/hw6/step1_coalesced.cu"
        body = json.dumps({"assignment": "hw6", "files": [{"name": file.name, "base64": base64.b64encode(file.read_bytes()).decode()}]})
        urllib.request.urlopen(urllib.request.Request(self.url + "/v1/submissions", body.encode(), {"Authorization": "Bearer " + self.tokens["20261234"]}))
        self.wait(lambda: "ranked by" in self.text(), "the new leaderboard")
        self.assertNotIn("20261234", self.text())
        self.log_in("20261234")
        self.look("a history with consent")
        driver.browser.find_element(By.XPATH, "//button[.='Show my name']").send_keys(Keys.ENTER)
        self.wait(lambda: "Hide my name" in self.text(), "consent")
        self.go("/class/hw6/leaderboard.html")
        self.wait(lambda: "20261234" in self.text(), "the name on the leaderboard, which loads again by itself")

        self.assertEqual([url for url in self.requests() if not url.startswith(self.url + "/")], [], "only the service is asked")
        self.assertEqual([entry["message"] for entry in driver.browser.get_log("browser") if "favicon" not in entry["message"]], [])

    def test_pages_that_refuse_something_or_show_it_once_are_as_readable(self):
        driver.browser.delete_all_cookies()
        self.go("/")
        driver.browser.find_element(By.NAME, "token").send_keys("wg_wrong", Keys.ENTER)
        self.wait(lambda: "That did not work" in self.text(), "a wrong token")
        self.look("a wrong token")
        self.log_in("20261234")
        for path in ("/policy", "/submissions/999999", "/class/hw6/nothing"):
            self.go(path)
            self.assertIn("That did not work", self.text(), path)
            self.look(path)
        self.go("/upload")
        driver.browser.find_element(By.CSS_SELECTOR, "input[type=file]").send_keys(str(ROOT / "README.md"))
        driver.browser.find_element(By.CSS_SELECTOR, "main form button").send_keys(Keys.ENTER)
        self.wait(lambda: "That did not work" in self.text(), "an upload of another file")
        self.look("an upload of another file")

        self.log_in("teacher")
        self.go("/class/hw6/class.html")
        self.look("the class")
        self.go("/staff")
        driver.browser.find_element(By.XPATH, "//form[@action='/tokens']//input[@name='person']").send_keys("20265678")
        self.press("Make a token")
        self.wait(lambda: "wg_" in self.text(), "a new token")
        self.look("a new token")
        self.go("/policy")
        saved = driver.browser.find_element(By.NAME, "text").get_attribute("value")
        driver.browser.find_element(By.NAME, "text").send_keys("\n  hw99: {}\n")
        self.press("Save")
        self.wait(lambda: "service.yaml:" in self.text(), "a policy with a mistake")
        self.look("a policy with a mistake")
        self.assertIn("hw99", driver.browser.find_element(By.NAME, "text").get_attribute("value"), "what was typed is there")
        self.assertEqual((self.dir / "service.yaml").read_text().strip(), saved.strip())
        self.go("/rescore")
        area = driver.browser.find_element(By.NAME, "text")
        area.clear()
        area.send_keys("steps: {step1: {size: -1}}")
        self.press("What would change?")
        self.wait(lambda: "yaml:" in self.text(), "thresholds with a mistake")
        self.look("thresholds with a mistake")
