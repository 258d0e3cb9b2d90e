// The rows of a probe, to be sorted and filtered.

const ROWS_AT_FIRST = 40;

// A region that scrolls sideways and can be reached by the keyboard.
function scrollable(name, ...children) {
    return element("div", {class: "scroll", role: "region", "aria-label": name, tabindex: "0"}, ...children);
}

// The condition that a word of the filter states: column=value, column<number, column>number, or text in any field.
function condition(word, columns) {
    const match = /^([a-z0-9_]+)(=|<|>)(.*)$/.exec(word), place = match ? columns.indexOf(match[1]) : -1;
    if (place < 0) {
        return (fields) => fields.some((field) => String(field).toLowerCase().includes(word.toLowerCase()));
    }
    const [, , sign, value] = match;
    return (fields) => fields[place] !== "" && (sign === "=" ? String(fields[place]) === value : sign === "<" ? fields[place] < Number(value) : fields[place] > Number(value));
}

function compareFields(a, b) {
    if (a === "" || b === "") {
        return (a === "") - (b === ""); // what has no value comes last
    }
    return isNumber(a) && isNumber(b) ? a - b : String(a).localeCompare(String(b), "en", {numeric: true});
}

// All columns that the tables have, in the order of the list of columns, and all rows as fields of them.
function joinTables(tables) {
    const known = Object.keys(data.columns);
    const found = [...new Set(tables.flatMap((table) => [...Object.keys(table.same), ...table.columns]))];
    const columns = [...known.filter((name) => found.includes(name)), ...found.filter((name) => !known.includes(name))];
    const rows = tables.flatMap((table) => table.rows.map((_, row) => columns.map((name) => fieldOf(table, row, name))));
    return {columns, rows};
}

// Columns that tell rows apart or are results; the rest is shown on demand.
function mainColumns({columns, rows}) {
    const rank = (name) => ROW_COLUMNS.indexOf(name) + (ROW_COLUMNS.includes(name) ? 0 : 1000);
    return columns.filter((name) => ROW_COLUMNS.includes(name) && name !== "probe" || name.startsWith("counted_") || !data.columns[name])
        .sort((a, b) => rank(a) - rank(b)).filter((name) => ["source", "verdict"].includes(name) || rows.some((row) => row[columns.indexOf(name)] !== rows[0][columns.indexOf(name)]));
}

function cell(name, value) {
    if (value === "") {
        return element("td", {});
    }
    if (name === "verdict") {
        return element("td", {}, verdictChip(value));
    }
    if (name === "source") {
        return element("td", {}, sourceChip(value));
    }
    return element("td", {class: isNumber(value) ? "number" : null}, String(formatNumber(value)));
}

function makeHead(name, sort) {
    const about = data.columns[name] || {};
    const chip = about.origin ? sourceChip(about.origin) : null;
    const button = element("button", {type: "button", title: about.meaning || null}, columnTitle(name));
    button.addEventListener("click", () => sort(name));
    return element("th", {scope: "col", "aria-sort": "none", "data-column": name, class: [about.origin, about.number ? "number" : ""].filter(Boolean).join(" ") || null}, button, chip);
}

function makeTable(probe, tables) {
    const all = joinTables(tables), main = mainColumns(all);
    const state = {columns: main, sorted: "", down: false, variant: "", words: [], limit: ROWS_AT_FIRST};
    const head = element("tr", {}), body = element("tbody", {}), count = element("span", {class: "count", role: "status"});
    const more = element("button", {type: "button"}, "Show all rows");
    const filter = element("input", {type: "search", id: "filter-" + probe, placeholder: "stride=32 load", autocomplete: "off", spellcheck: "false"});
    const variants = [...new Set(all.rows.map((fields) => fields[all.columns.indexOf("variant")]))];
    const variant = element("select", {id: "variant-" + probe}, element("option", {value: ""}, "all variants"), variants.map((name) => element("option", {value: name}, name)));
    const every = element("input", {type: "checkbox", id: "every-" + probe});

    const select = () => {
        const conditions = state.words.map((word) => condition(word, all.columns)), place = all.columns.indexOf(state.sorted);
        const home = all.columns.indexOf("variant");
        const rows = all.rows.filter((fields) => (!state.variant || fields[home] === state.variant) && conditions.every((holds) => holds(fields)));
        return place < 0 ? rows : [...rows].sort((a, b) => a[place] === "" || b[place] === "" ? compareFields(a[place], b[place]) : (state.down ? -1 : 1) * compareFields(a[place], b[place]));
    };
    // What no selected row has is not shown.
    const columnsFor = (rows) => every.checked ? all.columns : main.filter((name) => ["variant", state.sorted].includes(name) || rows.some((fields) => fields[all.columns.indexOf(name)] !== ""));
    const draw = () => {
        const rows = select(), shownColumns = columnsFor(rows), places = shownColumns.map((name) => all.columns.indexOf(name));
        if (shownColumns.join() !== state.columns.join() || !head.children.length) {
            state.columns = shownColumns;
            drawHead();
        }
        const shown = rows.slice(0, state.limit);
        body.replaceChildren(...shown.map((fields) => element("tr", {}, state.columns.map((name, i) => cell(name, fields[places[i]])))));
        count.textContent = `${formatNumber(rows.length)} of ${formatNumber(all.rows.length)} rows` + (shown.length < rows.length ? `, the first ${shown.length} shown` : "");
        more.hidden = shown.length === rows.length;
        for (const th of head.children) {
            th.setAttribute("aria-sort", th.dataset.column === state.sorted ? (state.down ? "descending" : "ascending") : "none");
        }
    };
    const sort = (name) => {
        [state.down, state.sorted] = [state.sorted === name && !state.down, name];
        draw();
    };
    const drawHead = () => head.replaceChildren(...state.columns.map((name) => makeHead(name, sort)));
    filter.addEventListener("input", () => {
        state.words = filter.value.split(/\s+/).filter(Boolean);
        draw();
    });
    every.addEventListener("change", draw);
    variant.addEventListener("change", () => {
        state.variant = variant.value;
        draw();
    });
    more.addEventListener("click", () => {
        state.limit = Infinity;
        draw();
    });
    draw();
    return element("section", {class: "rows", "data-probe": probe}, element("h3", {}, "All rows"),
        element("div", {class: "tools"}, element("label", {for: variant.id}, "Variant "), variant, element("label", {for: filter.id}, "Filter "), filter,
            element("label", {for: every.id}, every, " every column"), count),
        scrollable(`Rows of ${probe}`, element("table", {}, element("thead", {}, head), body)), more);
}
