// Connects the controls, the link's fragment, the model and the two stages.
'use strict';

const element = (id) => document.getElementById(id);
const choices = {
    space: [['shared', 'Shared'], ['global', 'Global']],
    op: [['load', 'Load'], ['store', 'Store'], ['atomic', 'Atomic']],
    width: widths.map((width) => [String(width), String(width)]),
    kind: [['stride', 'Stride'], ['tile', 'Tile'], ['addresses', 'Typed']],
    order: [['row', 'Along rows'], ['column', 'Down columns']],
};
const firstRequest = '#gpu=h200,mi210&stride=2';
const calm = matchMedia('(prefers-reduced-motion: reduce)');

class Page {
    constructor(model) {
        this.model = model;
        this.stages = [];
        this.panels = []; // none while the first link's addresses are wrong
        this.position = 0; // steps that are done; the part after the point is under way
        this.target = null; // where the animation stops; null: it stands
        this.makeControls();
        this.listen();
        this.openLink();
    }

    makeControls() {
        for (const group of document.querySelectorAll('.choices')) {
            const name = group.dataset.name;
            group.setAttribute('role', 'radiogroup');
            group.setAttribute('aria-label', { space: 'Memory', op: 'Operation', width: 'Bytes per lane', kind: 'Addresses by', order: 'Walk' }[name]);
            for (const [value, text] of choices[name]) {
                const label = group.appendChild(document.createElement('label'));
                const input = label.appendChild(document.createElement('input'));
                Object.assign(input, { type: 'radio', name, value });
                label.appendChild(document.createElement('span')).textContent = text;
            }
        }
        this.fillParts(element('gpu0'), false);
        this.fillParts(element('gpu1'), true);
    }

    fillParts(select, mayBeNone) {
        if (mayBeNone) {
            select.add(new Option('none', ''));
        }
        for (const vendor of ['NVIDIA', 'AMD']) {
            const group = select.appendChild(document.createElement('optgroup'));
            group.label = vendor;
            for (const gpu of this.model.gpus.filter((each) => each.vendor === vendor)) {
                group.appendChild(new Option(gpu.title.replace(`${vendor} `, ''), gpu.name));
            }
        }
    }

    listen() {
        element('controls').addEventListener('input', (event) => this.readControls(event.target));
        element('controls').addEventListener('submit', (event) => event.preventDefault());
        element('example').addEventListener('change', (event) => this.openExample(event.target.value));
        document.addEventListener('click', (event) => this.openShown(event));
        window.addEventListener('hashchange', () => this.openLink());
        window.addEventListener('resize', () => this.layOut());
        matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.layOut());
        element('findLayout').addEventListener('click', () => this.findLayout());
        element('usePadding').addEventListener('click', () => this.usePadding());
        element('parts').addEventListener('toggle', () => this.showParts());
        element('theme').addEventListener('click', () => this.switchTheme());
        element('copyCommand').addEventListener('click', (event) => this.copy(event.target, commandOf(this.state)));
        element('copyLink').addEventListener('click', (event) => this.copy(event.target, location.href));
        element('lane').addEventListener('input', (event) => this.chooseLane(wholeNumber(event.target.value, 0, 63, 0)));
        element('position').addEventListener('input', (event) => this.jump(Number(event.target.value)));
        const actions = { first: () => this.jump(0), back: () => this.walk(-1), play: () => this.playOrPause(), next: () => this.walk(1), last: () => this.jump(this.steps) };
        for (const [id, action] of Object.entries(actions)) {
            element(id).addEventListener('click', action);
        }
        document.addEventListener('keydown', (event) => this.pressKey(event, actions));
    }

    // Keys that a control needs itself stay with it.
    pressKey(event, actions) {
        const name = { ' ': 'play', ArrowLeft: 'back', ArrowRight: 'next', Home: 'first', End: 'last' }[event.key];
        const isBusy = event.target.closest('input, select, textarea, summary, pre, a') ||
            (event.key === ' ' && event.target.closest('button'));
        if (name && !isBusy && !event.ctrlKey && !event.altKey && !event.metaKey) {
            event.preventDefault();
            actions[name]();
        }
    }

    switchTheme() {
        const root = document.documentElement;
        const isDark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
        root.dataset.theme = isDark ? 'light' : 'dark';
        this.layOut();
    }

    async copy(button, text) {
        const name = button.textContent;
        try {
            await navigator.clipboard.writeText(text);
            button.textContent = 'Copied';
        } catch {
            button.textContent = 'Copying is not allowed here';
        }
        setTimeout(() => { button.textContent = name; }, 1500);
    }

    openLink() {
        const problems = [];
        this.state = stateOfFragment(location.hash || firstRequest, (name) => this.model.find(name) >= 0, problems);
        this.writeControls();
        element('linkFaults').textContent = problems.length ? `This link is damaged or of another version: ${problems.join('; ')}. What is shown is the rest of it.` : '';
        this.ask();
    }

    // An example names one GPU; the other one stays beside it.
    openExample(fragment) {
        if (!fragment) {
            return;
        }
        const beside = this.state.gpus[1];
        this.state = stateOfFragment(fragment, (name) => this.model.find(name) >= 0);
        if (this.state.gpus.length === 1 && beside && beside !== this.state.gpus[0]) {
            this.state.gpus.push(beside);
        }
        this.writeControls();
        this.ask();
        this.writeLink();
    }

    openShown(event) {
        const link = event.target.closest('a.show');
        if (link) {
            event.preventDefault();
            this.openExample(link.getAttribute('href'));
            element('show').scrollIntoView({ behavior: calm.matches ? 'auto' : 'smooth' });
            element('play').focus({ preventScroll: true });
        }
    }

    readControls(changed) {
        if (changed.id === 'example') {
            return;
        }
        for (const name of ['stride', 'offset']) {
            if (changed.id === `${name}Slider`) {
                element(name).value = changed.value;
            }
        }
        const state = this.state, before = state.kind;
        state.gpus = [element('gpu0').value, element('gpu1').value].filter(Boolean);
        for (const name of Object.keys(choices)) {
            const value = document.querySelector(`input[name="${name}"]:checked`).value;
            state[name] = name === 'width' ? Number(value) : value;
        }
        const number = (id, least, most, otherwise) => wholeNumber(element(id).value, least, most, otherwise);
        state.stride = number('stride', 0, largest.stride, state.stride);
        state.offset = number('offset', 0, largest.offset, state.offset);
        state.block = blockOf(`${element('blockX').value}x${element('blockY').value}`) || state.block;
        state.pitch = number('pitch', 1, largest.pitch, null);
        state.pad = number('pad', 0, largest.pad, 0);
        state.swizzle = element('swizzle').checked;
        state.addresses = element('addresses').value;
        this.changeKind(before);
        state.op = isPossible(state) ? state.op : initialState.op;
        state.step = null;
        element('linkFaults').textContent = '';
        element('example').value = '';
        this.writeControls(changed);
        this.ask();
        this.writeLink();
    }

    // Whoever begins to type addresses begins with those that are shown. A tile begins plainly.
    changeKind(before) {
        const state = this.state;
        if (state.kind === 'addresses' && before !== 'addresses') {
            const count = Math.min(...this.panels.map((panel) => panel.lanes.length));
            state.addresses = this.panels[0].lanes.slice(0, count).map((lane) => (lane.active ? lane.address : '.')).join(' ');
        } else if (state.kind !== 'addresses') {
            state.addresses = '';
        }
        if (state.kind === 'tile' && before !== 'tile') { // element by element, from the tile's corner
            Object.assign(state, { stride: 1, offset: 0 });
        }
    }

    writeControls(typing) {
        const state = this.state;
        const set = (id, value) => {
            if (!typing || typing.id !== id) {
                element(id).value = value;
            }
        };
        set('gpu0', state.gpus[0]);
        set('gpu1', state.gpus[1] || '');
        for (const name of Object.keys(choices)) {
            document.querySelector(`input[name="${name}"][value="${state[name]}"]`).checked = true;
        }
        for (const name of ['stride', 'offset']) {
            set(name, state[name]);
            set(`${name}Slider`, state[name]);
        }
        set('blockX', state.block[0]);
        set('blockY', state.block[1]);
        set('pitch', state.pitch === null ? '' : state.pitch);
        set('pad', state.pad);
        set('addresses', state.addresses);
        set('lane', state.lane);
        const tile = tileOf(state);
        element('pitch').placeholder = tile.columns;
        element('swizzle').checked = state.swizzle;
        element('swizzleHint').hidden = !state.swizzle || tile.swizzled === 1;
        const atomic = document.querySelector('input[name="op"][value="atomic"]');
        atomic.disabled = !isPossible({ ...state, op: 'atomic' });
        element('findLayout').hidden = state.kind !== 'tile' || state.space !== 'shared';
        for (const part of document.querySelectorAll('[data-kind]')) {
            part.hidden = !part.dataset.kind.split(' ').includes(state.kind);
        }
    }

    writeLink() {
        history.replaceState(null, '', fragmentOf(this.state));
    }

    ask() {
        const { panels, text, wrong } = this.model.ask(this.state);
        element('wrong').textContent = wrong || '';
        element('addresses').setAttribute('aria-invalid', String(Boolean(wrong)));
        if (wrong) {
            return;
        }
        this.panels = panels;
        element('printed').textContent = text;
        element('command').textContent = commandOf(this.state);
        element('idleMeaning').textContent = this.state.space === 'shared' ? 'idle bank' : 'moved, not requested';
        element('layouts').hidden = true;
        this.showParts();
        this.makeStages();
        this.layOut();
        this.stop();
        this.position = this.state.step === null ? this.steps : Math.min(this.state.step, this.steps);
        this.update();
    }

    findLayout() {
        const text = this.model.layouts(this.state), padding = /^padding (\d+): free/m.exec(text);
        element('layoutsPrinted').textContent = text;
        element('usePadding').hidden = !padding;
        element('usePadding').textContent = padding ? `Use padding ${padding[1]}` : '';
        this.foundPadding = padding ? Number(padding[1]) : 0;
        element('layouts').hidden = false;
        element('layouts').scrollIntoView({ behavior: calm.matches ? 'auto' : 'smooth', block: 'nearest' });
    }

    usePadding() {
        Object.assign(this.state, { pitch: null, pad: this.foundPadding, swizzle: false, step: null });
        this.writeControls();
        this.ask();
        this.writeLink();
        element('show').scrollIntoView({ behavior: calm.matches ? 'auto' : 'smooth', block: 'nearest' });
    }

    showParts() {
        if (element('parts').open) {
            element('partsPrinted').textContent = this.model.parts(this.state);
        }
    }

    get steps() {
        return Math.max(0, ...this.panels.map((panel) => panel.rows.length));
    }

    makeStages() {
        while (this.stages.length > this.panels.length) {
            this.stages.pop().root.remove();
        }
        while (this.stages.length < this.panels.length) {
            const root = element('panelTemplate').content.firstElementChild.cloneNode(true);
            element('panels').appendChild(root);
            const stage = new Stage(root.querySelector('canvas'));
            stage.root = root;
            stage.canvas.addEventListener('click', (event) => {
                const lane = stage.laneAt(event.offsetX, event.offsetY);
                if (lane >= 0) {
                    this.chooseLane(lane);
                }
            });
            this.stages.push(stage);
        }
        element('position').max = this.steps;
    }

    layOut() {
        this.stages.forEach((stage, side) => {
            const panel = this.panels[side], [result, ...detail] = panel.summary;
            stage.root.querySelector('h2').textContent = panel.gpu.title;
            stage.root.querySelector('.result').textContent = result;
            stage.root.querySelector('.result').classList.toggle('costly', panel.conflicts > 0);
            stage.root.querySelector('.detail').textContent = detail.join(' · ');
            stage.canvas.setAttribute('aria-label', `${panel.gpu.title}: ${result}. The text below says the same, lane by lane.`);
            stage.show(panel, this.state.space === 'global');
        });
        this.draw();
    }

    draw() {
        this.stages.forEach((stage) => stage.draw(this.position, this.state.lane));
    }

    // Writes what depends on the step.
    update() {
        const step = Math.ceil(this.position);
        this.stages.forEach((stage, side) => {
            const panel = this.panels[side];
            const at = this.position >= this.steps ? panel.rows.length + 1 : step;
            stage.root.querySelector('.step').textContent = stepText(this.state, panel, at);
            stage.root.querySelector('.formula').replaceChildren(...formulaOf(this.state, panel, this.state.lane).map((line) => {
                const item = document.createElement('li');
                item.textContent = line;
                return item;
            }));
        });
        element('position').value = step;
        element('position').setAttribute('aria-valuetext', `${step} of ${this.steps}`);
        element('laneShown').textContent = this.state.lane;
        this.draw();
    }

    rest() {
        this.state.step = this.position >= this.steps ? null : Math.floor(this.position);
        this.update();
        this.writeLink();
        element('announce').textContent = this.panels.map((panel) => `${panel.gpu.title}: ${stepText(this.state, panel,
            this.state.step === null ? panel.rows.length + 1 : this.state.step)}`).join('; ');
    }

    jump(position) {
        this.stop();
        this.position = clamp(position, 0, this.steps);
        this.rest();
    }

    chooseLane(lane) {
        this.state.lane = lane;
        if (Number(element('lane').value) !== lane) {
            element('lane').value = lane;
        }
        this.update();
        this.writeLink();
    }

    walk(by) {
        const from = this.target === null ? this.position : this.target;
        const to = clamp(by > 0 ? Math.floor(from) + 1 : Math.ceil(from) - 1, 0, this.steps);
        if (by < 0 || calm.matches) {
            this.jump(to);
        } else {
            this.run(to);
        }
    }

    playOrPause() {
        if (this.target !== null) {
            this.jump(this.position);
            return;
        }
        if (this.position >= this.steps) {
            this.position = 0;
        }
        this.run(this.steps);
    }

    stop() {
        this.target = null;
        element('play').textContent = 'Play';
    }

    run(target) {
        const isRunning = this.target !== null;
        this.target = target;
        element('play').textContent = 'Pause';
        if (!isRunning) {
            this.last = performance.now();
            requestAnimationFrame((now) => this.frame(now));
        }
    }

    frame(now) {
        if (this.target === null) {
            return;
        }
        const before = Math.floor(this.position), seconds = Math.min(0.1, Math.max(0, now - this.last) / 1000);
        this.last = now;
        this.position = Math.min(this.target, this.position + seconds * Number(element('speed').value));
        if (this.position >= this.target) {
            this.stop();
            this.rest();
            return;
        }
        if (Math.floor(this.position) !== before) {
            this.update();
        } else {
            this.draw();
        }
        requestAnimationFrame((next) => this.frame(next));
    }
}

async function openPage() {
    const bytes = Uint8Array.from(atob(element('wasm').textContent.replace(/\s/g, '')), (character) => character.charCodeAt(0));
    new Page(await Model.open(bytes));
}

openPage();
