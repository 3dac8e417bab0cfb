// Links between pictures and the text: the mouse on a box marks its line or its name in the text, and
// the mouse or the cursor in the text marks the boxes of that line or name. A click goes there.

import { StateEffect, StateField, type Extension, type Range } from '@codemirror/state';
import { Decoration, EditorView, type DecorationSet } from '@codemirror/view';
import { byId } from './dom';

const BOXES = '.picture rect[data-line], .picture rect[data-name]';
/// A name that is everywhere is marked so often.
const MOST_MARKS = 200;

const setMarks = StateEffect.define<DecorationSet>();

const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(value, transaction) {
    let next = value.map(transaction.changes);
    for (const effect of transaction.effects) {
      next = effect.is(setMarks) ? effect.value : next;
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const lineMark = Decoration.line({ class: 'linked-line' });
const nameMark = Decoration.mark({ class: 'linked-name' });

function placesOf(view: EditorView, box: Element): Range<Decoration>[] {
  const { doc } = view.state;
  const line = Number(box.getAttribute('data-line') ?? 0);
  if (line > 0) {
    return line <= doc.lines ? [lineMark.range(doc.line(line).from)] : [];
  }
  const name = box.getAttribute('data-name') ?? '';
  const found = [...doc.toString().matchAll(/\w+/g)].filter((word) => word[0] === name).slice(0, MOST_MARKS);
  return found.map((word) => nameMark.range(word.index, word.index + name.length));
}

/// The boxes of the line at `at`, and of the name at `pos`.
function markBoxes(view: EditorView, at: number | null, pos = at): void {
  const line = at === null ? null : view.state.doc.lineAt(at);
  const word = pos === null ? null : view.state.wordAt(pos);
  const name = word ? view.state.sliceDoc(word.from, word.to) : null;
  for (const box of document.querySelectorAll(BOXES)) {
    const isLinked = line !== null &&
      (box.getAttribute('data-line') === String(line.number) || (name !== null && box.getAttribute('data-name') === name));
    box.classList.toggle('linked', isLinked);
  }
}

export function pictureLinks(): Extension {
  return [
    marks,
    EditorView.updateListener.of((update) => {
      if (update.selectionSet || update.docChanged) {
        markBoxes(update.view, update.state.selection.main.head);
      }
    }),
  ];
}

/// What the mouse does, on all pictures that the page shows now or later.
export function linkPictures(view: EditorView, goTo: (offset: number) => void): void {
  // Not by the editor's own handlers, which do not hear of hints in the text.
  view.dom.addEventListener('mousemove', (event) => {
    const line = (event.target as Element).closest('.cm-line');
    markBoxes(view, line ? view.posAtDOM(line) : null, view.posAtCoords({ x: event.clientX, y: event.clientY }));
  });
  view.dom.addEventListener('mouseleave', () => markBoxes(view, view.hasFocus ? view.state.selection.main.head : null));
  const side = byId('side');
  const boxOf = (event: Event) => (event.target as Element).closest(BOXES);
  side.addEventListener('mouseover', (event) => {
    const box = boxOf(event);
    const found = box ? placesOf(view, box) : [];
    if (found.length > 0 || view.state.field(marks, false)?.size) {
      view.dispatch({ effects: setMarks.of(Decoration.set(found)) });
    }
  });
  side.addEventListener('mouseleave', () => view.dispatch({ effects: setMarks.of(Decoration.none) }));
  side.addEventListener('click', (event) => {
    const box = boxOf(event);
    const first = box ? placesOf(view, box)[0] : undefined;
    if (first) {
      goTo(first.from);
    }
  });
}
