// What changes the text on demand: fixes and refactorings, formatting, renaming; and going to where
// something is defined.

import { EditorView, keymap, showDialog } from '@codemirror/view';
import { element } from '../dom';
import { changesOf, offsetAt, positionAt, rangeOf, type OpenDocument } from '../document';
import { published } from './diagnostics';

type Say = (message: string) => void;

/// A menu at the cursor; arrows move in it, Escape closes it.
function openMenu(view: EditorView, at: number, entries: { title: string; run: () => void }[]): void {
  const menu = element('div', { class: 'menu', role: 'menu', 'aria-label': 'Fixes' });
  let isOpen = true;
  // What is removed loses the focus, and that closes it.
  const remove = () => {
    if (isOpen) {
      isOpen = false;
      menu.remove();
    }
  };
  const close = () => {
    remove();
    view.focus();
  };
  for (const entry of entries) {
    menu.append(
      element('button', { type: 'button', role: 'menuitem', click: () => { close(); entry.run(); } }, entry.title),
    );
  }
  const items = [...menu.children] as HTMLElement[];
  menu.addEventListener('keydown', (event) => {
    const now = items.indexOf(document.activeElement as HTMLElement);
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      items[(now + step + items.length) % items.length]!.focus();
    } else if (event.key === 'Escape' || event.key === 'Tab') {
      event.preventDefault();
      close();
    }
  });
  menu.addEventListener('focusout', (event) => {
    if (!menu.contains(event.relatedTarget as Node)) {
      remove();
    }
  });
  const place = view.coordsAtPos(at);
  document.body.append(menu);
  menu.style.left = `${Math.min(place?.left ?? 0, window.innerWidth - menu.offsetWidth - 8)}px`;
  menu.style.top = `${place?.bottom ?? 0}px`;
  items[0]?.focus();
}

export async function showActions(
  opened: OpenDocument,
  view: EditorView,
  range: { from: number; to: number },
  say: Say,
): Promise<void> {
  const doc = view.state.doc;
  const touching = published.diagnostics.filter(
    (one) => offsetAt(doc, one.range.start) <= range.to && offsetAt(doc, one.range.end) >= range.from,
  );
  const actions = await opened.ask<any[]>('textDocument/codeAction', {
    range: rangeOf(doc, range.from, range.to),
    context: { diagnostics: touching },
  });
  if (!actions || actions.length === 0) {
    say('There is nothing to fix or change here');
    return;
  }
  openMenu(view, range.from, actions.map((action) => ({ title: action.title, run: () => opened.apply(action.edit) })));
}

export async function format(opened: OpenDocument, view: EditorView, say: Say): Promise<void> {
  const edits = await opened.ask<any[]>('textDocument/formatting', { options: { tabSize: 4, insertSpaces: true } });
  if (edits && edits.length > 0) {
    view.dispatch({ changes: changesOf(view.state, edits), userEvent: 'input.format' });
  } else {
    say(edits ? 'The text is formatted' : 'The text cannot be formatted now');
  }
}

async function rename(opened: OpenDocument, view: EditorView, say: Say): Promise<void> {
  const position = positionAt(view.state.doc, view.state.selection.main.head);
  const place = await opened.ask('textDocument/prepareRename', { position });
  if (!place) {
    say('There is no name here that can be changed');
    return;
  }
  const range = place.range ?? place;
  const old = view.state.doc.sliceString(offsetAt(view.state.doc, range.start), offsetAt(view.state.doc, range.end));
  const { result } = showDialog(view, {
    label: 'New name',
    input: { name: 'name', value: old },
    focus: true,
    submitLabel: 'Rename',
    class: 'rename',
  });
  const form = await result;
  const name = form && (form.elements.namedItem('name') as HTMLInputElement | null)?.value;
  view.focus();
  if (!name || name === old) {
    return;
  }
  try {
    const edit = await opened.client.request('textDocument/rename', {
      textDocument: opened.identifier,
      position,
      newName: name,
    });
    opened.apply(edit, { userEvent: 'rename', scrollIntoView: false });
  } catch (error) {
    say((error as Error).message);
  }
}

/// Where in this document the answer to a question for places points; all of a file is only here.
export function goTo(opened: OpenDocument, view: EditorView, answer: any, say: Say): void {
  const first = Array.isArray(answer) ? answer.find((one) => (one.targetUri ?? one.uri) === opened.uri) : answer;
  const range = first?.targetSelectionRange ?? first?.range;
  if (!range) {
    say('It is not in this file');
    return;
  }
  const anchor = offsetAt(view.state.doc, range.start);
  view.dispatch({ selection: { anchor, head: offsetAt(view.state.doc, range.end) }, scrollIntoView: true });
  view.focus();
}

export function actions(opened: OpenDocument, say: Say) {
  const ask = (method: string) => (view: EditorView) => {
    const position = positionAt(view.state.doc, view.state.selection.main.head);
    void opened.ask(method, { position }).then((answer) => goTo(opened, view, answer, say));
    return true;
  };
  return keymap.of([
    {
      key: 'Mod-.',
      run: (view) => {
        const { from, to } = view.state.selection.main;
        void showActions(opened, view, { from, to }, say);
        return true;
      },
    },
    { key: 'Shift-Alt-f', run: (view) => (void format(opened, view, say), true) },
    { key: 'F2', run: (view) => (void rename(opened, view, say), true) },
    { key: 'F12', run: ask('textDocument/definition') },
    { key: 'Mod-F12', run: ask('textDocument/implementation') },
  ]);
}
