// Mistakes, as the server publishes them after every edit.

import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { keymap, type EditorView } from '@codemirror/view';
import { element } from '../dom';
import { offsetAt, type OpenDocument } from '../document';
import { highlighted } from '../language';
import { renderMarkdown } from '../markdown';

const SEVERITIES = ['error', 'error', 'warning', 'info', 'hint'] as const;

export interface Published { uri: string; version?: number; diagnostics: any[] }

/// What the server said last, for questions about what is at the cursor.
export const published: { diagnostics: any[] } = { diagnostics: [] };

/// Puts the cursor where a link to the document leads, `…#L4,9`; others do nothing.
function follow(view: EditorView, uri: string, address: string): void {
  const place = /^(.*)#L(\d+),(\d+)$/.exec(address);
  if (place && place[1] === uri) {
    const at = offsetAt(view.state.doc, { line: Number(place[2]) - 1, character: Number(place[3]) - 1 });
    view.dispatch({ selection: { anchor: at }, scrollIntoView: true });
    view.focus();
  }
}

function message(diagnostic: any, uri: string, fix: (view: EditorView) => void) {
  return (view: EditorView): Node =>
    element(
      'div',
      { class: 'problem' },
      renderMarkdown(diagnostic.message.value, highlighted, (address) => follow(view, uri, address)),
      diagnostic.code ? element('span', { class: 'code' }, ` ${diagnostic.code} `) : null,
      element('button', { type: 'button', class: 'fix', click: () => fix(view) }, 'Fix…'),
    );
}

export function showDiagnostics(
  view: EditorView,
  document: OpenDocument,
  told: Published,
  fix: (view: EditorView, range: { from: number; to: number }) => void,
): Diagnostic[] {
  if (told.uri !== document.uri || (told.version !== undefined && told.version !== document.version)) {
    return [];
  }
  published.diagnostics = told.diagnostics;
  const doc = view.state.doc;
  const diagnostics = told.diagnostics.map((diagnostic): Diagnostic => {
    const from = offsetAt(doc, diagnostic.range.start);
    const to = Math.max(from, offsetAt(doc, diagnostic.range.end));
    return {
      from,
      to,
      severity: SEVERITIES[diagnostic.severity ?? 1] ?? 'error',
      message: diagnostic.message.value,
      source: diagnostic.code,
      ...(diagnostic.tags?.includes(1) ? { markClass: 'unused' } : {}),
      renderMessage: message(diagnostic, document.uri, (target) => fix(target, { from, to })),
    };
  });
  view.dispatch(setDiagnostics(view.state, diagnostics));
  return diagnostics;
}

export const diagnostics = [lintGutter(), keymap.of(lintKeymap)];
