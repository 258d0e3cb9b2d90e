// A picture with its legend, drawn again whenever its width changes; what a pointer or a key is at is explained.

// The row behind a mark; null for published figures.
function rowOf(mark, tables) {
    const table = tables[mark.file - 1];
    return mark.source === 2 || !table ? null : {table, row: mark.row};
}

function describe(mark, picture, tables) {
    const row = rowOf(mark, tables);
    const series = picture.seriesNames[mark.series - 1], source = SOURCES[mark.source];
    const heading = [series, source + (mark.warning ? ", " + mark.warning.replace(/\+/g, ", ") : "")].filter(Boolean).join(" \u00B7 ");
    const x = picture.names.length ? picture.names[mark.x - 1] : mark.x;
    const shown = [[picture.rows[picture.rows.length - 1], x], [picture.values[0], mark.values[0]]].filter(([, value]) => value !== null);
    const facts = row ? rowFacts(row.table, row.row) : [];
    const carried = row && mark.source === 1 && fieldOf(row.table, row.row, "source") === "measured";
    return {heading: carried ? heading + ", with the row that was measured" : heading,
        lines: [...shown, ...facts.filter(([name]) => !shown.some(([other]) => other === name))]};
}

function distanceTo(box, x, y) {
    return Math.hypot(Math.max(box[0] - x, 0, x - box[2]), Math.max(box[1] - y, 0, y - box[3]));
}

// Explains marks by a pointer or the arrow keys.
function attend(canvas, tables) {
    const {svg, points, picture} = canvas;
    const ring = shape("rect", {class: "ring", rx: 4, visibility: "hidden"});
    let at = -1;
    svg.append(ring);
    const point = (index, x, y, aloud) => {
        at = index;
        const {box, mark} = points[at], size = svg.getBoundingClientRect(), scale = size.width / canvas.width;
        fill(ring, {x: box[0] - 6, y: box[1] - 6, width: box[2] - box[0] + 12, height: box[3] - box[1] + 12, visibility: "visible"}, []);
        const {heading, lines} = describe(mark, picture, tables);
        showTip(heading, lines, x ?? size.left + box[2] * scale, y ?? size.top + box[1] * scale);
        if (aloud) {
            say(heading + ": " + lines.slice(0, 8).map(([name, value]) => `${columnTitle(name)} ${formatNumber(value)}`).join(", "));
        }
    };
    const leave = () => {
        ring.setAttribute("visibility", "hidden");
        hideTip();
    };
    const follow = (event) => {
        const size = svg.getBoundingClientRect(), x = (event.clientX - size.left) * canvas.width / size.width, y = (event.clientY - size.top) * canvas.height / size.height;
        let nearest = -1, least = 28;
        points.forEach(({box}, i) => {
            const distance = distanceTo(box, x, y);
            if (distance < least) {
                [nearest, least] = [i, distance];
            }
        });
        if (nearest >= 0) {
            point(nearest, event.clientX, event.clientY);
        } else {
            leave();
        }
    };
    svg.addEventListener("pointermove", follow);
    svg.addEventListener("pointerdown", follow);
    svg.addEventListener("pointerleave", leave);
    svg.addEventListener("blur", leave);
    svg.addEventListener("keydown", (event) => {
        const last = points.length - 1, next = nextPoint(points, at, event.key);
        if (event.key === "Escape") {
            leave();
        } else if (next !== null && points.length) {
            event.preventDefault();
            point(Math.max(0, Math.min(last, next)), undefined, undefined, true);
        }
    });
}

// Left and right follow the rows; up and down go to the next series or source, at the same place in it.
function nextPoint(points, at, key) {
    const line = (i) => points[i].mark.series + " " + points[i].mark.source;
    const step = {ArrowRight: 1, ArrowLeft: -1}[key], turn = {ArrowDown: 1, ArrowUp: -1}[key];
    if (step) {
        return at + step;
    }
    if (key === "Home" || key === "End") {
        return key === "Home" ? 0 : points.length - 1;
    }
    if (!turn) {
        return null;
    }
    for (let i = at; i >= 0 && i < points.length; i += turn) {
        if (line(i) !== line(Math.max(0, at)) && points[i].mark.x === points[at].mark.x) {
            return i;
        }
    }
    return at;
}

// ---- Legends ----

function swatch(...nodes) {
    return shape("svg", {width: 26, height: 14, viewBox: "-13 -7 26 14", "aria-hidden": "true"}, ...nodes);
}

function seriesSwatch(picture, series) {
    const colour = colourClass(series), boxes = ["stack", "columns"].includes(picture.kind), only = !picture.marks.some((mark) => mark.series === series && mark.source === 0);
    return boxes ? swatch(shape("rect", {x: -6, y: -6, width: 12, height: 12, class: "bar " + colour}))
        : only ? swatch(shape("path", {d: "M-12,0H12", class: "predictedLine " + colour}))
        : swatch(shape("path", {d: MARK_SHAPES[(series - 1) % 8](5), class: "measured mark-key " + colour}));
}

function sourceSwatches(picture) {
    const lines = ["series", "scaling"].includes(picture.kind), entries = [];
    if (lines && has(picture, 0)) {
        entries.push([swatch(shape("circle", {r: 4, class: "ink"})), "measured"]);
    }
    if (lines && has(picture, 1)) {
        entries.push([swatch(shape("path", {d: "M-12,0H12", class: "predictedLine ink"}), shape("circle", {r: 2, class: "ink"})), "predicted"]);
    } else if (has(picture, 1)) {
        entries.push(has(picture, 0) ? [swatch(shape("rect", {x: -11, y: -1.5, width: 22, height: 3, class: "tick " + (picture.kind === "columns" ? "ink" : "c2")})), "predicted"]
            : [swatch(shape("rect", {x: -6, y: -6, width: 12, height: 12, class: "bar predicted c1"})), "predicted"]);
    }
    if (!lines && has(picture, 0) && has(picture, 1)) {
        entries.unshift([swatch(shape("rect", {x: -6, y: -6, width: 12, height: 12, class: "bar " + (picture.series.length > 1 ? "ink" : "c1")})), "measured"]);
    }
    if (has(picture, 2) && lines) {
        entries.push([swatch(shape("path", {d: "M-12,0H12", class: "publishedLine ink"}), shape("path", {d: CROSS, class: "published mark-key ink"})), "published"]);
    }
    const warnings = [...new Set(picture.marks.flatMap((mark) => mark.warning.split("+")).filter(Boolean))];
    if (warnings.length) {
        entries.push([swatch(shape("circle", {r: 4.5, class: "hollow measured ink"})), "hollow: " + warnings.join(", ")]);
    }
    return picture.kind === "bars" && picture.values.length > 1 ? [...entries, [swatch(shape("path", {d: "M-12,0H12", class: "bound"})), columnTitle(picture.values[1])]] : entries;
}

function makeLegend(picture) {
    const cells = ["matrix", "cells"].includes(picture.kind), several = picture.seriesNames.some(Boolean) && !cells;
    const entries = several ? picture.seriesNames.map((name, i) => [seriesSwatch(picture, i + 1), name]) : [];
    const curves = publishedCurves(picture).map(([device], i) => [swatch(shape("path", {d: "M-12,0H12", class: curveClass(device, i)})), "published: " + device]);
    const little = picture.chart === "levels-in-flight" ? [[swatch(shape("path", {d: "M-12,0H12", class: "bound"})), "Little's law"]] : [];
    const all = [...entries, ...(cells ? [] : sourceSwatches(picture)), ...curves, ...little];
    return all.length ? element("ul", {class: "legend"}, all.map(([sign, name]) => element("li", {}, sign, name))) : null;
}

// ---- Pictures ----

// What a ladder's steps asked of the device, beneath its bars. A published figure is a mark of the chart.
function stepsTable(picture, place) {
    const counters = (picture.settings.counters || "").split(" ").filter(Boolean).map((name) => name.replace(/_/g, " "));
    const counted = has(picture, 1) ? 1 : 0, published = (picture.settings.published_columns || "").split(" ");
    const rows = picture.marks.filter((mark) => mark.x <= picture.bars && (mark.source === counted || mark.source === 2)).sort((a, b) => a.x - b.x || a.source - b.source);
    if (!counters.length) {
        return null;
    }
    return scrollable(`Counters of the steps: ${picture.settings.title}, ${place}`, element("table", {class: "counters"}, element("thead", {}, element("tr", {}, ["step", "source", ...counters].map((name) =>
        element("th", {scope: "col"}, name)))), element("tbody", {}, rows.map((mark) => element("tr", {class: mark.source === 2 ? "mark published" : null},
        element("th", {scope: "row"}, picture.names[mark.x - 1]), element("td", {}, sourceChip(SOURCES[mark.source])),
        counters.map((_, i) => element("td", {class: "number"}, mark.source === 2 && published[i] === "0" || !isNumber(mark.values[i + 2]) ? "" : formatShort(mark.values[i + 2]))))))));
}

function drawPanel(canvas, picture, panel) {
    const kind = picture.kind;
    if (kind === "bars" || kind === "steps") {
        drawBars(canvas, picture, kind === "steps" ? 1 : 0);
    } else if (kind === "columns") {
        drawColumns(canvas, picture, panel, panel ? columnTitle(picture.values[1]) : picture.settings.ylabel);
    } else if (kind === "stack") {
        drawStack(canvas, picture);
    } else if (kind === "matrix" || kind === "cells") {
        return drawCells(canvas, picture, panel + 1);
    } else {
        drawSeries(canvas, picture);
    }
    return null;
}

// Cells have a panel for each series, columns one for each value.
function panelsOf(picture) {
    return ["matrix", "cells"].includes(picture.kind) ? picture.seriesNames
        : picture.kind === "columns" ? picture.values.map(columnTitle) : [""];
}

function panelHeight(picture, width) {
    const downs = new Set(picture.marks.map((mark) => mark.at[0])).size;
    return picture.kind === "cells" ? Math.max(150, 46 + downs * (downs > 40 ? 3 : 26)) : picture.kind === "matrix" ? Math.min(260, 70 + 40 * downs)
        : picture.kind === "columns" ? 230 : ["bars", "steps", "stack"].includes(picture.kind) ? 360 : Math.max(270, Math.min(380, width * 0.56));
}

function drawPicture(picture, tables, holder, width) {
    const label = `${picture.settings.title}. ${picture.subtitle || "All devices"}. ${picture.marks.length} marks; arrow keys read them.`;
    const names = panelsOf(picture), narrow = picture.kind === "matrix" ? Math.min(width, 60 + 90 * new Set(picture.marks.map((mark) => mark.x)).size) : width;
    let shades = null;
    const panels = names.map((name, panel) => {
        const canvas = makeCanvas(picture, narrow, panelHeight(picture, width), names.length > 1 ? name + ". " + label : label, picture.kind === "columns" && panel > 0);
        shades = drawPanel(canvas, picture, panel);
        attend(canvas, tables);
        return element("div", {class: "panel"}, names.length > 1 && picture.kind !== "columns" ? element("p", {}, name) : null, canvas.svg);
    });
    holder.replaceChildren(...panels, shades ? shadeLegend(shades, picture.kind === "matrix" ? "GB/s" : shades.degrees ? "the cost of stride 1" : "ns") : "");
}

function makeFigure(raw, tables) {
    const picture = readPicture(raw), holder = element("div", {class: "canvas"});
    const notes = [picture.settings.note, picture.left_out ? "left out: " + picture.left_out : ""].filter(Boolean);
    const path = picture.file ? tables[picture.file - 1].path : "";
    let drawn = 0;
    const draw = () => {
        const width = Math.round(holder.clientWidth);
        if (width > 0 && width !== drawn) {
            drawn = width;
            drawPicture(picture, tables, holder, width);
        }
    };
    new ResizeObserver(draw).observe(holder);
    return element("figure", {"data-chart": picture.chart, "data-marks": picture.marks.length,
        "data-path": path},
        element("figcaption", {}, element("b", {}, picture.subtitle || "All devices"), tables.length > 1 && picture.file ? " \u00B7 " + folderOf(path) : "",
            picture.common ? " \u00B7 " + picture.common : ""),
        makeLegend(picture), holder, picture.kind === "steps" ? stepsTable(picture, picture.subtitle + " " + path) : null, notes.map((note) => element("p", {class: "note"}, note)));
}
