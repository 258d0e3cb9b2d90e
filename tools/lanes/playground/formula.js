// The formula of the moment: how one lane's address leads to its bank or sector, and where the total comes from.
'use strict';

function greatestCommonDivisor(a, b) {
    return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

function plural(count, word) {
    return `${count} ${word}${count === 1 ? '' : word.endsWith('s') ? 'es' : 's'}`;
}

function addressFormula(state, lane, address) {
    if (state.kind === 'addresses') {
        return `address = ${address}, as typed`;
    }
    const offset = state.offset ? ` + ${state.offset}` : '';
    if (state.kind === 'stride') {
        return `address = (lane × stride${offset ? ' + offset' : ''}) × width = ` +
            `(${lane} × ${state.stride}${offset}) × ${state.width} = ${address}`;
    }
    const tile = tileOf(state), x = lane % tile.x, y = Math.floor(lane / tile.x);
    const row = tile.byColumn ? x : y, column = tile.byColumn ? y : x;
    const place = tile.swizzled ? `(${column} xor ${row})` : `${column}`;
    const element = `${row} × ${tile.pitch} + ${place}`;
    const strided = state.stride === 1 ? element : `(${element}) × ${state.stride}`;
    return `row ${row}, column ${column}: address = (${strided}${offset}) × ${state.width} = ${address}`;
}

function placeFormula(state, panel, address) {
    const { gpu, columns, bank_bytes } = panel;
    if (state.space === 'global') {
        return `sector = floor(${address} / ${gpu.sector_bytes}) = ${address / BigInt(gpu.sector_bytes)}, ` +
            `line = floor(${address} / ${gpu.line_bytes}) = ${address / BigInt(gpu.line_bytes)}`;
    }
    const bank = address / BigInt(bank_bytes) % BigInt(columns);
    const words = Math.max(1, state.width / bank_bytes);
    return `bank = floor(${address} / ${bank_bytes}) mod ${columns} = ${bank}` +
        (words > 1 ? `, and the ${words === 2 ? 'next one' : `next ${words - 1}`}` : '');
}

// The rows of each group of lanes.
function groupsOf(panel) {
    const groups = new Map();
    for (const row of panel.rows) {
        const name = row.label.trim()[0];
        groups.set(name, (groups.get(name) || 0) + 1);
    }
    return [...groups].map(([name, passes]) => ({ name, passes }));
}

// The bank that needs the most passes of the group with the most: its number, or -1 where none waits.
function busiestBank(panel) {
    const last = panel.rows.reduce((most, row) => (row.extra && Number(row.label.trim().slice(1)) >
        Number(most ? most.label.trim().slice(1) : 0) ? row : most), null);
    return last ? last.lanes.findIndex((lanes) => lanes.length) : -1;
}

// gcd(stride, 32) holds for words of 4 bytes where every group is of 32 lanes and all lanes are there.
function gcdHolds(state, panel) {
    return state.kind === 'stride' && state.width === 4 && state.stride > 0 && panel.columns === 32 && panel.bank_bytes === 4 &&
        panel.active_lanes === panel.gpu.warp_width && panel.gpu.warp_width === 32 * panel.groups &&
        panel.passes === panel.groups * greatestCommonDivisor(state.stride, 32);
}

function sharedTotal(state, panel) {
    const groups = groupsOf(panel);
    if (gcdHolds(state, panel)) {
        const times = panel.groups > 1 ? `${panel.groups} groups × ` : '';
        return `passes = ${times}gcd(stride, 32) = ${times}gcd(${state.stride}, 32) = ${panel.passes}`;
    }
    const sum = groups.length > 1 ? `${groups.map(({ name, passes }) => `${name} ${passes}`).join(' + ')} = ` : '';
    const bank = busiestBank(panel);
    const why = bank < 0 ? 'no bank has two words to deliver to one group' : `bank ${bank} has the most words to deliver`;
    return `passes = ${sum}${panel.passes}: ${why}`;
}

function globalTotal(state, panel) {
    const { gpu, sectors, active_lanes } = panel;
    const moved = sectors * gpu.sector_bytes, wanted = active_lanes * state.width;
    return `${plural(sectors, 'sector')} × ${gpu.sector_bytes} bytes = ${moved} moved for ${wanted} requested` +
        (sectors ? `: ${(100 * wanted / moved).toFixed(1)} %` : '');
}

// The formula as lines of text. lane: the one that the reader looks at.
function formulaOf(state, panel, lane) {
    const at = panel.lanes[lane];
    const total = state.space === 'shared' ? sharedTotal(state, panel) : globalTotal(state, panel);
    if (!at || !at.active) {
        return [`lane ${lane} takes no part`, total];
    }
    return [`lane ${lane}: ${addressFormula(state, lane, at.address)}`, placeFormula(state, panel, at.address), total];
}

function rangeOf(numbers) {
    const ranges = [];
    for (const number of numbers) {
        const last = ranges[ranges.length - 1];
        if (last && last[1] === number - 1) {
            last[1] = number;
        } else {
            ranges.push([number, number]);
        }
    }
    return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`)).join(', ');
}

// What happens in one step, for the eye and for a screen reader. step counts from 1; 0 is before the first.
function stepText(state, panel, step) {
    const steps = panel.rows.length, unit = state.space === 'shared' ? 'pass' : 'run of 128 bytes';
    if (step === 0) {
        return `before the first ${unit} of ${steps}`;
    }
    if (step > steps) {
        return `done after ${steps === 1 ? `1 ${unit}` : state.space === 'shared' ? `${steps} passes` : `${steps} runs of 128 bytes`}`;
    }
    const row = panel.rows[step - 1];
    const served = [...new Set(row.lanes.flat())].sort((a, b) => a - b);
    const used = row.lanes.filter((lanes) => lanes.length).length;
    const who = `lane${served.length === 1 ? '' : 's'} ${rangeOf(served) || 'none'}`;
    if (state.space === 'shared') {
        return `pass ${step} of ${steps}${row.extra ? ', added by a conflict' : ''}: ${used} of ${panel.columns} banks serve ${who}`;
    }
    const sectors = row.paid.filter(Boolean).length * 4 / panel.gpu.sector_bytes;
    const distinct = panel.rows.reduce((sum, each) => sum + each.paid.filter(Boolean).length, 0) * 4 / panel.gpu.sector_bytes;
    const turns = panel.sectors > distinct ? '; it moves again for each lane that shares a word' : ''; // atomics alone do
    return `from byte ${row.label.trim()}: ${plural(sectors, 'sector')} for ${who}${turns}`;
}
