// A picture as tools/report/charts/json.h describes it, and what its drawing starts from.

function readMarks(picture) {
    const rows = picture.rows.length, end = 5 + rows + picture.values.length;
    return picture.marks.map((list, i) => ({
        series: list[0],
        source: list[1],
        file: list[2],
        row: list[3] - 1,
        warning: list[4],
        at: list.slice(5, 5 + rows),
        x: list[4 + rows],
        afterGap: picture.gaps.includes(i),
        values: list.slice(5 + rows, end),
        low: list[end],
        high: list[end + 1],
        interval: list[end + 2] || 0
    }));
}

function readPicture(picture) {
    const labels = new Map((picture.settings.labels || "").split(" ").map((word) => word.split("=")));
    return {
        ...picture,
        marks: readMarks(picture),
        curves: picture.curves && data.curves[picture.chart] || [],
        names: picture.names.map((name) => labels.get(name) || name),
        seriesNames: picture.series.map(([name]) => name + (picture.settings.unit || ""))
    };
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
