// Draws a picture: a line of report/marks.awk.

function readMarks(picture) {
    const rows = picture.rows.length;
    return picture.marks.map((list) => ({series: list[0], source: list[1], file: list[2], row: list[3] - 1, warning: list[4],
        at: list.slice(5, 5 + rows), x: list[4 + rows], values: list.slice(5 + rows)}));
}

function readPicture(picture) {
    const names = [];
    for (const [position, name] of picture.positions) {
        names[position - 1] = name;
    }
    const labels = new Map((picture.settings.labels || "").split(" ").map((word) => word.split("=")));
    return {...picture, marks: readMarks(picture), names: names.map((name) => labels.get(name) || name),
        seriesNames: picture.series.map(([name]) => name + (picture.settings.unit || ""))};
}

function has(picture, source) {
    return picture.marks.some((mark) => mark.source === source);
}

function extent(values) {
    const numbers = values.filter(isNumber);
    return [Math.min(...numbers), Math.max(...numbers)];
}

function bySeries(marks, source) {
    const groups = new Map();
    for (const mark of marks.filter((one) => one.source === source)) {
        groups.set(mark.series, [...(groups.get(mark.series) || []), mark]);
    }
    return groups;
}

// ---- Lines over a sweep ----

function levelsOf(picture) {
    const settings = picture.settings, levels = [];
    if (settings.show_peak) {
        const peaks = [...new Set(picture.series.map(([, peak]) => peak).filter(isNumber))];
        const single = peaks.length === 1;
        picture.series.forEach(([name, peak], i) => {
            if (isNumber(peak) && !(single && i > 0)) {
                levels.push({value: peak, text: `peak ${formatNumber(peak)} GB/s` + (single ? "" : `, ${name}`), series: single ? 0 : i + 1});
            }
        });
    }
    return isNumber(settings.limit) ? [...levels, {value: settings.limit, text: settings.limit_name || ""}] : levels;
}

function seriesScales(canvas, picture, levels) {
    const settings = picture.settings, marks = picture.marks, scaling = picture.kind === "scaling";
    const values = marks.flatMap((mark) => settings.has_bars ? mark.values.slice(0, 3) : [mark.values[0]]).concat(levels.map((level) => level.value));
    const [xLow, xHigh] = extent(marks.map((mark) => mark.x)), [yLow, yHigh] = extent(scaling ? [...values, 100 * extent(marks.map((m) => m.x))[1]] : values);
    const logX = settings.log_x !== 0 && xLow > 0, logY = settings.log_y !== 0;
    const least = Math.min(...values.filter((value) => value > 0));
    const room = 0.12 * (yHigh - yLow || 1), spread = xHigh > xLow ? 0.03 * (xHigh - xLow) : 1, factor = xHigh > xLow ? 1.15 : 2;
    const y = logY ? logScale(least / 1.4, yHigh * 1.5, canvas.bottom, canvas.top, 10)
        : linearScale(settings.from_zero === 0 ? yLow - room : 0, yHigh + room, canvas.bottom, canvas.top);
    const ticks = y.ticks((canvas.bottom - canvas.top) / 36);
    roomForTicks(canvas, ticks, formatNumber);
    return {
        x: picture.names.length ? linearScale(0.45, picture.names.length + 0.55, canvas.left, canvas.right)
            : logX ? logScale(xLow / factor, xHigh * factor, canvas.left, canvas.right, 2)
            : linearScale(xLow - spread, xHigh + spread, canvas.left, canvas.right),
        y, ticks, logX,
    };
}

function drawLine(canvas, marks, scales, kind) {
    const points = marks.filter((mark) => isNumber(mark.values[0])).map((mark) => `${scales.x(mark.x).toFixed(1)},${scales.y(mark.values[0]).toFixed(1)}`);
    canvas.svg.append(shape("polyline", {class: kind + " " + colourClass(marks[0].series), points: points.join(" ")}));
}

function drawWhisker(canvas, mark, x, low, high) {
    if (low - high > 6) {
        canvas.svg.append(shape("path", {class: "whisker " + colourClass(mark.series), d: `M${x - 3},${low}h6M${x},${low}V${high}M${x - 3},${high}h6`}));
    }
}

function drawSeries(canvas, picture) {
    const settings = picture.settings, levels = levelsOf(picture);
    if (picture.names.length) {
        nameRoom(canvas, picture.names);
    }
    const scales = seriesScales(canvas, picture, levels);
    const span = canvas.right - canvas.left, binary = /byte|elements|footprint/.test(settings.xlabel || "") && scales.logX;
    drawYAxis(canvas, scales.y, scales.ticks, formatNumber, settings.ylabel);
    if (picture.names.length) {
        drawNames(canvas, picture.names, scales.x);
    } else {
        drawXAxis(canvas, scales.x, scales.x.ticks(span / 46), binary ? formatBinary : formatNumber, settings.xlabel);
    }
    if (picture.kind === "scaling") {
        const [low, high] = extent(picture.marks.map((mark) => mark.x));
        canvas.svg.append(shape("path", {class: "level", d: `M${scales.x(low)},${scales.y(100 * low)}L${scales.x(high)},${scales.y(100 * high)}`}));
    }
    levels.forEach((level) => drawLevel(canvas, scales.y(level.value), level.text, level.series));
    bySeries(picture.marks, 2).forEach((marks) => drawLine(canvas, marks, scales, "publishedLine"));
    bySeries(picture.marks, 1).forEach((marks) => drawLine(canvas, marks, scales, "predictedLine"));
    const radius = picture.marks.length > 150 ? 3 : 4.2;
    for (const mark of picture.marks) {
        const x = scales.x(mark.x), y = isNumber(mark.values[0]) ? scales.y(mark.values[0]) : canvas.bottom;
        if (mark.source === 0 && settings.has_bars && isNumber(mark.values[1])) {
            drawWhisker(canvas, mark, x, scales.y(mark.values[1]), scales.y(mark.values[2]));
        }
        pointMark(canvas, mark, x, y, radius + Math.max(0, 0.35 * (picture.series.length - mark.series))); // so that points at one place are all seen
    }
}

// ---- Bars ----

// Bars of variants, whose height is values[height]; a prediction of a measured bar is a line across it. What stands after the
// last bar is a level to compare with.
function drawBars(canvas, picture, height) {
    const bars = picture.bars || Math.max(...picture.marks.map((mark) => mark.x));
    nameRoom(canvas, picture.names.slice(0, bars));
    const place = linearScale(0.45, bars + 0.55, canvas.left, canvas.right), wide = 0.7 * (place(2) - place(1));
    const shown = picture.marks.filter((mark) => mark.source !== 2);
    const bounds = picture.kind === "bars" ? shown.map((mark) => mark.values[1]) : [];
    const scale = linearScale(0, 1.12 * extent(shown.map((mark) => mark.values[height]).concat(bounds))[1], canvas.bottom, canvas.top);
    const measured = new Set(shown.filter((mark) => mark.source === 0).map((mark) => mark.x));
    drawYAxis(canvas, scale, scale.ticks((canvas.bottom - canvas.top) / 40), formatNumber, picture.settings.ylabel_text);
    for (const mark of shown) {
        const value = mark.values[height] || 0, y = scale(value), x = place(mark.x) - wide / 2;
        if (mark.x > bars) {
            boxMark(canvas, mark, canvas.left, y - 1, canvas.right - canvas.left, 2, {class: "yardstick c" + (mark.x - bars + 1)});
            if (mark.source === 0 || !measured.has(mark.x)) {
                drawText(canvas, canvas.left + 4, y - 5, picture.names[mark.x - 1], {class: "halo"});
            }
        } else if (mark.source === 1 && measured.has(mark.x)) {
            boxMark(canvas, mark, x - 0.1 * wide, y - 1.5, wide * 1.2, 3, {class: "tick c2"});
        } else {
            boxMark(canvas, mark, x, y, wide, canvas.bottom - y, {class: "bar c1" + (mark.warning ? " hollow" : "")});
            drawText(canvas, x + wide / 2, y - 5, formatShort(value), {"text-anchor": "middle", class: "halo"});
        }
        if (picture.kind === "bars" && isNumber(mark.values[1]) && mark.source === 0) {
            canvas.svg.append(shape("path", {class: "bound", d: `M${x - 0.1 * wide},${scale(mark.values[1])}h${wide * 1.2}`}));
        }
    }
    drawNames(canvas, picture.names.slice(0, bars), place);
}

function formatShort(value) {
    return value >= 100 ? formatNumber(Math.round(value)) : String(Number(value.toPrecision(value < 10 ? 2 : 3)));
}

// A bar for each variant and series, side by side.
function drawColumns(canvas, picture, value, title) {
    nameRoom(canvas, picture.names);
    const place = linearScale(0.45, picture.names.length + 0.55, canvas.left, canvas.right), count = picture.series.length;
    const thin = 0.8 * (place(2) - place(1)) / count;
    const scale = linearScale(0, 1.1 * (extent(picture.marks.map((mark) => mark.values[value]))[1] || 1), canvas.bottom, canvas.top);
    const measured = new Set(picture.marks.filter((mark) => mark.source === 0).map((mark) => mark.series + " " + mark.x));
    drawYAxis(canvas, scale, scale.ticks((canvas.bottom - canvas.top) / 40), formatNumber, title);
    for (const mark of picture.marks) {
        const x = place(mark.x) + (mark.series - (count + 1) / 2) * thin - 0.45 * thin, y = scale(mark.values[value] || 0);
        const behind = mark.source === 1 && measured.has(mark.series + " " + mark.x);
        boxMark(canvas, mark, x, behind ? y - 1.5 : y, 0.9 * thin, behind ? 3 : canvas.bottom - y,
            {class: (behind ? "tick ink" : "bar " + colourClass(mark.series)) + (mark.warning ? " hollow" : "")});
    }
    drawNames(canvas, picture.names, place);
}

// Parts of a whole, one upon the other in the order of a run.
function drawStack(canvas, picture) {
    const xs = [...new Set(picture.marks.map((mark) => mark.x))].sort((a, b) => a - b);
    const names = picture.names.length ? xs.map((x) => picture.names[x - 1]) : xs.map((x) => String(formatNumber(x)));
    const total = new Map(xs.map((x) => [x, picture.marks.filter((mark) => mark.x === x).reduce((sum, mark) => sum + mark.values[0], 0)]));
    const shares = picture.settings.shares === 1, highest = Math.max(...total.values());
    const [unit, name] = [[1, "ns"], [1e3, "µs"], [1e6, "ms"], [1e9, "s"]].filter(([size], i) => i === 0 || highest >= size).pop();
    canvas.top += 14;
    nameRoom(canvas, names);
    const place = linearScale(0.45, xs.length + 0.55, canvas.left, canvas.right), wide = Math.min(90, 0.7 * (place(2) - place(1)));
    const scale = linearScale(0, shares ? 100 : 1.05 * highest / unit, canvas.bottom, canvas.top);
    const height = (mark) => shares ? 100 * mark.values[0] / total.get(mark.x) : mark.values[0] / unit;
    drawYAxis(canvas, scale, scale.ticks((canvas.bottom - canvas.top) / 40), formatNumber, shares ? "share of the time (%)" : `time (${name})`);
    const base = new Map();
    for (const mark of picture.marks) {
        const from = base.get(mark.x) || 0, to = from + height(mark);
        base.set(mark.x, to);
        boxMark(canvas, mark, place(xs.indexOf(mark.x) + 1) - wide / 2, scale(to), wide, scale(from) - scale(to),
            {class: "bar part " + colourClass(mark.series) + (mark.warning ? " hollow" : "")});
    }
    xs.forEach((x, i) => drawText(canvas, place(i + 1), scale(base.get(x)) - 5, formatTime(total.get(x)), {"text-anchor": "middle"}));
    drawNames(canvas, names, place);
}

function formatTime(ns) {
    const [unit, name] = [[1, "ns"], [1e3, "µs"], [1e6, "ms"], [1e9, "s"]].filter(([size], i) => i === 0 || ns >= size).pop();
    return formatShort(ns / unit) + " " + name;
}

// ---- Cells ----

// The darkness of a cell, 0 to 10.
function shade(value, low, high) {
    return Math.max(0, Math.min(10, Math.round(10 * (value - low) / (high - low || 1))));
}

function drawCells(canvas, picture, series) {
    const marks = picture.marks.filter((mark) => mark.series === series), matrix = picture.kind === "matrix";
    const down = [...new Set(marks.map((mark) => mark.at[0]))].sort((a, b) => a - b), across = [...new Set(marks.map((mark) => mark.x))].sort((a, b) => a - b);
    const degrees = picture.chart === "smem-conflicts", amount = (mark) => degrees ? Math.log2(Math.max(1, mark.values[0] / 100)) : mark.values[0];
    const [least, high] = extent(picture.marks.map(amount)), low = degrees || matrix ? 0 : least;
    canvas.left = 48;
    canvas.top = 8;
    const width = (canvas.right - canvas.left) / across.length, height = (canvas.bottom - canvas.top) / down.length, gap = width > 6 ? 1 : 0;
    const every = Math.ceil(down.length / Math.max(1, (canvas.bottom - canvas.top) / 14)), step = Math.ceil(across.length * 30 / (canvas.right - canvas.left));
    down.forEach((value, i) => i % every ? 0 : drawText(canvas, canvas.left - 6, canvas.top + (i + 0.5) * height + 4, formatNumber(value), {"text-anchor": "end"}));
    for (const mark of marks) {
        const x = canvas.left + across.indexOf(mark.x) * width, y = canvas.top + down.indexOf(mark.at[0]) * height, dark = shade(amount(mark), low, high);
        boxMark(canvas, mark, x, y, width - gap, height - gap, {class: `cell s${dark}` + (mark.warning ? " hollow" : "")});
        if (width > 26 && height > 13) {
            drawText(canvas, x + width / 2, y + height / 2 + 4, formatShort(degrees ? mark.values[0] / 100 : mark.values[0]), {"text-anchor": "middle", class: "on s" + dark});
        }
    }
    if (picture.chart !== "levels-partitions") {
        across.forEach((value, i) => i % step ? 0 : drawText(canvas, canvas.left + (i + 0.5) * width, canvas.bottom + 14, formatNumber(value), {"text-anchor": "middle"}));
    }
    const middle = (canvas.top + canvas.bottom) / 2;
    drawText(canvas, (canvas.left + canvas.right) / 2, canvas.height - 6, picture.settings.xlabel || (matrix ? "to device" : "stride (elements)"), {"text-anchor": "middle", class: "title"});
    drawText(canvas, 13, middle, matrix ? "from device" : picture.settings.ylabel, {"text-anchor": "middle", class: "title", transform: `rotate(-90 13 ${middle})`});
    return {low, high, degrees};
}

function shadeLegend({low, high, degrees}, unit) {
    const text = (value) => degrees ? formatShort(2 ** value) + "\u00D7" : formatShort(value);
    return element("p", {class: "shades"}, text(low), shape("svg", {width: 132, height: 12, "aria-hidden": "true"},
        Array.from({length: 11}, (_, i) => shape("rect", {x: 12 * i, y: 0, width: 12, height: 12, class: "cell s" + i}))), text(high), unit ? " " + unit : "");
}
