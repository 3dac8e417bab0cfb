// What is run, on what, and what came out.

import type { Backend } from './backend';
import { hideBanner, showBanner } from './banner';
import { byId, element } from './dom';
import type { OpenDocument } from './document';
import { Inputs } from './inputs';
import { drawFailure, drawReport, spoken, type GoToPlace, type Ran, type Report } from './result_view';
import { deviceOf, keyOf, titleOf, type Device, type Runnable } from './runnable';
import type { Shared } from './share';

const RANDOM = '@random';
/// Random numbers under encryption that nothing bounds are below this one.
const RANDOM_END = 256;

/// What the panel needs of the page.
export interface RunPage {
  text: () => string;
  /// Shows the panel.
  show: () => void;
  /// Another function is selected, or the list of them changed.
  selected: () => void;
  goTo: GoToPlace;
}

export class RunPanel {
  private runnables: Runnable[] = [];
  private readonly target = byId<HTMLSelectElement>('target');
  private readonly form = byId<HTMLFormElement>('run-form');
  private readonly result = byId<HTMLElement>('result');
  private readonly runButton = byId<HTMLButtonElement>('run');
  private readonly stopButton = byId<HTMLButtonElement>('stop');
  private inputs = this.emptyInputs();
  private wished = '';
  private wishedDevice = '';
  private running: AbortController | null = null;
  /// Whether the program runs as soon as the server knows it.
  private isAwaited = false;

  constructor(private readonly backend: Backend, private readonly opened: OpenDocument, private readonly page: RunPage) {
    this.offerDevices();
    this.form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.run();
    });
    this.stopButton.addEventListener('click', () => this.running?.abort());
    this.target.addEventListener('change', () => {
      this.wished = this.target.value;
      this.wishedDevice = '';
      this.show();
      this.outdate();
    });
    for (const radio of this.radios()) {
      radio.addEventListener('change', () => {
        this.wished = this.target.value;
        this.wishedDevice = radio.value;
        this.outdate();
      });
    }
  }

  /// Forgets what was run, for another program, which runs at once if `runs`.
  load(shared: Omit<Shared, 'text'>, runs: boolean): void {
    this.running?.abort();
    this.running = null;
    this.inputs = this.emptyInputs(shared.inputs);
    this.wished = shared.target ?? '';
    this.wishedDevice = shared.device ?? '';
    this.isAwaited = runs;
    this.runnables = [];
    this.target.replaceChildren();
    this.inputs.show([]);
    this.result.replaceChildren();
    this.busy(false);
    this.runButton.disabled = true;
  }

  /// What a link has to say beside the program.
  shared(): Pick<Shared, 'target' | 'device' | 'inputs'> {
    return { target: this.target.value || this.wished, device: this.device(), inputs: Object.fromEntries(this.inputs.values) };
  }

  selected(): Runnable | undefined {
    return this.runnables.find((one) => keyOf(one) === this.target.value);
  }

  async refresh(): Promise<void> {
    const found = await this.opened.ask<Runnable[]>('tacet/runnables');
    if (!found) {
      return;
    }
    if (JSON.stringify(found) !== JSON.stringify(this.runnables)) {
      this.runnables = found;
      this.show();
    }
    if (this.isAwaited && this.selected()) {
      this.isAwaited = false;
      void this.run();
    }
  }

  /// Chooses a function, as its lens does.
  choose(fn: string): void {
    this.wished = fn === '' ? 'program:' : `fn:${fn}`;
    this.wishedDevice = 'he';
    this.show();
  }

  /// The result no longer belongs to what the page shows.
  outdate(): void {
    const isOfRun = this.result.childElementCount > 0 && this.result.getAttribute('aria-busy') !== 'true';
    if (isOfRun && !this.result.classList.contains('stale')) {
      this.result.classList.add('stale');
      this.result.prepend(element('p', { class: 'stale-note', role: 'status' }, 'Out of date: something changed since this run. ',
        element('button', { type: 'button', click: () => void this.run() }, 'Run again')));
    }
  }

  async run(): Promise<void> {
    if (this.running) {
      return;
    }
    const chosen = this.selected();
    this.page.show();
    if (!chosen) {
      this.fail('failed', 'The program has nothing that can run.');
      return;
    }
    const wrong = this.inputs.firstWrong();
    if (wrong) {
      wrong.scrollIntoView({ block: 'nearest' });
      wrong.focus();
      return;
    }
    this.inputs.drawMissing();
    const run = new AbortController();
    this.running = run;
    this.busy(true);
    const ran: Ran = { runnable: chosen, device: this.device(), values: new Map(this.inputs.values) };
    const show = await this.answer(this.request(chosen), ran, run.signal);
    if (this.running === run) {
      this.running = null;
      this.busy(false);
      show();
      this.reveal();
    }
  }

  /// Sends a run and waits for it; gives back what shows its end.
  private async answer(request: object, ran: Ran, signal: AbortSignal): Promise<() => void> {
    try {
      const answer = await this.backend.run(request, signal);
      return answer.kind === 'report' ? () => this.report(answer.report, ran)
        : answer.kind === 'retry' ? () => this.retry(answer.message)
          : () => this.fail('failed', answer.message);
    } catch (error) {
      if (!signal.aborted) {
        throw error;
      }
      return () => this.fail('stopped', '');
    }
  }

  private emptyInputs(values: Record<string, string> = {}): Inputs {
    return new Inputs(byId('inputs'), new Map(Object.entries(values)), () => this.outdate());
  }

  private radios(): HTMLInputElement[] {
    return [...this.form.querySelectorAll<HTMLInputElement>('input[name=device]')];
  }

  private offerDevices(): void {
    for (const radio of this.radios()) {
      if (!this.isOffered(radio.value)) {
        radio.disabled = true;
        radio.setAttribute('aria-describedby', 'elsewhere');
        radio.title = this.backend.elsewhere.replaceAll('`', '');
      }
    }
    byId('elsewhere').replaceChildren(...this.backend.elsewhere.split('`').map((part, i) => (i % 2 === 1 ? element('code', {}, part) : part)));
  }

  private isOffered(device: string): boolean {
    return (this.backend.devices as readonly string[]).includes(device);
  }

  private device(): Device {
    return (this.radios().find((radio) => radio.checked)?.value ?? 'ref') as Device;
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
    this.target.parentElement!.hidden = this.runnables.length === 1;
    this.runButton.disabled = !best || this.running !== null;
    const isWished = best !== undefined && keyOf(best) === this.wished;
    const wanted = (isWished && this.wishedDevice) || (best ? deviceOf(best) : 'ref');
    const device = this.isOffered(wanted) ? wanted : 'ref';
    for (const radio of this.radios()) {
      radio.checked = radio.value === device;
    }
    byId('elsewhere').hidden = wanted === device;
    this.inputs.show(best?.inputs ?? []);
    this.page.selected();
  }

  private request(chosen: Runnable): object {
    const device = this.device();
    const inputs: Record<string, string> = {};
    const ranges: string[] = [];
    for (const input of chosen.inputs) {
      const given = this.inputs.values.get(input.name)?.trim() || RANDOM;
      inputs[input.name] = given;
      if (given === RANDOM && device === 'he' && !input.bound && /[iu]64/.test(input.type)) {
        ranges.push(`${input.name}=0..${RANDOM_END}`);
      }
    }
    return {
      name: this.opened.name,
      text: this.page.text(),
      device,
      inputs,
      ranges,
      ...(chosen.kind === 'pipeline' ? { pipeline: chosen.name } : chosen.kind === 'program' ? {} : { fn: chosen.name }),
    };
  }

  private busy(is: boolean): void {
    this.runButton.disabled = is;
    this.stopButton.hidden = !is;
    this.result.setAttribute('aria-busy', String(is));
    if (is) {
      hideBanner('run');
      this.result.classList.remove('stale');
      this.result.replaceChildren(element('p', { class: 'soft' }, 'Running…'));
    }
  }

  /// On a page that is too short for all of it.
  private reveal(): void {
    const { bottom } = this.runButton.getBoundingClientRect();
    if (this.result.getBoundingClientRect().top > window.innerHeight - 80 || bottom < 0) {
      this.result.scrollIntoView({ block: 'start' });
    }
  }

  private retry(message: string): void {
    this.result.replaceChildren();
    showBanner('run', message, { title: 'Retry', run: () => void this.run() });
  }

  private fail(outcome: string, message: string): void {
    this.result.classList.remove('stale');
    this.result.replaceChildren(...drawFailure(outcome, message, this.page.goTo));
  }

  private report(report: Report, ran: Ran): void {
    if (report.outcome !== 'done') {
      this.fail(report.outcome, (report.message ?? '').trim());
      return;
    }
    this.result.replaceChildren(...drawReport(report, ran));
    byId('spoken').textContent = spoken(report);
  }
}
