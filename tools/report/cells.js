// Cells whose colour is a number: matrix.gp of plots/, and charts with "# picture: cells".

// The darkness of a cell, 0 to 10.
function shade(value, low, high) {
    return Math.max(0, Math.min(10, Math.round(10 * (value - low) / (high - low || 1))));
}

// The different values of marks in order.
function distinct(values) {
    return [...new Set(values)].sort((a, b) => a - b);
}

// What a cell's colour and number show: bank conflicts as multiples of stride 1, which a file has in percent.
function cellScale(picture) {
    const isDegree = picture.chart === "smem-conflicts";
    const number = (mark) => isDegree ? mark.values[0] / 100 : mark.values[0];
    const amount = (mark) => isDegree ? Math.log2(Math.max(1, number(mark))) : number(mark);
    const [least, high] = extent(picture.marks.map(amount));
    return {isDegree, number, amount, low: isDegree || picture.kind === "matrix" ? 0 : least, high};
}

// Where the cells of these rows and columns are.
function cellGrid(canvas, down, across) {
    const width = (canvas.right - canvas.left) / across.length;
    const height = (canvas.bottom - canvas.top) / down.length;
    return {
        down,
        across,
        width,
        height,
        x: (value) => canvas.left + across.indexOf(value) * width,
        y: (value) => canvas.top + down.indexOf(value) * height,
    };
}

function nameCells(canvas, picture, grid) {
    const every = Math.ceil(14 / grid.height);
    const step = Math.ceil(30 / grid.width);
    grid.down.filter((_, i) => i % every === 0)
        .forEach((value) => drawText(canvas, canvas.left - 6, grid.y(value) + grid.height / 2 + 4, formatNumber(value),
                     {"text-anchor": "end"}));
    if (picture.chart !== "levels-partitions") { // whose addresses are random
        grid.across.filter((_, i) => i % step === 0)
            .forEach((value) => drawText(canvas, grid.x(value) + grid.width / 2, canvas.bottom + 14,
                         formatNumber(value), {"text-anchor": "middle"}));
    }
    const isMatrix = picture.kind === "matrix";
    drawXTitle(canvas, picture.settings.xlabel || (isMatrix ? "to device" : "stride (elements)"));
    drawYTitle(canvas, isMatrix ? "from device" : picture.settings.ylabel);
}

function drawCells(canvas, picture, series) {
    const marks = picture.marks.filter((mark) => mark.series === series);
    canvas.left = 48;
    canvas.top = 8;
    const grid = cellGrid(canvas, distinct(marks.map((mark) => mark.at[0])), distinct(marks.map((mark) => mark.x)));
    const scale = cellScale(picture);
    const wide = grid.width - (grid.width > 6 ? 1 : 0);
    const high = grid.height - (grid.height > 6 ? 1 : 0);
    for (const mark of marks) {
        const x = grid.x(mark.x);
        const y = grid.y(mark.at[0]);
        const dark = "s" + shade(scale.amount(mark), scale.low, scale.high);
        boxMark(canvas, mark, x, y, wide, high, {class: `cell ${dark}` + (mark.warning ? " hollow" : "")});
        if (grid.width > 26 && grid.height > 13) {
            drawText(canvas, x + grid.width / 2, y + grid.height / 2 + 4, formatShort(scale.number(mark)),
                {"text-anchor": "middle", class: "on " + dark});
        }
    }
    nameCells(canvas, picture, grid);
    return scale;
}

function shadeLegend({low, high, isDegree}, picture) {
    const text = (value) => isDegree ? formatShort(2 ** value) + "\u00D7" : formatShort(value);
    const unit = picture.kind === "matrix" ? "GB/s" : isDegree ? "the cost of stride 1" : "ns";
    return element("p", {class: "shades"}, text(low),
        shape("svg", {width: 132, height: 12, "aria-hidden": "true"},
            Array.from(
                {length: 11}, (_, i) => shape("rect", {x: 12 * i, y: 0, width: 12, height: 12, class: "cell s" + i}))),
        text(high), " " + unit);
}
