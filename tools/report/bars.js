// Bars: of variants (bars.gp, steps.gp of plots/), of variants and series, and of the parts of a whole (stack.gp).

// A level that other variants are compared with, named at its left end. The library's is dashed; predicted ones are
// thin.
function drawYardstick(canvas, mark, y, name, isLibrary, isAlone) {
    const node =
        shape("path", {d: `M${canvas.left},${y}H${canvas.right}`, class: "yardstick" + (isLibrary ? " library" : "")});
    addMark(canvas, mark, node, [canvas.left, y, canvas.right, y]);
    if (isAlone) {
        drawText(canvas, canvas.left + 4, isLibrary ? y + 14 : y - 5, name, {class: "halo"});
    }
}

// What bounds a bar, as a line across it. Returns the higher of its place and `top`.
function drawBound(canvas, x, y, wide, top) {
    canvas.svg.append(shape("path", {class: "bound", d: `M${x - 0.1 * wide},${y}h${wide * 1.2}`}));
    return Math.min(top, y);
}

// An end of a bar's interval, which is that of the first value, of which its height is a multiple.
function endOf(mark, end, height) {
    return mark.interval ? mark[end] * mark.values[height] / mark.values[0] : undefined;
}

// Bars of variants, whose height is values[height]; a prediction of a measured bar is a line across it. What stands
// after the last bar is a level to compare with.
function drawBars(canvas, picture, height) {
    const bars = picture.bars || Math.max(...picture.marks.map((mark) => mark.x));
    const shown = picture.marks.filter((mark) => mark.source !== 2);
    const bounded = picture.kind === "bars" && picture.values.length > 1;
    const text = (mark) => formatShort(mark.values[height] || 0);
    const upright = textsAreUpright(shown.map(text), (canvas.right - canvas.left) / bars);
    canvas.top += upright ? 36 : 8;
    nameRoom(canvas, picture.names.slice(0, bars));
    const high =
        extent(shown.flatMap((mark) => [mark.values[height], mark.x <= bars ? endOf(mark, "high", height) : undefined])
                   .concat(bounded ? shown.map((mark) => mark.values[1]) : []))[1];
    const scale = linearScale(0, 1.1 * high, canvas.bottom, canvas.top);
    const ticks = ticksOf(canvas, scale);
    const place = linearScale(0.45, bars + 0.55, canvas.left, canvas.right);
    const wide = Math.min(90, 0.7 * (place(2) - place(1)));
    const measured = new Set(shown.filter((mark) => mark.source === 0).map((mark) => mark.x));
    const tops = new Map();
    drawYAxis(canvas, scale, ticks, picture.settings.ylabel_text);
    for (const mark of shown) {
        const y = scale(mark.values[height] || 0);
        const x = place(mark.x) - wide / 2;
        const main = mark.source === 0 || !measured.has(mark.x);
        tops.set(mark.x, Math.min(y, tops.get(mark.x) ?? y));
        if (mark.x > bars) {
            drawYardstick(canvas, mark, y, picture.names[mark.x - 1], mark.x > bars + 1, main);
        } else if (main) {
            boxMark(canvas, mark, x, y, wide, canvas.bottom - y, {class: "bar c1" + (mark.warning ? " hollow" : "")});
        } else {
            boxMark(canvas, mark, x - 0.1 * wide, y - 1.5, wide * 1.2, 3, {class: "tick c2"});
        }
        if (mark.interval && mark.x <= bars) {
            const end = scale(endOf(mark, "high", height));
            drawWhisker(canvas, "ink", place(mark.x), scale(endOf(mark, "low", height)), end);
            tops.set(mark.x, Math.min(end, tops.get(mark.x)));
        }
        if (bounded && main && isNumber(mark.values[1])) {
            tops.set(mark.x, drawBound(canvas, x, scale(mark.values[1]), wide, tops.get(mark.x)));
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
    const scale = linearScale(
        0, 1.1 * Math.max(1, extent(picture.marks.map((mark) => mark.values[value]))[1]), canvas.bottom, canvas.top);
    const ticks = ticksOf(canvas, scale);
    const place = linearScale(0.45, picture.names.length + 0.55, canvas.left, canvas.right);
    const count = picture.series.length;
    const thin = Math.min(90, 0.8 * (place(2) - place(1)) / count);
    const measured =
        new Set(picture.marks.filter((mark) => mark.source === 0).map((mark) => mark.series + " " + mark.x));
    drawYAxis(canvas, scale, ticks, title);
    for (const mark of picture.marks) {
        const x = place(mark.x) + (mark.series - (count + 1) / 2) * thin - 0.45 * thin;
        const y = scale(mark.values[value] || 0);
        const behind = mark.source === 1 && measured.has(mark.series + " " + mark.x);
        boxMark(canvas, mark, x, behind ? y - 1.5 : y, 0.9 * thin, behind ? 3 : canvas.bottom - y,
            {class: (behind ? "tick ink" : "bar " + colourClass(mark.series)) + (mark.warning ? " hollow" : "")});
        if (mark.interval && value === 0) {
            drawWhisker(canvas, "ink", x + 0.45 * thin, scale(mark.low), scale(mark.high));
        }
    }
    if (!picture.marks.some((mark) => isNumber(mark.values[value]))) {
        drawText(canvas, (canvas.left + canvas.right) / 2, (canvas.top + canvas.bottom) / 2, "not counted",
            {"text-anchor": "middle", class: "halo"});
    }
    drawNames(canvas, picture.names, place);
}

// Parts of a whole, one upon the other in the order of a run.
function drawStack(canvas, picture) {
    const xs = [...new Set(picture.marks.map((mark) => mark.x))].sort((a, b) => a - b);
    const names = picture.names.length ? xs.map((x) => picture.names[x - 1]) : xs.map((x) => String(formatNumber(x)));
    const total = new Map(xs.map(
        (x) => [x, picture.marks.filter((mark) => mark.x === x).reduce((sum, mark) => sum + mark.values[0], 0)]));
    const shares = picture.settings.shares === 1;
    const highest = Math.max(...total.values());
    const [unit, unitName] = timeUnit(highest);
    const text = (x) => formatShort(total.get(x) / timeUnit(total.get(x))[0]) + " " + timeUnit(total.get(x))[1];
    const upright = textsAreUpright(xs.map(text), (canvas.right - canvas.left) / xs.length);
    canvas.top += upright ? 48 : 14;
    nameRoom(canvas, names);
    canvas.bottom -= picture.settings.xlabel ? 18 : 0;
    const scale = linearScale(0, shares ? 100 : 1.05 * highest / unit, canvas.bottom, canvas.top);
    const ticks = ticksOf(canvas, scale);
    const place = linearScale(0.45, xs.length + 0.55, canvas.left, canvas.right);
    const wide = Math.min(90, 0.7 * (place(2) - place(1)));
    const height = (mark) => shares ? 100 * mark.values[0] / total.get(mark.x) : mark.values[0] / unit;
    const base = new Map();
    drawYAxis(canvas, scale, ticks, shares ? "share of the sum above the bar (%)" : `time (${unitName})`);
    for (const mark of picture.marks) {
        const from = base.get(mark.x) || 0, to = from + height(mark);
        base.set(mark.x, to);
        boxMark(canvas, mark, place(xs.indexOf(mark.x) + 1) - wide / 2, scale(to), wide, scale(from) - scale(to),
            {class: "bar part " + colourClass(mark.series) + (mark.warning ? " hollow" : "")});
    }
    xs.forEach((x, i) => drawAbove(canvas, place(i + 1), scale(base.get(x)), text(x), upright));
    drawNames(canvas, names, place);
    drawXTitle(canvas, picture.settings.xlabel);
}
