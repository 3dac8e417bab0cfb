// One line above everything, for what keeps the page from working, with a way to go on.

import { byId, element } from './dom';

interface Choice { title: string; run: () => void }

/// Who showed the banner: only they hide it again.
export type Cause = 'connection' | 'run' | 'link';

let cause: Cause | null = null;

export function showBanner(by: Cause, message: string, choice: Choice): void {
  cause = by;
  const place = byId('banner');
  place.replaceChildren(
    element('span', {}, message),
    element('button', { type: 'button', click: choice.run }, choice.title),
  );
  place.hidden = false;
}

export function hideBanner(by: Cause): void {
  if (cause === by) {
    cause = null;
    byId('banner').hidden = true;
    byId('banner').replaceChildren();
  }
}
