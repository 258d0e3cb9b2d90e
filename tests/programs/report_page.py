"""Looks at pages of report in a headless browser. Prints a line "NAME<tab>FOUND<tab>EXPECTED" for each check.
    report_page.py PAGE RESULTS PICTURES     a page of the folder RESULTS; pictures of it go to the folder PICTURES
    report_page.py --pair PAGE               a page of two devices
    report_page.py --hostile PAGE DEVICE     a page whose texts look like HTML"""
import csv
import glob
import os
import re
import sys

import browser

# What a person with low vision needs (WCAG 2.2, AA): 4.5 for text, 3 for large text and for graphics.
CONTRAST = r"""(() => {
    const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
    const rgba = (text) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
    const light = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
        .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
    const behind = (node) => { for (; node; node = node.parentElement) { const c = rgba(getComputedStyle(node).backgroundColor); if (c[3] === 255) return c; } return rgba("white"); };
    const bad = new Set();
    let seen = 0;
    for (const node of document.querySelectorAll("body *")) {
        const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim()), style = getComputedStyle(node);
        if (!own || !node.getClientRects().length || node.closest(".hidden, .skip, script, style, noscript, [hidden]")) continue;
        const drawn = node instanceof SVGElement, back = drawn && node.classList.contains("on") ? rgba(getComputedStyle(node.previousElementSibling).fill) : behind(node);
        const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
        seen++;
        const found = ratio(rgba(drawn ? style.fill : style.color), back);
        if (found < (large ? 3 : 4.5)) bad.add(`${node.className.baseVal ?? node.className} ${node.tagName} ${found.toFixed(2)}`);
    }
    const page = rgba(getComputedStyle(document.body).backgroundColor);
    for (const node of document.querySelectorAll(".canvas .mark:not(.cell):not(.hollow), .legend svg > *")) {
        const style = getComputedStyle(node), colour = style.fill === "none" || node.matches("path.published") ? style.stroke : style.fill;
        seen++;
        if (!node.matches(".hollow, .bar.predicted") && ratio(rgba(colour), page) < 3) bad.add(`${node.className.baseVal} ${ratio(rgba(colour), page).toFixed(2)}`);
    }
    return seen > 500 ? [...bad].join("; ") : "only " + seen + " texts";
})()"""

# What a reader of the screen needs, apart from the names, which the browser's accessibility tree gives.
STRUCTURE = r"""(() => {
    const bad = [], ids = [...document.querySelectorAll("[id]")].map((node) => node.id);
    ids.filter((id, i) => ids.indexOf(id) !== i).forEach((id) => bad.push("id " + id + " twice"));
    let level = 0;
    for (const node of document.querySelectorAll("h1, h2, h3, h4")) {
        if (node.tagName[1] > level + 1) bad.push("heading " + node.textContent + " skips a level");
        level = Number(node.tagName[1]);
    }
    document.querySelectorAll("th:not([scope])").forEach((node) => bad.push("th without scope: " + node.textContent));
    document.querySelectorAll("ul > :not(li), dl > :not(dt):not(dd)").forEach((node) => bad.push("in a list: " + node.tagName));
    document.querySelectorAll("label").forEach((node) => document.getElementById(node.htmlFor) || bad.push("label of nothing: " + node.textContent));
    document.querySelectorAll("a[href^='#']").forEach((node) => document.querySelector(node.hash) || bad.push("link to nothing: " + node.hash));
    document.querySelectorAll("svg:not([role]):not([aria-hidden])").forEach(() => bad.push("svg without a role"));
    const names = [...document.querySelectorAll("[role=region]")].map((node) => node.ariaLabel);
    names.filter((name, i) => names.indexOf(name) !== i).forEach((name) => bad.push("two regions called " + name));
    if (!document.documentElement.lang || !document.title || document.querySelectorAll("main, h1").length !== 2) bad.push("lang, title, main or h1");
    return bad.join("; ");
})()"""

UNEQUAL = r"""[...document.querySelectorAll("figure")].map((f) => [f.dataset.chart, f.dataset.marks, f.querySelectorAll(".mark").length])
    .filter(([, rows, marks]) => Number(rows) !== marks).join("; ")"""

FIGURES = r"""[...document.querySelectorAll("figure")].map((f) => ({chart: f.dataset.chart, path: f.dataset.path, notes: [...f.querySelectorAll(".note")].map((n) => n.textContent).join("\n"),
    measured: f.querySelectorAll(".mark.measured").length, published: f.querySelectorAll(".mark.published").length}))"""


def check(name, found, expected):
    print(name, found, expected, sep="\t")


def read_csv(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


# ---- Marks against rows ----

def spec_of(chart):
    with open(f"plots/{chart}.gp") as file:
        lines = [re.match(r"# ([a-z]+): (.*)", line) for line in file]
    return {match[1]: match[2] for match in lines if match}


def is_listed(variant, spec):
    with open("plots/variants") as file:
        lists = dict(line.rstrip("\n").split(": ", 1) for line in file if not line.startswith("#"))
    words = re.sub(r"@([a-z-]+)", lambda match: lists.get(match[1], match[0]), spec["variants"]).split() + spec.get("yardsticks", "").split()

    if "!@unpublished" in words and variant not in {row["variant"] for row in read_csv("results/published/" + spec["published"])}:
        return False

    def fits(word):
        return variant.startswith(word[:-1]) if word.endswith("*") else variant == word
    return any(map(fits, words)) and not any(fits(word[1:]) for word in words if word[0] == "!")


def is_shown(row, spec):
    """Whether the chart is about a row, by the chart's comments alone."""
    conditions = [condition.split("=", 1) for condition in spec.get("where", "").split()]
    members = [name for group in spec.get("groups", "").split() for name in group.split("=")[-1].split("|")]
    first = spec["values"].split()[0]
    first = spec.get("column", "").split(" = ")[1] if spec.get("column", "").startswith(first + " ") else first
    first = first.replace("speed", "time_ns_median")
    has_value = any(all(row.get(name) for name in re.findall(r"\b[a-z][a-z_0-9]*\b", choice) if name != "relative") for choice in first.split("|"))
    by_kernel = spec["series"] == "kernel" or any(column == "kernel" for column, _ in conditions)
    return (is_listed(row["variant"], spec) and has_value and all(not row.get(column) or row[column] in values.split("|") for column, values in conditions)
            and (not members or row[spec["series"]] in members) and (by_kernel or row["kernel"] in ("", "all")))


def count_rows(figure):
    """How many measured rows a picture must show: all that its chart is about, but for those that it says are left out."""
    spec = spec_of(figure["chart"])
    rows = [row for row in read_csv(figure["path"]) if row["source"] == "measured" and is_shown(row, spec)]
    left_out = re.search(r"left out: (.*)", figure["notes"])
    return len(rows) - sum(int(count) for count in re.findall(r"(?:^|; )(\d+) rows?\b", left_out[1])) if left_out else len(rows)


def check_captions(page):
    charts = sorted(os.path.basename(path)[:-3] for path in glob.glob("plots/*.gp") if "probe" in spec_of(os.path.basename(path)[:-3]))
    check("plots/README.md says how to read every chart", page.run("data.charts.filter((chart) => chart.name !== 'compare').map((chart) => chart.name).sort()"), charts)
    check("each chart has its own sentences", page.run("data.charts.filter((chart) => !chart.caption.includes('**' + chart.name + '**') || chart.caption.length < 25).map((chart) => chart.name)"), [])


def check_marks(page, results):
    figures = page.run(FIGURES)
    wrong = [f"{figure['chart']} of {figure['path']}: {figure['measured']} of {count_rows(figure)}" for figure in figures
             if "counts" not in spec_of(figure["chart"]) and figure["measured"] != count_rows(figure)]
    check("marks of measured rows are the rows of the CSV files", "; ".join(wrong), "")
    probes = {os.path.basename(path)[:-4] for path in glob.glob(results + "/*/*.csv")}
    check("there are charts of every probe", sorted({figure["chart"].split("-")[0] for figure in figures}), sorted(probes & {"gmem", "smem", "levels", "links", "reduce", "apsp"}))
    with open("results/published/stride-copy.csv") as file:
        expected = sum(1 for _ in file) - 1
    check("published figures are marks, too", [figure["published"] for figure in figures if figure["chart"] == "gmem-published"], [expected])


# ---- What a reader does ----

def click(page, selector):
    x, y = page.run(f"(() => {{ const node = document.querySelector({selector!r}); node.scrollIntoView({{block: 'center', behavior: 'instant'}}); "
                    "const box = node.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; })()")
    for kind in "mouseMoved", "mousePressed", "mouseReleased":
        page.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="none" if kind == "mouseMoved" else "left", clickCount=1)


def cells(page, column):
    return page.run(f"""(() => {{ const table = document.querySelector("[data-probe=gmem] table"),
        place = [...table.querySelectorAll("th")].findIndex((th) => th.dataset.column === "{column}");
        return [...table.querySelectorAll("tbody tr")].map((row) => row.children[place].textContent); }})()""")


def check_table(page, results):
    rows = read_csv(results + "/h200/gmem.csv")
    numbers = sorted(float(row["bandwidth_gb_s"]) for row in rows if row["bandwidth_gb_s"])

    def shown():
        return [float(text.replace("\u2009", "")) for text in cells(page, "bandwidth_gb_s")]
    for order, expected in ("ascending", numbers), ("descending", numbers[::-1]):
        click(page, "[data-probe=gmem] th[data-column=bandwidth_gb_s] button")
        check(f"a click on a heading sorts, {order}", [number for number, other in zip(shown(), expected[:40], strict=True) if abs(number / other - 1) > 5e-4], [])
        check(f"the heading says so, {order}", page.run("document.querySelector('[data-probe=gmem] th[data-column=bandwidth_gb_s]').ariaSort"), order)
    click(page, "#filter-gmem")
    page.call("Input.insertText", text="stride=32 width_bytes=4")
    expected = [row for row in rows if row["stride"] == "32" and row["width_bytes"] == "4"]
    check("words filter the rows", sorted(cells(page, "variant")), sorted(row["variant"] for row in expected))
    check("the number of rows is told", page.run("document.querySelector('[data-probe=gmem] .count').textContent"), f"{len(expected)} of {len(rows)} rows")


def check_pointer(page, results):
    row = next(row for row in read_csv(results + "/h200/gmem.csv") if row["variant"] == "stride-copy")
    x, y = page.run("""(() => { const mark = document.querySelector("figure[data-chart=gmem-stride] .mark.measured"); mark.scrollIntoView({block: "center", behavior: "instant"});
        const box = mark.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; })()""")
    page.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    tip = page.run("document.getElementById('tip').hidden ? '' : document.getElementById('tip').innerText.replace(/\\u2009/g, '')")
    check("a pointer on a mark shows its row", all(text in tip for text in ("stride-copy", f"{float(row['bandwidth_gb_s']):.0f}", row["verdict"])), True)
    page.call("Input.dispatchMouseEvent", type="mouseMoved", x=2, y=2)
    check("and leaves it again", page.run("document.getElementById('tip').hidden"), True)


def check_keyboard(page):
    page.run("document.querySelector('figure[data-chart=gmem-stride] svg[role]').focus()")
    page.press("ArrowRight")
    check("an arrow key reads a mark aloud", "bandwidth (GB/s)" in page.run("document.getElementById('live').textContent"), True)
    page.press("Escape")
    check("Escape hides the row", page.run("document.getElementById('tip').hidden"), True)
    expected = page.run("[...document.querySelectorAll('a[href], button, input, select, summary, [tabindex=\"0\"]')].filter((node) => node.getClientRects().length).slice(0, 30).map((node) => node.outerHTML.slice(0, 60))")
    page.run("document.querySelector('.skip').focus()")
    found = expected[:1]
    for _ in expected[1:]:
        page.press("Tab")
        found.append(page.run("document.activeElement.outerHTML.slice(0, 60)"))
    check("Tab goes through the page in its order", found, expected)
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    focusable = [node for node in nodes if any(p["name"] == "focusable" and p["value"].get("value") for p in node.get("properties", [])) and not node.get("ignored")]
    check("there are elements for the keyboard", len(focusable) > 100, True)
    check("each of them has a name", [node["role"]["value"] for node in focusable if not node.get("name", {}).get("value") and node["role"]["value"] != "main"], [])


def check_access(page, pictures):
    check("structure", page.run(STRUCTURE), "")
    for scheme in "light", "dark":
        page.scheme(scheme)
        page.run("scrollTo(0, 0)")
        check(f"contrast, {scheme}", page.run(CONTRAST), "")
        page.picture(f"{pictures}/{scheme}.png")
    if os.environ.get("AXE"):  # axe-core's file, where a person has it
        with open(os.environ["AXE"]) as file:
            page.run(file.read() + "; 0")
        check("axe-core", page.run("axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']}).then((r) => r.violations.map((v) => v.id + ' ' + v.nodes[0].html.slice(0, 120)))"), [])
    page.scheme("dark", "print")
    check("print is light", page.run("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
    page.scheme("light")


def check_phone(page, pictures):
    page.size(360, 740, phone=True)
    page.settle()
    page.settle()
    check("360 pixels: nothing scrolls sideways", page.run("document.documentElement.scrollWidth"), 360)
    check("360 pixels: marks equal rows", page.run(UNEQUAL), "")
    page.picture(pictures + "/phone.png")


def look_at(page, results, pictures):
    check("marks equal rows", page.run(UNEQUAL), "")
    check_captions(page)
    check_marks(page, results)
    check_table(page, results)
    check_pointer(page, results)
    check_keyboard(page)
    check_access(page, pictures)
    check_phone(page, pictures)


def look_at_pair(page):
    tops = page.run("""[...document.querySelectorAll("#chart-gmem-stride figure")].map((f) => f.getBoundingClientRect()).map((box) => [Math.round(box.top), box.left > 400])""")
    check("two devices stand side by side", [left for _, left in tops] if tops[0][0] == tops[-1][0] else tops, [False, True])
    check("a comparison shows both", page.run("document.querySelectorAll('#chart-gmem-compare .legend li').length") > 2, True)
    check("the headline has a column for each", page.run("document.querySelectorAll('.headline thead th').length"), 4)
    check("marks equal rows", page.run(UNEQUAL), "")


def look_at_hostile(page, device):
    check("texts stay texts", page.run("document.querySelectorAll('img, iframe, object, main script').length"), 0)
    check("a device's name is shown as it is", page.run("document.querySelector('.headline thead').textContent").count(device), 1)
    check("nothing was run", page.run("typeof hostile"), "undefined")


def main(arguments):
    page = browser.Browser(browser.find())
    path = next(argument for argument in arguments if argument.endswith(".html"))
    try:
        page.size(1280)
        page.scheme("light")
        page.open(path)
        if arguments[0] == "--pair":
            look_at_pair(page)
        elif arguments[0] == "--hostile":
            look_at_hostile(page, arguments[2])
        else:
            look_at(page, arguments[1], arguments[2])
        check("the browser complains of nothing", page.complaints, [])
        check("nothing is asked of the network", [url for url in page.requests if not url.endswith(path)], [])
    finally:
        page.close()


main(sys.argv[1:])
