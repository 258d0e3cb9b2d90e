// The page: ten figures, the machines, a section for each probe.

function section(id, title, beside, ...children) {
    document.getElementById("sections").append(element("li", {}, element("a", {href: "#" + id}, title)));
    document.getElementById("content").append(element(
        "section", {id}, element("h2", {}, title, beside ? element("small", {}, " " + beside) : null), ...children));
}

// ---- Ten figures ----

function meter(share) {
    return element("span", {class: "meter"},
        shape("svg", {viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true"},
            shape("rect", {width: 100, height: 6, class: "track"}),
            shape("rect", {width: Math.min(100, share).toFixed(1), height: 6, class: "filled"})),
        element("span", {}, `${formatShort(share)} % of peak`));
}

// A prediction has no verdict, because nothing was run.
function headlineCell(value, unit, source) {
    if (!("value" in value)) {
        return element("td", {class: "none"}, "no row");
    }
    const button =
        element("button", {type: "button", class: "figure"}, element("b", {}, formatNumber(value.value)), " " + unit);
    const node = element("td", {}, button, " ", source === "measured" ? verdictChip(value.verdict || "none") : null,
        "of_peak" in value ? meter(value.of_peak) : null);
    const table = data.tables[value.table];
    const show = (x, y) => showTip(table.path, rowFacts(table, value.row), x, y);
    node.addEventListener("pointermove", (event) => show(event.clientX, event.clientY));
    node.addEventListener("pointerleave", hideTip);
    button.addEventListener(
        "focus", () => show(button.getBoundingClientRect().right, button.getBoundingClientRect().top));
    button.addEventListener("blur", hideTip);
    return node;
}

function headlineTable(figures, part, parts) {
    return scrollable("Ten figures, device by device" + (parts.length > 1 ? `, part ${part + 1}` : ""),
        element("table", {class: "headline"},
            element("thead", {},
                element("tr", {}, element("th", {scope: "col"}, "figure"), data.devices.map(({device,
                    source}) => element("th", {scope: "col"}, device, element("br", {}), sourceChip(source))))),
            element("tbody", {},
                figures.map(
                    (figure) => element("tr", {}, element("th", {scope: "row"}, figure.name, element("small", {}, figure.meaning)),
                        figure.values.map((value, i) => headlineCell(value, figure.unit, data.devices[i].source)))))));
}

// The figures of a single device fill two columns.
function makeHeadline() {
    const used = data.headline.filter((figure) => figure.values.some((value) => "value" in value));
    const half = data.devices.length === 1 ? Math.ceil(used.length / 2) : used.length;
    const tables = [used.slice(0, half), used.slice(half)].filter((figures) => figures.length);
    return element("div", {class: "halves"}, tables.map(headlineTable));
}

// ---- Machines ----

// "cuda:0-3" for cuda:0, cuda:1, cuda:2 and cuda:3.
function nameDevices(devices) {
    const [backend] = devices[0].split(":"), first = Number(devices[0].split(":")[1]);
    const follow = devices.every((device, i) => device === `${backend}:${first + i}`);
    return devices.length > 1 && follow ? `${devices[0]}-${first + devices.length - 1}` : devices.join(", ");
}

// Bytes as people read them.
function withUnits(text) {
    return text.replace(/\b(\d{5,})( bytes| reported)/g,
        (all, digits, word) => formatBinary(Number(digits)).replace(/[KMGT]$/, " $&i") + "B" + word.replace(" bytes", ""));
}

// Lines [key, value] about the machine, of its first file that has the key. Devices that are alike share a line.
function machineFacts(tables) {
    const facts = new Map(), alike = new Map();
    for (const [key, value] of tables.flatMap((table) => table.remarks)) {
        if (/^(host|(cpu|[a-z]+:\S+) (device|driver|runtime|compiler|memory|clocks|bus))$/.test(key) &&
            !facts.has(key)) {
            facts.set(key, value);
        }
    }
    for (const [key, value] of facts) {
        const [device, about] = key.split(" "), name = (about || "") + "\n" + value;
        alike.set(name, [...(alike.get(name) || []), device]);
    }
    return [...alike].map(([name, devices]) => {
        const [about, value] = name.split("\n");
        return [`${nameDevices(devices)} ${about}`, withUnits(value)];
    });
}

function makeMachine(folder, tables) {
    const facts = machineFacts(tables);
    const files = tables.map(
        (table) => element("li", {}, element("b", {}, table.path.slice(table.path.lastIndexOf("/") + 1)),
            ` \u00B7 ${formatNumber(table.rows.length)} rows`, table.remarks.filter(([key]) => key === "date").map(([,
                date]) => " \u00B7 " + date.replace("T", " ").replace("Z", " UTC")),
            table.remarks.filter(([key]) => key === "command").map(([,
                command]) => element("code", {class: "command"}, command))));
    return element("section", {class: "machine"}, element("h3", {title: folder}, folderName(folder)),
        element("dl", {}, facts.flatMap(([key, value]) => [element("dt", {}, key), element("dd", {}, value)])),
        element("details", {}, element("summary", {}, `Files and commands (${tables.length})`),
            element("ul", {class: "files"}, files)));
}

function makeMachines() {
    const folders = [...new Set(data.tables.map((table) => folderOf(table.path)))];
    return element("div", {class: "machines"},
        folders.map((folder) => makeMachine(folder, data.tables.filter((table) => folderOf(table.path) === folder))));
}

// ---- Probes ----

function makeChart(chart, own, tables) {
    return element("article", {class: "chart" + (own.length > 1 ? " several" : ""), id: "chart-" + chart.name},
        element("div", {class: "text"}, element("h3", {}, own[0].settings.title),
            element("p", {}, markdown(chart.caption))),
        element("div", {class: "pictures"}, own.map((picture) => makeFigure(picture, tables))));
}

function makeProbe(probe) {
    const tables = data.tables.filter((table) => table.probe === probe);
    const charts = data.charts.filter((chart) => chart.name.startsWith(probe + "-"))
                       .map((chart) => [chart, pictures.filter((picture) => picture.chart === chart.name)])
                       .filter(([, own]) => own.length)
                       .sort(([a], [b]) => a.place - b.place);
    const heading = charts.length ? charts[0][0].heading : `Rows of ${probe}`;
    section(probe, heading, charts.length ? probe : "", charts.map(([chart, own]) => makeChart(chart, own, tables)),
        makeTable(probe, tables));
}

function makeKey() {
    return element("ul", {class: "key"}, [
        ["measured", "points and full bars: the clock of a real device said so"],
        ["predicted", "lines, small dots and pale bars: the model computed it"],
        ["counted", "columns of tables: the vendor's counters said so"],
        ["published", "crosses on dotted lines: others' figures"]
    ].map(([source, text]) => element("li", {}, sourceChip(source), " " + text)));
}

// ---- The whole ----

function setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    document.getElementById("theme").textContent = "Theme: " + theme;
}

function offerThemes() {
    const themes = ["automatic", "light", "dark"];
    setTheme("automatic");
    document.getElementById("theme").addEventListener(
        "click", () => setTheme(themes[(themes.indexOf(document.documentElement.dataset.theme) + 1) % themes.length]));
}

// The devices' names, unless the user gave a title.
function setTitle() {
    const names = [...new Set(data.devices.map(({device}) => device))];
    const title = data.title || names.slice(0, 3).join(", ") + (names.length > 3 ? " and others" : "");
    document.getElementById("title").textContent = title;
    document.title = title + " \u00B7 bankshot report";
}

document.addEventListener("DOMContentLoaded", () => {
    setTitle();
    offerThemes();
    section("headline", "Ten figures", "",
        element("p", {}, "The best row of each kind, with its verdict.",
            element("span", {class: "hint"},
                " A pointer or the Tab key on a figure shows its row; arrow keys read a chart's points.")),
        makeHeadline(), makeKey());
    section("machines", "Machines", "", makeMachines());
    const found = [...new Set(data.tables.map((table) => table.probe))];
    [...data.probes.filter((probe) => found.includes(probe)), ...found.filter((probe) => !data.probes.includes(probe))]
        .forEach(makeProbe);
    document.getElementById("made").textContent =
        `Made by bankshot report ${data.version}, ${data.date.replace("T", " ").replace("Z", " UTC")}, of ` +
        `${data.tables.length} files. GB = 10\u2079 bytes.`;
    document.addEventListener("keydown", (event) => event.key === "Escape" && hideTip());
});
