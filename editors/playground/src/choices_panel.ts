// What computes the same as the selected function, with what each is predicted to take. A click
// chooses it for the next run.

import type { EditorView } from '@codemirror/view';
import { byId, element, picture } from './dom';
import { positionAt, type OpenDocument } from './document';
import { RequestError, type Position } from './language_client';
import type { Runnable } from './runnable';

const REST = 200;
/// A schedule that is searched for is asked for again.
const AGAIN = 400;

interface Point {
  label: string;
  implementation: string;
  milliseconds?: number;
  bytes?: number;
  why?: string;
}

interface Explored {
  name: string;
  picture?: string;
  isMeasured: boolean;
  isUnfinished?: boolean;
  points: Point[];
}

function timeText(milliseconds: number): string {
  return milliseconds >= 1000 ? `${(milliseconds / 1000).toPrecision(3)} s`
    : milliseconds >= 1 ? `${milliseconds.toPrecision(3)} ms` : `${(1000 * milliseconds).toPrecision(3)} µs`;
}

function bytesText(bytes: number): string {
  return bytes >= 1e6 ? `${(bytes / 1e6).toPrecision(3)} MB` : bytes >= 1e3 ? `${(bytes / 1e3).toPrecision(3)} KB` : `${bytes.toFixed(0)} B`;
}

export class ChoicesPanel {
  private readonly place = byId<HTMLElement>('choices');
  private timer: ReturnType<typeof setTimeout> | undefined;
  private n = 0;
  private selected: Runnable | undefined;

  constructor(private readonly opened: OpenDocument, private readonly view: () => EditorView, private readonly isShown: () => boolean, private readonly choose: (name: string) => void) {}

  select(runnable: Runnable | undefined): void {
    this.selected = runnable;
    this.refresh();
  }

  /// The text, the function or the panel changed.
  refresh(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.ask(), REST);
  }

  private position(): Position {
    const { state } = this.view();
    return this.selected ? this.selected.range.start : positionAt(state.doc, state.selection.main.head);
  }

  private async ask(): Promise<void> {
    const number = ++this.n;
    if (!this.isShown() || !this.opened.client.ready) {
      return;
    }
    try {
      const explored: Explored = await this.opened.client.request('tacet/explored', {
        textDocument: this.opened.identifier,
        position: this.position(),
      });
      if (number === this.n) {
        this.show(explored);
      }
    } catch (error) {
      if (number !== this.n) {
        return;
      }
      const message = (error as Error).message;
      this.place.replaceChildren(element('p', { class: 'soft' }, `${message[0]!.toUpperCase()}${message.slice(1)}.`));
      if (!(error instanceof RequestError)) {
        this.timer = setTimeout(() => void this.ask(), AGAIN);
      }
    }
  }

  private show(explored: Explored): void {
    const rows = explored.points.map((point) => element('tr', {},
      element('td', {}, element('button', { type: 'button', title: 'Choose it for the next run', click: () => this.choose(point.implementation) }, point.label.replaceAll('`', ''))),
      element('td', {}, point.milliseconds === undefined ? '' : timeText(point.milliseconds)),
      element('td', {}, point.bytes === undefined ? '' : bytesText(point.bytes)),
      element('td', { class: 'soft' }, point.why ?? '')));
    this.place.replaceChildren(
      ...(explored.picture === undefined ? [] : [picture(explored.picture) ?? '']),
      element('table', {}, element('tbody', {}, ...rows)));
    if (explored.isUnfinished) {
      this.timer = setTimeout(() => void this.ask(), AGAIN);
    }
  }
}
