"""The browser that the tests of pages look with, and what they ask it."""
import base64
import json
import os
import pathlib
import shutil
import sys

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
pages = pathlib.Path()  # the folder of the pages; set before the first test
pictures = None  # the folder for screenshots, or none are taken
browser = None


def program(variable, *names):
    found = os.environ.get(variable) or next(filter(None, map(shutil.which, names)), None)
    if not found:
        sys.exit(f"test-browser: {names[0]} is missing: 'tools/setup --browser' installs it, or name it in {variable}")
    return found


def start_browser():
    options = webdriver.ChromeOptions()
    options.binary_location = program("CHROMIUM", "chromium", "chromium-browser", "google-chrome")
    for argument in ("--headless=new", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--force-color-profile=srgb"):
        options.add_argument(argument)
    if os.geteuid() == 0:  # Chromium refuses to run its own sandbox as root; the pages are ours
        options.add_argument("--no-sandbox")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    global browser
    browser = webdriver.Chrome(service=Service(program("CHROMEDRIVER", "chromedriver")), options=options)
    return browser


# Charts take their new width some frames later: waits until the page has had the same one for three frames.
SETTLED = """
  const done = arguments[0];
  let last = -1, same = 0, left = 60;
  const look = () => {
    const now = document.documentElement.scrollWidth;
    same = now === last ? same + 1 : 0, last = now;
    if (same >= 3 || --left === 0) done(); else requestAnimationFrame(look);
  };
  look();
"""


def view(width=1200, height=900, scheme="light"):
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                            {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    browser.execute_async_script(SETTLED)


def show(name):
    browser.get_log("browser"), browser.get_log("performance")  # what earlier pages left
    browser.get((pages / name).as_uri())


def complaints():
    """What the console says, and every request besides the page itself."""
    found = [entry["message"] for entry in browser.get_log("browser")]
    for entry in browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] != "Network.requestWillBeSent":
            continue
        url = message["params"]["request"]["url"]
        if url != browser.current_url.split("#")[0]:
            found.append("request: " + url)
    return found


def picture(name, height, top=0, scale=1.0):
    width = browser.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]["width"]
    clip = {"x": 0, "y": top, "width": width, "height": height, "scale": scale}
    shot = browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", "captureBeyondViewport": True, "clip": clip})
    (pictures / f"{name}.png").write_bytes(base64.b64decode(shot["data"]))


def js(script, *arguments):
    return browser.execute_script(script, *arguments)


# Texts that stand out too little from what is behind them.
CONTRAST = """
  const parse = (c) => c.match(/[\\d.]+/g).map(Number);
  const light = (c) => { const [r, g, b] = parse(c).slice(0, 3).map(v => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; });
    return .2126 * r + .7152 * g + .0722 * b; };
  const ground = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (!/, 0\\)$/.test(c) && c !== 'transparent') return c; } return 'rgb(255,255,255)'; };
  const poor = [];
  for (const e of document.querySelectorAll('p,td,th,h1,h2,h3,a,span,code,pre,caption,summary,strong,li,b,small,figcaption')) {
    if (!e.textContent.trim() || !e.offsetParent) continue;
    const a = light(getComputedStyle(e).color), b = light(ground(e));
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) poor.push(e.tagName + '.' + e.className + ' ' + ratio.toFixed(2) + ': ' + e.textContent.trim().slice(0, 40));
  }
  return poor;"""
