"""A recording as a page: stepping, keys, both sides of a race, dark, on a phone, on paper."""
import unittest

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from browser import driver
from browser.driver import CONTRAST, complaints, js, show, view

# Pages of ./grade debug, by the fixture of hw6 and its step.
RECORDED = {"debug_race": ("race/missing_first_barrier", "step2"), "debug_bounds": ("out_of_bounds/unguarded_store", "step2")}

NUMBER = "return Number(document.querySelector('[data-slider]').value)"


def press(*keys):
    actions = ActionChains(driver.browser)
    for key in keys:
        actions.send_keys(key)
    actions.perform()


class DebugPage(unittest.TestCase):
    def setUp(self):
        view()
        show("debug_race.html")
        self.marked = js(NUMBER)
        self.count = js("return Number(document.querySelector('[data-slider]').max)")

    def test_asks_for_nothing_and_says_nothing_on_the_console(self):
        for name in RECORDED:
            for scheme in ("light", "dark"):
                view(scheme=scheme)
                show(f"{name}.html")
                self.assertEqual(complaints(), [])

    def test_begins_at_the_finding(self):
        self.assertIn("race", js("return document.querySelector('main').textContent").lower())
        self.assertTrue(js("return document.querySelector('.now').classList.contains('found')"))
        self.assertTrue(js("return document.querySelectorAll('tr.now-here').length") <= 1)

    def test_steps_with_buttons_and_keys(self):
        press(Keys.ARROW_LEFT)
        before = js(NUMBER)
        self.assertLess(before, self.marked)
        press(Keys.ARROW_RIGHT)
        self.assertGreater(js(NUMBER), before)
        press(Keys.HOME)
        self.assertEqual(js(NUMBER), 1)
        press(Keys.END)
        self.assertEqual(js(NUMBER), self.count)
        press("f")
        self.assertEqual(js(NUMBER), self.marked)
        js("document.querySelector('[data-go=back]').click()")
        self.assertEqual(js(NUMBER), before)

    def test_goes_to_the_next_event_of_the_line_the_lane_and_the_element(self):
        press(Keys.HOME, Keys.ARROW_RIGHT)
        line = "return document.querySelector('tr.now-here')?.dataset.line"
        first, number = js(line), js(NUMBER)
        press("n")
        self.assertEqual(js(line), first)
        again = js(NUMBER)
        press("p")
        self.assertLessEqual(js(NUMBER), again)
        js("document.querySelector('[data-go=lane]').click()")
        self.assertGreater(js(NUMBER), number - 1)
        press("f", Keys.ARROW_LEFT)
        before = js(NUMBER)
        js("document.querySelector('[data-go=element]').click()")
        self.assertGreaterEqual(js(NUMBER), before)

    def test_shows_both_sides_of_the_race_on_one_time_axis(self):
        self.assertEqual(js("return document.querySelectorAll('.pane').length"), 2)
        self.assertEqual(js("return document.querySelectorAll('.pane.current').length"), 1)
        for words in js("return [...document.querySelectorAll('.pane > p')].map(p => p.textContent)"):
            self.assertIn("Event", words)
        self.assertGreaterEqual(js("return document.querySelectorAll('[data-time] .axis').length"), 2)

    def test_shows_every_lane_and_what_it_does(self):
        self.assertEqual(js("return document.querySelector('.pane').querySelectorAll('.lane').length"), 32)
        texts = js("return [...document.querySelectorAll('.does')].map(d => d.textContent)")
        self.assertTrue(any("As[" in text or "Bs[" in text for text in texts), texts[:8])

    def test_draws_the_shared_arrays_and_tells_of_an_element_by_the_keyboard(self):
        captions = js("return [...document.querySelectorAll('.map figcaption')].map(c => c.textContent)")
        self.assertTrue(any(c.startswith(("As", "Bs")) for c in captions), captions)
        js("document.querySelector('.map canvas').focus()")
        press(Keys.ARROW_DOWN, Keys.ARROW_UP)
        self.assertIn("[", js("return document.querySelector('.map output').textContent"))

    def test_has_the_same_events_as_a_table(self):
        js("document.querySelector('details.events').open = true")
        view()
        self.assertEqual(js("return document.querySelectorAll('[data-table] tbody tr').length"), self.count)
        self.assertEqual(js("return document.querySelectorAll('[data-table] tr.bad').length"), 1)

    def test_is_readable_in_light_and_dark_and_names_what_it_draws(self):
        for scheme in ("light", "dark"):
            view(scheme=scheme)
            show("debug_race.html")
            self.assertEqual(js(CONTRAST), [])
        self.assertEqual(js("return [...document.querySelectorAll('canvas')].filter(c => c.getAttribute('role') !== 'img' || !c.getAttribute('aria-label')).length"), 0)
        self.assertEqual(js("return [...document.querySelectorAll('svg')].filter(s => !s.querySelector('title')).length"), 0)
        self.assertEqual(js("return [...document.querySelectorAll('input,select')].filter(i => !i.labels.length).length"), 0)
        self.assertEqual(js("return [...document.querySelectorAll('th')].filter(t => !t.scope).length"), 0)
        self.assertEqual(js("return document.querySelectorAll('[style]:not(canvas)').length"), 0)

    def test_fits_on_a_phone(self):
        for width in (360, 390, 800):
            for name in RECORDED:
                view(width)
                show(f"{name}.html")
                self.assertLessEqual(js("return document.documentElement.scrollWidth"), width)
