// Scales, axes and the marks of charts.

const MARK_SHAPES = [
    (r) => `M${- r},0A${r},${r} 0 1 1 ${r},0A${r},${r} 0 1 1 ${- r},0Z`,
    (r) => `M${- r * 0.9},${- r * 0.9}H${r * 0.9}V${r * 0.9}H${- r * 0.9}Z`,
    (r) => `M0,${- r * 1.2}L${r * 1.1},${r * 0.8}H${- r * 1.1}Z`,
    (r) => `M0,${r * 1.2}L${r * 1.1},${- r * 0.8}H${- r * 1.1}Z`,
    (r) => `M0,${- r * 1.3}L${r * 1.1},0L0,${r * 1.3}L${- r * 1.1},0Z`,
    (r) => `M0,${- r * 1.2}L${r * 1.15},${- r * 0.3}L${r * 0.7},${r}H${- r * 0.7}L${- r * 1.15},${- r * 0.3}Z`,
    (r) => `M${- r * 1.1},0L${- r * 0.55},${- r}H${r * 0.55}L${r * 1.1},0L${r * 0.55},${r}H${- r * 0.55}Z`,
    (r) => `M${- r * 0.4},${- r}H${r * 0.4}V${- r * 0.4}H${r}V${r * 0.4}H${r * 0.4}V${r}H${- r * 0.4}V${r * 0.4}H${
        - r}V${- r * 0.4}H${- r * 0.4}Z`,
];
const CROSS = "M-4,-4L4,4M-4,4L4,-4";

function colourClass(series) {
    return "c" + ((series - 1) % 8 + 1);
}

// A scale maps a value to a place between `from` and `to`.
function linearScale(low, high, from, to) {
    const scale = (value) => from + (to - from) * (value - low) / (high - low || 1);
    scale.ticks = (count) => {
        const rough = (high - low) / Math.max(1, count);
        const power = 10 ** Math.floor(Math.log10(rough));
        const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough);
        const ticks = [];
        for (let n = Math.ceil(low / step); n * step <= high * (1 + 1e-9); n++) {
            ticks.push(Number((n * step).toPrecision(12)));
        }
        return ticks;
    };
    return scale;
}

function logScale(low, high, from, to, base) {
    const inner = linearScale(Math.log(low), Math.log(high), from, to);
    const scale = (value) => inner(Math.log(Math.max(value, low)));
    scale.ticks = (count) => base === 2 ? powersOfTwo(low, high, count) : decades(low, high, count);
    return scale;
}

function powersOfTwo(low, high, count) {
    const first = Math.ceil(Math.log2(low) - 1e-9), last = Math.floor(Math.log2(high) + 1e-9);
    const step = Math.max(1, Math.ceil((last - first + 1) / Math.max(1, count)));
    const ticks = [];
    for (let n = Math.ceil(first / step) * step; n <= last; n += step) {
        ticks.push(2 ** n);
    }
    return ticks;
}

function decades(low, high, count) {
    const all = [];
    for (let n = Math.floor(Math.log10(low)); n <= Math.ceil(Math.log10(high)); n++) {
        all.push(...[1, 2, 5].map((digit) => Number((digit * 10 ** n).toPrecision(1))));
    }
    const ticks = all.filter((value) => value >= low && value <= high);
    return ticks.length > count ? ticks.filter((value) => String(value).replace(/[.0]/g, "").startsWith("1")) : ticks;
}

// What is drawn on: an SVG of a width in pixels, so that its letters keep their size on every screen.
function makeCanvas(picture, width, height, label) {
    const svg = shape("svg", {
        viewBox: `0 0 ${width} ${height}`,
        width,
        height,
        role: "application",
        "aria-roledescription": "chart",
        "aria-label": label,
        tabindex: "0"
    });
    return {
        picture,
        svg,
        width,
        height,
        points: [],
        isShadow: false,
        left: 58,
        right: width - 12,
        top: 12,
        bottom: height - 46
    };
}

function drawText(canvas, x, y, text, attributes) {
    canvas.svg.append(shape("text", {x, y, ...attributes}, text));
}

function drawXTitle(canvas, title) {
    drawText(canvas, (canvas.left + canvas.right) / 2, canvas.height - 6, title || "",
        {"text-anchor": "middle", class: "title"});
}

function drawYTitle(canvas, title) {
    const middle = (canvas.top + canvas.bottom) / 2;
    drawText(canvas, 13, middle, title || "",
        {"text-anchor": "middle", class: "title", transform: `rotate(-90 13 ${middle})`});
}

function drawXAxis(canvas, scale, ticks, format, title) {
    const {svg, top, bottom, left, right} = canvas;
    svg.append(shape("path", {class: "axis", d: `M${left},${bottom}H${right}`}));
    for (const tick of ticks) {
        svg.append(shape("path", {class: "grid", d: `M${scale(tick)},${top}V${bottom}`}));
        drawText(canvas, scale(tick), bottom + 16, format(tick), {"text-anchor": "middle"});
    }
    drawXTitle(canvas, title);
}

// A number along an axis: 60M where the digits would take too much room.
function formatTick(value) {
    return value >= 1e6 ? formatNumber(value / 1e6) + "M" : formatNumber(value);
}

// The numbers along the left side, for which it makes room.
function ticksOf(canvas, scale) {
    const ticks = scale.ticks((canvas.bottom - canvas.top) / 34);
    canvas.left = Math.max(canvas.nameLeft || 0, 30 + 7 * Math.max(...ticks.map((tick) => formatTick(tick).length)));
    return ticks;
}

function drawYAxis(canvas, scale, ticks, title) {
    const {svg, left, right} = canvas;
    for (const tick of ticks) {
        svg.append(shape("path", {class: "grid", d: `M${left},${scale(tick)}H${right}`}));
        drawText(canvas, left - 6, scale(tick) + 4, formatTick(tick), {"text-anchor": "end"});
    }
    drawYTitle(canvas, title);
}

// The names of positions; slanted if they are too long. Makes room at the foot first.
function nameRoom(canvas, names) {
    const longest = Math.max(...names.map((name) => name.length)) * 6.6;
    canvas.slanted = longest > (canvas.right - canvas.left) / names.length - 6;
    canvas.bottom = canvas.height - (canvas.slanted ? 14 + longest * 0.72 : 26);
    const first = names[0].length * 6.6 * 0.72 - (canvas.right - canvas.left) / names.length / 2;
    canvas.nameLeft = canvas.slanted ? Math.min(110, first) : 0;
}

// Texts above bars are upright if one of them is wider than the room for a bar.
function textsAreUpright(texts, slot) {
    return Math.max(...texts.map((text) => text.length)) * 7 > slot;
}

function drawAbove(canvas, x, y, text, upright) {
    const turned = {transform: `rotate(-90 ${x + 4} ${y - 5})`, class: "halo"};
    drawText(canvas, upright ? x + 4 : x, y - 5, text, upright ? turned : {"text-anchor": "middle", class: "halo"});
}

function drawNames(canvas, names, place) {
    canvas.svg.append(shape("path", {class: "axis", d: `M${canvas.left},${canvas.bottom}H${canvas.right}`}));
    names.forEach((name, i) => {
        const x = place(i + 1), y = canvas.bottom + 16;
        drawText(canvas, x, y, name,
            canvas.slanted ? {"text-anchor": "end", transform: `rotate(-45 ${x} ${y})`} : {"text-anchor": "middle"});
    });
}

// A level across the chart, named at its right end unless the legend names it.
function drawLevel(canvas, y, text, series) {
    canvas.svg.append(shape(
        "path", {class: "level " + (series ? colourClass(series) : ""), d: `M${canvas.left},${y}H${canvas.right}`}));
    if (text) {
        drawText(canvas, canvas.right - 2, y - 5, text, {"text-anchor": "end", class: "halo"});
    }
}

// Adds what stands for one row, with the rectangle in which a pointer finds it. A canvas that shows the rows once more
// has shadows of marks.
function addMark(canvas, mark, node, box) {
    node.classList.add(canvas.isShadow ? "shadow" : "mark", SOURCES[mark.source]);
    canvas.svg.append(node);
    canvas.points.push({mark, node, box});
}

function pointMark(canvas, mark, x, y, radius) {
    const r = mark.source === 1 ? 2 : radius || 4.2;
    const path = mark.source === 2 ? CROSS : MARK_SHAPES[mark.source === 1 ? 0 : (mark.series - 1) % 8](r);
    const node = shape("path", {
        d: path,
        transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`,
        class: colourClass(mark.series) + (mark.warning ? " hollow" : "")
    });
    addMark(canvas, mark, node, [x, y, x, y]);
}

function boxMark(canvas, mark, x, y, width, height, attributes) {
    const node = shape("rect", {
        x: x.toFixed(1),
        y: y.toFixed(1),
        width: Math.max(0.5, width).toFixed(1),
        height: Math.max(0.5, height).toFixed(1),
        ...attributes
    });
    addMark(canvas, mark, node, [x, y, x + width, y + height]);
}

// The bar through a point or at the end of a column, where it is longer than the point.
function drawWhisker(canvas, colour, x, low, high) {
    if (low - high > 6) {
        canvas.svg.append(shape("path", {
            class: "whisker " + colour,
            d: `M${x - 3},${low}h6M${x},${low}V${high}M${x - 3},${high}h6`
        }));
    }
}
