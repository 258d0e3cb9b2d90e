// Looks at pages of report in Chromium, offline, and uses them as a reader would; prints a line for each check, and "end" after
// the last one. Each page is one of these, with "--" between two of them:
//   results PAGE RESULTS FOLDER     a page of the folder RESULTS; screenshots go to FOLDER
//   pair PAGE                       a page of two devices
//   hostile PAGE DEVICE             a page whose texts look like HTML
//   beside PAGE DEVICE              a page of this device, with another one beside it whose host has the same name
'use strict';

const fs = require('fs');
const path = require('path');
const { Browser, hasAxe } = require('./browser.js');

let kind = ''; // of the page that is looked at

function check(name, found, expected) {
    const isRight = JSON.stringify(found) === JSON.stringify(expected);
    console.log(`${isRight ? 'ok' : 'FAIL'} ${kind}: ${name}`);
    if (!isRight) {
        console.error(`    found:    ${JSON.stringify(found)}\n    expected: ${JSON.stringify(expected)}`);
    }
}

// ---- What the CSV files say ----

// A line's fields, after RFC 4180; a field of results holds no line's end.
function split(line) {
    return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) => quoted?.replace(/""/g, '"') ?? plain);
}

function readCsv(csv) {
    const [header, ...lines] = fs.readFileSync(csv, 'utf8').split('\n').filter((line) => line && !line.startsWith('#')).map(split);
    return lines.map((fields) => Object.fromEntries(header.map((name, i) => [name, fields[i]])));
}

function readKeys(chart) {
    const lines = fs.readFileSync(`plots/${chart}.gp`, 'utf8').matchAll(/^# ([a-z]+): (.*)$/gm);
    return Object.fromEntries([...lines].map(([, key, value]) => [key, value]));
}

function listCharts() {
    const names = fs.readdirSync('plots').filter((name) => name.endsWith('.gp')).map((name) => path.basename(name, '.gp'));
    return names.filter((name) => 'probe' in readKeys(name)).sort();
}

const lists = Object.fromEntries(fs.readFileSync('plots/variants', 'utf8').split('\n').map((line) => line.split(': ')));

// Whether a chart is about a variant, by its comments alone.
function isListed(variant, keys) {
    const words = `${keys.variants.replace(/@([a-z-]+)/g, (text, name) => lists[name] || text)} ${keys.yardsticks || ''}`.split(' ').filter(Boolean);
    const fits = (word) => (word.endsWith('*') ? variant.startsWith(word.slice(0, -1)) : variant === word);
    const isPublished = !words.includes('!@unpublished') || readCsv(`results/published/${keys.published}`).some((row) => row.variant === variant);
    return isPublished && words.some(fits) && !words.some((word) => word[0] === '!' && fits(word.slice(1)));
}

function hasValue(row, keys) {
    const [first] = keys.values.split(' ');
    const expression = (keys.column || '').startsWith(`${first} = `) ? keys.column.split(' = ')[1] : first.replace('speed', 'time_ns_median');
    return expression.split('|').some((choice) => choice.match(/\b[a-z][a-z_0-9]*\b/g).every((name) => name === 'relative' || row[name]));
}

function isShown(row, keys) {
    const conditions = (keys.where || '').split(' ').filter(Boolean).map((text) => text.split('='));
    const members = (keys.groups || '').split(' ').filter(Boolean).flatMap((group) => group.split('=').pop().split('|'));
    const isByKernel = keys.series === 'kernel' || conditions.some(([column]) => column === 'kernel');
    return isListed(row.variant, keys) && hasValue(row, keys) && conditions.every(([column, values]) => !row[column] || values.split('|').includes(row[column])) &&
        (!members.length || members.includes(row[keys.series])) && (isByKernel || ['', 'all'].includes(row.kernel));
}

// How many measured rows a picture must show: all that its chart is about, but for those that it says are left out.
function countRows({ chart, csv, notes }) {
    const keys = readKeys(chart), rows = readCsv(csv).filter((row) => row.source === 'measured' && isShown(row, keys));
    const [, leftOut] = /left out: (.*)/.exec(notes) || [, ''];
    return rows.length - [...leftOut.matchAll(/(?:^|; )(\d+) rows?\b/g)].reduce((sum, [, count]) => sum + Number(count), 0);
}

// ---- Charts ----

const figures = `[...document.querySelectorAll('figure')].map((figure) => ({ chart: figure.dataset.chart, csv: figure.dataset.path,
    rows: Number(figure.dataset.marks), marks: figure.querySelectorAll('.mark').length,
    notes: [...figure.querySelectorAll('.note')].map((note) => note.textContent).join('\\n'),
    measured: figure.querySelectorAll('.mark.measured').length, published: figure.querySelectorAll('.mark.published').length }))`;

// Texts of a picture that lie upon each other; slanted ones are left out, because their boxes are larger than they are.
const overlaps = `[...document.querySelectorAll('figure svg[role=application]')].flatMap((svg) => {
    const texts = [...svg.querySelectorAll('text:not([transform])')].map((node) => [node.textContent, node.getBoundingClientRect()]);
    const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
    return texts.flatMap(([text, box], i) => texts.slice(i + 1).filter(([, other]) => meet(box, other))
        .map(([other]) => svg.closest('figure').dataset.chart + ': ' + text + ' upon ' + other));
})`;

async function testMarks(page) {
    const all = await page.evaluate(figures);
    check('there are charts', all.length > 0, true);
    check('marks equal rows', all.filter(({ rows, marks }) => rows !== marks), []);
    check('no text of a chart lies upon another', await page.evaluate(overlaps), []);
    check('no word like "4-byte" is broken', await page.evaluate(`[...document.querySelectorAll('.chart h3, .chart p')].filter((text) => {
        const found = /\\d-[a-z]/.exec(text.textContent), part = [...text.querySelectorAll('.whole')];
        return found && !part.length || part.some((word) => word.getClientRects().length > 1);
    }).map((text) => text.textContent)`), []);
    check('every piece of a text is text', await page.evaluate(`document.body.innerText.includes('[object')`), false);
    check('no entry of a legend is without words', await page.evaluate(`[...document.querySelectorAll('.legend li')].filter((entry) => !entry.textContent.trim()).length`), 0);
}

// Folders of the programs' own rows, in the page's order.
function foldersOf(results) {
    const names = fs.readdirSync(results, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map((entry) => entry.name);
    return names.filter((name) => name !== 'published' && name !== 'here').sort();
}

async function testRows(page, results) {
    check('a folder comes before those whose names go on after its own',
        await page.evaluate("[...document.querySelectorAll('.machine h3')].map((heading) => heading.textContent)"), foldersOf(results));
    const all = await page.evaluate(figures), counted = all.filter(({ chart, csv }) => csv && !readKeys(chart).counts);
    check('marks of measured rows are the rows of the CSV files', counted.filter((figure) => figure.measured !== countRows(figure)), []);
    check('there are charts of every probe', [...new Set(all.map(({ chart }) => chart.split('-')[0]))].sort(), ['apsp', 'gmem', 'levels', 'links', 'reduce', 'smem']);
    check('published figures are marks, too', all.find(({ chart }) => chart === 'gmem-published').published, readCsv('results/published/stride-copy.csv').length);
    check('the page knows every chart', await page.evaluate(`data.charts.map(({ name }) => name).sort()`), listCharts());
    check('each chart has its caption', await page.evaluate(`data.charts.filter(({ caption }) => caption.length < 25)`), []);
}

// ---- What a reader does ----

const head = (column) => `[data-probe=gmem] th[data-column=${column}]`;

function readColumn(page, column) {
    return page.evaluate(`(() => {
        const table = document.querySelector('[data-probe=gmem] table'), at = [...table.querySelectorAll('th')].findIndex((th) => th.dataset.column === '${column}');
        return [...table.querySelectorAll('tbody tr')].map((row) => row.children[at].textContent.replace(/\\u2009/g, ''));
    })()`);
}

function filterRows(page, text) {
    return page.evaluate(`(() => {
        const filter = document.getElementById('filter-gmem');
        filter.value = '${text}';
        filter.dispatchEvent(new Event('input'));
        const more = document.querySelector('section.rows[data-probe=gmem] > button');
        if (!more.hidden) more.click();
    })()`);
}

async function testTable(page, results) {
    const files = foldersOf(results).flatMap((folder) => fs.readdirSync(path.join(results, folder)).filter((name) => name.endsWith('.csv')).sort().map((name) => path.join(results, folder, name)));
    const rows = files.map(readCsv).filter((rows) => rows.some((row) => row.probe === 'gmem')).flat(), numbers = rows.map((row) => row.bandwidth_gb_s).filter(Boolean).map(Number).sort((a, b) => a - b);
    for (const [order, expected] of [['ascending', numbers], ['descending', [...numbers].reverse()]]) {
        await page.click(`${head('bandwidth_gb_s')} button`);
        const shown = await readColumn(page, 'bandwidth_gb_s');
        check(`a click on a heading sorts, ${order}`, shown.length > 20 && shown.filter((text, i) => Math.abs(text / expected[i] - 1) > 5e-4), []);
        check(`the heading says so, ${order}`, await page.evaluate(`document.querySelector('${head('bandwidth_gb_s')}').ariaSort`), order);
    }
    await page.click('#filter-gmem');
    await page.type('stride=32 width_bytes=4');
    const expected = rows.filter((row) => row.stride === '32' && row.width_bytes === '4');
    check('words filter the rows', (await readColumn(page, 'variant')).sort(), expected.map((row) => row.variant).sort());
    check('the number of rows is told', await page.evaluate(`document.querySelector('[data-probe=gmem] .count').textContent.replace(/\\u2009/g, '')`), `${expected.length} of ${rows.length} rows`);
    await filterRows(page, 'stride >= 32 width<=8 bandwidth>100 hue=red load');
    const fast = rows.filter((row) => row.stride >= 32 && row.width_bytes <= 8 && row.width_bytes !== '' && row.bandwidth_gb_s > 100 && Object.values(row).some((field) => field.includes('load')));
    check('signs, and columns by how they begin, filter the rows', (await readColumn(page, 'variant')).sort(), fast.map((row) => row.variant).sort());
    check('what the filter does not understand is said', await page.evaluate(`document.querySelector('[data-probe=gmem] .count').textContent.split('; ')[1]`), 'not understood: hue=red: no column begins with hue');
    await filterRows(page, '');
}

async function testPointer(page, results) {
    const row = readCsv(`${results}/h100/gmem.csv`).find(({ variant }) => variant === 'stride-copy');
    await page.pointAt('figure[data-chart=gmem-stride] .mark.measured');
    const tip = await page.evaluate(`document.getElementById('tip').hidden ? '' : document.getElementById('tip').innerText.replace(/\\u2009/g, '')`);
    check('a pointer on a mark shows its row', ['stride-copy', Number(row.bandwidth_gb_s).toFixed(0), row.verdict].filter((text) => !tip.includes(text)), []);
    await page.point(2, 2);
    check('and leaves it again', await page.evaluate(`document.getElementById('tip').hidden`), true);
}

async function testKeyboard(page) {
    const first = 30, describe = 'outerHTML.slice(0, 60)';
    await page.evaluate(`document.querySelector('figure[data-chart=gmem-stride] svg[role]').focus()`);
    await page.press('ArrowRight');
    check('an arrow key reads a mark aloud', await page.evaluate(`document.getElementById('live').textContent.includes('bandwidth (GB/s)')`), true);
    await page.press('Escape');
    check('Escape hides the row', await page.evaluate(`document.getElementById('tip').hidden`), true);
    const expected = await page.evaluate(`[...document.querySelectorAll('a[href], button, input, select, summary, [tabindex="0"]')]
        .filter((node) => node.getClientRects().length).slice(0, ${first}).map((node) => node.${describe})`);
    await page.evaluate(`document.querySelector('.skip').focus()`);
    const found = expected.slice(0, 1);
    while (found.length < first) {
        await page.press('Tab');
        found.push(await page.evaluate(`document.activeElement.${describe}`));
    }
    check('Tab goes through the page in its order', found, expected);
    check('all that it reaches has a name', await page.nameless(), []);
}

// ---- For every reader ----

const structureFaults = `(() => {
    const faults = [];
    let level = 0;
    for (const node of document.querySelectorAll('h1, h2, h3, h4')) {
        if (node.tagName[1] > level + 1) {
            faults.push('a heading skips a level: ' + node.textContent);
        }
        if (!node.textContent.trim()) {
            faults.push('a heading without a word in ' + node.closest('[id]').id);
        }
        level = Number(node.tagName[1]);
    }
    const refuse = (selector, what) => document.querySelectorAll(selector).forEach((node) => faults.push(what + ': ' + node.outerHTML.slice(0, 60)));
    refuse('th:not([scope])', 'th without a scope');
    refuse('ul > :not(li), dl > :not(dt):not(dd)', 'in a list');
    refuse('svg:not([role]):not([aria-hidden])', 'without a role');
    document.querySelectorAll('label').forEach((node) => document.getElementById(node.htmlFor) || faults.push('label of nothing: ' + node.textContent));
    document.querySelectorAll('a[href^="#"]').forEach((node) => document.querySelector(node.hash) || faults.push('link to nothing: ' + node.hash));
    const names = [...document.querySelectorAll('[role=region]')].map((node) => node.ariaLabel);
    faults.push(...names.filter((name, i) => names.indexOf(name) !== i).map((name) => 'two regions called ' + name));
    return faults;
})()`;

// Marks are graphics, of which WCAG asks a contrast of 3 with what is beside them; cells have a number or a row for it.
const paleMarks = `(() => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const luminance = (colour) => {
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        const [red, green, blue] = [...canvas.getImageData(0, 0, 1, 1).data].map((part) => part / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
    };
    const page = luminance(getComputedStyle(document.body).backgroundColor);
    return [...new Set([...document.querySelectorAll('.canvas .mark:not(.cell)')].map((node) => {
        const style = getComputedStyle(node), contrast = (colour) => Math.max(luminance(colour), page) / Math.min(luminance(colour), page);
        const isOutlined = style.stroke !== 'none' && contrast(style.stroke) > 1; // parts of a bar are told apart by the page's colour
        return contrast(isOutlined ? style.stroke : style.fill) < 3 ? node.getAttribute('class') : '';
    }))].filter(Boolean);
})()`;

async function testAccess(page, folder) {
    check('structure', await page.evaluate(structureFaults), []);
    for (const scheme of ['light', 'dark']) {
        await page.show(scheme);
        check(`${scheme}: every reader can use it`, await page.accessFaults(), []);
        check(`${scheme}: marks stand out`, await page.evaluate(paleMarks), []);
        await page.evaluate('scrollTo(0, 0)');
        await page.screenshot(path.join(folder, `${scheme}.png`));
    }
    await page.show('dark', 'print');
    check('print is light', await page.evaluate('getComputedStyle(document.body).backgroundColor'), 'rgb(255, 255, 255)');
    await page.resize(760, 900); // a sheet
    check('print: nothing is cut off at the right', await page.evaluate('document.documentElement.scrollWidth'), 760);
    await page.resize(1280, 900);
    await page.show('light');
}

async function testPhone(page, folder) {
    await page.resize(360, 740);
    check('360 pixels: nothing scrolls sideways', await page.evaluate('document.documentElement.scrollWidth'), 360);
    await testMarks(page);
    await page.screenshot(path.join(folder, 'phone.png'));
}

// In the list of sections, in headings, in the figures and at charts.
async function testColours(page) {
    const dots = await page.evaluate(`[...document.querySelectorAll('.dot')].map((dot) =>
        [dot.dataset.of, getComputedStyle(dot).backgroundColor, dot.parentElement.localName])`);
    const pairs = [...new Set(dots.map(([probe, colour]) => probe + ' ' + colour))], probes = [...new Set(dots.map(([probe]) => probe))];
    check('a probe has one colour everywhere', [pairs.length, new Set(pairs.map((pair) => pair.replace(/^\S+ /, ''))).size, probes.length > 3],
        [probes.length, probes.length, true]);
    check('at its section, its heading, its figures and its charts', [...new Set(dots.filter(([probe]) => probe === 'gmem').map(([, , place]) => place))].sort(),
        ['a', 'h2', 'h3', 'th']);
}

async function testResults(page, results, folder) {
    await testMarks(page);
    await testColours(page);
    await testRows(page, results);
    await testTable(page, results);
    await testPointer(page, results);
    await testKeyboard(page);
    await testAccess(page, folder);
    await testPhone(page, folder);
}

async function testPair(page) {
    const boxes = await page.evaluate(`[...document.querySelectorAll('#chart-gmem-stride figure')].map((figure) => figure.getBoundingClientRect())
        .map(({ top, left }) => ({ top, left }))`);
    check('two devices stand side by side', [boxes.length, boxes[0].top === boxes[1].top, boxes[0].left < boxes[1].left], [2, true, true]);
    check('a comparison shows both', await page.evaluate(`document.querySelectorAll('#chart-gmem-compare .legend li').length > 2`), true);
    check('the axis of bars ends above the highest that is drawn', await page.evaluate(`Math.max(...[...document.querySelectorAll('#chart-reduce-shared svg text[text-anchor=end]')]
        .map((text) => Number(text.textContent)).filter((value) => value > 0))`), 8);
    check('its legend names the peaks', await page.evaluate(`[...document.querySelectorAll('#chart-gmem-compare .legend li')].map((entry) => entry.textContent)
        .filter((text) => text.includes('peak')).map((text) => text.replace(/\\u2009/g, ''))`), ['NVIDIA H200, peak 4800 GB/s', 'AMD Instinct MI210, peak 1638 GB/s']);
    check('the headline has a column for each device and source', await page.evaluate(`document.querySelectorAll('#headline .headline thead th').length`), 4);
    check('a line ends where rows lack', await page.evaluate(`[...document.querySelectorAll('#chart-gmem-stride figure')]
        .map((figure) => figure.querySelectorAll('polyline.predictedLine').length / new Set([...figure.querySelectorAll('polyline.predictedLine')]
            .map((line) => line.getAttribute('class'))).size)`), [1, 2]);
    await testMarks(page);
}

async function testHostile(page, device) {
    check('texts stay texts', await page.evaluate(`document.querySelectorAll('img, iframe, object, main script').length`), 0);
    check('a name is shown as it is', await page.evaluate(`document.querySelector('.headline thead').textContent.includes(${JSON.stringify(device)})`), true);
    await page.evaluate(`document.querySelector('.rows th:last-child button').click()`);
    check('nothing was run', await page.evaluate('typeof hostile'), 'undefined');
}

// All that a page can show: every device, every section.
async function showAll(page) {
    await page.evaluate(`(() => {
        const chooser = document.getElementById('device');
        chooser.value = 'all';
        chooser.dispatchEvent(new Event('change'));
        document.querySelectorAll('details').forEach((details) => { details.open = true; });
    })()`);
    await page.drawn();
}

// With all charts open axe-core would take minutes.
async function testAxe(page) {
    if (!hasAxe) {
        console.log('SKIP axe-core: sh scripts/setup.sh --tests brings it into build/wheels');
        return;
    }
    for (const scheme of ['dark', 'light']) {
        await page.show(scheme);
        check(`${scheme}: axe-core finds nothing`, await page.axeFaults(), []);
    }
}

// What a reader sees first: one device, and few charts.
async function testFirst(page, folder) {
    const title = await page.evaluate(`document.getElementById('title').textContent`);
    check('the title names a device of the chooser', await page.evaluate(`document.getElementById('device').selectedOptions[0].textContent`), title);
    check('the page says when it was measured', /^Measured.* \d{4}-\d\d-\d\d/.test(await page.evaluate(`document.getElementById('measured').textContent`)), true);
    check('few charts are open, all of them with this device', await page.evaluate(`(() => {
        const open = [...document.querySelectorAll('figure')].filter((figure) => figure.querySelector('.mark'));
        return open.length > 0 && open.length <= 8;
    })()`), true);
    check('it is at most ten screens high', await page.evaluate('document.documentElement.scrollHeight') < 9000, true);
    await page.screenshot(path.join(folder, 'first.png'));
    await testAxe(page);
    await page.click('#sections a[href="#gmem"]');
    check('a link opens its section', await page.evaluate(`document.querySelector('#gmem details').open`), true);
    await page.evaluate(`(() => { const chooser = document.getElementById('device'); chooser.value = 1; chooser.dispatchEvent(new Event('change')); })()`);
    check('another device can be chosen', await page.evaluate(`document.getElementById('title').textContent`) !== title, true);
}

async function look(browser, file, rest) {
    const page = await browser.open({ url: `file://${path.resolve(file)}` });
    await page.drawn();
    if (kind === 'results') {
        await testFirst(page, rest[1]);
    }
    if (kind === 'beside') {
        check("it begins with the reader's own device", await page.evaluate(`document.getElementById('title').textContent`), rest[0]);
    }
    await showAll(page);
    await { results: testResults, pair: testPair, hostile: testHostile, beside: () => {} }[kind](page, ...rest);
    check('no complaint in the console', page.complaints, []);
    check('nothing is fetched', page.requests, []);
}

async function main() {
    const browser = await Browser.start();
    try {
        for (const words of process.argv.slice(2).join('\0').split('\0--\0')) {
            const [name, file, ...rest] = words.split('\0');
            kind = name;
            await look(browser, file, rest);
        }
    } finally {
        await browser.close();
    }
    console.log('end');
}

main();
