// The card "Who sees what": a column for each party of a run, a row for each input and result. What a
// party does not see has a lock; what the run revealed is marked.

import { element, lock } from './dom';
import { isSecret, type Device, type Input, type Output, type Runnable } from './runnable';
import { groupedText, valueText } from './units';

type Sight = 'plain' | 'revealed' | 'share' | 'ciphertext' | 'not sent';
interface Row { name: string; type: string; value: string; sights: Sight[]; isResult: boolean }
export interface Sights { columns: string[]; rows: Row[]; note: string }

/// A result of a run.
export interface Result { name: string; type: string; value: unknown }

/// Letters of a value that a cell shows.
const MOST_SHOWN = 18;

const HIDDEN: Partial<Record<Sight, [word: string, description: string]>> = {
  share: ['share', 'secret: only a share, which looks random'],
  ciphertext: ['encrypted', 'secret: only a ciphertext'],
  'not sent': ['not sent', 'secret: it stays with its owner'],
};

function textOf(input: Input, values: ReadonlyMap<string, string>): string {
  const given = values.get(input.name)?.trim();
  return given && given !== '@random' ? given.replace(/\s*,\s*/g, ', ') : 'random';
}

function onPlaintext(runnable: Runnable): { columns: string[]; sight: () => Sight[]; result: () => Sight[]; note: string } {
  const hasSecrets = runnable.inputs.some((input) => isSecret(input.type) || input.owner);
  return {
    columns: ['this computer'],
    sight: () => ['plain'],
    result: () => ['revealed'],
    note: hasSecrets ? 'A run in plaintext hides nothing: it is for testing.' : '',
  };
}

function underEncryption(runnable: Runnable) {
  const isProgram = runnable.kind === 'program';
  return {
    columns: ['client', 'server'],
    sight: (input: Input): Sight[] =>
      input.owner === 'server' ? ['not sent', 'plain']
      : isProgram || isSecret(input.type) ? ['plain', 'ciphertext']
      : ['plain', 'plain'],
    result: (): Sight[] => ['revealed', 'ciphertext'],
    note: 'The server computes on ciphertexts. Only the client has the key.',
  };
}

function byParties(runnable: Runnable, nParties: number) {
  const results = runnable.results ?? [];
  const owners = [...new Set([...runnable.inputs, ...results].flatMap((one) => one.owner ?? []))];
  const caller = runnable.inputs.some((input) => !input.owner && isSecret(input.type));
  const others = Math.max(0, nParties - owners.length);
  const columns = [
    ...(caller ? ['input owner'] : []),
    ...owners,
    ...(others > 0 ? [owners.length === 0 ? `each of ${others} parties` : others === 1 ? 'third party' : `${others} more parties`] : []),
  ];
  const staysShared = results.some((one) => isSecret(one.type) && !one.owner);
  const seenBy = (owner: string | undefined, seen: Sight): Sight[] =>
    columns.map((column) => (column === owner || (!owner && caller && column === 'input owner') ? seen : 'share'));
  return {
    columns,
    sight: (input: Input): Sight[] => (isSecret(input.type) ? seenBy(input.owner, 'plain') : columns.map(() => 'plain')),
    result: (output: Output | undefined): Sight[] =>
      (output && isSecret(output.type) ? seenBy(output.owner, 'revealed') : columns.map(() => 'revealed')),
    note: staysShared
      ? 'The result is secret: the parties keep shares of it, which are combined for this page alone.'
      : 'The parties compute on shares. One share alone looks random.',
  };
}

/// `out` and its likes are names that nobody gave.
function nameOf(result: Result, i: number, n: number): string {
  return !/^_?out\d*$/.test(result.name) ? result.name : n === 1 ? 'result' : `result ${i + 1}`;
}

/// Whether the card shows every result to somebody, at full length.
export function hasAllResults(sights: Sights): boolean {
  return sights.rows.filter((row) => row.isResult).every((row) => row.sights.includes('revealed') && row.value.length <= MOST_SHOWN);
}

/// Nothing where the page does not know: for a coordinator, which hands parts of its work to devices.
export function whoSees(runnable: Runnable, device: Device, values: ReadonlyMap<string, string>, results: Result[],
                        nParties: number): Sights | null {
  const isOfDevice = runnable.device !== undefined || runnable.kind === 'program';
  if (device !== 'ref' && !isOfDevice) {
    return null;
  }
  const view = device === 'ref' ? onPlaintext(runnable)
    : device === 'he' ? underEncryption(runnable)
    : byParties(runnable, nParties);
  const outputs = runnable.results ?? [];
  return {
    columns: view.columns,
    note: view.note,
    rows: [
      ...runnable.inputs.map((input) => ({
        name: input.name, type: input.type, value: textOf(input, values), sights: view.sight(input), isResult: false,
      })),
      ...results.map((result, i) => ({
        name: nameOf(result, i, results.length),
        type: result.type,
        value: valueText(result.value),
        sights: view.result(outputs[outputs.length === results.length ? i : 0]),
        isResult: true,
      })),
    ],
  };
}

function drawCell(row: Row, sight: Sight): HTMLElement {
  const hidden = HIDDEN[sight];
  if (hidden) {
    return element('td', {}, element('span', { class: 'locked', title: hidden[1] }, lock(), hidden[0]));
  }
  return element('td', {}, element('span', { class: `seen ${sight}`, title: row.value }, groupedText(row.value)));
}

export function drawWhoSees(sights: Sights): HTMLElement {
  return element('div', { class: 'card', id: 'who-sees' },
    element('h2', { id: 'who-sees-title' }, 'Who sees what'),
    element('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-labelledby': 'who-sees-title' },
      element('table', {},
        element('thead', {}, element('tr', {}, element('td', {}),
          ...sights.columns.map((name) => element('th', { scope: 'col' }, name)))),
        element('tbody', {}, ...sights.rows.map((row) =>
          element('tr', {}, element('th', { scope: 'row', title: `${row.name}: ${row.type}` }, row.name),
            ...row.sights.map((sight) => drawCell(row, sight))))))),
    sights.note ? element('p', { class: 'soft' }, sights.note) : null);
}
