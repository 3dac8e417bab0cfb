// The page of a panel with what was explored. Knows nothing of VS Code.

import { escaped, framed } from './page_frame.js';
import { withoutStyle } from './picture_style.js';

/** One of the ways to compute something. */
export interface ExploredPoint {
  readonly label: string;
  readonly milliseconds?: number;
  readonly bytes?: number;
  readonly why?: string;
  readonly isChosen?: boolean;
  readonly isOnFront?: boolean;
  /** The file with it, where that is another text. */
  readonly text?: string;
}

/** What the server answers to `tacet/explored`. */
export interface Explored {
  readonly name: string;
  readonly picture?: string;
  readonly isMeasured: boolean;
  readonly isUnfinished?: boolean;
  readonly points: readonly ExploredPoint[];
}

export function timeText(milliseconds: number): string {
  return milliseconds >= 1000 ? `${(milliseconds / 1000).toPrecision(3)} s`
    : milliseconds >= 1 ? `${milliseconds.toPrecision(3)} ms` : `${(1000 * milliseconds).toPrecision(3)} µs`;
}

export function bytesText(bytes: number): string {
  return bytes >= 1e6 ? `${(bytes / 1e6).toPrecision(3)} MB` : bytes >= 1e3 ? `${(bytes / 1e3).toPrecision(3)} KB` : `${bytes.toFixed(0)} B`;
}

function rowOf(point: ExploredPoint, index: number, command: string): string {
  const { label, milliseconds, bytes, why, text } = point;
  const name = text === undefined
    ? escaped(label)
    : `<a href="command:${command}?${encodeURIComponent(JSON.stringify([index]))}" title="Compare the program with it">${escaped(label)}</a>`;
  const marks = `${point.isOnFront ? '★' : ''}${point.isChosen ? ' chosen' : ''}`;
  return `<tr><td>${name}</td><td>${milliseconds === undefined ? '' : timeText(milliseconds)}</td>`
    + `<td>${bytes === undefined ? '' : bytesText(bytes)}</td><td>${escaped([marks, why ?? ''].join(' ').trim())}</td></tr>`;
}

const STYLE = `td { padding: 0.15em 1em 0.15em 0; vertical-align: top; }
td:nth-child(2), td:nth-child(3) { text-align: right; white-space: nowrap; }
`;

/** `command` is what a click on a point calls with its index. */
export function exploredPage(explored: Explored | string | undefined, command: string): string {
  const body = explored === undefined
    ? '<p>Put the cursor in a specification, a function or a pipeline.</p>'
    : typeof explored === 'string'
      ? `<p>${escaped(explored)}</p>`
      : `<h2>${escaped(explored.name)}</h2>\n${explored.picture === undefined ? '' : withoutStyle(explored.picture)}\n`
        + `<table>${explored.points.map((point, index) => rowOf(point, index, command)).join('\n')}</table>\n`
        + `<p>${explored.isMeasured
          ? '★ Nothing else takes less time or fewer bytes without taking more of the other.'
          : 'Nothing was measured: <code>tacet explore</code> measures. Times are predicted.'}</p>`;
  return framed(body, STYLE);
}
