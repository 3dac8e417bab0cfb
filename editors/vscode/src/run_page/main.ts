// The page in which programs are run: what, where, on which inputs, and the results.

import { element } from '../../../playground/src/dom.js';
import { drawFailure, drawReport, spoken } from '../../../playground/src/result_view.js';
import { keyOf, titleOf, type Device, type Runnable } from '../../../playground/src/runnable.js';
import type { Choice, FromPage, ToPage } from '../run_messages.js';
import { Fields } from './fields.js';

declare function acquireVsCodeApi(): { postMessage(message: FromPage): void };

const editor = acquireVsCodeApi();
const send = (message: FromPage) => editor.postMessage(message);

const DEVICES: Record<Device, string> = { he: 'under encryption', mpc: 'by local parties', ref: 'in plaintext' };

class Page {
  private form: Extract<ToPage, { kind: 'form' }> | undefined;
  private device: Device = 'ref';
  private isRunning = false;
  private readonly title = element('h1', {});
  private readonly target = element('div', { class: 'target' });
  private readonly fields = new Fields({ changed: () => this.edited(), selectFile: (input) => send({ kind: 'selectFile', input }) });
  private readonly run = element('button', { class: 'main', type: 'submit', id: 'run' }, 'Run');
  private readonly stop = element('button', { type: 'button', hidden: true, click: () => send({ kind: 'stop' }) }, 'Stop');
  private readonly result = element('div', { id: 'result', 'aria-live': 'polite' });
  private readonly body = element('form', { submit: (event: Event) => { event.preventDefault(); this.start(); } },
    this.target, this.fields.place, element('div', { class: 'buttons' }, this.run, this.stop));

  constructor() {
    document.getElementById('page')!.append(this.title, this.body, this.result);
  }

  receive(message: ToPage): void {
    switch (message.kind) {
      case 'form': return this.show(message);
      case 'nothing': return this.showNothing(message.reason);
      case 'problems': return this.fields.say(message.problems);
      case 'file': return this.fields.write(message.input, message.value);
      case 'running': return this.busy(true);
      case 'report': return this.report(message);
      case 'outdated': return this.outdate();
    }
  }

  private show(form: Extract<ToPage, { kind: 'form' }>): void {
    const before = this.form;
    this.form = form;
    this.device = form.device;
    this.body.hidden = false;
    const selected = this.selected();
    this.title.textContent = `${form.file}${selected === undefined ? '' : ` · ${titleOf(selected)}`}`;
    this.drawTarget(form);
    const isSame = before !== undefined && before.file === form.file && before.selected === form.selected;
    this.fields.show(selected?.inputs ?? [], isSame ? { ...form.values, ...this.fields.values() } : form.values);
    if (!isSame && !this.isRunning) {
      this.result.replaceChildren();
      this.result.classList.remove('stale');
    }
  }

  private drawTarget(form: Extract<ToPage, { kind: 'form' }>): void {
    const select = element('select', {
      'aria-label': 'What to run', change: () => send({ kind: 'select', key: select.value }),
    }, ...form.runnables.map((one) => element('option', { value: keyOf(one), selected: keyOf(one) === form.selected }, titleOf(one))));
    const devices = form.devices.map((device) => element('label', {},
      element('input', {
        type: 'radio', name: 'device', value: device, checked: device === this.device,
        change: () => {
          this.device = device;
          this.edited();
        },
      }), ` ${DEVICES[device]}`));
    this.target.replaceChildren(
      ...(form.runnables.length > 1 ? [select] : []),
      element('fieldset', { 'aria-label': 'Where to run' }, ...(devices.length > 1 ? devices : [DEVICES[this.device]])));
  }

  private showNothing(reason: string): void {
    this.form = undefined;
    this.title.textContent = '';
    this.body.hidden = true;
    this.result.replaceChildren(element('p', { class: 'soft' }, reason));
  }

  private selected(): Runnable | undefined {
    return this.form?.runnables.find((one) => keyOf(one) === this.form?.selected);
  }

  private choice(): Choice {
    return { key: this.form!.selected, device: this.device, values: this.fields.values() };
  }

  private edited(): void {
    send({ kind: 'edit', choice: this.choice() });
    this.outdate();
  }

  private start(): void {
    if (this.isRunning || this.form === undefined || this.fields.goToWrong()) {
      return;
    }
    this.fields.drawMissing();
    send({ kind: 'run', choice: this.choice() });
  }

  private busy(isRunning: boolean): void {
    this.isRunning = isRunning;
    this.run.disabled = isRunning;
    this.stop.hidden = !isRunning;
    if (isRunning) {
      this.result.classList.remove('stale');
      this.result.replaceChildren(element('p', { class: 'soft' }, 'Running…'));
    }
  }

  private outdate(): void {
    if (this.result.childElementCount === 0 || this.isRunning || this.form === undefined || this.result.classList.contains('stale')) {
      return;
    }
    this.result.classList.add('stale');
    this.result.prepend(element('p', { class: 'stale-note' }, 'Out of date: the program or its inputs have changed. ',
      element('button', { type: 'button', click: () => this.start() }, 'Run Again')));
  }

  private report({ report, choice, runnable, showsDetails }: Extract<ToPage, { kind: 'report' }>): void {
    this.busy(false);
    this.result.classList.remove('stale');
    if (report.outcome !== 'done') {
      const goTo = (line: number, column: number) => send({ kind: 'goTo', line, column });
      this.result.replaceChildren(...drawFailure(report.outcome, report.message ?? '', goTo));
      return;
    }
    this.result.replaceChildren(
      ...drawReport(report, { runnable, device: choice.device, values: new Map(Object.entries(choice.values)) }));
    this.result.setAttribute('aria-label', spoken(report));
    const details = this.result.querySelector('details');
    if (details !== null && showsDetails) {
      details.open = true;
    }
  }
}

const page = new Page();
window.addEventListener('message', (event: MessageEvent<ToPage>) => page.receive(event.data));
send({ kind: 'ready' });
