// Runs the model and the scripts of the committed playground in Node:
//   node playground.js wasm PAGE               the model, base64
//   node playground.js links PAGE              a line FRAGMENT, tab, COMMAND for each example and question of the page
//   node playground.js text PAGE FRAGMENT      what the page prints of that link
//   node playground.js command PAGE FRAGMENT   the command that the page names for that link
//   node playground.js check PAGE <RECORDS     compares with what the host says (playground_requests.c)
'use strict';

const fs = require('fs');
const vm = require('vm');

const [task, path, fragment] = process.argv.slice(2);
const page = fs.readFileSync(path, 'utf8');
const wasm = /<script type="text\/plain" id="wasm">([^<]*)<\/script>/.exec(page)[1].trim();

// The page's scripts up to those that draw; their names are then global.
function runScripts() {
    vm.runInThisContext(/<script>\n([^]*?)<\/script>/.exec(page)[1] + '; globalThis.Model = Model;');
    return Model.open(Buffer.from(wasm, 'base64'));
}

function unescapeHtml(text) {
    return text.replace(/&amp;/g, '&').replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&quot;/g, '"');
}

function printLinks(model) {
    for (const [, link] of page.matchAll(/(?:<option value|class="show" href)="(#[^"]*)"/g)) {
        const text = unescapeHtml(link), state = stateOfFragment(text, (name) => model.find(name) >= 0);
        console.log(`${text}\t${commandOf(state)}`);
    }
}

// Reads exactly this many bytes; null at the end of the file.
function makeReader(fd) {
    let buffer = Buffer.alloc(1 << 22), begin = 0, end = 0;
    return (length) => {
        while (end - begin < length) {
            buffer.copyWithin(0, begin, end);
            end -= begin;
            begin = 0;
            const got = fs.readSync(fd, buffer, end, buffer.length - end);
            if (got === 0) {
                return null;
            }
            end += got;
        }
        begin += length;
        return buffer.subarray(begin - length, begin);
    };
}

function check(model) {
    const read = makeReader(0), next = () => {
        const length = read(4);
        return length && read(length.readUInt32LE());
    };
    const { exports, base } = model;
    const memory = Buffer.from(exports.memory.buffer);
    const described = model.textAt(exports.playground_describe(base));
    if (next().toString() !== described) {
        return 'the GPUs differ';
    }
    let requests = 0, texts = 0;
    for (let record = next(); record; record = next()) {
        const end = record.indexOf('\n') + 1;
        const [gpu, space, operation, width, warpWidth] = record.toString('utf8', 0, end).split(' ').map(Number);
        exports.playground_ask(base, 0, gpu, space, operation, 0, width);
        record.copy(memory, base, end);
        if (exports.playground_addresses(base, 0, record.length - end, warpWidth)) {
            return `request ${requests} is refused: ${record}`;
        }
        if (model.textAt(exports.playground_answer(base, 0)) !== next().toString()) {
            return `request ${requests} differs: ${record}`;
        }
        const text = next().toString();
        if (text && model.textAt(exports.playground_text(base, 1)) !== text) {
            return `the text of request ${requests} differs`;
        }
        requests++;
        texts += text ? 1 : 0;
    }
    console.log(`${requests} requests and ${texts} texts are equal`);
    return exports.memory.buffer === memory.buffer ? null : 'the memory grew';
}

async function main() {
    if (task === 'wasm') {
        console.log(wasm);
        return;
    }
    const model = await runScripts();
    if (task === 'links') {
        printLinks(model);
    } else if (task === 'text' || task === 'command') {
        const state = stateOfFragment(fragment, (name) => model.find(name) >= 0);
        process.stdout.write(task === 'text' ? model.ask(state).text : commandOf(state));
    } else {
        const wrong = check(model);
        if (wrong) {
            console.error(wrong);
            process.exitCode = 1;
        }
    }
}

main();
