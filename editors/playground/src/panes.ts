// Where the editor and the results are: beside each other with a bar between them, or, on narrow
// pages, one at a time.

import { byId } from './dom';
import { keep, readKept } from './kept';

const KEPT = 'tacet-playground-split';
const LEAST = 25;
const MOST = 75;
const STEP = 2;

export type Pane = 'editor' | 'result';

export class Panes {
  private readonly bar = byId('split');
  private readonly main = document.querySelector('main')!;
  private readonly tabs: Record<Pane, HTMLElement> = { editor: byId('view-editor'), result: byId('view-result') };

  constructor() {
    this.split(Number(readKept(KEPT) ?? 54));
    this.show('result');
    for (const pane of ['editor', 'result'] as const) {
      this.tabs[pane].addEventListener('click', () => this.show(pane));
      this.tabs[pane].addEventListener('keydown', (event) => {
        if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
          const other = pane === 'editor' ? 'result' : 'editor';
          this.show(other);
          this.tabs[other].focus();
        }
      });
    }
    this.bar.addEventListener('pointerdown', (event) => this.drag(event));
    this.bar.addEventListener('dblclick', () => this.split(54));
    this.bar.addEventListener('keydown', (event) => {
      const step = event.key === 'ArrowLeft' ? -STEP : event.key === 'ArrowRight' ? STEP : 0;
      if (step !== 0) {
        event.preventDefault();
        this.split(Number(this.bar.getAttribute('aria-valuenow')) + step);
      }
    });
  }

  /// Whether one hides the other.
  isNarrow(): boolean {
    return matchMedia('(max-width: 800px)').matches;
  }

  show(pane: Pane): void {
    this.main.dataset.pane = pane;
    for (const [name, tab] of Object.entries(this.tabs)) {
      tab.setAttribute('aria-selected', String(name === pane));
      tab.tabIndex = name === pane ? 0 : -1;
    }
  }

  private split(percent: number): void {
    const share = Math.min(MOST, Math.max(LEAST, Number.isFinite(percent) ? percent : 54));
    this.main.style.setProperty('--editor', `${share}fr`);
    this.main.style.setProperty('--side', `${100 - share}fr`);
    this.bar.setAttribute('aria-valuenow', String(Math.round(share)));
    keep(KEPT, String(share));
  }

  private drag(event: PointerEvent): void {
    event.preventDefault();
    this.bar.setPointerCapture(event.pointerId);
    const move = (at: PointerEvent) => {
      const { left, width } = this.main.getBoundingClientRect();
      this.split((100 * (at.clientX - left)) / width);
    };
    this.bar.addEventListener('pointermove', move);
    this.bar.addEventListener('lostpointercapture', () => this.bar.removeEventListener('pointermove', move), { once: true });
  }
}
