// The page: key figures, the machines, a section for each probe.

// A dot in a probe's colour, the same wherever the page speaks of it; null: the name is no probe's.
function probeDot(name) {
    const at = data.probes.indexOf(name);
    return at < 0 ? null : element("span", {class: `dot c${at + 1}`, "data-of": name, "aria-hidden": "true"});
}

function section(id, title, ...children) {
    document.getElementById("sections").append(element("li", {}, element("a", {href: "#" + id}, title)));
    document.getElementById("content").append(element("section", {id}, element("h2", {}, title), ...children));
}

// A section that is closed at first, with a line about what is in it.
function closedSection(id, title, about, ...children) {
    document.getElementById("sections").append(element("li", {}, element("a", {href: "#" + id}, probeDot(id), title)));
    document.getElementById("content").append(element("section", {id, class: "closed"},
        element("details", {},
            element("summary", {}, element("h2", {}, probeDot(id), title), element("span", {class: "count"}, about)), ...children)));
}

// ---- The chosen device ----

// Devices under one name, measured or predicted: what was measured comes first, GPUs before the CPU.
function listMachines() {
    const machines = new Map();
    for (const {machine, device, source, backend} of data.devices) {
        const known = machines.get(machine) || {id: machine, title: device, sources: [], devices: [], isCpu: backend === "cpu"};
        known.title = source === "measured" ? device : known.title;
        known.sources.push(source);
        known.devices.push(device);
        machines.set(machine, known);
    }
    const rank = (one) => (tablesOf(one).some(isHere) ? 0 : 4) + (one.sources.includes("measured") ? 0 : 2) + (one.isCpu ? 1 : 0);
    return [...machines.values()].sort((a, b) => rank(a) - rank(b));
}

function remark(table, key) {
    return (table.remarks.find(([name]) => name === key) || ["", ""])[1];
}

// Whether the file was written on the machine that made the page. A name that two machines have is no reason to take another
// machine's file for one of this one.
function isHere(table) {
    return !table.beside && data.host !== "" && remark(table, "host").split(",")[0] === data.host;
}

// The files with rows of a machine; null stands for all machines.
function tablesOf(machine) {
    return data.tables.filter(
        (table) => !machine || table.groups.some(({same, rows, columns}) => machine.devices.includes(same.device) ||
            columns.includes("device") && rows.some((row) => machine.devices.includes(row[columns.indexOf("device")]))));
}

function isOf(machine, picture) {
    return !machine || picture.machines.includes(machine.id);
}

// "Measured here, 2026-11-23 15:33 UTC".
function whenMeasured(machine) {
    const tables = tablesOf(machine), dates = tables.map((table) => remark(table, "date")).filter(Boolean).sort();
    const date = dates.length ? ", " + dates[dates.length - 1].replace("T", " ").replace(/:\d\dZ$/, " UTC") : "";
    const host = tables.length ? remark(tables[0], "host").split(",")[0] : "";
    return !machine                               ? `${data.devices.length} devices`
           : !machine.sources.includes("measured") ? "Predicted by the model"
           : tables.some(isHere)                  ? "Measured here" + date
                                                  : "Measured" + (host && !host.includes(" ") ? " on " + host : "") + date;
}

// ---- Key figures ----

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

function probeOf(figure) {
    return data.tables[figure.values.find((value) => "value" in value).table].probe;
}

function headlineTable(figures, part, parts, shown) {
    return scrollable((shown.length === data.devices.length ? "Key figures, device by device" : "Key figures") + (parts.length > 1 ? `, part ${part + 1}` : ""),
        element("table", {class: "headline"},
            element("thead", {},
                element("tr", {}, element("th", {scope: "col"}, "figure"), shown.map((at) => element("th", {scope: "col"}, data.devices[at].device, element("br", {}), sourceChip(data.devices[at].source))))),
            element("tbody", {},
                figures.map(
                    (figure) => element("tr", {}, element("th", {scope: "row"}, probeDot(probeOf(figure)), figure.name, element("small", {}, figure.meaning)),
                        shown.map((at) => headlineCell(figure.values[at], figure.unit, data.devices[at].source)))))));
}

// The figures of a single device fill two columns.
function makeHeadline(machine) {
    const shown = data.devices.map((device, at) => at).filter((at) => !machine || data.devices[at].machine === machine.id);
    const used = data.headline.filter((figure) => shown.some((at) => "value" in figure.values[at]));
    const half = shown.length === 1 ? Math.ceil(used.length / 2) : used.length;
    const tables = [used.slice(0, half), used.slice(half)].filter((figures) => figures.length);
    return element("div", {class: "halves"}, tables.map((figures, part) => headlineTable(figures, part, tables, shown)));
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

const FIRST_CHARTS = 6;

function makeChart([chart, own, place = "chart"]) {
    const tables = data.tables.filter((table) => table.probe === chart.probe);
    return element("article", {class: "chart" + (own.length > 1 ? " several" : ""), id: place + "-" + chart.name},
        element("div", {class: "text"}, element("h3", {}, probeDot(chart.probe), wholeWords(own[0].settings.title)),
            element("p", {}, markdown(chart.caption))),
        element("div", {class: "pictures"}, own.map((picture) => makeFigure(picture, tables))));
}

// [chart, its pictures] of a machine.
function chartsOf(machine) {
    return data.charts.map((chart) => [chart, pictures.filter((picture) => picture.chart === chart.name && isOf(machine, picture))])
        .filter(([, own]) => own.length);
}

// Of pictures of one device in several files the one with most marks.
function fullest(chart, own) {
    const tables = data.tables.filter((table) => table.probe === chart.probe);
    const folder = ({file}) => file ? folderOf(tables[file - 1].path) : "";
    const isSame = (a, b) => a.subtitle === b.subtitle && folder(a) === folder(b);
    return own.filter((picture) => own.every((other) => !isSame(picture, other) || other.marks.length <= picture.marks.length));
}

// The charts that say most.
function firstCharts(machine) {
    const charts = chartsOf(machine).filter(([chart]) => chart.first > 0).sort(([a], [b]) => a.first - b.first);
    return charts.slice(0, FIRST_CHARTS).map(([chart, own]) => [chart, fullest(chart, own)]);
}

// What is left of them where they are not shown yet.
function otherCharts(probe, machine, shown) {
    return chartsOf(machine).filter(([chart]) => chart.probe === probe)
        .map(([chart, own]) => [chart, own.filter((picture) => !shown.includes(picture))])
        .map(([chart, own]) => [chart, own, shown.some((picture) => picture.chart === chart.name) ? "more" : "chart"])
        .filter(([, own]) => own.length);
}

const PROBE_TITLES = {
    gmem: "Global memory",
    levels: "Levels of memory",
    links: "Links",
    smem: "Shared memory",
    reduce: "Reduction",
    apsp: "All-pairs shortest paths"
};

// Why charts of this machine are not here, in one line.
function leftOut(probe, machine) {
    const charts = data.charts.filter((chart) => chart.probe === probe).map(({name}) => name);
    const paths = tablesOf(machine).map(({path}) => path);
    const why = data.notes.filter(([chart, text]) => charts.includes(chart) && paths.some((path) => text.endsWith(" in " + path)))
        .map(([chart, text]) => chart + text.replace(/^is left out/, "").replace(/ in \S+$/, ""));
    return why.length ? element("p", {class: "note"}, "Left out for lack of rows: " + [...new Set(why)].join("; ") + ".") : null;
}

function makeProbe(probe, machine, shown) {
    const tables = tablesOf(machine).filter((table) => table.probe === probe);
    const charts = otherCharts(probe, machine, shown);
    const rows = tables.reduce((sum, table) => sum + table.rows.length, 0);
    if (!tables.length) {
        return;
    }
    const counts = [[charts.length, "more chart"], [rows, "row"]].filter(([count]) => count > 0)
                       .map(([count, word]) => `${formatNumber(count)} ${word}${count > 1 ? "s" : ""}`);
    closedSection(probe, PROBE_TITLES[probe] || probe, `${probe}: ${counts.join(", ")}`, charts.map(makeChart),
        leftOut(probe, machine), makeTable(probe, tables));
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

// The device's name, unless the user gave a title.
function setTitle(machine) {
    const names = [...new Set(data.devices.map(({device}) => device))];
    const title = data.title || (machine ? machine.title : names.slice(0, 3).join(", ") + (names.length > 3 ? " and others" : ""));
    document.getElementById("title").textContent = title;
    document.getElementById("measured").textContent = whenMeasured(machine);
    document.title = title + " \u00B7 bankshot report";
}

// All that depends on the device; null stands for all of them.
function show(machine) {
    const first = firstCharts(machine), found = [...new Set(data.tables.map((table) => table.probe))];
    document.getElementById("sections").replaceChildren();
    document.getElementById("content").replaceChildren();
    setTitle(machine);
    section("headline", "Key figures",
        element("p", {}, "The best row of each kind, with its verdict.",
            element("span", {class: "hint"},
                " A pointer or the Tab key on a figure shows its row; arrow keys read a chart's points.")),
        makeHeadline(machine), makeKey());
    if (first.length) {
        section("charts", "Charts to begin with", first.map(makeChart));
    }
    [...data.probes.filter((probe) => found.includes(probe)), ...found.filter((probe) => !data.probes.includes(probe))]
        .forEach((probe) => makeProbe(probe, machine, first.flatMap(([, own]) => own)));
    closedSection("machines", "Machines", `${data.tables.length} files`, makeMachines());
    if (data.gpus_beside) {
        closedSection("gpus", "What these GPUs have", "units, memories and what their differences mean for code",
            element("pre", {tabindex: 0, role: "group", "aria-label": "What these GPUs have"}, data.gpus_beside));
    }
    if (machine && data.devices.length > 1) {
        closedSection("devices", "Beside other devices", `the key figures of ${data.devices.length} devices`, makeHeadline(null));
    }
}

function offerMachines(machines) {
    const chooser = document.getElementById("device");
    chooser.append(...machines.map((machine, i) => element("option", {value: i}, machine.title + (machine.sources.includes("measured") ? "" : ", predicted"))),
        element("option", {value: "all"}, "all devices"));
    chooser.parentNode.hidden = machines.length < 2;
    chooser.addEventListener("change", () => show(machines[chooser.value] || null));
    show(machines[0] || null);
}

// A link to a closed section opens it.
function openTarget(event) {
    const link = event.target.closest('a[href^="#"]'), target = link && document.querySelector(link.hash);
    const details = target && target.querySelector("details");
    if (details && target.classList.contains("closed")) {
        details.open = true;
    }
}

document.addEventListener("DOMContentLoaded", () => {
    offerThemes();
    offerMachines(listMachines());
    document.getElementById("made").textContent =
        `Made by bankshot report ${data.version}, ${data.date.replace("T", " ").replace("Z", " UTC")}, of ` +
        `${data.tables.length} files. GB = 10\u2079 bytes.`;
    document.addEventListener("click", openTarget);
    document.addEventListener("keydown", (event) => event.key === "Escape" && hideTip());
});
