// What the compiler makes of the selected function: pictures of layouts and circuits, and the text of
// every stage.

import type { EditorView } from '@codemirror/view';
import { byId, element, picture } from './dom';
import { positionAt, type OpenDocument } from './document';
import { RequestError, type Position } from './language_client';
import { highlighted } from './language';
import type { Runnable } from './runnable';

const REST = 200;
/// A schedule that is searched for is asked for again.
const AGAIN = 400;

/// Which stages a function has: those of array programs, of parties or of the coordinator.
function stagesOf(runnable: Runnable | undefined): string {
  return runnable?.kind === 'program' || runnable?.device === 'he' ? 'he' : runnable?.device === 'mpc' ? 'mpc' : 'coordinator';
}

export class StagePanel {
  private readonly choice = byId<HTMLSelectElement>('stage');
  private readonly text = byId<HTMLElement>('stage-text');
  private timer: ReturnType<typeof setTimeout> | undefined;
  private n = 0;
  private selected: Runnable | undefined;

  constructor(private readonly opened: OpenDocument, private readonly view: () => EditorView, private readonly isShown: (panel: string) => boolean) {
    this.choice.addEventListener('change', () => this.refresh());
  }

  /// Another function; gives back whether it has a layout and a circuit.
  select(runnable: Runnable | undefined): boolean {
    this.selected = runnable;
    const kind = stagesOf(runnable);
    for (const option of this.choice.options) {
      option.hidden = option.disabled = !(option.dataset.for ?? kind).split(' ').includes(kind);
    }
    if (this.choice.selectedOptions[0]?.disabled) {
      this.choice.value = [...this.choice.options].find((option) => !option.disabled)!.value;
    }
    this.refresh();
    return kind === 'he';
  }

  /// The text, the function or the panel changed.
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

  /// In the function; a pipeline has no text of its own, so the cursor says what is meant.
  private position(): Position {
    const { state } = this.view();
    return this.selected && this.selected.kind !== 'pipeline'
      ? this.selected.range.start
      : positionAt(state.doc, state.selection.main.head);
  }

  private async fill(stage: string, place: HTMLElement, isWanted: () => boolean): Promise<void> {
    try {
      const answer = await this.opened.client.request('tacet/stage', {
        textDocument: this.opened.identifier,
        position: this.position(),
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
