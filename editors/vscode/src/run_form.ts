// What can be run of a file, on which values: the model of the form. Knows nothing of VS Code.

import { isSecret, type Device, type Input, type Runnable } from '../../playground/src/runnable.js';
import { problemOf } from '../../playground/src/value_types.js';

/** The text of each input by its name, as `tacet run --input` takes it. */
export type Values = Readonly<Record<string, string>>;

export const RANDOM = '@random';

/** The file that a value names; undefined if it is written out or random. */
export function fileOf(value: string): string | undefined {
  const text = value.trim();
  return text.startsWith('@') && text !== RANDOM ? text.slice(1) : undefined;
}

/** A file, and maybe its columns or members behind a colon: `people.csv:age,income`. */
const READABLE = /^(.+?\.(?:json|csv|tsv|npy|npz))(?::.+)?$/i;

/** Why a value is not one for `input`; empty for a good one. `isFile` gets files as they are written. */
export function problemOfValue(input: Input, value: string, isFile: (file: string) => boolean): string {
  const file = fileOf(value);
  if (file === undefined) {
    return problemOf(input, value);
  }
  if (file === '-') {
    return 'there is no standard input here';
  }
  const path = READABLE.exec(file)?.[1];
  if (path === undefined) {
    return 'expected a .json, .csv, .tsv, .npy or .npz file';
  }
  return isFile(path) ? '' : `there is no file \`${path}\``;
}

/** The problems of all inputs that have one, by name. */
export function problemsOf(runnable: Runnable, values: Values, isFile: (file: string) => boolean): Values {
  const found = runnable.inputs.map((input) => [input.name, problemOfValue(input, values[input.name] ?? '', isFile)] as const);
  return Object.fromEntries(found.filter(([, problem]) => problem !== ''));
}

/** Where it can run: on the device that it is written for, and in plaintext. */
export function devicesOf(runnable: Runnable): Device[] {
  const device = runnable.device ?? (runnable.kind === 'program' ? 'he' : 'ref');
  return device === 'he' || device === 'mpc' ? [device, 'ref'] : ['ref'];
}

/** What the cursor is in: the last one that does not start below its line. */
export function runnableAt(runnables: readonly Runnable[], line: number): Runnable | undefined {
  return runnables.filter((one) => one.range.start.line <= line).at(-1) ?? mostLikely(runnables);
}

/** What is worth running if nothing is selected. */
export function mostLikely(runnables: readonly Runnable[]): Runnable | undefined {
  return runnables.find((one) => one.kind === 'pipeline') ?? runnables.find((one) => one.kind === 'program') ??
    runnables.find((one) => one.device !== undefined) ?? runnables[0];
}

/** Whether the text of a value must not be stored unencrypted. */
export function isConfidential(input: Input, value: string): boolean {
  return (isSecret(input.type) || input.owner !== undefined) && fileOf(value) === undefined && value.trim() !== RANDOM;
}
