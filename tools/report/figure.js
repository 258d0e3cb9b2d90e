// A picture with its legend, drawn again whenever its width changes.

// ---- Legends ----

function swatch(...nodes) {
    return shape("svg", {width: 26, height: 14, viewBox: "-13 -7 26 14", "aria-hidden": "true"}, ...nodes);
}

function boxSwatch(kind) {
    return swatch(shape("rect", {x: -6, y: -6, width: 12, height: 12, class: "bar " + kind}));
}

function lineSwatch(kind, ...marks) {
    return swatch(shape("path", {d: "M-12,0H12", class: kind}), ...marks);
}

function seriesSwatch(picture, series) {
    const colour = colourClass(series);
    if (["stack", "columns"].includes(picture.kind)) {
        return boxSwatch(colour);
    }
    const isMeasured = picture.marks.some((mark) => mark.series === series && mark.source === 0);
    return isMeasured
               ? swatch(shape("path", {d: MARK_SHAPES[(series - 1) % 8](5), class: "measured mark-key " + colour}))
               : lineSwatch("predictedLine " + colour);
}

// What tells measured, predicted and published marks apart in lines over a sweep.
function lineSources(picture) {
    const signs = [
        () => swatch(shape("circle", {r: 4, class: "ink"})),
        () => lineSwatch("predictedLine ink", shape("circle", {r: 2, class: "ink"})),
        () => lineSwatch("publishedLine ink", shape("path", {d: CROSS, class: "published mark-key ink"})),
    ];
    return SOURCES.map((name, source) => [source, name]).filter(([source]) => has(picture, source)).map(([
        source, name
    ]) => [signs[source](), name]);
}

// The same in bars.
function barSources(picture) {
    const colour = picture.series.length > 1 ? "ink" : "c1";
    if (!has(picture, 1)) {
        return [];
    }
    if (!has(picture, 0)) {
        return [[boxSwatch("predicted " + colour), "predicted"]];
    }
    const tick =
        shape("rect", {x: -11, y: -1.5, width: 22, height: 3, class: "tick " + (colour === "ink" ? "ink" : "c2")});
    return [[boxSwatch(colour), "measured"], [swatch(tick), "predicted"]];
}

// What bars through points show.
function intervalSigns(picture) {
    const kinds = new Set(picture.marks.map((mark) => mark.interval));
    const texts = [[1, "95 % interval of the median"], [2, "slowest to fastest sample"]].filter(([kind]) => kinds.has(kind));
    const isShown = !["stack", "cells", "matrix"].includes(picture.kind) && texts.length > 0;
    return isShown ? [[swatch(shape("path", {d: "M-3,6h6M0,6V-6M-3,-6h6", class: "whisker ink"})), texts.map(([, text]) => text).join(", or ")]]
                   : [];
}

function otherSigns(picture) {
    const warnings = [...new Set(picture.marks.flatMap((mark) => mark.warning.split("+")).filter(Boolean))];
    const hollow =
        warnings.length
            ? [[swatch(shape("circle", {r: 4.5, class: "hollow measured ink"})), "hollow: " + warnings.join(", ")]]
            : [];
    const bound = picture.kind === "bars" && picture.values.length > 1
                      ? [[lineSwatch("bound"), picture.settings.limit_name]]
                      : [];
    const little = picture.chart === "levels-in-flight" ? [[lineSwatch("bound"), "Little's law"]] : [];
    const curves =
        picture.curves.map(([device], i) => [lineSwatch(curveClass(device, i)), "published: " + device]);
    return [...intervalSigns(picture), ...hollow, ...bound, ...little, ...curves];
}

function hasCells(picture) {
    return ["matrix", "cells"].includes(picture.kind);
}

function makeLegend(picture) {
    if (hasCells(picture)) {
        return null;
    }
    const peaks = picture.series.map(([, peak]) => picture.settings.show_peak && !isNumber(sharedPeak(picture)) && isNumber(peak) ? ", " + peakText(peak) : "");
    const series = picture.seriesNames.some(Boolean)
                       ? picture.seriesNames.map((name, i) => [seriesSwatch(picture, i + 1), name + peaks[i]])
                       : [];
    const sources = ["series", "scaling"].includes(picture.kind) ? lineSources(picture) : barSources(picture);
    const all = [...series, ...sources, ...otherSigns(picture)];
    return all.length ? element("ul", {class: "legend"}, all.map(([sign, name]) => element("li", {}, sign, name)))
                      : null;
}

// ---- Beneath a ladder's bars ----

function stepsRow(picture, mark, counters, published) {
    const isPublished = mark.source === 2;
    const cells = counters.map((_, i) => isNumber(mark.values[i + 2]) && !(isPublished && published[i] === "0")
                                             ? formatShort(mark.values[i + 2])
                                             : "");
    return element("tr", {class: isPublished ? "mark published" : null},
        element("th", {scope: "row"}, picture.names[mark.x - 1]), element("td", {}, sourceChip(SOURCES[mark.source])),
        cells.map((text) => element("td", {class: "number"}, text)));
}

// What a ladder's steps asked of the device. A published figure is a mark of the chart.
function stepsTable(picture, place) {
    const words = (text) => (text || "").split(" ").filter(Boolean);
    const counters = words(picture.settings.counters).map((name) => name.replace(/_/g, " "));
    const counted = has(picture, 1) ? 1 : 0;
    const marks =
        picture.marks.filter((mark) => mark.x <= picture.bars && (mark.source === counted || mark.source === 2));
    if (picture.kind !== "steps" || !counters.length) {
        return null;
    }
    const head = ["step", "source", ...counters].map(
        (name, i) => element("th", {scope: "col", class: i > 1 ? "number" : null}, name));
    const rows = marks.sort((a, b) => a.x - b.x || a.source - b.source)
                     .map((mark) => stepsRow(picture, mark, counters, words(picture.settings.published_columns)));
    return scrollable(`Counters of the steps: ${picture.settings.title}, ${place}`,
        element(
            "table", {class: "counters"}, element("thead", {}, element("tr", {}, head)), element("tbody", {}, rows)));
}

// ---- Pictures ----

const DRAWERS = {
    bars: (canvas, picture) => drawBars(canvas, picture, 0),
    steps: (canvas, picture) => drawBars(canvas, picture, 1),
    columns: (canvas, picture, panel) =>
        drawColumns(canvas, picture, panel, panel ? columnTitle(picture.values[1]) : picture.settings.ylabel),
    stack: drawStack,
    matrix: (canvas, picture, panel) => drawCells(canvas, picture, panel + 1),
    cells: (canvas, picture, panel) => drawCells(canvas, picture, panel + 1),
    series: drawSeries,
    scaling: drawSeries,
};

// Cells have a panel for each series, columns one for each value.
function panelsOf(picture) {
    return hasCells(picture)            ? picture.seriesNames
           : picture.kind === "columns" ? picture.values.map(columnTitle)
                                        : [""];
}

function panelHeight(picture, width) {
    const downs = new Set(picture.marks.map((mark) => mark.at[0])).size;
    const heights = {
        cells: Math.max(150, 46 + downs * (downs > 40 ? 3 : 26)),
        matrix: Math.min(260, 70 + 40 * downs),
        columns: 230,
        bars: 360,
        steps: 360,
        stack: 360
    };
    return heights[picture.kind] || Math.max(270, Math.min(380, width * 0.56));
}

function panelWidth(picture, width) {
    return picture.kind === "matrix" ? Math.min(width, 60 + 90 * new Set(picture.marks.map((mark) => mark.x)).size)
                                     : width;
}

function drawPicture(picture, tables, holder, width) {
    const label = `${picture.settings.title}. ${picture.subtitle || "All devices"}. ${
        picture.marks.length} marks; arrow keys read them.`;
    const names = panelsOf(picture);
    let shades = null;
    const panels = names.map((name, panel) => {
        const canvas = makeCanvas(picture, panelWidth(picture, width), panelHeight(picture, width),
            names.length > 1 ? name + ". " + label : label);
        canvas.isShadow = picture.kind === "columns" && panel > 0;
        shades = DRAWERS[picture.kind](canvas, picture, panel);
        attend(canvas, tables);
        return element(
            "div", {class: "panel"}, names.length > 1 && hasCells(picture) ? element("p", {}, name) : null, canvas.svg);
    });
    holder.replaceChildren(...panels, shades ? shadeLegend(shades, picture) : "");
}

function makeFigure(raw, tables) {
    const picture = readPicture(raw), holder = element("div", {class: "canvas"});
    const path = picture.file ? tables[picture.file - 1].path : "";
    const folder = path && tables.length > 1 ? folderName(folderOf(path)) : "";
    const notes = [picture.settings.note, picture.curves.length && picture.settings.curves_note, picture.left_out && "left out: " + picture.left_out].filter(Boolean);
    let drawn = 0;
    new ResizeObserver(() => {
        const width = Math.round(holder.clientWidth);
        if (width > 0 && width !== drawn) {
            drawn = width;
            drawPicture(picture, tables, holder, width);
        }
    }).observe(holder);
    return element("figure", {"data-chart": picture.chart, "data-marks": picture.marks.length, "data-path": path},
        element("figcaption", {},
            [element("b", {}, picture.subtitle || "All devices"), folder, picture.common].filter(Boolean).flatMap(
                (text, i) => i ? [" \u00B7 ", text] : [text])),
        makeLegend(picture), holder, stepsTable(picture, picture.subtitle + " " + path),
        notes.map((note) => element("p", {class: "note"}, note)));
}
