// Lines over a sweep: series.gp and scaling.gp of plots/.

// The peak that all series share, if they do: it is named on its line. Several peaks are named in the legend, because their lines
// may lie too close together for names.
function sharedPeak(picture) {
    const peaks = new Set(picture.series.map(([, peak]) => peak).filter(isNumber));
    return picture.settings.show_peak && peaks.size === 1 ? [...peaks][0] : null;
}

function peakText(peak) {
    return `peak ${formatNumber(peak)} GB/s`;
}

function levelsOf(picture) {
    const settings = picture.settings, shared = sharedPeak(picture);
    const levels = !settings.show_peak  ? []
                   : isNumber(shared) ? [{value: shared, text: peakText(shared), series: 0}]
                                      : picture.series.map(([, peak], i) => ({value: peak, text: "", series: i + 1}))
                                            .filter(({value}) => isNumber(value));
    return isNumber(settings.limit) ? [...levels, {value: settings.limit, text: settings.limit_name || ""}] : levels;
}

function curveClass(device, i) {
    return `curve ${device.startsWith("AMD") ? "amd" : "nvidia"} dash${i % 3}`;
}

function seriesScales(canvas, picture, levels, curves) {
    const settings = picture.settings, marks = picture.marks;
    const [xLow, xHigh] = extent(marks.map((mark) => mark.x));
    const values =
        marks.flatMap((mark) => [mark.values[0], mark.low, mark.high])
            .concat(levels.map((level) => level.value),
                curves.flatMap(([, points]) => points.filter(([x]) => x >= xLow && x <= xHigh).map(([, y]) => y)),
                picture.kind === "scaling" ? [100 * xHigh] : []);
    const [yLow, yHigh] = extent(values);
    const logX = settings.log_x !== 0 && xLow > 0;
    const least = Math.min(...values.filter((value) => value > 0));
    const room = 0.12 * (yHigh - yLow || 1);
    const spread = xHigh > xLow ? 0.03 * (xHigh - xLow) : 1;
    const factor = xHigh > xLow ? 1.15 : 2;
    const y = settings.log_y !== 0
                  ? logScale(least / 1.4, yHigh * 1.5, canvas.bottom, canvas.top, 10)
                  : linearScale(settings.from_zero === 0 ? yLow - room : 0, yHigh + room, canvas.bottom, canvas.top);
    const ticks = ticksOf(canvas, y);
    const x = picture.names.length ? linearScale(0.45, picture.names.length + 0.55, canvas.left, canvas.right)
              : logX               ? logScale(xLow / factor, xHigh * factor, canvas.left, canvas.right, 2)
                                   : linearScale(xLow - spread, xHigh + spread, canvas.left, canvas.right);
    return {x, y, ticks, logX, xLow, xHigh, top: yHigh};
}

function drawLine(canvas, points, scales, kind) {
    const places =
        points.filter(([, y]) => isNumber(y)).map(([x, y]) => `${scales.x(x).toFixed(1)},${scales.y(y).toFixed(1)}`);
    canvas.svg.append(shape("polyline", {class: kind, points: places.join(" ")}));
}

// A line ends where rows lack.
function drawStretches(canvas, marks, scales, kind) {
    const stretches = [];
    for (const mark of marks) {
        if (mark.afterGap || !stretches.length) {
            stretches.push([]);
        }
        stretches[stretches.length - 1].push([mark.x, mark.values[0]]);
    }
    stretches.forEach((points) => drawLine(canvas, points, scales, kind));
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
        canvas.svg.append(shape("rect", {
            x,
            y: canvas.top,
            width: Math.max(1, width),
            height: canvas.bottom - canvas.top,
            class: "shade odd" + i % 2
        }));
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
        drawLine(canvas,
            [[x, y], [Math.min(scales.xHigh, scales.top * x / y), Math.min(y * scales.xHigh / x, scales.top)]], scales,
            "bound");
    }
    curves.forEach(([device, points], i) => drawLine(canvas,
                       points.filter(([x]) => x >= scales.xLow && x <= scales.xHigh), scales, curveClass(device, i)));
    levels.forEach((level) => drawLevel(canvas, scales.y(level.value), level.text, level.series));
    for (const [source, kind] of [[2, "publishedLine"], [1, "predictedLine"]]) {
        bySeries(picture.marks, source)
            .forEach((marks, series) => drawStretches(canvas, marks, scales, kind + " " + colourClass(series)));
    }
}

function drawSeries(canvas, picture) {
    const settings = picture.settings;
    const levels = levelsOf(picture);
    const curves = picture.curves;
    if (picture.names.length) {
        nameRoom(canvas, picture.names);
    }
    const scales = seriesScales(canvas, picture, levels, curves);
    const binary = /byte|elements|footprint/.test(settings.xlabel || "") && scales.logX;
    if (picture.values[1] === "sure_level") {
        drawShades(canvas, picture, scales);
    }
    drawYAxis(canvas, scales.y, scales.ticks, settings.ylabel);
    if (picture.names.length) {
        drawNames(canvas, picture.names, scales.x);
    } else {
        drawXAxis(canvas, scales.x, scales.x.ticks((canvas.right - canvas.left) / 46),
            binary ? formatBinary : formatNumber, settings.xlabel);
    }
    drawBackground(canvas, picture, scales, levels, curves);
    const radius = picture.marks.length > 150 ? 3 : 4.2;
    const larger = picture.marks.length > 150 ? 0 : 0.35; // so that all points at one place are seen
    for (const mark of picture.marks) {
        const x = scales.x(mark.x);
        const y = isNumber(mark.values[0]) ? scales.y(mark.values[0]) : canvas.bottom;
        if (mark.interval) {
            drawWhisker(canvas, colourClass(mark.series), x, scales.y(mark.low), scales.y(mark.high));
        }
        pointMark(canvas, mark, x, y, radius + larger * (picture.series.length - mark.series));
    }
}
