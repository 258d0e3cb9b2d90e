// Uses the page of judge in Chromium, offline, as a reader would; prints a line for each check, and "end" after the last one:
//   fleet_page.js PAGE FOLDER     screenshots go to FOLDER
'use strict';

const path = require('path');
const { Browser } = require('./browser.js');

function check(name, found, expected) {
    const isRight = JSON.stringify(found) === JSON.stringify(expected);
    console.log(`${isRight ? 'ok' : 'FAIL'} the page of a fleet: ${name}`);
    if (!isRight) {
        console.error(`    found:    ${JSON.stringify(found)}\n    expected: ${JSON.stringify(expected)}`);
    }
}

async function find(page, words) {
    await page.evaluate(`(() => {
        const box = document.getElementById('find');
        box.value = ${JSON.stringify(words)};
        box.dispatchEvent(new Event('input'));
    })()`);
    return page.evaluate(`document.querySelectorAll('#out tbody tr').length`);
}

async function key(page, name) {
    await page.evaluate(`document.getElementById('heat').dispatchEvent(new KeyboardEvent('keydown', { key: ${JSON.stringify(name)}, cancelable: true }))`);
    return page.evaluate(`document.getElementById('detail').textContent`);
}

// The colour of a cell, as the canvas has it.
async function paintOf(page, cell) {
    return page.evaluate(`(() => {
        const { x, y } = placeOf(${JSON.stringify(cell)}), canvas = document.querySelector('#heat canvas');
        const scale = canvas.width / parseFloat(canvas.style.width), pen = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
        pen.drawImage(canvas, -(x + 2) * scale, -(y + 2) * scale);
        return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
    })()`);
}

async function test(page) {
    const bad = await page.evaluate(`data.gpus.filter((gpu) => gpu.text).length`);
    check('a line for each that stands out', [bad > 0, await find(page, '')], [true, bad]);
    check('words filter them', await find(page, 'node07'), 1);
    check('what nothing has', await find(page, 'node07 nowhere'), 0);
    const slow = await page.evaluate(`hosts.findIndex((gpus) => gpus[0].host === 'node07')`);
    const [red, , blue] = await paintOf(page, { host: slow, column: 0, slot: 0 });
    check('a slow GPU is red', red > blue + 80, true);
    const [likeRed, , likeBlue] = await paintOf(page, { host: slow - 1, column: 0, slot: 0 });
    check('one that is alike is not', Math.abs(likeRed - likeBlue) < 60, true);
    check('a key chooses a cell', /^node01 cuda-0: gmem \w+, .* of time beside the median\.$/.test(await key(page, 'ArrowRight')), true);
    check('and another one', (await key(page, 'ArrowDown')).startsWith('node02 cuda-0: '), true);
    check('none beyond the end', (await key(page, 'ArrowLeft')).startsWith('node02 cuda-0: '), true);
    check('a histogram for each variant', await page.evaluate(`[data.columns.length, document.querySelectorAll('#histograms figure').length]`), [3, 3]);
    check('all GPUs with rows are in it', await page.evaluate(`measured.every((gpu) => gpu.cells.length === data.columns.length)`), true);
}

async function main() {
    const [, , file, folder] = process.argv;
    const browser = await Browser.start();
    try {
        for (const [name, width, dark] of [['wide', 1280, false], ['dark', 1280, true], ['phone', 390, false]]) {
            const page = await browser.open({ url: `file://${path.resolve(file)}`, width, height: 900, dark });
            await page.evaluate('document.fonts.ready.then(() => true)');
            if (name === 'wide') {
                await test(page);
            }
            check(`${name}: it is as wide as the screen`, await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
            check(`${name}: every reader can use it`, [...await page.accessFaults(), ...await page.axeFaults()], []);
            check(`${name}: no complaint in the console`, page.complaints, []);
            check(`${name}: nothing is fetched`, page.requests, []);
            await page.screenshot(path.join(folder, `fleet-${name}.png`));
        }
    } finally {
        await browser.close();
    }
    console.log('end');
}

main();
