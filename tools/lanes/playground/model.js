// The model, compiled to WebAssembly: requests in, costs out. The sources are in model/ and tools/lanes/.
'use strict';

// Puts in place what the model's C library would ask of an operating system. It has no function (WASI's errno 52) and no folder that is
// open from the beginning (8).
const noSystem = new Proxy({}, { get: (_, name) => () => (name === 'fd_prestat_get' ? 8 : 52) });

class Model {
    static async open(bytes) {
        const { instance } = await WebAssembly.instantiate(bytes, { wasi_snapshot_preview1: noSystem });
        return new Model(instance.exports);
    }

    constructor(exports) {
        this.exports = exports;
        exports._initialize();
        this.base = exports.playground_open();
        const description = JSON.parse(this.textAt(exports.playground_describe(this.base)));
        Object.assign(this, description);
    }

    textAt(address, length = 1 << 16) {
        const bytes = new Uint8Array(this.exports.memory.buffer, address, length);
        return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
    }

    find(name) {
        return this.gpus.findIndex((gpu) => gpu.name === name);
    }

    // What a state of the page asks of each of its GPUs, or what is wrong with its addresses.
    ask(state) {
        const gpus = state.gpus.map((name) => this.find(name));
        gpus.forEach((gpu, side) => this.exports.playground_ask(this.base, side, gpu, spaces.indexOf(state.space),
            state.op === 'load' ? 0 : 1, state.op === 'atomic' ? 1 : 0, state.width));
        const wrong = state.kind === 'addresses' ? this.setAddresses(state, gpus) : this.setPattern(state, gpus.length);
        if (wrong) {
            return { wrong };
        }
        const panels = gpus.map((gpu, side) => this.answer(side, this.gpus[gpu]));
        return { panels, text: this.textAt(this.exports.playground_text(this.base, gpus.length)) };
    }

    // Which layouts of the tile serve walks along its rows and down its columns, as text. ask() must have come before.
    layouts(state) {
        const { columns } = tileOf(state), rows = state.block[0] * state.block[1] / columns;
        return this.textAt(this.exports.playground_layouts(this.base, state.gpus.length, rows, columns, state.width));
    }

    // The GPUs beside each other, as text. ask() must have come before.
    parts(state) {
        return this.textAt(this.exports.playground_parts(this.base, state.gpus.length));
    }

    setPattern(state, sides) {
        const tile = tileOf(state);
        for (let side = 0; side < sides; side++) {
            this.exports.playground_pattern(this.base, side, state.stride, state.offset, tile.x, tile.y, tile.pitch,
                tile.byColumn, tile.swizzled);
        }
        return null;
    }

    setAddresses(state, gpus) {
        const bytes = new TextEncoder().encode(state.addresses + '\n').subarray(0, this.input_bytes);
        new Uint8Array(this.exports.memory.buffer, this.base).set(bytes);
        const narrowest = Math.min(...gpus.map((gpu) => this.gpus[gpu].warp_width));
        const wrong = gpus.map((gpu, side) => this.exports.playground_addresses(this.base, side, bytes.length, narrowest));
        return wrong[0] ? this.textAt(wrong[0]) : null;
    }

    answer(side, gpu) {
        const answer = JSON.parse(this.textAt(this.exports.playground_answer(this.base, side)));
        return { gpu, ...answer, groups: answer.groups.length, lanes: this.lanes(answer) };
    }

    // What each lane asks for, its group, and the first of the cells that serve it.
    lanes({ active, address, groups, rows }) {
        const lanes = address.map((text, lane) => ({ active: active.includes(lane), address: BigInt(text), group: 0, row: 0, column: 0 }));
        groups.forEach((group, number) => group.forEach((lane) => Object.assign(lanes[lane], { group: number })));
        for (let row = rows.length - 1; row >= 0; row--) {
            for (let column = rows[row].lanes.length - 1; column >= 0; column--) {
                rows[row].lanes[column].forEach((lane) => Object.assign(lanes[lane], { row, column }));
            }
        }
        return lanes;
    }
}
