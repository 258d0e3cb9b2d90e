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
    report(`${name}: every reader can use it`, await opened.accessFaults(), []);
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

async function testQuestions(browser) {
    const opened = await open(browser, { fragment: '#gpu=h200,mi210', width: 360, height: 740 }, 'phone');
    report('there are questions with answers', await opened.evaluate(`document.querySelectorAll('#questions details').length > 3`), true);
    await opened.evaluate(`document.querySelectorAll('#questions details').forEach((each) => { each.open = true; })`);
    report('open answers: every reader can use them', await opened.accessFaults(), []);
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
