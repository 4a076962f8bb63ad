"""What holds for the page of each submission."""
import unittest

from browser.driver import ROOT, js, show, view

# What students hand in to reach into a report, and the step that it is.
HOSTILE = {"html_line": "step1", "terminal_escape": "step1", "line_forges_names": "step0"}
SUBMISSIONS = ["gpu", "alike", "solutions", "naive", *HOSTILE]


def assert_cards(test, width):
    """Every table of the page is a list of cards: nothing scrolls sideways, and each cell says what it is."""
    test.assertLessEqual(js("return document.documentElement.scrollWidth"), width)
    test.assertEqual(js("return [...document.querySelectorAll('.wide')].filter(w => w.scrollWidth > w.clientWidth).map(w => w.textContent.slice(0, 60))"), [])
    test.assertEqual(js("""return [...document.querySelectorAll('.wide td')].filter(d => d.getBoundingClientRect().right > arguments[0] + .5)
      .map(d => d.textContent.slice(0, 60))""", width), [])
    unnamed = js("""return [...document.querySelectorAll('.stack td')].filter(d => d.checkVisibility() && d.textContent.trim() &&
      /^(none|normal|"")$/.test(getComputedStyle(d, '::before').content)).map(d => d.textContent.slice(0, 60))""")
    test.assertEqual(unnamed, [], "a cell of a card does not say what it is")
    broken = js("""return [...document.querySelectorAll('.stack td.n')].filter(d => d.checkVisibility() && d.firstChild).filter(d => {
        const range = document.createRange(); range.selectNodeContents(d);
        return range.getBoundingClientRect().height > 1.8 * parseFloat(getComputedStyle(d).lineHeight);
      }).map(d => d.textContent.slice(0, 60))""")
    test.assertEqual(broken, [], "a figure goes over two lines")
    test.assertGreater(js("return document.querySelectorAll('.stack').length"), 0)
    test.assertEqual(js("return [...document.querySelectorAll('table:not(.stack):not(.source)')].length"), 0)


class SubmissionPage(unittest.TestCase):
    def at_each(self, widths, check):
        """check(name, width) on each page at each width, with what is folded open."""
        for name in SUBMISSIONS:
            for width in widths:
                with self.subTest(page=name, width=width):
                    view(width)
                    show(f"{name}.html")
                    js("document.querySelectorAll('details').forEach(d => { d.open = true; })")
                    check(name, width)

    def test_has_tables_that_are_cards_on_a_phone(self):
        self.at_each((360, 390), lambda _, width: assert_cards(self, width))

    def test_clips_no_text_at_any_width(self):
        def check(*_):
            self.assertEqual(js("""return [...document.querySelectorAll('body *:not(svg *):not(.unseen):not(thead):not(canvas)')].filter(e => {
                const s = getComputedStyle(e);
                return s.overflowX !== 'visible' && e.scrollWidth > e.clientWidth + 1 && !e.matches('.picture') || s.textOverflow === 'ellipsis';
              }).map(e => e.tagName + '.' + e.className + ': ' + e.textContent.trim().slice(0, 60))"""), [])
        self.at_each((390, 800, 1200, 1600), check)

    def test_says_what_to_do_next_in_whole_sentences(self):
        def check(*_):
            for text in js("return [...document.querySelectorAll('main > .wide td.long')].map(d => d.textContent)"):
                self.assertFalse(text.endswith(("…", "...")), text)
        self.at_each((1200,), check)

    def test_has_a_list_of_contents_that_goes_along(self):
        def check(name, width):
            self.assertEqual(js("return [...document.querySelectorAll('.contents a')].filter(a => !document.getElementById(a.hash.slice(1))).length"), 0)
            listed = js("return [...document.querySelectorAll('.contents > ul > li > a')].map(a => a.hash.slice(1))")
            self.assertEqual(listed, js("return [...document.querySelectorAll('main h2')].map(h => h.id)"))
            if width < 1000:
                return
            for target in listed[1:]:
                js("document.getElementById(arguments[0]).scrollIntoView({block: 'start', behavior: 'instant'})", target)
                js("return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
                box = js("const b = document.querySelector('.contents').getBoundingClientRect(); return [b.top, b.bottom]")
                self.assertTrue(box[0] < 900 and box[1] > 0, f"{name}: the list is out of sight at {target}")
                self.assertEqual(js("return document.querySelectorAll('.contents [aria-current]').length"), 1)
            at_end = js("return document.documentElement.scrollHeight - innerHeight - scrollY < 2")
            if not at_end:
                self.assertTrue(js("return document.querySelector('.contents [aria-current]').hash").startswith(f"#{target}"))
        self.at_each((1200, 390), check)

    def test_has_maps_whose_words_are_no_larger_than_their_fields(self):
        def check(*_):
            self.assertEqual(js("""return [...document.querySelectorAll('.maps svg')].flatMap(s => {
                const field = s.querySelector('rect').getBoundingClientRect().height;
                return [...s.querySelectorAll('text')].filter(t => t.getBoundingClientRect().height > Math.max(1.3 * field, 17)).map(t => t.textContent);
              })"""), [])
        self.at_each((390, 1200), check)

    def test_is_coloured_source_with_the_text_that_was_handed_in(self):
        show("solutions.html")
        shown = js("return [...document.querySelectorAll('#step1-source ~ details .code')].map(c => c.textContent)")
        self.assertEqual(shown, (ROOT / "solutions/hw6/step1_coalesced.cu").read_text().splitlines())
        self.assertGreater(js("return document.querySelectorAll('.code .tk').length"), 10)
        self.assertGreater(js("return document.querySelectorAll('.code .tg').length"), 5)
