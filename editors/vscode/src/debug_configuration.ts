// What `tacet debug` is started with. Knows nothing of VS Code.

import { type Runnable } from '../../playground/src/runnable.js';
import { RANDOM, type Values } from './run_form.js';

/** The options of `launch` that say what runs. */
export interface Launch {
  readonly program: string;
  readonly function?: string;
  readonly pipeline?: string;
  readonly inputs: readonly string[];
}

/** A function on these inputs; those that are missing are random. */
export function launchOf(program: string, runnable: Runnable, values: Values): Launch {
  const inputs = runnable.inputs.flatMap(({ name }) => {
    const value = values[name]?.trim() ?? '';
    return value === '' ? [] : [`${name}=${value}`];
  });
  const all = inputs.length < runnable.inputs.length ? [...inputs, RANDOM] : inputs;
  switch (runnable.kind) {
    case 'program': return { program, inputs: all };
    case 'pipeline': return { program, pipeline: runnable.name, inputs: all };
    default: return { program, function: runnable.name, inputs: all };
  }
}

const NAME = /[A-Za-z_][A-Za-z0-9_]*/g;

/** The names in a line of code, with their columns; not those in comments. */
export function namesIn(line: string): { name: string; column: number }[] {
  const code = line.replace(/\/\/.*$/, '');
  return [...code.matchAll(NAME)].map((match) => ({ name: match[0], column: match.index }));
}
