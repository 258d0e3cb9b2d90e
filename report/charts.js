// Draws a picture: a line of report/marks.awk.

function readMarks(picture) {
    const rows = picture.rows.length;
    return picture.marks.map((list) => ({series: list[0], source: list[1], file: list[2], row: list[3] - 1, warning: list[4],
        at: list.slice(5, 5 + rows), x: list[4 + rows], values: list.slice(5 + rows)}));
}

function readPicture(picture, tables) {
    const names = [];
    for (const [position, name] of picture.positions) {
        names[position - 1] = name;
    }
    const labels = new Map((picture.settings.labels || "").split(" ").map((word) => word.split("=")));
    const own = tables[picture.file - 1];
    return {...picture, marks: readMarks(picture), isOfCpu: own !== undefined && fieldOf(own, 0, "backend") === "cpu", names: names.map((name) => labels.get(name) || name),
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
        const peaks = [...new Set(picture.series.map(([, peak]) => peak).filter(isNumber))], single = peaks.length === 1;
        picture.series.forEach(([name, peak], i) => {
            if (isNumber(peak) && !(single && i > 0)) {
                levels.push({value: peak, text: `peak ${formatNumber(peak)} GB/s` + (single ? "" : `, ${name}`), series: single ? 0 : i + 1});
            }
        });
    }
    return isNumber(settings.limit) ? [...levels, {value: settings.limit, text: settings.limit_name || ""}] : levels;
}

// The value of "$4 / $2 * 1000" for the fields of a row.
function evaluate(expression, fields) {
    const words = expression.trim().split(" "), amount = (word) => word[0] === "$" ? Number(fields[word.slice(1) - 1]) : Number(word);
    return words.slice(1).reduce((result, word, i) => i % 2 ? result : word === "/" ? result / amount(words[i + 2]) : result * amount(words[i + 2]), amount(words[0]));
}

// Published curves that stand behind a chart: [device, points] each. None are of CPUs.
function publishedCurves(picture) {
    const text = data.published[picture.settings.published_table], curves = new Map();
    if (!text || picture.isOfCpu) {
        return [];
    }
    const [x, y] = picture.settings.published_values.split(",");
    for (const fields of text.trim().split("\n").slice(1).map((line) => line.split(","))) {
        curves.set(fields[0], [...(curves.get(fields[0]) || []), [evaluate(x, fields), evaluate(y, fields)]]);
    }
    return [...curves];
}

function curveClass(device, i) {
    return `curve ${device.startsWith("AMD") ? "amd" : "nvidia"} dash${i % 3}`;
}

function seriesScales(canvas, picture, levels, curves) {
    const settings = picture.settings, marks = picture.marks;
    const [xLow, xHigh] = extent(marks.map((mark) => mark.x));
    const values = marks.flatMap((mark) => settings.has_bars ? mark.values.slice(0, 3) : [mark.values[0]]).concat(levels.map((level) => level.value),
        curves.flatMap(([, points]) => points.filter(([x]) => x >= xLow && x <= xHigh).map(([, y]) => y)), picture.kind === "scaling" ? [100 * xHigh] : []);
    const [yLow, yHigh] = extent(values), logX = settings.log_x !== 0 && xLow > 0, least = Math.min(...values.filter((value) => value > 0));
    const room = 0.12 * (yHigh - yLow || 1), spread = xHigh > xLow ? 0.03 * (xHigh - xLow) : 1, factor = xHigh > xLow ? 1.15 : 2;
    const y = settings.log_y !== 0 ? logScale(least / 1.4, yHigh * 1.5, canvas.bottom, canvas.top, 10)
        : linearScale(settings.from_zero === 0 ? yLow - room : 0, yHigh + room, canvas.bottom, canvas.top);
    const ticks = ticksOf(canvas, y);
    const x = picture.names.length ? linearScale(0.45, picture.names.length + 0.55, canvas.left, canvas.right)
        : logX ? logScale(xLow / factor, xHigh * factor, canvas.left, canvas.right, 2) : linearScale(xLow - spread, xHigh + spread, canvas.left, canvas.right);
    return {x, y, ticks, logX, xLow, xHigh, top: yHigh};
}

function drawLine(canvas, points, scales, kind) {
    const places = points.filter(([, y]) => isNumber(y)).map(([x, y]) => `${scales.x(x).toFixed(1)},${scales.y(y).toFixed(1)}`);
    canvas.svg.append(shape("polyline", {class: kind, points: places.join(" ")}));
}

function drawWhisker(canvas, mark, x, low, high) {
    if (low - high > 6) {
        canvas.svg.append(shape("path", {class: "whisker " + colourClass(mark.series), d: `M${x - 3},${low}h6M${x},${low}V${high}M${x - 3},${high}h6`}));
    }
}

// Shades and names the stretches whose rows of the first series name a level.
function drawShades(canvas, picture, scales) {
    const levels = new Map();
    for (const mark of picture.marks.filter((one) => one.series === 1 && one.values[1])) {
        const [low, high] = levels.get(mark.values[1]) || [mark.x, mark.x];
        levels.set(mark.values[1], [Math.min(low, mark.x), Math.max(high, mark.x)]);
    }
    [...levels].forEach(([name, [low, high]], i) => {
        const x = scales.x(low), width = scales.x(high) - x;
        canvas.svg.append(shape("rect", {x, y: canvas.top, width: Math.max(1, width), height: canvas.bottom - canvas.top, class: "shade odd" + i % 2}));
        drawText(canvas, x + width / 2, canvas.top + 13, name, {"text-anchor": "middle"});
    });
}

// What stands behind the marks.
function drawBackground(canvas, picture, scales, levels, curves) {
    if (picture.kind === "scaling") {
        drawLine(canvas, [scales.xLow, scales.xHigh].map((x) => [x, 100 * x]), scales, "level");
    }
    if (picture.chart === "levels-in-flight") {
        const {x, values: [y]} = picture.marks.reduce((least, mark) => mark.x < least.x ? mark : least);
        drawLine(canvas, [[x, y], [Math.min(scales.xHigh, scales.top * x / y), Math.min(y * scales.xHigh / x, scales.top)]], scales, "bound");
    }
    curves.forEach(([device, points], i) => drawLine(canvas, points.filter(([x]) => x >= scales.xLow && x <= scales.xHigh), scales, curveClass(device, i)));
    levels.forEach((level) => drawLevel(canvas, scales.y(level.value), level.text, level.series));
    for (const [source, kind] of [[2, "publishedLine"], [1, "predictedLine"]]) {
        bySeries(picture.marks, source).forEach((marks, series) => drawLine(canvas, marks.map((mark) => [mark.x, mark.values[0]]), scales, kind + " " + colourClass(series)));
    }
}

function drawSeries(canvas, picture) {
    const settings = picture.settings, levels = levelsOf(picture), curves = publishedCurves(picture);
    if (picture.names.length) {
        nameRoom(canvas, picture.names);
    }
    const scales = seriesScales(canvas, picture, levels, curves), binary = /byte|elements|footprint/.test(settings.xlabel || "") && scales.logX;
    if (picture.values[1] === "level") {
        drawShades(canvas, picture, scales);
    }
    drawYAxis(canvas, scales.y, scales.ticks, settings.ylabel);
    if (picture.names.length) {
        drawNames(canvas, picture.names, scales.x);
    } else {
        drawXAxis(canvas, scales.x, scales.x.ticks((canvas.right - canvas.left) / 46), binary ? formatBinary : formatNumber, settings.xlabel);
    }
    drawBackground(canvas, picture, scales, levels, curves);
    const radius = picture.marks.length > 150 ? 3 : 4.2, larger = picture.marks.length > 150 ? 0 : 0.35; // so that all points at one place are seen
    for (const mark of picture.marks) {
        const x = scales.x(mark.x), y = isNumber(mark.values[0]) ? scales.y(mark.values[0]) : canvas.bottom;
        if (mark.source === 0 && settings.has_bars && isNumber(mark.values[1])) {
            drawWhisker(canvas, mark, x, scales.y(mark.values[1]), scales.y(mark.values[2]));
        }
        pointMark(canvas, mark, x, y, radius + larger * (picture.series.length - mark.series));
    }
}

// ---- Bars ----

function formatShort(value) {
    return value >= 100 ? formatNumber(Math.round(value)) : String(Number(value.toPrecision(value < 10 ? 2 : 3)));
}

// A level that other variants are compared with, named at its left end. The library's is dashed; predicted ones are thin.
function drawYardstick(canvas, mark, y, name, isLibrary, isAlone) {
    const node = shape("path", {d: `M${canvas.left},${y}H${canvas.right}`, class: "yardstick" + (isLibrary ? " library" : "")});
    addMark(canvas, mark, node, [canvas.left, y, canvas.right, y]);
    if (isAlone) {
        drawText(canvas, canvas.left + 4, isLibrary ? y + 14 : y - 5, name, {class: "halo"});
    }
}

// Bars of variants, whose height is values[height]; a prediction of a measured bar is a line across it. What stands after the
// last bar is a level to compare with.
function drawBars(canvas, picture, height) {
    const bars = picture.bars || Math.max(...picture.marks.map((mark) => mark.x)), shown = picture.marks.filter((mark) => mark.source !== 2);
    const bounded = picture.kind === "bars" && picture.values.length > 1;
    const text = (mark) => formatShort(mark.values[height] || 0), upright = textsAreUpright(shown.map(text), (canvas.right - canvas.left) / bars);
    canvas.top += upright ? 36 : 8;
    nameRoom(canvas, picture.names.slice(0, bars));
    const high = extent(shown.map((mark) => mark.values[height]).concat(bounded ? shown.map((mark) => mark.values[1]) : []))[1];
    const scale = linearScale(0, 1.1 * high, canvas.bottom, canvas.top), ticks = ticksOf(canvas, scale);
    const place = linearScale(0.45, bars + 0.55, canvas.left, canvas.right), wide = Math.min(90, 0.7 * (place(2) - place(1)));
    const measured = new Set(shown.filter((mark) => mark.source === 0).map((mark) => mark.x)), tops = new Map();
    drawYAxis(canvas, scale, ticks, picture.settings.ylabel_text);
    for (const mark of shown) {
        const y = scale(mark.values[height] || 0), x = place(mark.x) - wide / 2, main = mark.source === 0 || !measured.has(mark.x);
        tops.set(mark.x, Math.min(y, tops.get(mark.x) ?? y));
        if (mark.x > bars) {
            drawYardstick(canvas, mark, y, picture.names[mark.x - 1], mark.x > bars + 1, main);
        } else if (main) {
            boxMark(canvas, mark, x, y, wide, canvas.bottom - y, {class: "bar c1" + (mark.warning ? " hollow" : "")});
        } else {
            boxMark(canvas, mark, x - 0.1 * wide, y - 1.5, wide * 1.2, 3, {class: "tick c2"});
        }
        if (bounded && main && isNumber(mark.values[1])) {
            canvas.svg.append(shape("path", {class: "bound", d: `M${x - 0.1 * wide},${scale(mark.values[1])}h${wide * 1.2}`}));
            tops.set(mark.x, Math.min(tops.get(mark.x), scale(mark.values[1])));
        }
    }
    for (const mark of shown.filter((one) => one.x <= bars && (one.source === 0 || !measured.has(one.x)))) {
        const y = scale(mark.values[height] || 0), top = tops.get(mark.x);
        drawAbove(canvas, place(mark.x), y - top < 18 ? top : y, text(mark), upright);
    }
    drawNames(canvas, picture.names.slice(0, bars), place);
}

// A bar for each variant and series, side by side.
function drawColumns(canvas, picture, value, title) {
    nameRoom(canvas, picture.names);
    const scale = linearScale(0, 1.1 * Math.max(1, extent(picture.marks.map((mark) => mark.values[value]))[1]), canvas.bottom, canvas.top), ticks = ticksOf(canvas, scale);
    const place = linearScale(0.45, picture.names.length + 0.55, canvas.left, canvas.right), count = picture.series.length, thin = Math.min(90, 0.8 * (place(2) - place(1)) / count);
    const measured = new Set(picture.marks.filter((mark) => mark.source === 0).map((mark) => mark.series + " " + mark.x));
    drawYAxis(canvas, scale, ticks, title);
    for (const mark of picture.marks) {
        const x = place(mark.x) + (mark.series - (count + 1) / 2) * thin - 0.45 * thin, y = scale(mark.values[value] || 0);
        const behind = mark.source === 1 && measured.has(mark.series + " " + mark.x);
        boxMark(canvas, mark, x, behind ? y - 1.5 : y, 0.9 * thin, behind ? 3 : canvas.bottom - y,
            {class: (behind ? "tick ink" : "bar " + colourClass(mark.series)) + (mark.warning ? " hollow" : "")});
    }
    if (!picture.marks.some((mark) => isNumber(mark.values[value]))) {
        drawText(canvas, (canvas.left + canvas.right) / 2, (canvas.top + canvas.bottom) / 2, "not counted", {"text-anchor": "middle", class: "halo"});
    }
    drawNames(canvas, picture.names, place);
}

const TIME_UNITS = [[1, "ns"], [1e3, "µs"], [1e6, "ms"], [1e9, "s"]];

function timeUnit(ns) {
    return TIME_UNITS.filter(([size], i) => i === 0 || ns >= size).pop();
}

// Parts of a whole, one upon the other in the order of a run.
function drawStack(canvas, picture) {
    const xs = [...new Set(picture.marks.map((mark) => mark.x))].sort((a, b) => a - b);
    const names = picture.names.length ? xs.map((x) => picture.names[x - 1]) : xs.map((x) => String(formatNumber(x)));
    const total = new Map(xs.map((x) => [x, picture.marks.filter((mark) => mark.x === x).reduce((sum, mark) => sum + mark.values[0], 0)]));
    const shares = picture.settings.shares === 1, highest = Math.max(...total.values()), [unit, unitName] = timeUnit(highest);
    const text = (x) => formatShort(total.get(x) / timeUnit(total.get(x))[0]) + " " + timeUnit(total.get(x))[1];
    const upright = textsAreUpright(xs.map(text), (canvas.right - canvas.left) / xs.length);
    canvas.top += upright ? 48 : 14;
    nameRoom(canvas, names);
    canvas.bottom -= picture.settings.xlabel ? 18 : 0;
    const scale = linearScale(0, shares ? 100 : 1.05 * highest / unit, canvas.bottom, canvas.top), ticks = ticksOf(canvas, scale);
    const place = linearScale(0.45, xs.length + 0.55, canvas.left, canvas.right), wide = Math.min(90, 0.7 * (place(2) - place(1)));
    const height = (mark) => shares ? 100 * mark.values[0] / total.get(mark.x) : mark.values[0] / unit, base = new Map();
    drawYAxis(canvas, scale, ticks, shares ? "share of the time (%)" : `time (${unitName})`);
    for (const mark of picture.marks) {
        const from = base.get(mark.x) || 0, to = from + height(mark);
        base.set(mark.x, to);
        boxMark(canvas, mark, place(xs.indexOf(mark.x) + 1) - wide / 2, scale(to), wide, scale(from) - scale(to),
            {class: "bar part " + colourClass(mark.series) + (mark.warning ? " hollow" : "")});
    }
    xs.forEach((x, i) => drawAbove(canvas, place(i + 1), scale(base.get(x)), text(x), upright));
    drawNames(canvas, names, place);
    drawText(canvas, (canvas.left + canvas.right) / 2, canvas.height - 6, picture.settings.xlabel || "", {"text-anchor": "middle", class: "title"});
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
    const width = (canvas.right - canvas.left) / across.length, height = (canvas.bottom - canvas.top) / down.length, gapX = width > 6 ? 1 : 0, gapY = height > 6 ? 1 : 0;
    const every = Math.ceil(down.length / Math.max(1, (canvas.bottom - canvas.top) / 14)), step = Math.ceil(across.length * 30 / (canvas.right - canvas.left));
    down.forEach((value, i) => i % every ? 0 : drawText(canvas, canvas.left - 6, canvas.top + (i + 0.5) * height + 4, formatNumber(value), {"text-anchor": "end"}));
    for (const mark of marks) {
        const x = canvas.left + across.indexOf(mark.x) * width, y = canvas.top + down.indexOf(mark.at[0]) * height, dark = shade(amount(mark), low, high);
        boxMark(canvas, mark, x, y, width - gapX, height - gapY, {class: `cell s${dark}` + (mark.warning ? " hollow" : "")});
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

function shadeLegend({low, high, degrees}, picture) {
    const text = (value) => degrees ? formatShort(2 ** value) + "\u00D7" : formatShort(value);
    const unit = picture.kind === "matrix" ? "GB/s" : degrees ? "the cost of stride 1" : "ns";
    return element("p", {class: "shades"}, text(low), shape("svg", {width: 132, height: 12, "aria-hidden": "true"},
        Array.from({length: 11}, (_, i) => shape("rect", {x: 12 * i, y: 0, width: 12, height: 12, class: "cell s" + i}))), text(high), " " + unit);
}
