"""The handouts that `make handouts` wrote: as pages, and as PDF."""
import html
import re
import shutil
import subprocess
import unittest

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from browser import driver
from browser.driver import CONTRAST, ROOT, complaints, js, show, view


class Handouts(unittest.TestCase):
    """The pages that `make handouts` wrote."""

    def each(self):
        names = sorted(p.stem for p in (ROOT / "handouts").glob("*.md"))
        self.assertGreater(len(names), 0)
        for name in names:
            shutil.copy(ROOT / f"build/handouts/{name}.html", driver.pages / f"handout_{name}.html")
            yield f"handout_{name}"

    def test_load_without_a_word_on_the_console_and_without_a_request(self):
        for name in self.each():
            for scheme in ("light", "dark"):
                with self.subTest(page=name, scheme=scheme):
                    view(scheme=scheme)
                    show(f"{name}.html")
                    self.assertEqual(complaints(), [])
                    self.assertEqual(js("return document.querySelectorAll('script[src],img,iframe,object,link,form').length"), 0)
                    self.assertEqual(js("return document.querySelectorAll('script').length > 0"), js("return document.querySelectorAll('.tour').length > 0"))
                    self.assertEqual(js(CONTRAST), [])

    def test_have_a_language_headings_in_order_and_names_for_every_picture(self):
        for name in self.each():
            show(f"{name}.html")
            language = name.partition(".")[2] or "en"  # hw6.de is in German
            self.assertEqual(js("return document.documentElement.lang"), language)
            self.assertEqual(js("return [...document.querySelectorAll('.scroll')].filter(s => s.closest('[lang]').lang !== 'en').length"), 0, "pictures are in English")
            levels = js("return [...document.querySelectorAll('h1,h2,h3')].map(h => Number(h.tagName[1]))")
            self.assertEqual(levels.count(1), 1)
            self.assertTrue(all(b <= a + 1 for a, b in zip(levels, levels[1:])), f"a heading is skipped: {levels}")
            pictures_here = js("""return [...document.querySelectorAll('svg')].filter(s => !s.closest('.tour')).map(s => [s.getAttribute('role'), s.getAttribute('aria-labelledby')
              .split(' ').every(id => document.getElementById(id)?.textContent.trim()), s.closest('figure')?.querySelector('figcaption')?.textContent.trim().length > 0])""")
            self.assertGreater(len(pictures_here), 0)
            self.assertEqual([p for p in pictures_here if p != ["img", True, True]], [])
            ids = js("return [...document.querySelectorAll('[id]')].map(e => e.id)")
            self.assertEqual(len(ids), len(set(ids)), "an id stands twice")

    def test_have_words_in_pictures_that_do_not_touch_in_this_browser_either(self):
        overlapping = """const found = [];
          for (const svg of [...document.querySelectorAll('svg')].filter(s => !s.closest('.tour'))) {
            const boxes = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBBox(), svg.viewBox.baseVal]);
            boxes.forEach(([a, p, v], i) => {
              if (p.x < 0 || p.y < 0 || p.x + p.width > v.width || p.y + p.height > v.height) found.push(a + ' leaves the picture');
              for (const [b, q] of boxes.slice(0, i))
                if (p.x < q.x + q.width - .5 && q.x < p.x + p.width - .5 && p.y < q.y + q.height * .75 && q.y < p.y + p.height * .75) found.push(a + ' / ' + b);
            });
          }
          return found;"""
        for name in self.each():
            view()
            show(f"{name}.html")
            self.assertEqual(js(overlapping), [])

    def test_never_scroll_sideways_as_a_whole(self):
        for name in self.each():
            for width in (360, 800, 1400):
                with self.subTest(page=name, width=width):
                    view(width)
                    show(f"{name}.html")
                    self.assertLessEqual(js("return document.documentElement.scrollWidth"), width)

    def test_have_pictures_that_can_be_read_and_that_say_when_they_go_on_to_the_right(self):
        for name in self.each():
            for width in (390, 800, 1200):
                with self.subTest(page=name, width=width):
                    view(width)
                    show(f"{name}.html")
                    self.assertEqual(js("""return [...document.querySelectorAll('svg text')].filter(t => !t.closest('.tour')).filter(t => {
                        const s = t.ownerSVGElement, scale = s.getBoundingClientRect().width / s.viewBox.baseVal.width;
                        return parseFloat(t.getAttribute('font-size')) * scale < 9.5; }).map(t => t.textContent)"""), [], "smaller than 9.5 px")
                    wrong = js("""return [...document.querySelectorAll('.scroll')].filter(s => {
                        const cut = s.scrollWidth > s.clientWidth + 1, says = /sideways|verschieben/.test(getComputedStyle(s.closest('figure'), '::before').content);
                        return s.tabIndex !== 0 || cut && !says; }).length""")
                    self.assertEqual(wrong, 0, "a picture is cut and does not say so")
            self.assertGreater(js("return document.querySelectorAll('figure .scroll svg').length"), 0)

    def test_have_tables_that_fit_on_a_phone(self):
        for name in self.each():
            with self.subTest(page=name):
                view(390)
                show(f"{name}.html")
                self.assertEqual(js("return [...document.querySelectorAll('table')].filter(t => !t.closest('.wide') && t.scrollWidth > t.clientWidth).map(t => t.textContent.slice(0, 60))"), [])

    def test_have_tags_and_bookmarks_as_pdf(self):
        for name in self.each():
            with self.subTest(page=name):
                show(f"{name}.html")
                headings = js("return [...document.querySelectorAll('h1,h2,h3')].filter(h => !h.closest('.tour')).map(h => h.textContent.trim().replace(/\\s+/g, ' '))")
                pdf = ROOT / f"build/handouts/{name.removeprefix('handout_')}.pdf"
                read = lambda *words: subprocess.run([*words], check=True, capture_output=True, text=True).stdout
                bookmarks = re.findall(r"<item page=\"\d+\">(.*?)</item>", read("pdftohtml", "-xml", "-i", "-stdout", pdf))
                self.assertEqual([" ".join(html.unescape(b).split()) for b in bookmarks], headings)
                tags = {line.split()[0] for line in read("pdfinfo", "-struct", pdf).splitlines() if line.strip()}
                self.assertLessEqual({"Document", "H1", "H2", "P", "Table", "TH", "TD", "L", "LI"}, tags)

    def test_have_lines_of_code_that_fit_on_paper(self):
        for name in self.each():
            text = subprocess.run(["pdftotext", "-layout", ROOT / f"build/handouts/{name.removeprefix('handout_')}.pdf", "-"],
                                  check=True, capture_output=True, text=True).stdout
            show(f"{name}.html")
            flat = " ".join(text.split())
            for line in js("return [...document.querySelectorAll('pre')].flatMap(p => p.textContent.split('\\n'))"):
                self.assertIn(" ".join(line.split()), flat)

    def test_have_recordings_to_step_through_by_keys_in_the_dark_and_on_a_phone(self):
        shutil.copy(ROOT / "build/handouts/hw6.html", driver.pages / "handout_hw6.html")
        for width, scheme in ((1200, "light"), (390, "dark")):
            view(width, scheme=scheme)
            show("handout_hw6.html")
            self.assertEqual(js("return document.querySelectorAll('.tour').length"), 3)
            number = "return [...document.querySelectorAll('.tour [data-slider]')].map(s => Number(s.value))"
            before = js(number)
            self.assertEqual(before[:2], [1, 1], "without a finding, a recording begins at its start")
            self.assertTrue(js("return document.querySelectorAll('.tour')[2].querySelector('.now').classList.contains('found')"))
            js("document.querySelectorAll('.tour')[1].querySelector('[data-go=next]').focus()")
            ActionChains(driver.browser).send_keys(Keys.ARROW_RIGHT).send_keys(Keys.ARROW_RIGHT).perform()
            after = js(number)
            self.assertGreater(after[1], before[1])
            self.assertEqual([after[0], after[2]], [before[0], before[2]], "the other recordings stay where they are")
            ActionChains(driver.browser).send_keys(Keys.END).perform()
            self.assertEqual(js("return document.querySelectorAll('.tour')[1].querySelector('[data-slider]').max"), str(js(number)[1]))
            self.assertEqual(js("return document.querySelectorAll('.tour')[2].querySelectorAll('.pane').length"), 2, "both sides of the race")
            self.assertEqual(js("return document.querySelectorAll('.tour')[1].querySelectorAll('.lane').length"), 32)
            self.assertEqual(js(CONTRAST), [])
            self.assertEqual(complaints(), [])

    def test_have_recordings_as_lists_on_paper(self):
        text = subprocess.run(["pdftotext", "-layout", ROOT / "build/handouts/hw6.pdf", "-"], check=True, capture_output=True, text=True).stdout
        for words in ("reads A[0][31] to A[31][31]", "waits at the barrier", "write after read on shared memory run"):
            self.assertIn(words, text)
        self.assertNotIn("To the finding", text)
