// What is run, on what, and what came out.

import { byId, element, picture } from './dom';
import type { OpenDocument } from './document';
import type { Shared } from './share';

interface Input { name: string; type: string; owner?: string; bound?: [number, number] }
interface Runnable { name: string; kind: 'pipeline' | 'program' | 'fn' | 'val'; device?: string; inputs: Input[] }

const RANDOM = '@random';
/// Random numbers under encryption that nothing bounds are below this one.
const RANDOM_END = 256;
const DEVICES = ['ref', 'he', 'mpc'] as const;
type Device = (typeof DEVICES)[number];

/// What `--stats` says, in the order in which people ask for it.
const STATISTICS: [key: string, title: string][] = [
  ['scheme', 'scheme'], ['ring_dimension', 'ring dimension'], ['security', 'bits of security'],
  ['rotations', 'rotations'], ['ct_ct_products', 'products of ciphertexts'], ['ct_pt_products', 'products with plaintexts'],
  ['relinearisations', 'relinearisations'], ['depth', 'depth'], ['noise_budget_left_bits', 'noise budget left, bits'],
  ['input_ciphertexts', 'ciphertexts sent'], ['protocol', 'protocol'], ['parties', 'parties'], ['rounds', 'rounds'],
  ['messages', 'messages'], ['bytes_sent', 'bytes sent'], ['instructions', 'instructions'],
  ['peak_memory_bytes', 'bytes of memory'],
];

const keyOf = (runnable: Runnable) => `${runnable.kind}:${runnable.name}`;

function titleOf(runnable: Runnable): string {
  const device = runnable.device ? `(${runnable.device})` : '';
  return runnable.kind === 'program' ? 'the program' : `${runnable.kind}${device} ${runnable.name}`;
}

export class RunPanel {
  private runnables: Runnable[] = [];
  private readonly target = byId<HTMLSelectElement>('target');
  private readonly form = byId<HTMLFormElement>('run-form');
  private readonly inputs = byId<HTMLElement>('inputs');
  private readonly result = byId<HTMLElement>('result');
  private readonly runButton = byId<HTMLButtonElement>('run');
  private readonly stopButton = byId<HTMLButtonElement>('stop');
  private values = new Map<string, string>();
  private wished = '';
  private wishedDevice = '';
  private running: AbortController | null = null;

  constructor(private readonly opened: OpenDocument, private readonly text: () => string, private readonly shown: () => void) {
    this.form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.run();
    });
    this.stopButton.addEventListener('click', () => this.running?.abort());
    this.target.addEventListener('change', () => {
      this.wished = this.target.value;
      this.wishedDevice = '';
      this.show();
    });
    for (const radio of this.radios()) {
      radio.addEventListener('change', () => { this.wishedDevice = radio.value; });
    }
  }

  /// Forgets what was run, for another program.
  load(shared: Shared): void {
    this.running?.abort();
    this.values = new Map(Object.entries(shared.inputs ?? {}));
    this.wished = shared.target ?? '';
    this.wishedDevice = shared.device ?? '';
    this.runnables = [];
    this.target.replaceChildren();
    this.runButton.disabled = true;
    this.inputs.replaceChildren();
    this.result.replaceChildren();
  }

  /// What a link has to say beside the program.
  shared(): Pick<Shared, 'target' | 'device' | 'inputs'> {
    return { target: this.target.value, device: this.device(), inputs: Object.fromEntries(this.values) };
  }

  async refresh(): Promise<void> {
    const found = await this.opened.ask<Runnable[]>('tacet/runnables');
    if (found && JSON.stringify(found) !== JSON.stringify(this.runnables)) {
      this.runnables = found;
      this.show();
    }
  }

  /// Chooses a function, as its lens does.
  choose(fn: string): void {
    this.wished = fn === '' ? 'program:' : `fn:${fn}`;
    this.wishedDevice = 'he';
    this.show();
  }

  async run(): Promise<void> {
    const chosen = this.chosen();
    if (this.running) {
      return;
    }
    if (!chosen) {
      this.tell('failed', 'There is nothing that could run');
      return;
    }
    this.shown();
    this.running = new AbortController();
    this.busy(true);
    try {
      const answer = await fetch('run', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(this.request(chosen)),
        signal: this.running.signal,
      });
      if (answer.ok) {
        this.report(await answer.json());
      } else {
        this.tell('failed', (await answer.text()).trim());
      }
    } catch (error) {
      const isStopped = (error as Error).name === 'AbortError';
      this.tell(isStopped ? 'stopped' : 'failed', isStopped ? 'The run was stopped' : 'The playground does not answer');
    }
    this.running = null;
    this.busy(false);
  }

  private radios(): HTMLInputElement[] {
    return [...this.form.querySelectorAll<HTMLInputElement>('input[name=device]')];
  }

  private device(): Device {
    return (this.radios().find((radio) => radio.checked)?.value ?? 'ref') as Device;
  }

  private chosen(): Runnable | undefined {
    return this.runnables.find((one) => keyOf(one) === this.target.value);
  }

  /// What is worth running if nobody says: what was chosen, a pipeline, a program, a device function.
  private best(): Runnable | undefined {
    const all = this.runnables;
    return all.find((one) => keyOf(one) === this.wished) ?? all.find((one) => one.kind === 'pipeline') ??
      all.find((one) => one.kind === 'program') ?? all.find((one) => one.device) ?? all[0];
  }

  private show(): void {
    const best = this.best();
    this.target.replaceChildren(
      ...this.runnables.map((one) => element('option', { value: keyOf(one), selected: one === best }, titleOf(one))),
    );
    this.target.disabled = !best;
    this.runButton.disabled = !best || this.running !== null;
    const usual = best?.device ?? (best?.kind === 'program' ? 'he' : 'ref');
    const device = this.wishedDevice || (DEVICES.includes(usual as Device) ? usual : 'ref');
    for (const radio of this.radios()) {
      radio.checked = radio.value === device;
    }
    this.inputs.replaceChildren(...(best?.inputs ?? []).map((input) => this.field(input)));
  }

  private field(input: Input): HTMLElement {
    const bound = input.bound ? ` in ${input.bound[0]}..${input.bound[1]}` : '';
    const owner = input.owner ? ` from ${input.owner}` : '';
    const id = `input-${input.name}`;
    const box = element('input', {
      id, type: 'text', spellcheck: 'false', autocomplete: 'off', placeholder: RANDOM, value: this.values.get(input.name) ?? '',
      input: () => this.values.set(input.name, box.value),
    });
    return element('div', { class: 'field' },
      element('label', { for: id }, element('b', {}, input.name), element('span', { class: 'soft' }, `: ${input.type}${bound}${owner}`)), box);
  }

  private request(chosen: Runnable): object {
    const device = this.device();
    const inputs: Record<string, string> = {};
    const ranges: string[] = [];
    for (const input of chosen.inputs) {
      const given = this.values.get(input.name)?.trim() || RANDOM;
      inputs[input.name] = given;
      if (given === RANDOM && device === 'he' && !input.bound && /[iu]64/.test(input.type)) {
        ranges.push(`${input.name}=0..${RANDOM_END}`);
      }
    }
    return {
      name: this.opened.name,
      text: this.text(),
      device,
      inputs,
      ranges,
      ...(chosen.kind === 'pipeline' ? { pipeline: chosen.name } : chosen.kind === 'program' ? {} : { fn: chosen.name }),
    };
  }

  private busy(is: boolean): void {
    this.runButton.disabled = is;
    this.stopButton.disabled = !is;
    this.result.setAttribute('aria-busy', String(is));
    if (is) {
      this.result.replaceChildren(element('p', { class: 'soft' }, 'Running…'));
    }
  }

  private tell(outcome: string, message: string): void {
    this.result.replaceChildren(element('pre', { class: `outcome ${outcome}`, role: 'alert' }, message));
  }

  private report(told: any): void {
    if (told.outcome !== 'done') {
      this.tell(told.outcome, told.message.trim());
      return;
    }
    const seconds = told.stats?.seconds?.total ?? told.seconds;
    const table = element('dl', { class: 'values', id: 'values' });
    for (const one of told.results) {
      table.append(element('dt', {}, one.name, element('span', { class: 'soft' }, `: ${one.type}`)),
        element('dd', {}, JSON.stringify(one.value).replaceAll(',', ', ')));
    }
    const statistics = element('dl', { class: 'statistics' });
    for (const [key, title] of STATISTICS) {
      const value = told.stats?.[key];
      if (value !== undefined && value !== 0) {
        statistics.append(element('dt', {}, title), element('dd', {}, typeof value === 'number' ? value.toLocaleString('en') : value));
      }
    }
    const timeline = told.timeline ? picture(told.timeline) : null;
    this.result.replaceChildren(
      element('p', { class: 'soft' }, `Ran ${WHERE[this.device()]} in ${(1000 * seconds).toPrecision(3)} ms`),
      table,
      ...(told.remarks.trim() ? [element('pre', { class: 'remarks' }, told.remarks.trim())] : []),
      element('h3', {}, 'What it cost'),
      statistics,
      ...(timeline ? [element('h3', {}, 'What ran when'), element('div', { class: 'picture', id: 'timeline', tabindex: '0' }, timeline)] : []),
    );
  }
}

const WHERE: Record<Device, string> = { ref: 'in the clear', he: 'under encryption', mpc: 'by several parties' };
