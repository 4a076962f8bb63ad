"""The workspace, used as a student uses it: by keyboard, in two tabs, without a network, without a script."""
import pathlib
import tempfile
import time

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browser import driver
from browser.driver import CONTRAST, ROOT, js, view
from browser.service_pages import ServiceInABrowser

SOLUTION = (ROOT / "solutions/hw6/step0_naive.cu").read_text()
PAGE = "/workspace/hw6/step0"


class WorkspacePage(ServiceInABrowser):
    def setUp(self):
        self.log_in("20261234")
        driver.browser.get_log("browser"), self.requests()

    def tearDown(self):
        js("window.onbeforeunload = null")
        self.offline(False)
        driver.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})

    def open(self, path=PAGE):
        self.go(path)
        self.wait(lambda: js("return document.readyState") == "complete", "the page")
        self.bundled = bool(driver.browser.find_elements(By.CSS_SELECTOR, ".cm-content"))

    def editor(self):
        return driver.browser.find_element(By.CSS_SELECTOR, ".cm-content" if self.bundled else "#text")

    def write(self, text):
        """In place of what is there, as somebody pastes it."""
        self.editor().click()
        ActionChains(driver.browser).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).send_keys(Keys.DELETE).perform()
        driver.browser.execute_cdp_cmd("Input.insertText", {"text": text})

    def press(self, *keys):
        chain = ActionChains(driver.browser)
        for key in keys[:-1]:
            chain.key_down(key)
        chain.send_keys(keys[-1])
        for key in keys[:-1]:
            chain.key_up(key)
        chain.perform()

    def offline(self, off):
        driver.browser.execute_cdp_cmd("Network.enable", {})
        driver.browser.execute_cdp_cmd("Network.emulateNetworkConditions",
                                       {"offline": off, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})

    def shown(self):
        return js("return document.querySelector('.cm-content')?.innerText ?? document.getElementById('text').value")

    def said(self, place):
        return driver.browser.find_element(By.ID, place).text

    def saved(self):
        self.wait(lambda: self.said("status").startswith("Saved"), "it is saved: " + self.said("status"))

    def test_step0_is_solved_in_the_browser_alone_by_keyboard(self):
        self.open()
        self.write("int x = ;\n" + SOLUTION)
        self.press(Keys.CONTROL, Keys.ENTER)
        self.wait(lambda: "build_error" in self.said("verdict"), "an error of the compiler")
        self.assertIn("line 1", self.said("faults"))
        if self.bundled:
            self.assertTrue(driver.browser.find_elements(By.CSS_SELECTOR, ".cm-lint-marker-error"), "a mark at the line")
        self.write(SOLUTION)
        self.press(Keys.CONTROL, Keys.ENTER)
        self.wait(lambda: "accepted" in self.said("verdict"), "the verdict: " + self.said("verdict"))
        driver.browser.find_element(By.ID, "margin").click()
        self.wait(lambda: "sectors" in self.text(), "figures in the margin")
        self.press(Keys.CONTROL, Keys.SHIFT, Keys.ENTER)  # the focus is not in the editor
        self.wait(lambda: "points." in self.said("handed-in"), "what was handed in is graded: " + self.said("handed-in"))
        self.assertIn("The draft is the same.", self.said("handed-in"))
        self.assertTrue(driver.browser.find_elements(By.CSS_SELECTOR, "#report iframe"), "the whole report")
        self.assertEqual([one["message"] for one in driver.browser.get_log("browser")], [])
        self.assertEqual([one for one in self.requests() if not one.startswith(self.url)], [], "nobody else is asked for anything")
        for scheme in ("light", "dark"):
            view(1280, 1000, scheme)
            self.assertEqual(js(CONTRAST), [], scheme)
            if driver.pictures:
                driver.picture(f"workspace-{scheme}", 1000)
        for width in (390, 1280):
            view(width)
            self.assertLessEqual(js("return document.documentElement.scrollWidth"), width)
        view()

    def test_a_failure_is_gone_through_in_place(self):
        self.open("/workspace/hw6/step2")
        self.write((ROOT / "solutions/hw6/step2_shared.cu").read_text().replace("__syncthreads();", "", 1))
        self.press(Keys.CONTROL, Keys.ENTER)
        self.wait(lambda: "race" in self.said("verdict"), "the race")
        if driver.pictures:
            view(1280, 1000)
            driver.picture("workspace-race", 1000)
            driver.picture("docs_workspace", 1000, 0, .6)  # of docs/workspace.md
            view()
        driver.browser.find_element(By.ID, "step-through").click()
        self.wait(lambda: driver.browser.find_elements(By.CSS_SELECTOR, "#player iframe"), "the player")
        driver.browser.switch_to.frame(driver.browser.find_element(By.CSS_SELECTOR, "#player iframe"))
        self.wait(lambda: "no barrier is between" in self.text(), "what went wrong")
        driver.browser.switch_to.default_content()

    def test_two_tabs_lose_neither_text(self):
        self.open("/workspace/hw6/step1")
        first = driver.browser.current_window_handle
        driver.browser.switch_to.new_window("tab")
        self.open("/workspace/hw6/step1")
        self.write("// from the second tab\n")
        self.saved()
        driver.browser.switch_to.window(first)
        self.write("// from the first tab\n")
        self.wait(lambda: driver.browser.find_element(By.ID, "conflict").is_displayed(), "the question which text goes on")
        self.assertIn("another tab", self.said("conflict"))
        driver.browser.find_element(By.ID, "take-theirs").click()
        self.wait(lambda: "from the second tab" in self.shown(), "the other text")
        self.go("/workspace/hw6/step1/history")
        self.assertIn("put aside", self.text())
        driver.browser.switch_to.window(driver.browser.window_handles[-1])
        driver.browser.close()
        driver.browser.switch_to.window(first)

    def test_what_is_typed_without_a_connection_is_saved_when_it_is_back(self):
        self.open("/workspace/hw6/step3")
        self.offline(True)
        self.write("// typed without a connection\n")
        self.wait(lambda: self.said("status").startswith("No connection"), "the page says so: " + self.said("status"))
        self.offline(False)
        self.saved()
        self.open("/workspace/hw6/step3")
        self.assertIn("typed without a connection", js("return document.getElementById('text').value"))

    def test_what_a_browser_kept_is_for_its_author_alone(self):
        page = "/workspace/hw6/step3"
        self.open(page)
        self.offline(True)
        self.write("// not saved by the first\n")
        self.wait(lambda: self.said("status").startswith("No connection"), "the page says so")
        js("addEventListener('beforeunload', (event) => event.stopImmediatePropagation(), true)")
        driver.browser.get("about:blank")
        self.offline(False)
        self.go("/")  # cookies are deleted where one is
        self.log_in("teacher")
        self.open(page)
        time.sleep(1)
        self.assertNotIn("not saved by the first", self.shown())
        self.log_in("20261234")
        self.open(page)
        self.wait(lambda: "not saved by the first" in self.shown(), "their text is back")
        self.saved()

    def test_a_text_is_formatted_at_a_key_and_the_cursor_stays(self):
        self.open("/workspace/hw6/step3")
        self.assertTrue(driver.browser.find_elements(By.ID, "lay-out"), "tools/setup installs clang-format")
        self.write("__global__ void f(float*a){\na[0]=1;\n}\n")
        self.press(Keys.SHIFT, Keys.ALT, "f")
        self.wait(lambda: self.said("status").startswith(("Formatted", "Saved")) and "float *a" in self.shown(), "it is formatted")
        self.press(Keys.CONTROL, "z") if self.bundled else None
        if self.bundled:
            self.wait(lambda: "float*a" in self.shown(), "formatting can be undone")

    def test_all_files_are_taken_from_another_machine(self):
        self.go("/workspace")
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "step4_nonsquare.cu"
            file.write_text("#error from another machine\n")
            driver.browser.find_element(By.CSS_SELECTOR, "form[action='/workspace/hw6/files'] input[type=file]").send_keys(str(file))
            driver.browser.find_element(By.CSS_SELECTOR, "form[action='/workspace/hw6/files'] button").click()
            self.wait(lambda: "Saved: step4_nonsquare.cu" in self.text(), "they are taken")
        self.open("/workspace/hw6/step4")
        self.assertIn("from another machine", self.shown())

    def test_without_a_script_forms_do_the_same(self):
        driver.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        self.go("/workspace/hw6/step4")
        area = driver.browser.find_element(By.ID, "text")
        area.send_keys(Keys.CONTROL, "a")
        area.send_keys("#error by a form")
        driver.browser.find_element(By.ID, "try").click()
        end = time.monotonic() + 120
        while time.monotonic() < end:
            self.go("/workspace/hw6/step4")
            if "build_error" in driver.browser.page_source:
                break
            time.sleep(0.5)
        self.assertIn("by a form", driver.browser.find_element(By.ID, "text").get_attribute("value"))
        self.assertIn("build_error", driver.browser.find_element(By.ID, "verdict").text)
