// Uses the committed playground in Chromium, offline, as a reader would; prints a line for each check:
//   node playground_browser.js PAGE [FOLDER]        with FOLDER, leaves screenshots there
'use strict';

const path = require('path');
const { Browser } = require('./browser.js');

const [page, folder] = process.argv.slice(2);
const url = `file://${path.resolve(page)}`;
const results = `[...document.querySelectorAll('.result')].map((each) => each.textContent).join('; ')`;
const steps = `[...document.querySelectorAll('.step')].map((each) => each.textContent).join('; ')`;

function report(name, found, expected) {
    const isRight = JSON.stringify(found) === JSON.stringify(expected);
    console.log(`${isRight ? 'ok' : 'FAIL'} ${name}`);
    if (!isRight) {
        console.error(`    found:    ${JSON.stringify(found)}\n    expected: ${JSON.stringify(expected)}`);
    }
}

async function open(browser, what, name) {
    const opened = await browser.open({ ...what, url: url + what.fragment });
    await opened.until(`${results} !== ''`);
    if (folder) {
        await opened.screenshot(path.join(folder, `${name}.png`), name.startsWith('phone'));
    }
    report(`${name}: every reader can use it`, [...await opened.accessFaults(), ...await opened.axeFaults()], []);
    return opened;
}

async function reportQuiet(opened, name) {
    report(`${name}: no complaint in the console`, opened.complaints, []);
    report(`${name}: nothing is fetched`, opened.requests, []);
}

// A link reopens what it was taken from.
async function testLink(browser) {
    const fragment = '#gpu=v100,mi300x&op=store&width=8&offset=3&block=16x2&order=column&pitch=16&pad=1&step=1&lane=5';
    const opened = await open(browser, { fragment }, 'tile');
    const before = await opened.evaluate(`[${results}, document.getElementById('printed').textContent, ${steps}]`);
    const link = await opened.evaluate(`location.hash`);
    const again = await open(browser, { fragment: link }, 'link');
    report('a link reopens its state', await again.evaluate(`[${results}, document.getElementById('printed').textContent, ${steps}]`), before);
    report('a link shows in the controls', await again.evaluate(`['gpu0', 'gpu1', 'offset', 'blockX', 'blockY', 'pitch', 'pad', 'lane', 'position']
        .map((id) => document.getElementById(id).value).join(' ')`), 'v100 mi300x 3 16 2 16 1 5 1');
    await reportQuiet(again, 'link');
}

async function testKeys(browser) {
    const opened = await open(browser, { fragment: '#gpu=h200,mi210&stride=32' }, 'stride-32');
    report('stride 32 takes 32 passes', await opened.evaluate(results), '32 passes, 31 bank conflicts; 64 passes, 62 bank conflicts');
    await opened.press('Home');
    await opened.press('ArrowRight');
    await opened.until(`location.hash.includes('step=1')`);
    report('an arrow key makes a step', await opened.evaluate(steps),
        'pass 1 of 32: 1 of 32 banks serve lane 0; pass 1 of 64: 1 of 32 banks serve lane 0');
    await opened.evaluate(`document.getElementById('speed').value = 20, document.activeElement.blur()`);
    await opened.press(' ');
    await opened.until(`document.getElementById('position').value > 8`);
    await opened.press(' ');
    await opened.until(`document.getElementById('play').textContent.includes('Play')`);
    if (folder) {
        await opened.screenshot(path.join(folder, 'stride-32-playing.png'));
    }
    await opened.press('End');
    report('the last step is the whole request', await opened.evaluate(steps), 'done after 32 passes; done after 64 passes');
    await reportQuiet(opened, 'keys');
}

// A frame must leave most of its 16.7 ms to a slower device.
async function testFrames(browser) {
    const opened = await open(browser, { fragment: '#gpu=h200,mi355x&width=16&stride=32&step=0' }, 'dense');
    const milliseconds = await opened.evaluate(`(() => {
        return new Promise((resolve) => {
            const spent = [], request = window.requestAnimationFrame;
            window.requestAnimationFrame = (callback) => request((now) => {
                const begin = performance.now();
                callback(now);
                spent.push(performance.now() - begin);
                if (spent.length === 60) resolve(spent.sort((a, b) => a - b)[30]);
            });
            document.getElementById('play').click();
        });
    })()`);
    report('half of the frames are drawn within 8 ms', milliseconds < 8, true);
    console.log(`# a frame is drawn in ${milliseconds.toFixed(1)} ms`);
}

async function testTyping(browser) {
    const opened = await open(browser, { fragment: '#gpu=h200', width: 360, height: 740, dark: true }, 'phone-dark');
    const type = (text) => opened.evaluate(`(() => {
        document.querySelector('input[name="kind"][value="addresses"]').click();
        const area = document.getElementById('addresses');
        area.value = ${JSON.stringify(text)};
        area.dispatchEvent(new Event('input', { bubbles: true }));
    })()`);
    await type('0 128 256 . 4');
    report('typed addresses are served', await opened.evaluate(results), '3 passes, 2 bank conflicts');
    await type('0 128 2');
    report('a wrong address is named', await opened.evaluate(`document.getElementById('wrong').textContent`),
        'addresses:1: lane 2: 2 is not aligned: give a multiple of 4');
    await reportQuiet(opened, 'phone');
}

// A link whose addresses are wrong shows no request, and the page goes on.
async function testWrongLink(browser) {
    const fragment = '#gpu=h200&addresses=1';
    const opened = await browser.open({ fragment, url: url + fragment });
    const wrong = `document.getElementById('wrong').textContent`;
    await opened.until(`${wrong} !== ''`);
    report('a wrong link is named', await opened.evaluate(wrong), 'addresses:1: lane 0: 1 is not aligned: give a multiple of 4');
    for (const key of ['ArrowRight', ' ', 'Home', 'End']) {
        await opened.press(key);
    }
    await opened.evaluate(`document.querySelector('input[name="kind"][value="stride"]').click()`);
    report('a stride is shown after a wrong link', await opened.evaluate(results), '1 pass, 0 bank conflicts');
    await reportQuiet(opened, 'wrong link');
}

// A tile begins with the transpose that everybody knows, and each cure is one click.
async function testTile(browser) {
    const opened = await open(browser, { fragment: '#gpu=h200,mi300x&stride=2', width: 390, height: 844 }, 'phone-tile');
    const click = (name, value) => opened.evaluate(`document.querySelector('input[name="${name}"][value="${value}"]').click()`);
    await click('kind', 'tile');
    report('a tile begins at 32x32, pitch 32, stride 1', await opened.evaluate(`['blockX', 'blockY', 'stride', 'offset', 'pad']
        .map((id) => document.getElementById(id).value).join(' ') + ' ' + document.getElementById('pitch').placeholder`), '32 32 1 0 0 32');
    await click('order', 'column');
    report('down its columns', await opened.evaluate(results), '32 passes, 31 bank conflicts; 64 passes, 62 bank conflicts');
    await opened.evaluate(`document.getElementById('swizzle').click()`);
    report('swizzled', await opened.evaluate(results), '1 pass, 0 bank conflicts; 2 passes, 0 bank conflicts');
    await opened.evaluate(`document.getElementById('findLayout').click()`);
    report('the best layouts are found', await opened.evaluate(`document.getElementById('layoutsPrinted').textContent.match(/^(Swizzle|padding)[^:]*: free/mg)`),
        ['Swizzle<5,0,5>: free', 'padding 1: free']);
    await opened.evaluate(`document.getElementById('usePadding').click()`);
    report('and taken', await opened.evaluate(`${results} + '; ' + location.hash`),
        '1 pass, 0 bank conflicts; 2 passes, 0 bank conflicts; #gpu=h200,mi300x&block=32x32&order=column&pad=1');
    await opened.evaluate(`document.querySelector('#parts summary').click()`);
    await opened.until(`document.getElementById('partsPrinted').textContent !== ''`);
    report('the GPUs stand beside each other', await opened.evaluate(`/^ +h200 +mi300x$/m.test(document.getElementById('partsPrinted').textContent)`), true);
    report('the picture is above the controls on a phone', await opened.evaluate(`document.getElementById('show').getBoundingClientRect().top <
        document.getElementById('controls').getBoundingClientRect().top`), true);
    report('nothing is wider than a phone', await opened.evaluate(`document.documentElement.scrollWidth`), 390);
    report('layouts and parts: every reader can use them', [...await opened.accessFaults(), ...await opened.axeFaults()], []);
    await reportQuiet(opened, 'tile');
}

async function testAtomics(browser) {
    const opened = await open(browser, { fragment: '#gpu=h200&space=global&op=atomic&stride=0' }, 'atomic');
    report('atomics on one word take turns', await opened.evaluate(results), '32 sectors of 32 bytes, 1 line');
    await opened.evaluate(`document.querySelector('input[name="space"][value="shared"]').click()`);
    report('there are none in shared memory here', await opened.evaluate(`document.querySelector('input[name="op"]:checked').value + ' ' +
        document.querySelector('input[value="atomic"]').disabled`), 'load true');
}

// What a link has too much, or what nobody understands, is named, and the rest of it is shown.
async function testDamagedLinks(browser) {
    const faults = `document.getElementById('linkFaults').textContent`;
    for (const [fragment, fault] of [['#gpu=h300,h200&stride=3', 'it names a GPU that is unknown here, "h300"'],
        ['#gpu=h200,a100,v100', 'it names 3 GPUs, of which two have room'], ['#gpu=h200&stride=-1', '"stride=-1" is not understood'],
        ['#gpu=h200&wid%GGth=4', '"wid%GGth=4" is not understood'], ['#gpu=h200&block=64x64', '"block=64x64" is not understood'],
        ['#gpu=h200&op=atomic', 'atomics are for words of 4 or 8 bytes in global memory'], ['#gpu=h200&__proto__=1', '"__proto__=1" is not understood']]) {
        const opened = await browser.open({ fragment, url: url + fragment });
        await opened.until(`${results} !== ''`);
        report(`the link ${fragment}`, await opened.evaluate(faults),
            `This link is damaged or of another version: ${fault}. What is shown is the rest of it.`);
        await reportQuiet(opened, fragment);
    }
    const opened = await browser.open({ fragment: '', url });
    await opened.until(`${results} !== ''`);
    report('no link is no damaged link', await opened.evaluate(faults), '');
}

async function testQuestions(browser) {
    const opened = await open(browser, { fragment: '#gpu=h200,mi210', width: 360, height: 740 }, 'phone');
    report('a colour of the legend stands in the line of its name', await opened.evaluate(`[...document.querySelectorAll('.legend .key')].filter((key) => {
        const box = key.getBoundingClientRect(), entry = key.parentElement.getBoundingClientRect();
        return entry.height > 2 * box.height;
    }).length`), 0);
    report('there are questions with answers', await opened.evaluate(`document.querySelectorAll('#questions details').length > 3`), true);
    await opened.evaluate(`document.querySelectorAll('#questions details').forEach((each) => { each.open = true; })`);
    report('open answers: every reader can use them', [...await opened.accessFaults(), ...await opened.axeFaults()], []);
    await opened.evaluate(`document.querySelector('a.show').click()`);
    report('an answer is shown', await opened.evaluate(results), '4 passes, 3 bank conflicts; 8 passes, 6 bank conflicts');
}

async function main() {
    const browser = await Browser.start();
    try {
        await testKeys(browser);
        await testLink(browser);
        await testFrames(browser);
        await testTyping(browser);
        await testWrongLink(browser);
        await testTile(browser);
        await testAtomics(browser);
        await testDamagedLinks(browser);
        await testQuestions(browser);
        await open(browser, { fragment: '#gpu=h200,mi210&space=global&width=8&stride=3&step=4&lane=9', dark: true }, 'global-dark');
    } finally {
        await browser.close();
    }
}

main().catch((error) => {
    console.log('FAIL the playground in Chromium');
    console.error(error);
    process.exitCode = 1;
});
