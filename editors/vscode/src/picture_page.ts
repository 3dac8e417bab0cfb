// The page of a panel with pictures. Knows nothing of VS Code.

import { escaped, framed } from './page_frame.js';
import { withoutStyle } from './picture_style.js';
import type { StageText } from './stages.js';

export interface Picture {
  readonly title: string;
  /** The picture, or why there is none; undefined while there is no server. */
  readonly answer: StageText | undefined;
}

function bodyOf({ title, answer }: Picture): string {
  const text = answer?.text ?? 'The server does not run.';
  const isPicture = text.startsWith('<svg');
  return `<h2>${escaped(title)}</h2>\n${isPicture ? withoutStyle(text) : `<p>${escaped(text)}</p>`}`;
}

/** Where no picture can be had, it says why once. */
export function pageOf(pictures: readonly Picture[]): string {
  const reasons = new Set(pictures.map(({ answer }) => answer?.text));
  const isOneReason = reasons.size === 1 && !(pictures[0]!.answer?.text ?? '').startsWith('<svg');
  const body = pictures.length === 0
    ? '<p>Put the cursor in a function of the homomorphic device, or in an array program.</p>'
    : isOneReason
      ? bodyOf(pictures[0]!).replace(/<h2>.*<\/h2>\n/, '')
      : pictures.map(bodyOf).join('\n');
  return framed(body);
}
