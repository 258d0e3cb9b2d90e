// Elements, texts and rows: what all parts of the page use.

const data = JSON.parse(document.getElementById("data").textContent);
const pictures = data.pictures;
const SOURCES = ["measured", "predicted", "published"];

// Sets attributes and appends children. A text is appended as text, never read as HTML.
function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
        if (value !== undefined && value !== null && value !== false) {
            node.setAttribute(name, value === true ? "" : value);
        }
    }
    node.append(...children.flat().filter((child) => child !== null && child !== undefined));
    return node;
}

function element(name, attributes, ...children) {
    return fill(document.createElement(name), attributes, children);
}

function shape(name, attributes, ...children) {
    return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

// Text in which no line ends after the hyphen of "4-byte".
function wholeWords(text) {
    return text.split(/(\d+-[a-z]+)/).map((piece, i) => i % 2 ? element("span", {class: "whole"}, piece) : piece);
}

// `code`, **names** and [links](address) of Markdown; a link's address leads out of the page and goes.
function markdown(text) {
    const pieces = text.replace(/\s+/g, " ").replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").split(/(`[^`]*`|\*\*[^*]*\*\*)/);
    return pieces.flatMap((piece) => piece.startsWith("`")    ? element("code", {}, piece.slice(1, -1))
                                     : piece.startsWith("**") ? element("b", {}, piece.slice(2, -2))
                                                              : wholeWords(piece));
}

function isNumber(value) {
    return typeof value === "number";
}

// About four digits, with thin spaces between thousands.
function formatNumber(value) {
    if (!isNumber(value)) {
        return value;
    }
    const size = Math.abs(value);
    if (size >= 1e15 || (size > 0 && size < 1e-3)) {
        return value.toExponential(3);
    }
    const digits = Number.isInteger(value) || size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
    const [whole, rest] = value.toFixed(digits).split(".");
    const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, "\u2009");
    return rest && Number(rest) !== 0 ? grouped + "." + rest.replace(/0+$/, "") : grouped;
}

// 65536 as 64K, the way in which the programs take sizes.
function formatBinary(value) {
    const units = ["", "K", "M", "G", "T"];
    let unit = 0;
    while (value >= 1024 && unit < units.length - 1) {
        value /= 1024;
        unit++;
    }
    return formatNumber(value) + units[unit];
}

function formatShort(value) {
    return value >= 100 ? formatNumber(Math.round(value)) : String(Number(value.toPrecision(value < 10 ? 2 : 3)));
}

const TIME_UNITS = [[1, "ns"], [1e3, "µs"], [1e6, "ms"], [1e9, "s"]];

function timeUnit(ns) {
    return TIME_UNITS.filter(([size], i) => i === 0 || ns >= size).pop();
}

function columnTitle(name) {
    const unit = data.columns[name] && data.columns[name].unit;
    const end = {
        "ns": /_ns(?=_|$)/,
        "GB/s": /_gb_s$/,
        "%": /_pct$/,
        "MHz": /_mhz$/,
        "bytes": /_bytes$/,
        "cycles": /_cycles$/,
        "10^9/s": /_s$/
    }[unit];
    return (end ? name.replace(end, "") : name).replace(/_/g, " ") + (unit ? ` (${unit})` : "");
}

// ---- Rows ----

// A file's rows are in groups that have the same columns. "" stands for what the row above has, null for an empty field. A field that is
// the same in all rows stands with the file, and empty fields at a row's end are left out.
for (const table of data.tables) {
    table.rows = table.groups.flatMap((group) => {
        group.same = {...table.same, ...group.same};
        group.rows.forEach((row, i) => row.forEach((value, at) => {
            row[at] = value === "" ? group.rows[i - 1][at] : value;
        }));
        const place = new Map(group.columns.map((name, i) => [name, i]));
        return group.rows.map((values) => ({same: group.same, place, values}));
    });
}

// A row's field; "" if it has none.
function fieldOf(table, row, column) {
    const {same, place, values} = table.rows[row], at = place.get(column);
    return at === undefined ? same[column] ?? "" : values[at] ?? "";
}

// What a row is about, and what came out, in the order in which a reader asks for it; then whatever else was run.
const FIRST_COLUMNS = [
    "probe", "variant", "device", "source", "kernel", "op", "from", "to", "direction", "width_bytes", "stride",
    "vertices", "footprint_bytes", "bandwidth_gb_s", "one_way_gb_s", "sum_gb_s", "latency_ns", "gop_s",
    "cycles_per_request", "degree", "peak_pct", "value", "parameter", "verdict", "level", "time_ns_median",
    "predicted_ns", "prediction_error_pct", "noise_pct", "clock_mhz", "sectors_per_request", "passes_per_request",
    "bank_conflicts"
];
const ROW_COLUMNS = [...new Set([
    ...FIRST_COLUMNS, ...Object.keys(data.columns).filter((name) => data.columns[name].key), "verified"
])];
// The chart around a mark says these already.
const TIP_LEFT_OUT = ["probe", "device", "source", "type", "footprint_bytes", "clock_mhz", "verified"];
const USUAL = {kernel: "all", devices: 1, offset: 0, group: 1};

function rowFacts(table, row) {
    return ROW_COLUMNS.filter((name) => !TIP_LEFT_OUT.includes(name))
        .map((name) => [name, fieldOf(table, row, name)])
        .filter(([name, value]) => value !== "" && value !== USUAL[name]);
}

// ---- Folders ----

function folderOf(path) {
    return path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : ".";
}

// A folder's name, with as many of the folders around it as tell it from the others.
function folderName(folder) {
    const others = [...new Set(data.tables.map((table) => folderOf(table.path)))].filter((other) => other !== folder);
    const parts = folder.split("/"), tail = (length) => parts.slice(-length).join("/");
    const length = parts.findIndex((_, i) => !others.some((other) => ("/" + other).endsWith("/" + tail(i + 1)))) + 1;
    return tail(length || parts.length);
}

// ---- Signs ----

const VERDICT_SIGNS = {
    ok: "\u2713",
    noisy: "\u2248",
    throttled: "\u2193",
    "above-peak": "!",
    "cache-resident": "\u25A3",
    unverified: "?"
};

function verdictChip(verdict) {
    const first = verdict.split("+")[0];
    return element("span", {class: "verdict " + (verdict === "ok" ? "good" : "warn")},
        element("span", {"aria-hidden": "true"}, (VERDICT_SIGNS[first] || "!") + " "), verdict.replace(/\+/g, ", "));
}

function sourceChip(source) {
    return element("span", {class: "source " + source},
        element("span", {"aria-hidden": "true"},
            {measured: "\u25CF ", predicted: "\u2500 ", counted: "\u25A4 ", published: "\u2715 "}[source] || ""),
        source);
}

// ---- The text beside the pointer ----

const tip = document.getElementById("tip");

function hideTip() {
    tip.hidden = true;
}

// Shows lines [name, value] under a heading, near a place on the screen.
function showTip(heading, lines, x, y) {
    tip.replaceChildren(element("p", {}, heading), element("dl", {}, lines.flatMap(([name,
        value]) => [element("dt", {}, columnTitle(name)), element("dd", {}, String(formatNumber(value)))])));
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    const left = x + 16 + box.width < innerWidth ? x + 16 : Math.max(4, x - 16 - box.width);
    tip.style.left = Math.min(left, Math.max(4, innerWidth - box.width - 4)) + "px";
    tip.style.top = Math.max(4, Math.min(y + 16, innerHeight - box.height - 4)) + "px";
}

function say(text) {
    document.getElementById("live").textContent = text;
}
