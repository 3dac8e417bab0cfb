// What came out of a run: who sees what, its cost in three numbers, the rest folded away; and what
// went wrong, with links to the places in the text.

import { element, picture } from './dom';
import type { Device, Runnable } from './runnable';
import { bytesText, durationText, valueText } from './units';
import { drawWhoSees, hasAllResults, whoSees, type Result } from './who_sees';

export interface Report {
  outcome: string;
  message?: string;
  results?: Result[];
  stats?: any;
  seconds?: number;
  remarks?: string;
  timeline?: string;
}

/// What was run when it started; the page may show something else when the answer comes.
export interface Ran { runnable: Runnable; device: Device; values: ReadonlyMap<string, string> }

export type GoToPlace = (line: number, column: number) => void;

const count = (value: unknown) => (typeof value === 'number' ? value.toLocaleString('en') : String(value));
const bytes = (value: unknown) => bytesText(Number(value));

/// What `--stats` has, in the order in which people ask for it.
const STATISTICS: [key: string, title: string, text: (value: unknown) => string][] = [
  ['scheme', 'scheme', (value) => String(value).toUpperCase()], ['ring_dimension', 'ring dimension', count],
  ['security', 'security, bits', count], ['rotations', 'rotations', count],
  ['ct_ct_products', 'products of ciphertexts', count], ['ct_pt_products', 'products with plaintexts', count],
  ['relinearisations', 'relinearisations', count], ['ct_additions', 'additions', count], ['depth', 'depth', count],
  ['noise_budget_left_bits', 'noise budget left, bits', count], ['input_ciphertexts', 'ciphertexts sent', count],
  ['protocol', 'protocol', String], ['parties', 'parties', count], ['rounds', 'rounds', count], ['messages', 'messages', count],
  ['bytes_sent', 'sent', bytes], ['instructions', 'instructions', count], ['peak_memory_bytes', 'peak memory', bytes],
];

/// Time, bytes, and what takes the time: rounds, operations or steps.
function numbersOf(report: Report, device: Device): [value: string, name: string][] {
  const stats = report.stats ?? {};
  const time: [string, string] = [durationText(stats.seconds?.total ?? report.seconds ?? 0), 'time'];
  if (device === 'mpc') {
    return [time, [bytesText(stats.bytes_sent ?? 0), 'sent per party'], [count(stats.rounds ?? 0), stats.rounds === 1 ? 'round' : 'rounds']];
  }
  if (device === 'he') {
    const operations = ['rotations', 'ct_ct_products', 'ct_pt_products', 'ct_additions', 'relinearisations']
      .reduce((sum, key) => sum + Number(stats[key] ?? 0), 0);
    return [time, [bytesText(stats.bytes_sent ?? 0), 'sent'], [count(operations), operations === 1 ? 'operation' : 'operations']];
  }
  return [time, [bytesText(stats.peak_memory_bytes ?? 0), 'memory'], [count(stats.instructions ?? 0), 'steps']];
}

function valuesTable(results: Result[]): HTMLElement {
  const table = element('dl', { class: 'values', id: 'values' });
  for (const one of results) {
    table.append(element('dt', {}, one.name, element('span', { class: 'soft' }, `: ${one.type}`)),
      element('dd', {}, valueText(one.value)));
  }
  return table;
}

function statisticsTable(stats: any): HTMLElement {
  const table = element('dl', { class: 'statistics' });
  for (const [key, title, text] of STATISTICS) {
    const value = stats?.[key];
    if (value !== undefined && value !== 0) {
      table.append(element('dt', {}, title), element('dd', {}, text(value)));
    }
  }
  return table;
}

/// Open or not as it was left the last time.
let detailsAreOpen = false;

function details(report: Report): HTMLElement {
  const timeline = report.timeline ? picture(report.timeline) : null;
  const folded = element('details', { id: 'details', open: detailsAreOpen },
    element('summary', {}, 'Details'),
    ...(report.remarks?.trim() ? [element('pre', { class: 'remarks' }, report.remarks.trim())] : []),
    element('h3', {}, 'Cost'),
    statisticsTable(report.stats),
    ...(timeline
      ? [element('h3', {}, 'Timeline'), element('div', { class: 'picture', id: 'timeline', tabindex: '0', role: 'group', 'aria-label': 'Timeline' }, timeline)]
      : []));
  folded.addEventListener('toggle', () => { detailsAreOpen = folded.open; });
  return folded;
}

export function drawReport(report: Report, ran: Ran): HTMLElement[] {
  const results = report.results ?? [];
  const sights = whoSees(ran.runnable, ran.device, ran.values, results, report.stats?.parties ?? 0);
  return [
    ...(sights ? [drawWhoSees(sights)] : []),
    ...(sights && hasAllResults(sights) ? [] : [element('div', { class: 'card' }, valuesTable(results))]),
    element('ul', { class: 'numbers', 'aria-label': 'Cost' }, ...numbersOf(report, ran.device).map(([value, name]) =>
      element('li', {}, element('b', {}, value), ' ', element('span', {}, name)))),
    details(report),
  ];
}

const TITLES: Record<string, string> = {
  time: 'Out of time', memory: 'Out of memory', crashed: 'The run crashed', output: 'Too many results',
};

/// A message whose places (`program.tacet:4:12:`) are links into the text.
function linked(message: string, goTo: GoToPlace): (Node | string)[] {
  return message.split('\n').flatMap((line, i): (Node | string)[] => {
    const match = /^\s*\w+\.(?:tacet|tlhe):(\d+):(\d+):\s*(.*)$/.exec(line);
    const before = i > 0 ? ['\n'] : [];
    return match
      ? [...before, element('button', {
        type: 'button', class: 'place', click: () => goTo(Number(match[1]), Number(match[2])),
      }, `line ${match[1]}`), ` ${match[3]}`]
      : [...before, line.replace(/^(\s*)= (note|help)\b/, '$1$2')];
  });
}

export function drawFailure(outcome: string, message: string, goTo: GoToPlace): HTMLElement[] {
  if (outcome === 'stopped') {
    return [element('p', { class: 'outcome stopped', role: 'status' }, 'Stopped.')];
  }
  return [element('div', { class: `outcome ${outcome}`, role: 'alert' },
    element('b', {}, TITLES[outcome] ?? 'The program does not run'), element('pre', {}, ...linked(message, goTo)))];
}

/// What a screen reader says of a run.
export function spoken(report: Report): string {
  return (report.results ?? []).map((one) => `${one.name} is ${valueText(one.value)}`).join(', ');
}
