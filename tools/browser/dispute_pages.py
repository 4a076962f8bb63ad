"""Disputes, as a student opens one from a line of the report, and as an instructor repeats and decides it."""
import base64
import json
import urllib.request

from selenium.webdriver.common.by import By

from browser import driver
from browser.driver import ROOT, js, view
from browser.service_pages import ServiceInABrowser

WRONG = (ROOT / "solutions/hw6/step0_naive.cu").read_text().replace("if (row >= M) return;", "", 1)


class DisputePages(ServiceInABrowser):
    def submit(self):
        body = json.dumps({"assignment": "hw6", "files": [{"name": "step0_naive.cu", "base64": base64.b64encode(WRONG.encode()).decode()}]})
        request = urllib.request.Request(self.url + "/v1/submissions", body.encode(), {"Authorization": "Bearer " + self.tokens["20261234"]})
        return json.load(urllib.request.urlopen(request))["id"]

    def keep(self, name):
        if driver.pictures:
            driver.picture(name, 1600)

    def fill_in(self, action, **fields):
        """The form of the page that goes to `action` and has these fields; sends it by keyboard."""
        for form in driver.browser.find_elements(By.CSS_SELECTOR, f"form[action='{action}']"):
            if all(form.find_elements(By.NAME, name) for name in fields):
                for name, text in fields.items():
                    form.find_element(By.NAME, name).send_keys(text)
                return form
        self.fail(f"no form for {action} with {list(fields)}:\n{self.text()}")

    def test_a_finding_is_disputed_where_it_is_read_and_decided_where_it_can_be_repeated(self):
        driver.browser.get_log("browser"), self.requests()
        number = self.submit()
        self.log_in("20261234")
        self.go(f"/submissions/{number}")
        self.wait(lambda: "Score:" in self.text(), "the report")
        self.look("a submission that can be disputed")
        self.keep("dispute-form")
        self.go(f"/submissions/{number}/report")
        driver.browser.find_element(By.LINK_TEXT, "12").click()
        self.wait(lambda: driver.browser.current_url.endswith("#dispute"), "the form")
        self.assertEqual(driver.browser.find_element(By.CSS_SELECTOR, "#dispute [name=line]").get_attribute("value"), "12")
        self.assertLess(js("return document.getElementById('dispute').getBoundingClientRect().top"), 900, "the form is in sight")
        self.go(f"/submissions/{number}")
        driver.browser.find_element(By.LINK_TEXT, "Dispute this").click()
        self.wait(lambda: "finding=1" in driver.browser.current_url, "the finding")
        self.fill_in("/disputes", text="The last block has no such rows: the loop stops before.").submit()
        self.wait(lambda: driver.browser.current_url.endswith("/disputes/1"), "the dispute")
        self.look("a dispute as its student sees it")
        self.assertIn("the loop stops before", self.text())

        self.log_in("teacher")
        self.go("/disputes")
        self.look("the inbox")
        self.keep("dispute-inbox")
        self.assertIn("20261234", self.text())
        self.go("/disputes/1")
        self.look("a dispute as the staff see it")
        if driver.pictures:
            view(1000)
            driver.picture("docs_disputes", 1300, 0, .6)  # of docs/server.md
            view()
        self.fill_in("/disputes/notes", text="Which rows does the last block have? Slide 8.").submit()
        self.wait(lambda: "Take back" in self.text(), "the note")
        self.fill_in("/disputes/1", text="The loop is over columns: compare with slide 12.").submit()
        self.wait(lambda: "Dispute 1: answered" in self.text(), "the answer")
        self.go("/disputes")
        self.look("an inbox with a note")

        self.log_in("20261234")
        self.look("a history with an answer")
        driver.browser.find_element(By.LINK_TEXT, "Dispute 1").click()
        self.wait(lambda: "slide 12" in self.text(), "the answer")
        self.look("an answer")
        self.go(f"/submissions/{number}/report")
        self.assertIn("slide 12", self.text())
        self.assertIn("Slide 8.", self.text())
        self.assertEqual([url for url in self.requests() if not url.startswith(self.url + "/")], [], "only the service is asked")
        self.assertEqual([entry["message"] for entry in driver.browser.get_log("browser") if "favicon" not in entry["message"]], [])
