// What the compiler makes of the program at the cursor: pictures of layouts and circuits, and the
// text of every stage. Follows the cursor and the text.

import type { EditorView } from '@codemirror/view';
import { byId, element, picture } from './dom';
import { positionAt, type OpenDocument } from './document';
import { RequestError } from './language_client';
import { highlighted } from './language';

const REST = 200;
/// A schedule that is searched for is asked for again.
const AGAIN = 400;

export class StagePanel {
  private readonly choice = byId<HTMLSelectElement>('stage');
  private readonly text = byId<HTMLElement>('stage-text');
  private timer: ReturnType<typeof setTimeout> | undefined;
  private n = 0;

  constructor(private readonly opened: OpenDocument, private readonly view: () => EditorView, private readonly isShown: (panel: string) => boolean) {
    this.choice.addEventListener('change', () => this.refresh());
  }

  /// The text, the cursor or the panel changed.
  refresh(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.ask(), REST);
  }

  private async ask(): Promise<void> {
    const number = ++this.n;
    const wanted: [panel: string, stage: string, place: HTMLElement][] = [
      ['layout', 'layout-svg', byId('layout-picture')],
      ['circuit', 'circuit-svg', byId('circuit-picture')],
      ['stages', this.choice.value, this.text],
    ];
    for (const [panel, stage, place] of wanted) {
      if (this.isShown(panel) && this.opened.client.ready) {
        await this.fill(stage, place, () => number === this.n);
      }
    }
  }

  private async fill(stage: string, place: HTMLElement, isWanted: () => boolean): Promise<void> {
    const { state } = this.view();
    try {
      const answer = await this.opened.client.request('tacet/stage', {
        textDocument: this.opened.identifier,
        position: positionAt(state.doc, state.selection.main.head),
        stage,
      });
      if (!isWanted()) {
        return;
      }
      if (stage.endsWith('-svg')) {
        place.replaceChildren(picture(answer.text) ?? '');
      } else {
        place.replaceChildren(answer.languageId === 'tacet' ? highlighted(answer.text) : answer.text);
      }
    } catch (error) {
      if (!isWanted()) {
        return;
      }
      const message = (error as Error).message;
      place.replaceChildren(element('p', { class: 'soft' }, `${message[0]!.toUpperCase()}${message.slice(1)}.`));
      if (message.includes('ask again') || !(error instanceof RequestError)) {
        this.timer = setTimeout(() => void this.ask(), AGAIN);
      }
    }
  }
}
