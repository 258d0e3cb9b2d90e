// Explains the marks of a chart to a pointer and to the arrow keys.

const POINTER_REACH = 28; // pixels

// The row behind a mark; null for published figures.
function rowOf(mark, tables) {
    const table = tables[mark.file - 1];
    return mark.source === 2 || !table ? null : {table, row: mark.row};
}

function describe(mark, picture, tables) {
    const row = rowOf(mark, tables), facts = row ? rowFacts(row.table, row.row) : [];
    const x = picture.names.length ? picture.names[mark.x - 1] : mark.x;
    const shown = [[picture.rows[picture.rows.length - 1], x], [picture.values[0], mark.values[0]]].filter(
        ([, value]) => value !== null);
    const isCarried = row && mark.source === 1 && fieldOf(row.table, row.row, "source") === "measured";
    const source = SOURCES[mark.source] + (isCarried ? ", with the row that was measured" : "");
    return {
        heading: [picture.seriesNames[mark.series - 1], source, mark.warning.replace(/\+/g, ", ")].filter(Boolean).join(
            " \u00B7 "),
        lines: [...shown, ...facts.filter(([name]) => !shown.some(([other]) => other === name))],
    };
}

function distanceTo(box, x, y) {
    return Math.hypot(Math.max(box[0] - x, 0, x - box[2]), Math.max(box[1] - y, 0, y - box[3]));
}

function nearestPoint(points, x, y) {
    let nearest = -1, least = POINTER_REACH;
    points.forEach(({box}, i) => {
        const distance = distanceTo(box, x, y);
        if (distance < least) {
            [nearest, least] = [i, distance];
        }
    });
    return nearest;
}

// The next mark of another series or source at the same x.
function turnFrom(points, at, turn) {
    const line = (i) => points[i].mark.series + " " + points[i].mark.source;
    for (let i = at; i >= 0 && i < points.length; i += turn) {
        if (line(i) !== line(at) && points[i].mark.x === points[at].mark.x) {
            return i;
        }
    }
    return at;
}

// Where a key leads; null if it leads nowhere.
function nextPoint(points, at, key) {
    switch (key) {
    case "ArrowRight":
        return Math.min(at + 1, points.length - 1);
    case "ArrowLeft":
        return Math.max(at - 1, 0);
    case "ArrowDown":
        return turnFrom(points, Math.max(at, 0), 1);
    case "ArrowUp":
        return turnFrom(points, Math.max(at, 0), -1);
    case "Home":
        return 0;
    case "End":
        return points.length - 1;
    default:
        return null;
    }
}

// Shows the row of a point in a ring, beside the place of the pointer or else beside the point.
function pointAt(canvas, tables, {box, mark}, ring, event) {
    const size = canvas.svg.getBoundingClientRect();
    const scale = size.width / canvas.width;
    const {heading, lines} = describe(mark, canvas.picture, tables);
    fill(ring, {
        x: box[0] - 6,
        y: box[1] - 6,
        width: box[2] - box[0] + 12,
        height: box[3] - box[1] + 12,
        visibility: "visible"
    },
        []);
    showTip(heading, lines, event ? event.clientX : size.left + box[2] * scale,
        event ? event.clientY : size.top + box[1] * scale);
    if (!event) {
        say(heading + ": " +
            lines.slice(0, 8).map(([name, value]) => `${columnTitle(name)} ${formatNumber(value)}`).join(", "));
    }
}

function attend(canvas, tables) {
    const {svg, points} = canvas;
    const ring = shape("rect", {class: "ring", rx: 4, visibility: "hidden"});
    let at = -1;
    svg.append(ring);
    const leave = () => {
        ring.setAttribute("visibility", "hidden");
        hideTip();
    };
    const follow = (event) => {
        const size = svg.getBoundingClientRect(), scale = canvas.width / size.width;
        const nearest = nearestPoint(points, (event.clientX - size.left) * scale, (event.clientY - size.top) * scale);
        if (nearest >= 0) {
            at = nearest;
            pointAt(canvas, tables, points[at], ring, event);
        } else {
            leave();
        }
    };
    const step = (event) => {
        const next = points.length ? nextPoint(points, at, event.key) : null;
        if (next !== null) {
            event.preventDefault();
            at = next;
            pointAt(canvas, tables, points[at], ring, null);
        }
    };
    svg.addEventListener("pointermove", follow);
    svg.addEventListener("pointerdown", follow);
    svg.addEventListener("pointerleave", leave);
    svg.addEventListener("blur", leave);
    svg.addEventListener("keydown", (event) => event.key === "Escape" ? leave() : step(event));
}
