// Opens a page in headless Chromium over its debugging pipe, for tests. The network is off.
'use strict';

const { spawn } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const program = process.env.CHROMIUM || 'chromium';

// axe-core finds what keeps readers from a page; setup.sh --tests brings it in a wheel of PyPI's.
const axe = process.env.AXE || 'build/wheels/axe_playwright_python/axe.min.js';
const hasAxe = fs.existsSync(axe);
const axeTags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

class Browser {
    static async start() {
        const browser = new Browser();
        browser.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'bankshot-chromium-'));
        browser.child = spawn(program, ['--headless=new', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--remote-debugging-pipe',
            `--user-data-dir=${browser.folder}`, 'about:blank'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
        browser.nextId = 0;
        browser.waiting = new Map();
        browser.listeners = [];
        let rest = '';
        browser.child.stdio[4].on('data', (data) => {
            const messages = (rest + data).split('\0');
            rest = messages.pop();
            messages.forEach((message) => browser.receive(JSON.parse(message)));
        });
        return browser;
    }

    receive(message) {
        if (message.id === undefined) {
            this.listeners.forEach((listener) => listener(message));
            return;
        }
        const { resolve, reject } = this.waiting.get(message.id);
        this.waiting.delete(message.id);
        if (message.error) {
            reject(new Error(message.error.message));
        } else {
            resolve(message.result);
        }
    }

    send(method, params = {}, sessionId = undefined) {
        return new Promise((resolve, reject) => {
            this.nextId++;
            this.waiting.set(this.nextId, { resolve, reject });
            this.child.stdio[3].write(JSON.stringify({ id: this.nextId, method, params, sessionId }) + '\0');
        });
    }

    // what: { url, width, height, dark }
    async open(what) {
        const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
        const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
        const page = new BrowserPage(this, sessionId);
        await page.prepare(what);
        return page;
    }

    async close() {
        const ended = new Promise((resolve) => this.child.once('exit', resolve));
        await this.send('Browser.close').catch(() => {});
        await ended;
        fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
    }
}

class BrowserPage {
    constructor(browser, session) {
        this.browser = browser;
        this.session = session;
        this.complaints = []; // what the console says: errors, warnings, exceptions
        this.requests = []; // addresses, without the page's own
        browser.listeners.push((event) => this.hear(event));
    }

    hear({ sessionId, method, params }) {
        if (sessionId !== this.session) {
            return;
        }
        if (method === 'Runtime.exceptionThrown') {
            this.complaints.push(params.exceptionDetails.exception?.description || params.exceptionDetails.text);
        } else if (method === 'Runtime.consoleAPICalled' && ['error', 'warning', 'assert'].includes(params.type)) {
            this.complaints.push(params.args.map((argument) => argument.value || argument.description).join(' '));
        } else if (method === 'Log.entryAdded') {
            this.complaints.push(params.entry.text);
        } else if (method === 'Network.requestWillBeSent' && params.type !== 'Document' && !params.request.url.startsWith('data:')) {
            this.requests.push(params.request.url);
        } else if (method === 'Page.loadEventFired') {
            this.loaded?.();
        }
    }

    send(method, params) {
        return this.browser.send(method, params, this.session);
    }

    async prepare({ url, width = 1280, height = 900, dark = false }) {
        for (const domain of ['Page', 'Runtime', 'Log', 'Network']) {
            await this.send(`${domain}.enable`);
        }
        await this.send('Network.emulateNetworkConditions', { offline: true, latency: 0, downloadThroughput: 0, uploadThroughput: 0 });
        await this.resize(width, height);
        await this.show(dark ? 'dark' : 'light');
        const loaded = new Promise((resolve) => { this.loaded = resolve; });
        await this.send('Page.navigate', { url });
        await loaded;
    }

    async resize(width, height) {
        await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 600 });
        await this.drawn();
    }

    // scheme: light or dark; medium: screen or print
    async show(scheme, medium = 'screen') {
        await this.send('Emulation.setEmulatedMedia', { media: medium, features: [{ name: 'prefers-color-scheme', value: scheme }] });
        await this.drawn();
    }

    // Waits until what was drawn anew after a change is on the screen.
    drawn() {
        return this.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0))))');
    }

    // The value of an expression in the page, which may be a promise.
    async evaluate(expression) {
        const { result, exceptionDetails } = await this.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
        if (exceptionDetails) {
            throw new Error(exceptionDetails.exception?.description || exceptionDetails.text);
        }
        return result.value;
    }

    async until(expression, seconds = 20) {
        for (const end = Date.now() + 1000 * seconds; !(await this.evaluate(expression));) {
            if (Date.now() > end) {
                throw new Error(`never true: ${expression}`);
            }
            await new Promise((resolve) => setTimeout(resolve, 50));
        }
    }

    async press(key) {
        const text = key === ' ' ? { text: ' ', code: 'Space' } : { code: key, windowsVirtualKeyCode: key === 'Tab' ? 9 : 0 };
        await this.send('Input.dispatchKeyEvent', { type: 'keyDown', key, ...text });
        await this.send('Input.dispatchKeyEvent', { type: 'keyUp', key, ...text });
    }

    async type(text) {
        await this.send('Input.insertText', { text });
    }

    async point(x, y) {
        await this.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y });
    }

    // Moves the pointer to the middle of the first element that the selector names.
    async pointAt(selector) {
        const [x, y] = await this.evaluate(`(() => {
            const node = document.querySelector(${JSON.stringify(selector)});
            node.scrollIntoView({ block: 'center', behavior: 'instant' });
            const box = node.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        })()`);
        await this.point(x, y);
        return [x, y];
    }

    async click(selector) {
        const [x, y] = await this.pointAt(selector);
        for (const type of ['mousePressed', 'mouseReleased']) {
            await this.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 });
        }
    }

    // The roles of all that the keyboard reaches and a screen reader has no name for.
    async nameless() {
        const { nodes } = await this.send('Accessibility.getFullAXTree');
        const has = (node, name) => (node.properties || []).some((property) => property.name === name && property.value.value);
        const reached = nodes.filter((node) => !node.ignored && has(node, 'focusable') && node.role.value !== 'main');
        return reached.filter((node) => !node.name?.value).map((node) => node.role.value);
    }

    async screenshot(file, whole = false) {
        const { data } = await this.send('Page.captureScreenshot', { captureBeyondViewport: whole });
        fs.writeFileSync(file, Buffer.from(data, 'base64'));
    }

    // Faults that keep readers out: WCAG 2.1 AA as far as it can be computed from the page.
    async axeFaults() {
        if (!hasAxe) {
            return [];
        }
        await this.evaluate(`${fs.readFileSync(axe, 'utf8')}; 0`);
        return this.evaluate(`axe.run({ runOnly: ${JSON.stringify(axeTags)} })
            .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 100)))`);
    }

    accessFaults() {
        return this.evaluate(`(${findAccessFaults})()`);
    }
}

// Runs in the page: what axe-core does not look at. It takes the colour of drawn text for that of other text.
function findAccessFaults() {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const parse = (color) => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = color;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const luminance = (color) => {
        const [red, green, blue] = color.map((part) => part / 255).map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const contrast = (one, other) => {
        const levels = [luminance(one), luminance(other)].sort((a, b) => b - a);
        return (levels[0] + 0.05) / (levels[1] + 0.05);
    };
    const background = (node) => {
        for (let at = node; at; at = at.parentElement) {
            const color = parse(getComputedStyle(at).backgroundColor);
            if (color[3] > 250) {
                return color;
            }
        }
        return parse(matchMedia('(prefers-color-scheme: dark)').matches ? '#121212' : '#ffffff');
    };
    const isShown = (node) => node.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && node.getBoundingClientRect().width > 1;
    const describe = (node) => `${node.localName}#${node.id}.${node.getAttribute('class')} "${node.textContent.trim().slice(0, 30)}"`;
    const faults = [];

    for (const node of document.body.querySelectorAll('*')) {
        const hasText = [...node.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.textContent.trim());
        if (!hasText || !isShown(node) || ['SCRIPT', 'STYLE', 'OPTION', 'OPTGROUP'].includes(node.tagName)) {
            continue;
        }
        const style = getComputedStyle(node), size = parseFloat(style.fontSize);
        const isDrawn = node instanceof SVGElement;
        const behind = isDrawn && node.classList.contains('on') ? parse(getComputedStyle(node.previousElementSibling).fill) : background(node);
        const ratio = contrast(parse(isDrawn ? style.fill : style.color), behind);
        const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
        if (ratio < (isLarge ? 3 : 4.5)) {
            faults.push(`contrast ${ratio.toFixed(2)}: ${describe(node)}`);
        }
    }
    for (const node of document.querySelectorAll('input, select, textarea, button, a[href]')) {
        if (isShown(node) && node.tabIndex < 0) {
            faults.push(`not reached by the keyboard: ${describe(node)}`);
        }
    }
    const ids = [...document.querySelectorAll('[id]')].map((node) => node.id);
    faults.push(...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `id twice: ${id}`));
    if (document.documentElement.scrollWidth > innerWidth) {
        faults.push(`wider than the window: ${document.documentElement.scrollWidth}`);
    }
    return faults;
}

module.exports = { Browser, hasAxe };
