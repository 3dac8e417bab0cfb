// What is known of the name under the mouse, or at the cursor.

import { StateEffect, StateField } from '@codemirror/state';
import { closeHoverTooltips, hoverTooltip, keymap, showTooltip, type EditorView, type Tooltip } from '@codemirror/view';
import { element } from '../dom';
import { offsetAt, positionAt, type OpenDocument } from '../document';
import { highlighted } from '../language';
import { renderMarkdown } from '../markdown';
import { hideSignature } from './completion';

async function tooltipAt(document: OpenDocument, view: EditorView, pos: number): Promise<Tooltip | null> {
  const hover = await document.ask('textDocument/hover', { position: positionAt(view.state.doc, pos) });
  const text: string | undefined = hover?.contents?.value;
  if (!text) {
    return null;
  }
  return {
    pos: hover.range ? offsetAt(view.state.doc, hover.range.start) : pos,
    ...(hover.range ? { end: offsetAt(view.state.doc, hover.range.end) } : {}),
    above: true,
    create: () => ({ dom: element('div', { class: 'hover', tabindex: '0' }, renderMarkdown(text, highlighted)) }),
  };
}

const setShown = StateEffect.define<Tooltip | null>();

const shown = StateField.define<Tooltip | null>({
  create: () => null,
  update(value, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setShown)) {
        return effect.value;
      }
    }
    return transaction.docChanged || transaction.selection ? null : value;
  },
  provide: (field) => showTooltip.from(field),
});

export function hover(document: OpenDocument) {
  return [
    shown,
    hoverTooltip((view, pos) => tooltipAt(document, view, pos), { hoverTime: 250 }),
    keymap.of([
      {
        key: 'Mod-i',
        preventDefault: true,
        run: (view) => {
          void tooltipAt(document, view, view.state.selection.main.head).then((tooltip) =>
            view.dispatch({ effects: setShown.of(tooltip) }),
          );
          return true;
        },
      },
      {
        key: 'Escape',
        run: (view) => {
          view.dispatch({ effects: closeHoverTooltips });
          if (view.state.field(shown)) {
            view.dispatch({ effects: setShown.of(null) });
            return true;
          }
          return hideSignature(view);
        },
      },
    ]),
  ];
}
