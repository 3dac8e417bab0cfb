// The fields of a run's inputs, one group for each party: checked while they are typed, each with a
// button that draws a random value and one that selects a file.

import { element, icon, lock } from '../../../playground/src/dom.js';
import { isSecret, type Input } from '../../../playground/src/runnable.js';
import { draw } from '../../../playground/src/value_types.js';
import { problemOfValue, RANDOM, type Values } from '../run_form.js';

const DICE = 'M3 1h10a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H3a2 2 0 0 1-2-2V3a2 2 0 0 1 2-2zm0 1.4v11.2h10V2.4zM5 3.7a1.3 1.3 0 1 0 0 2.6 ' +
  '1.3 1.3 0 0 0 0-2.6zm3 3a1.3 1.3 0 1 0 0 2.6 1.3 1.3 0 0 0 0-2.6zm3 3a1.3 1.3 0 1 0 0 2.6 1.3 1.3 0 0 0 0-2.6z';
const FOLDER = 'M1 3h5l1.5 2H15v8.5H1zm1.3 1.3v7.9h11.4V6.3H6.9L5.4 4.3z';

export interface FieldActions {
  readonly changed: () => void;
  readonly selectFile: (input: string) => void;
}

function labelOf(input: Input, box: string): HTMLElement {
  const bound = input.bound ? ` in ${input.bound[0]}..${input.bound[1]}` : '';
  return element('label', { for: box }, isSecret(input.type) || input.owner ? lock() : null,
    element('b', {}, input.name), element('span', { class: 'soft' }, `: ${input.type}${bound}`));
}

class Field {
  readonly box: HTMLInputElement;
  private readonly problem: HTMLElement;

  constructor(readonly input: Input, value: string, private readonly actions: FieldActions) {
    const id = `input-${input.name}`;
    this.problem = element('span', { id: `${id}-problem`, class: 'wrong', role: 'status' });
    this.box = element('input', {
      id, type: 'text', spellcheck: 'false', autocomplete: 'off', placeholder: 'random',
      'aria-describedby': `${id}-problem`, value,
      input: () => {
        this.check();
        actions.changed();
      },
    });
    this.check();
  }

  draw(): HTMLElement {
    const { input, actions } = this;
    const random = element('button', {
      type: 'button', title: 'Random value', 'aria-label': `Random value for ${input.name}`,
      click: () => {
        this.write(draw(input) ?? RANDOM);
        actions.changed();
      },
    }, icon(DICE, 'dice'));
    const file = element('button', {
      type: 'button', title: 'Values from a file…', 'aria-label': `Values for ${input.name} from a file`,
      click: () => actions.selectFile(input.name),
    }, icon(FOLDER, 'folder'));
    return element('div', { class: 'field' }, labelOf(input, this.box.id),
      element('div', { class: 'entry' }, this.box, random, file), this.problem);
  }

  write(value: string): void {
    this.box.value = value;
    this.check();
  }

  say(problem: string): void {
    this.problem.textContent = problem;
    this.box.setAttribute('aria-invalid', String(problem !== ''));
  }

  /** Whether a file exists, the extension finds out. */
  private check(): void {
    this.say(problemOfValue(this.input, this.box.value, () => true));
  }
}

export class Fields {
  readonly place = element('div', { id: 'inputs' });
  private fields: Field[] = [];

  constructor(private readonly actions: FieldActions) {}

  show(inputs: readonly Input[], values: Values): void {
    this.fields = inputs.map((input) => new Field(input, values[input.name] ?? '', this.actions));
    const owners = [...new Set(inputs.map(({ owner }) => owner ?? ''))];
    this.place.replaceChildren(...owners.map((owner) => {
      const fields = this.fields.filter(({ input }) => (input.owner ?? '') === owner).map((field) => field.draw());
      return owner === '' ? element('div', {}, ...fields)
        : element('fieldset', { class: 'owner' }, element('legend', {}, owner), ...fields);
    }));
  }

  values(): Values {
    return Object.fromEntries(this.fields.map(({ input, box }) => [input.name, box.value]));
  }

  write(name: string, value: string): void {
    this.fields.find(({ input }) => input.name === name)?.write(value);
    this.actions.changed();
  }

  /** Draws what was left out, so that it can be seen and repeated. */
  drawMissing(): void {
    for (const field of this.fields) {
      if (field.box.value.trim() === '') {
        field.write(draw(field.input) ?? RANDOM);
      }
    }
  }

  /** Shows what is wrong, and goes to the first such field. */
  say(problems: Values): void {
    for (const field of this.fields) {
      const problem = problems[field.input.name];
      if (problem !== undefined) {
        field.say(problem);
      }
    }
    this.goToWrong();
  }

  /** True if there is a field with a mistake; the cursor is in it then. */
  goToWrong(): boolean {
    const wrong = this.fields.find(({ box }) => box.getAttribute('aria-invalid') === 'true');
    wrong?.box.focus();
    return wrong !== undefined;
  }
}
