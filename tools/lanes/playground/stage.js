// Draws one GPU's panel: the lanes above, the banks or bytes below, and between them what moves in the current step.
'use strict';

const labelWidth = 40, lanesPerRow = 32, laneHeight = 18, groupHeight = 11, flight = 64, rulerHeight = 14;
const symbols = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ@$';

function clamp(value, least, most) {
    return Math.min(Math.max(value, least), most);
}

function ease(part) {
    return part * part * (3 - 2 * part);
}

class Stage {
    constructor(canvas) {
        this.canvas = canvas;
        this.layer = document.createElement('canvas'); // the steps that are done, which change rarely
        this.painted = 0;
    }

    // A canvas knows no variables, so an element resolves them.
    colors() {
        const probe = this.canvas.parentElement.appendChild(document.createElement('i'));
        const names = ['ink', 'muted', 'rule', 'one', 'several', 'extra', 'idle', 'now', 'on-cell', 'extra-ink'];
        const entries = names.map((name) => {
            probe.style.color = `var(--${name})`;
            return [name, getComputedStyle(probe).color];
        });
        probe.remove();
        return Object.fromEntries(entries);
    }

    // Must be called whenever the panel, the canvas's width or the colours change.
    show(panel, isGlobal) {
        this.panel = panel;
        this.isGlobal = isGlobal;
        this.color = this.colors();
        this.width = this.canvas.parentElement.clientWidth;
        this.cell = (this.width - labelWidth) / panel.columns;
        this.laneCell = (this.width - labelWidth) / lanesPerRow;
        this.laneRows = Math.ceil(panel.lanes.length / lanesPerRow);
        this.hasGroups = panel.groups > 1;
        this.laneRowHeight = laneHeight + (this.hasGroups ? groupHeight : 3);
        this.rowHeight = clamp(Math.floor(448 / Math.max(1, panel.rows.length)), 7, 20);
        this.top = this.laneRows * this.laneRowHeight + flight + rulerHeight;
        this.height = this.top + panel.rows.length * this.rowHeight + 4;
        for (const canvas of [this.canvas, this.layer]) {
            canvas.width = Math.round(this.width * devicePixelRatio);
            canvas.height = Math.round(this.height * devicePixelRatio);
        }
        this.canvas.style.height = `${this.height}px`;
        this.clearLayer();
    }

    context(canvas) {
        const context = canvas.getContext('2d');
        context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
        context.textAlign = 'center';
        context.textBaseline = 'middle';
        return context;
    }

    clearLayer() {
        const context = this.context(this.layer);
        context.clearRect(0, 0, this.width, this.height);
        this.drawRuler(context);
        this.panel.rows.forEach((row, index) => this.drawWaitingRow(context, row, index));
        this.painted = 0;
    }

    drawRuler(context) {
        context.fillStyle = this.color.muted;
        context.font = '11px system-ui, sans-serif';
        context.textAlign = 'right';
        context.fillText(this.isGlobal ? 'byte' : 'bank', labelWidth - 8, this.top - 8);
        context.textAlign = 'left';
        for (let column = 0; column < this.panel.columns; column += 8) {
            context.fillText(String(column * (this.isGlobal ? 4 : 1)), labelWidth + column * this.cell, this.top - 8);
        }
        context.textAlign = 'center';
    }

    rowTop(index) {
        return this.top + index * this.rowHeight;
    }

    drawLabel(context, row, index) {
        if (this.rowHeight < 9 && index % 4 !== 0) {
            return;
        }
        context.fillStyle = row.extra ? this.color['extra-ink'] : this.color.muted;
        context.font = `${Math.min(11, this.rowHeight < 9 ? 9 : this.rowHeight)}px ui-monospace, monospace`;
        context.textAlign = 'right';
        context.fillText(row.label.trim().replace(/ +/, ' ') + (row.extra ? '!' : ' '), labelWidth - 4, this.rowTop(index) + this.rowHeight / 2);
        context.textAlign = 'center';
    }

    // A request moves whole sectors of global memory.
    drawSectorEdges(context, row, index) {
        const columns = this.panel.gpu.sector_bytes / 4;
        context.fillStyle = this.color.ink;
        for (let column = 0; this.isGlobal && column < this.panel.columns; column += columns) {
            if (row.paid[column]) {
                context.fillRect(labelWidth + column * this.cell - 1.5, this.rowTop(index) - 0.5, 2, this.rowHeight);
                context.fillRect(labelWidth + (column + columns) * this.cell - 1.5, this.rowTop(index) - 0.5, 2, this.rowHeight);
            }
        }
    }

    drawWaitingRow(context, row, index) {
        this.drawLabel(context, row, index);
        context.strokeStyle = this.color.rule;
        context.lineWidth = 1;
        row.lanes.forEach((_, column) => {
            if (row.paid[column]) {
                context.strokeRect(labelWidth + column * this.cell + 0.5, this.rowTop(index) + 0.5, this.cell - 2, this.rowHeight - 2);
            }
        });
        this.drawSectorEdges(context, row, index);
    }

    cellColor(row, lanes) {
        return row.extra ? this.color.extra : lanes.length > 1 ? this.color.several : this.color.one;
    }

    drawDoneRow(context, row, index) {
        const size = Math.min(this.rowHeight - 3, this.cell * (this.cell > 15 ? 0.68 : 1.05), 12);
        context.font = `${size}px ui-monospace, monospace`;
        row.lanes.forEach((lanes, column) => {
            if (!lanes.length && !row.paid[column]) {
                return;
            }
            const x = labelWidth + column * this.cell, y = this.rowTop(index);
            context.fillStyle = lanes.length ? this.cellColor(row, lanes) : this.color.idle;
            context.fillRect(x, y, this.cell - 1, this.rowHeight - 1);
            if (lanes.length && size >= 6) {
                context.fillStyle = this.color['on-cell'];
                context.fillText(this.laneName(lanes), x + this.cell / 2 - 0.5, y + this.rowHeight / 2);
            }
        });
        this.drawSectorEdges(context, row, index);
    }

    // Two digits where they fit, else one character as in the text below.
    laneName(lanes) {
        return lanes.length > 1 ? '*' : this.cell > 15 ? String(lanes[0]) : symbols[lanes[0]];
    }

    paintUpTo(done) {
        if (done < this.painted) {
            this.clearLayer();
        }
        const context = this.context(this.layer);
        for (; this.painted < done; this.painted++) {
            this.drawDoneRow(context, this.panel.rows[this.painted], this.painted);
        }
    }

    // position: how many steps are done, with the part of the current one.
    draw(position, lane) {
        const steps = this.panel.rows.length, at = clamp(position, 0, steps), done = Math.floor(at), part = at - done;
        this.paintUpTo(done);
        const context = this.context(this.canvas);
        context.clearRect(0, 0, this.width, this.height);
        context.drawImage(this.layer, 0, 0, this.width, this.height);
        this.drawLanes(context, done, part);
        if (part > 0) {
            this.drawFlight(context, this.panel.rows[done], done, ease(part), lane);
        } else if (done > 0 && done < steps) {
            this.drawFlight(context, this.panel.rows[done - 1], done - 1, 1, lane);
        }
        this.drawChosen(context, lane);
    }

    laneCorner(lane) {
        return [labelWidth + (lane % lanesPerRow) * this.laneCell, Math.floor(lane / lanesPerRow) * this.laneRowHeight];
    }

    drawLanes(context, done, part) {
        context.fillStyle = this.color.muted;
        context.font = '11px system-ui, sans-serif';
        context.textAlign = 'right';
        context.fillText('lane', labelWidth - 8, laneHeight / 2 + 1);
        context.textAlign = 'center';
        this.panel.lanes.forEach((lane, number) => this.drawLane(context, lane, number, done, part));
    }

    drawLane(context, lane, number, done, part) {
        const [x, y] = this.laneCorner(number), row = this.panel.rows[lane.row];
        const isServed = lane.active && lane.row < done, isNow = lane.active && lane.row === done && part > 0;
        const middle = x + this.laneCell / 2 - 0.5;
        if (isServed || isNow) {
            context.fillStyle = isNow ? this.color.now : this.cellColor(row, row.lanes[lane.column]);
            context.fillRect(x, y + 1, this.laneCell - 1, laneHeight - 2);
        } else if (lane.active) {
            context.strokeStyle = this.color.muted;
            context.lineWidth = 1;
            context.strokeRect(x + 0.5, y + 1.5, this.laneCell - 2, laneHeight - 3);
        }
        context.font = `${this.laneCell > 15 ? 10.5 : 9}px ui-monospace, monospace`;
        context.fillStyle = isServed || isNow ? this.color['on-cell'] : lane.active ? this.color.ink : this.color.muted;
        const name = this.laneCell > 15 ? String(number) : symbols[number];
        context.fillText(lane.active ? name : '·', middle, y + laneHeight / 2 + 0.5);
        if (this.hasGroups && lane.active) {
            context.font = '9px system-ui, sans-serif';
            context.fillStyle = this.color.muted;
            context.fillText(String.fromCharCode(65 + lane.group), middle, y + laneHeight + groupHeight / 2);
        }
    }

    cellTop(index, column) {
        return [labelWidth + (column + 0.5) * this.cell - 0.5, this.rowTop(index)];
    }

    drawFlight(context, row, index, part, chosen) {
        row.lanes.forEach((lanes, column) => lanes.forEach((lane) => {
            const [x, y] = this.laneCorner(lane), from = [x + this.laneCell / 2, y + laneHeight];
            this.drawPath(context, from, this.cellTop(index, column), part, lane === chosen ? this.color.now : this.cellColor(row, lanes),
                lane === chosen ? 2.5 : 1);
        }));
    }

    drawPath(context, [x0, y0], [x1, y1], part, color, width) {
        const bend = this.laneRows * this.laneRowHeight + flight / 2;
        context.strokeStyle = context.fillStyle = color;
        context.lineWidth = width;
        context.globalAlpha = 0.55;
        context.beginPath();
        context.moveTo(x0, y0);
        context.bezierCurveTo(x0, bend, x1, bend, x1, y1);
        context.stroke();
        context.globalAlpha = 1;
        const rest = 1 - part, a = rest * rest * rest, b = 3 * rest * rest * part, c = 3 * rest * part * part, d = part * part * part;
        context.beginPath();
        context.arc(a * x0 + b * x0 + c * x1 + d * x1, a * y0 + b * bend + c * bend + d * y1, 2.5, 0, 2 * Math.PI);
        context.fill();
    }

    // Outlines the chosen lane above and its cells below.
    drawChosen(context, chosen) {
        const lane = this.panel.lanes[chosen];
        if (!lane) {
            return;
        }
        const [x, y] = this.laneCorner(chosen);
        context.strokeStyle = this.color.now;
        context.lineWidth = 2;
        context.strokeRect(x, y + 1, this.laneCell - 1, laneHeight - 2);
        this.panel.rows.forEach((row, index) => row.lanes.forEach((lanes, column) => {
            if (lanes.includes(chosen)) {
                context.strokeRect(labelWidth + column * this.cell, this.rowTop(index), this.cell - 1, this.rowHeight - 1);
            }
        }));
    }

    // The lane at a place of the canvas, or -1.
    laneAt(x, y) {
        const above = Math.floor(y / this.laneRowHeight), column = Math.floor((x - labelWidth) / this.laneCell);
        if (x >= labelWidth && above < this.laneRows) {
            const lane = above * lanesPerRow + column;
            return lane < this.panel.lanes.length ? lane : -1;
        }
        const row = this.panel.rows[Math.floor((y - this.top) / this.rowHeight)];
        const lanes = row && row.lanes[Math.floor((x - labelWidth) / this.cell)];
        return lanes && lanes.length ? lanes[0] : -1;
    }
}
