"""What holds for the page of a class and for its leaderboard."""
import contextlib
import math
import sqlite3
import unittest

from selenium.webdriver.common.by import By
from selenium.webdriver.support.select import Select

from browser import driver
from browser.driver import complaints, js, show, view
from browser.submission_page import assert_cards


class ClassPage(unittest.TestCase):
    def setUp(self):
        view()
        show("class.html")

    def column(self, title):
        return js("""const heads = [...document.querySelectorAll('#students thead th')], i = heads.findIndex(h => h.textContent === arguments[0]);
          return [...document.querySelectorAll('#students tbody tr')].filter(r => !r.hidden).map(r => r.cells[i].dataset.sort || r.cells[i].textContent);""", title)

    def press(self, title):
        js("""[...document.querySelectorAll('#students button.sort')].find(b => b.textContent === arguments[0]).click()""", title)

    def set_range(self, name, value):
        js("""const e = document.getElementById(arguments[0]); e.value = arguments[1]; e.dispatchEvent(new Event('input', {bubbles: true}));""", name, value)
        js("return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def test_sorts_numbers_and_texts_both_ways_and_loses_nobody(self):
        self.press("Points")
        down = [float(v) for v in self.column("Points")]
        self.assertEqual(len(down), 500)
        self.assertEqual(down, sorted(down, reverse=True))
        self.press("Points")
        up = [float(v) for v in self.column("Points")]
        self.assertEqual(up, sorted(up))
        self.press("Student")
        plain = [v for v in self.column("Student") if v.isdigit()]
        self.assertEqual(plain, sorted(plain))
        self.assertEqual(len(set(self.column("Student"))), 500)
        self.assertEqual(js("return document.querySelectorAll('th[aria-sort]').length"), 1)

    def test_filters_by_text_and_by_result(self):
        driver.browser.find_element(By.ID, "filter").send_keys("202600")
        self.assertTrue(all(v.startswith("202600") for v in self.column("Student")))
        driver.browser.find_element(By.ID, "filter").clear()
        driver.browser.find_element(By.ID, "filter").send_keys(" ")
        Select(driver.browser.find_element(By.ID, "verdict")).select_by_value("race")
        shown = js("return [...document.querySelectorAll('#students tbody tr')].filter(r => !r.hidden).map(r => r.textContent)")
        self.assertGreater(len(shown), 0)
        self.assertTrue(all("race" in row for row in shown))
        self.assertTrue(driver.browser.find_element(By.ID, "shown").text.startswith(f"{len(shown)} of 500"))

    def test_computes_the_stored_points_from_the_stored_measurements(self):
        differing = js("""return data.students.flatMap((s, n) => s.steps.map((one, i) => one && data.steps[i].timed
          ? [n, data.steps[i].id, one.p, stepPoints(one, data.steps[i], data.steps[i].pass, data.steps[i].full)] : null)).filter(x => x && x[2] !== x[3])""")
        self.assertEqual(differing, [])
        self.assertGreater(js("return data.students.filter(s => s.steps[3] && s.steps[3].r && s.steps[3].o !== s.steps[3].p).length"), 100)

    def test_moving_a_threshold_moves_points_lines_and_the_yaml(self):
        self.assertIn("0 students gain, 0 lose", driver.browser.find_element(By.ID, "changes").text)
        step = js("return data.steps[chosen]")
        students = js("return data.students.map(s => s.steps[chosen])")
        totals = js("return data.students.map(s => s.points)")
        index = js("return chosen")
        self.set_range("full", 30000)
        expected = []
        for one, total in zip(students, totals):  # the grader's rule, written once more
            if not one or one["badge"] != "PASS" or "r" not in one:
                expected.append(total)
                continue
            rate, _, high = one["r"]
            counts = rate
            for bar in (step["pass"]["value"], 30000):
                if rate < bar and min(high, rate * 1.01) >= bar * (1 - .01) and min(high, rate * 1.01) >= bar:
                    counts = max(counts, bar)
            fast = math.floor(step["fast"] * min(1, max(0, (counts - step["pass"]["value"]) / (30000 - step["pass"]["value"]))) * 100 + .5) / 100
            expected.append(total + one["o"] + fast - one["p"])
        shown = js("return [...document.querySelectorAll('#students tbody tr')].sort((a, b) => a.dataset.index - b.dataset.index).map(r => Number(r.querySelector('.moved').dataset.sort))")
        for got, want in zip(shown, expected):
            self.assertAlmostEqual(got, want, delta=.011)
        self.assertTrue(any(abs(a - b) > 1 for a, b in zip(shown, totals)))
        self.assertNotIn(" 0 lose", driver.browser.find_element(By.ID, "changes").text)
        self.assertIn("full: 30000}", driver.browser.find_element(By.ID, "yaml").text)
        self.assertEqual(js("return document.getElementById('full-number').value"), "30000")
        self.assertIn(step["id"], driver.browser.find_element(By.ID, "yaml").text)
        driver.browser.find_element(By.ID, "reset").click()
        self.assertIn("0 students gain, 0 lose", driver.browser.find_element(By.ID, "changes").text)
        self.assertEqual(index, js("return chosen"))

    def test_full_stays_above_pass(self):
        self.set_range("pass", 24000)
        self.assertGreater(js("return moved[chosen].full.value"), 24000)
        self.set_range("full", 1000)
        self.assertLess(js("return moved[chosen].pass.value"), js("return moved[chosen].full.value"))

    def test_has_cards_on_a_phone_that_can_still_be_sorted(self):
        for width in (360, 390):
            view(width)
            show("class.html")
            js("document.querySelectorAll('details').forEach(d => { d.open = true; })")
            assert_cards(self, width)
            self.assertTrue(js("return [...document.querySelectorAll('#students button.sort')].filter(b => b.closest('th').checkVisibility()).every("
                               "b => { const r = b.getBoundingClientRect(); return r.width > 20 && r.right <= innerWidth; })"))
            self.press("Points")
            down = [float(v) for v in self.column("Points")]
            self.assertEqual(down, sorted(down, reverse=True))
        cell = "[...document.querySelectorAll('#students td')].find(c => c.dataset.label === 'step1')"
        self.assertIn("step1", js(f"return getComputedStyle({cell}, '::before').content"))

    def test_every_timed_step_can_be_chosen(self):
        select = Select(driver.browser.find_element(By.ID, "step"))
        for option in [o.get_attribute("value") for o in select.options]:
            select.select_by_value(option)
            self.assertIn(js("return data.steps[chosen].id"), driver.browser.find_element(By.ID, "yaml").text)
        self.assertEqual(complaints(), [])

    def test_five_hundred_students_stay_smooth(self):
        took = js("""const times = {}, measure = (name, f) => { const t = performance.now(); f(); document.body.offsetHeight; times[name] = performance.now() - t; };
          const sort = [...document.querySelectorAll('#students button.sort')];
          measure('sort by points', () => sort[1].click()); measure('sort by name', () => sort[0].click());
          measure('filter', () => { document.getElementById('filter').value = '20260'; filter(); });
          measure('threshold', () => { moved[chosen].full.value = 30000; showMoved(); rates.chart.update('none'); });
          return times;""")
        print("\n  milliseconds for 500 students: " + ", ".join(f"{name} {value:.0f}" for name, value in took.items()))
        for name, value in took.items():
            self.assertLess(value, 1000, name)  # a bound for a busy machine; a frame or two is usual


class RealClass(unittest.TestCase):
    """A dashboard against the store that it was made of."""

    def setUp(self):
        view()
        show("real/class.html")
        with contextlib.closing(sqlite3.connect(driver.pages / "real/gradebook.db")) as store:
            self.scores = store.execute("SELECT student, points, status FROM score ORDER BY student").fetchall()

    def test_every_mean_of_the_page_is_that_of_the_store(self):
        counted = [points for _, points, status in self.scores if status not in ("not_submitted", "pending")]
        self.assertEqual([status for _, _, status in self.scores], ["graded", "graded", "graded", "missing", "not_submitted"])
        self.assertEqual(len(counted), 4)
        mean = sum(counted) / len(counted)
        self.assertGreater(mean, 0)
        self.assertNotAlmostEqual(mean, sum(counted) / 5, places=1, msg="the class can tell the two means apart")
        cards = js("return Object.fromEntries([...document.querySelectorAll('.cards li')].map(c => [c.lastChild.textContent, c.firstChild.textContent]))")
        self.assertEqual(cards["mean of 100"], f"{mean:.1f}")
        self.assertEqual(cards["handed in"], "4")
        self.assertAlmostEqual(js("return data.mean"), mean, places=6)
        self.assertAlmostEqual(js("return mean(counted.map(total))"), mean, places=6)
        drawn = js("return charts.find(c => c.canvas.id === 'totals').chart.data.datasets[0].data.reduce((sum, bin) => sum + bin.y, 0)")
        self.assertEqual(drawn, 4, "the histogram is of the same students")

    def test_names_of_the_roster_are_there_and_are_found(self):
        rows = "return [...document.querySelectorAll('#students tbody tr')].filter(r => !r.hidden).map(r => r.cells[0].textContent)"
        self.assertIn("20260003 Pupil, Third", js(rows))
        driver.browser.find_element(By.ID, "filter").send_keys("pupil")
        self.assertEqual(js(rows), ["20260003 Pupil, Third", "20260004 Pupil, Fourth"])
        driver.browser.find_element(By.ID, "filter").send_keys(" third")
        self.assertEqual(js(rows), ["20260003 Pupil, Third"])
        self.assertEqual(complaints(), [])

    def test_a_leaderboard_without_times_ranks_by_counters_and_says_what_will_come(self):
        show("real/leaderboard.html")
        text = driver.browser.find_element(By.TAG_NAME, "main").text
        self.assertIn("Nothing has been timed yet: this class was graded on Warpgrade simulator.", text)
        self.assertIn("ranked by sectors loaded per sector needed (lowest first)", text)
        self.assertEqual(js("return document.querySelectorAll('tbody tr').length"), 1, "one of them handed in a step with counters")
        self.assertEqual(complaints(), [])

    def test_has_cards_on_a_phone(self):
        for name in ("class", "leaderboard"):
            with self.subTest(page=name):
                view(390)
                show(f"real/{name}.html")
                assert_cards(self, 390)


class Leaderboards(unittest.TestCase):
    def test_are_cards_on_a_phone_with_times_and_with_counters(self):
        for name in ("leaderboard", "counted"):
            for width in (360, 390):
                with self.subTest(page=name, width=width):
                    view(width)
                    show(f"{name}.html")
                    self.assertGreater(js("return document.querySelectorAll('tbody tr').length"), 100)
                    assert_cards(self, width)
