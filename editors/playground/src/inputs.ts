// The fields of a run's inputs, one group for each party: checked while they are typed, with a button
// that draws a random value.

import { element, icon, lock } from './dom';
import { isSecret, type Input } from './runnable';
import { draw, problemOf } from './value_types';

const DICE = 'M3 1h10a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H3a2 2 0 0 1-2-2V3a2 2 0 0 1 2-2zm0 1.4a.6.6 0 0 0-.6.6v10c0 .3.3.6.6.6h10' +
  'c.3 0 .6-.3.6-.6V3a.6.6 0 0 0-.6-.6zM5 3.7a1.3 1.3 0 1 0 0 2.6 1.3 1.3 0 0 0 0-2.6zm3 3a1.3 1.3 0 1 0 0 2.6 1.3 1.3 0 0 0 0-2.6' +
  'zm3 3a1.3 1.3 0 1 0 0 2.6 1.3 1.3 0 0 0 0-2.6z';

export class Inputs {
  private shown: Input[] = [];

  /// `changed` is called when somebody changes a value.
  constructor(private readonly place: HTMLElement, readonly values: Map<string, string>, private readonly changed: () => void) {}

  /// What is not given becomes random here if it can, so that the page can show it.
  drawMissing(): void {
    for (const input of this.shown) {
      if (!this.values.get(input.name)?.trim()) {
        const drawn = draw(input);
        if (drawn !== null) {
          this.write(input, drawn);
        }
      }
    }
  }

  /// The first field with a mistake.
  firstWrong(): HTMLInputElement | null {
    return this.place.querySelector<HTMLInputElement>('input[aria-invalid=true]');
  }

  show(inputs: Input[]): void {
    this.shown = inputs;
    const groups = new Map<string, HTMLElement[]>();
    for (const input of inputs) {
      const owner = input.owner ?? '';
      groups.set(owner, [...(groups.get(owner) ?? []), this.field(input)]);
    }
    this.place.replaceChildren(...[...groups].map(([owner, fields]) => owner === ''
      ? element('div', { class: 'owner' }, ...fields)
      : element('fieldset', { class: 'owner' }, element('legend', {}, owner), ...fields)));
  }

  private write(input: Input, value: string): void {
    this.values.set(input.name, value);
    const box = document.getElementById(`input-${input.name}`) as HTMLInputElement | null;
    if (box) {
      box.value = value;
      this.check(input, box);
    }
  }

  private check(input: Input, box: HTMLInputElement): void {
    const problem = problemOf(input, box.value);
    box.setAttribute('aria-invalid', String(problem !== ''));
    document.getElementById(`${box.id}-problem`)!.textContent = problem;
  }

  private field(input: Input): HTMLElement {
    const id = `input-${input.name}`;
    const problem = problemOf(input, this.values.get(input.name) ?? '');
    const box = element('input', {
      id, type: 'text', spellcheck: 'false', autocomplete: 'off', autocapitalize: 'off', placeholder: 'random',
      'aria-describedby': `${id}-problem`, 'aria-invalid': String(problem !== ''), value: this.values.get(input.name) ?? '',
      input: () => {
        this.values.set(input.name, box.value);
        this.check(input, box);
        this.changed();
      },
    });
    const dice = element('button', {
      type: 'button', class: 'dice', title: 'Random value', 'aria-label': `Random value for ${input.name}`,
      click: () => {
        this.write(input, draw(input) ?? '');
        this.changed();
      },
    }, icon(DICE, 'dice-icon'));
    const bound = input.bound ? ` in ${input.bound[0]}..${input.bound[1]}` : '';
    return element('div', { class: /\[/.test(input.type) ? 'field long' : 'field' },
      element('label', { for: id }, isSecret(input.type) || input.owner ? lock() : null, element('b', {}, input.name),
        element('span', { class: 'soft' }, `: ${input.type}${bound}`)),
      element('div', { class: 'entry' }, box, dice),
      element('span', { id: `${id}-problem`, class: 'wrong', role: 'status' }, problem));
  }
}
