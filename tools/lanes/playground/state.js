// What the page asks: read from and written to a link's fragment, whose names are the options of lanes.
'use strict';

const widths = [1, 2, 4, 8, 12, 16];
const spaces = ['shared', 'global'];
const operations = ['load', 'store', 'atomic'];
const largest = { stride: 1e9, offset: 1e9, pitch: 1e9, pad: 1e6, step: 99, lane: 63 };
const blockThreadsMax = 1024;

// kind: how the addresses are given, 'stride', 'tile' or 'addresses'. pitch: null is a row's length. step: null is after the last.
const initialState = Object.freeze({
    gpus: ['h200', 'mi210'], space: 'shared', op: 'load', width: 4, kind: 'stride', stride: 1, offset: 0,
    block: [32, 32], pitch: null, pad: 0, order: 'row', swizzle: false, addresses: '', step: null, lane: 0,
});

function wholeNumber(text, least, most, otherwise) {
    const number = Number(text);
    return text !== null && text !== '' && Number.isInteger(number) && number >= least && number <= most ? number : otherwise;
}

function blockOf(text) {
    const match = /^(\d+)(?:x(\d+))?$/.exec(text || '');
    const block = match && [Number(match[1]), Number(match[2] || 1)];
    return block && block[0] > 0 && block[1] > 0 && block[0] * block[1] <= blockThreadsMax ? block : null;
}

function oneOf(text, choices) {
    return choices.includes(text) ? text : undefined;
}

// How each name of a link is read: a function of the text that returns undefined for what it does not understand.
const readers = {
    space: (text) => oneOf(text, spaces), op: (text) => oneOf(text, operations), order: (text) => oneOf(text, ['row', 'column']),
    width: (text) => oneOf(Number(text), widths), block: (text) => blockOf(text) || undefined, addresses: (text) => text || undefined,
    swizzle: (text) => (text === '' ? true : undefined),
};
for (const name of Object.keys(largest)) {
    readers[name] = (text) => wholeNumber(text, name === 'pitch' ? 1 : 0, largest[name], undefined);
}

// The link's GPUs, up to two. knows(name): whether the model has it.
function gpusOf(text, knows, problems) {
    const names = text.split(','), known = names.filter(knows);
    for (const name of names.filter((each) => !knows(each))) {
        problems.push(`it names a GPU that is unknown here, ${JSON.stringify(name)}`);
    }
    if (known.length > 2) {
        problems.push(`it names ${known.length} GPUs, of which two have room`);
    }
    return known.length ? known.slice(0, 2) : initialState.gpus;
}

// What it does not understand in a link stays as it is initially, and problems gets a clause about it.
function stateOfFragment(fragment, knows, problems = []) {
    const state = { ...initialState }, given = new URLSearchParams(fragment.replace(/^#/, ''));
    for (const [name, text] of given) {
        const value = name === 'gpu' ? gpusOf(text, knows, problems) : Object.hasOwn(readers, name) ? readers[name](text) : undefined;
        if (value === undefined) {
            problems.push(`${JSON.stringify(text ? `${name}=${text}` : name)} is not understood`);
        } else {
            state[name === 'gpu' ? 'gpus' : name] = value;
        }
    }
    state.kind = state.addresses ? 'addresses' : given.has('block') ? 'tile' : 'stride';
    if (!isPossible(state)) {
        problems.push('atomics are for words of 4 or 8 bytes in global memory');
        state.op = initialState.op;
    }
    return state;
}

function isPossible(state) {
    return state.op !== 'atomic' || (state.space === 'global' && (state.width === 4 || state.width === 8));
}

// The tile's shape in numbers; one that is walked with a stride only is a single row.
function tileOf(state) {
    if (state.kind !== 'tile') {
        return { x: 64, y: 1, columns: 64, pitch: 64, byColumn: 0, swizzled: 0 };
    }
    const byColumn = state.order === 'column', columns = byColumn ? state.block[1] : state.block[0];
    const pitch = (state.pitch || columns) + state.pad;
    return {
        x: state.block[0], y: state.block[1], columns, pitch, byColumn: byColumn ? 1 : 0,
        swizzled: state.swizzle && isPowerOfTwo(pitch) ? 1 : 0,
    };
}

function isPowerOfTwo(number) {
    return Number.isInteger(Math.log2(number));
}

// The options that differ from lanes' defaults, as [name, value]; the GPUs always.
function optionsOf(state) {
    const tile = tileOf(state), isTile = state.kind === 'tile', typed = state.kind === 'addresses';
    const options = [
        ['gpu', state.gpus.join(','), true],
        ['space', state.space, state.space !== 'shared'],
        ['op', state.op, state.op !== 'load'],
        ['width', state.width, state.width !== 4],
        ['stride', state.stride, !typed && state.stride !== 1],
        ['offset', state.offset, !typed && state.offset !== 0],
        ['block', state.block.join('x'), isTile],
        ['pitch', tile.pitch, isTile && tile.pitch !== tile.columns],
        ['order', state.order, isTile && state.order !== 'row'],
        ['swizzle', '', isTile && tile.swizzled === 1],
    ];
    return options.filter(([, , needed]) => needed).map(([name, value]) => [name, value]);
}

function fragmentOf(state) {
    const options = optionsOf(state).filter(([name]) => name !== 'pitch');
    if (state.kind === 'tile') {
        options.push(...[['pitch', state.pitch], ['pad', state.pad || null]].filter(([, value]) => value !== null));
    }
    options.push(...[['addresses', state.addresses]].filter(() => state.kind === 'addresses'));
    options.push(...[['step', state.step]].filter(() => state.step !== null));
    options.push(...[['lane', state.lane]].filter(() => state.lane !== 0));
    return '#' + new URLSearchParams(options.map(([name, value]) => [name, String(value)])).toString().replace(/%2C/g, ',');
}

// A link's addresses may be any text, which must not end the quotes in a shell.
function commandOf(state) {
    const words = optionsOf(state).map(([name, value]) => (value === '' ? `--${name}` : `--${name} ${value}`));
    return state.kind === 'addresses'
        ? `echo '${state.addresses.trim().replaceAll("'", "'\\''")}' | build/lanes ${words.join(' ')} --addresses -`
        : `build/lanes ${words.join(' ')}`;
}
