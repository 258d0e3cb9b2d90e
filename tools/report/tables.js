// The rows of a probe, to be sorted and filtered.

const ROWS_AT_FIRST = 40;

// A region that scrolls sideways and can be reached by the keyboard.
function scrollable(name, ...children) {
    return element("div", {class: "scroll", role: "region", "aria-label": name, tabindex: "0"}, ...children);
}

// ---- Rows and columns ----

// All columns that the tables have, in the order of the list of columns, and all rows as fields of them.
function joinTables(tables) {
    const known = Object.keys(data.columns);
    const groups = tables.flatMap((table) => table.groups);
    const found = [...new Set(groups.flatMap((group) => [...Object.keys(group.same), ...group.columns]))];
    const columns = [...known.filter((name) => found.includes(name)), ...found.filter((name) => !known.includes(name))];
    const rows =
        tables.flatMap((table) => table.rows.map((_, row) => columns.map((name) => fieldOf(table, row, name))));
    return {columns, rows, place: new Map(columns.map((name, i) => [name, i]))};
}

// Columns that tell rows apart or are results; the rest is shown on demand.
function mainColumns({columns, rows, place}) {
    const rank = (name) => ROW_COLUMNS.includes(name) ? ROW_COLUMNS.indexOf(name) : ROW_COLUMNS.length;
    const isMain = (name) =>
        ROW_COLUMNS.includes(name) && name !== "probe" || name.startsWith("counted_") || !data.columns[name];
    const differs = (name) => rows.some((row) => row[place.get(name)] !== rows[0][place.get(name)]);
    return columns.filter((name) => isMain(name) && (["variant", "source", "verdict"].includes(name) || differs(name)))
        .sort((a, b) => rank(a) - rank(b));
}

// A column by its name or by how its name begins: bandwidth for bandwidth_gb_s; of several the first.
function columnOf(name, columns) {
    return columns.includes(name) ? name : columns.find((column) => column.startsWith(name + "_"));
}

// 64K as 65536, as the programs take sizes; NaN if it is no number.
function numberOf(text) {
    const [, digits, unit] = /^([-+.0-9e]+)([KMGT]?)$/i.exec(text) || [];
    return digits === undefined ? NaN : Number(digits) * 1024 ** " KMGT".indexOf(unit.toUpperCase() || " ");
}

const HOLDS = {
    "=": (field, value) => String(field) === value || field === numberOf(value),
    "!=": (field, value) => !HOLDS["="](field, value),
    "<": (field, value) => field < numberOf(value),
    "<=": (field, value) => field <= numberOf(value),
    ">": (field, value) => field > numberOf(value),
    ">=": (field, value) => field >= numberOf(value)
};

// The condition that a word of the filter states: a column, a sign and a value, or a text in any field. A word that is
// not understood has `why` in the condition's place.
function condition(word, {columns, place}) {
    const [, name, sign, value] = /^([a-z0-9_]*)(!=|<=|>=|=|<|>)(.*)$/i.exec(word) || [];
    if (sign === undefined) {
        return {holds: (fields) => fields.some((field) => String(field).toLowerCase().includes(word.toLowerCase()))};
    }
    const column = columnOf(name.toLowerCase(), columns);
    if (!column) {
        return {why: `${word}: no column begins with ${name || "nothing"}`};
    }
    if (value === "" || (/[<>]/.test(sign) && isNaN(numberOf(value)))) {
        return {why: `${word}: ${value === "" ? "a value is missing" : value + " is no number"}`};
    }
    const at = place.get(column);
    return {holds: (fields) => fields[at] !== "" && HOLDS[sign](fields[at], value)};
}

function compareFields(a, b) {
    return isNumber(a) && isNumber(b) ? a - b : String(a).localeCompare(String(b), "en", {numeric: true});
}

// What has no value comes last, whichever way the others are sorted.
function sorted(rows, at, isDown) {
    return at === undefined ? rows
                            : [...rows].sort((a, b) => a[at] === "" || b[at] === ""
                                                           ? (a[at] === "") - (b[at] === "")
                                                           : (isDown ? -1 : 1) * compareFields(a[at], b[at]));
}

// ---- Elements ----

function makeCell(name, value) {
    const content = value === ""         ? ""
                    : name === "verdict" ? verdictChip(value)
                    : name === "source"  ? sourceChip(value)
                                         : String(formatNumber(value));
    return element("td", {class: isNumber(value) ? "number" : null}, content);
}

function makeHead(name, sort) {
    const about = data.columns[name] || {};
    const button = element("button", {type: "button", title: about.meaning || null}, columnTitle(name));
    button.addEventListener("click", () => sort(name));
    return element("th", {
        scope: "col",
        "data-column": name,
        class: [about.origin, about.number ? "number" : ""].filter(Boolean).join(" ") || null
    },
        button, about.origin ? sourceChip(about.origin) : null);
}

// The controls of a table; what they say is read when it is drawn.
function makeControls(probe, {rows, place}) {
    const variants = [...new Set(rows.map((fields) => fields[place.get("variant")]))];
    return {
        variant: element("select", {id: "variant-" + probe}, element("option", {value: ""}, "all variants"),
            variants.map((name) => element("option", {value: name}, name))),
        filter: element("input", {
            type: "search",
            id: "filter-" + probe,
            placeholder: "stride>=16 bandwidth>1000",
            autocomplete: "off",
            spellcheck: "false"
        }),
        every: element("input", {type: "checkbox", id: "every-" + probe}),
        count: element("span", {class: "count", role: "status"}),
        more: element("button", {type: "button"}, "Show all rows"),
    };
}

function labelled(text, control) {
    return element("span", {}, element("label", {"for": control.id}, text), control);
}

// ---- The table ----

function drawHead(head, columns, order, sort) {
    head.replaceChildren(...columns.map((name) => makeHead(name, sort)));
    for (const th of head.children) {
        const direction = order.isDown ? "descending" : "ascending";
        th.setAttribute("aria-sort", th.dataset.column === order.column ? direction : "none");
    }
}

// Words with blanks around a sign are one: `stride >= 16`.
function conditionsOf(text, all) {
    return text.replace(/\s*(!=|<=|>=|=|<|>)\s*/g, "$1").split(/\s+/).filter(Boolean).map((word) => condition(word, all));
}

function selectRows({rows, place}, controls, order, conditions) {
    const variant = controls.variant.value;
    const stated = conditions.filter(({holds}) => holds);
    const selected = rows.filter((fields) => (!variant || fields[place.get("variant")] === variant) &&
                                             stated.every(({holds}) => holds(fields)));
    return sorted(selected, place.get(order.column), order.isDown);
}

function tellCount(controls, shown, selected, all, conditions) {
    const faults = conditions.filter(({why}) => why).map(({why}) => `; not understood: ${why}`);
    controls.count.textContent = `${formatNumber(selected)} of ${formatNumber(all)} rows` +
                                 (shown < selected ? `, the first ${shown} shown` : "") + faults.join("");
    controls.filter.setAttribute("aria-invalid", faults.length > 0);
    controls.more.hidden = shown === selected;
}

function makeTable(probe, tables) {
    const all = joinTables(tables);
    const main = mainColumns(all);
    const controls = makeControls(probe, all);
    const order = {column: "", isDown: false};
    const head = element("tr", {}), body = element("tbody", {});
    let limit = ROWS_AT_FIRST;

    // Columns that no selected row has are left out.
    const isFilled = (name, rows) => rows.some((fields) => fields[all.place.get(name)] !== "");
    const isWanted = (name, rows) => ["variant", order.column].includes(name) || isFilled(name, rows);
    const draw = () => {
        const conditions = conditionsOf(controls.filter.value, all);
        const rows = selectRows(all, controls, order, conditions);
        const shown = rows.slice(0, limit);
        const columns = controls.every.checked ? all.columns : main.filter((name) => isWanted(name, rows));
        drawHead(head, columns, order, sort);
        body.replaceChildren(...shown.map(
            (fields) => element("tr", {}, columns.map((name) => makeCell(name, fields[all.place.get(name)])))));
        tellCount(controls, shown.length, rows.length, all.rows.length, conditions);
    };
    const sort = (name) => {
        order.isDown = order.column === name && !order.isDown;
        order.column = name;
        draw();
        [...head.children].find((th) => th.dataset.column === name).firstChild.focus({preventScroll: true});
    };
    [controls.variant, controls.filter, controls.every].forEach((control) => control.addEventListener("input", draw));
    controls.more.addEventListener("click", () => {
        limit = Infinity;
        draw();
    });
    draw();
    return element("section", {class: "rows", "data-probe": probe}, element("h3", {}, "All rows"),
        element("div", {class: "tools"}, labelled("Variant ", controls.variant), labelled("Filter ", controls.filter),
            labelled("Every column ", controls.every), controls.count),
        scrollable(`Rows of ${probe}`, element("table", {}, element("thead", {}, head), body)), controls.more);
}
