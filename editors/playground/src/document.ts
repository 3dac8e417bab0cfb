// The text of the editor as the server knows it: opened, and every edit told as it happens.

import { ChangeSet, StateEffect, type EditorState, type Text, type TransactionSpec } from '@codemirror/state';
import { EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import type { LanguageClient, Position, Range, TextEdit } from './language_client';

/// What somebody found out about the text has come, or is gone.
export const refreshed = StateEffect.define<null>();

export function positionAt(doc: Text, offset: number): Position {
  const line = doc.lineAt(offset);
  return { line: line.number - 1, character: offset - line.from };
}

export function offsetAt(doc: Text, position: Position): number {
  if (position.line >= doc.lines) {
    return doc.length;
  }
  const line = doc.line(position.line + 1);
  return Math.min(line.from + position.character, line.to);
}

export function rangeOf(doc: Text, from: number, to: number): Range {
  return { start: positionAt(doc, from), end: positionAt(doc, to) };
}

/// Edits of one text, none of which overlaps another, as one change of the editor.
export function changesOf(state: EditorState, edits: readonly TextEdit[]): ChangeSet {
  return state.changes(
    edits.map((edit) => ({
      from: offsetAt(state.doc, edit.range.start),
      to: offsetAt(state.doc, edit.range.end),
      insert: edit.newText,
    })),
  );
}

export class OpenDocument {
  name = 'program.tacet';
  version = 0;
  private view?: EditorView;

  constructor(readonly client: LanguageClient) {}

  get uri(): string {
    return `playground:/${this.name}`;
  }

  get identifier(): { uri: string } {
    return { uri: this.uri };
  }

  /// Sends the text to a session that has just begun.
  open(text: string): void {
    this.client.notify('textDocument/didOpen', {
      textDocument: { uri: this.uri, languageId: 'tacet', version: ++this.version, text },
    });
  }

  /// The same text under another name.
  rename(name: string, text: string): void {
    if (name === this.name) {
      return;
    }
    this.client.notify('textDocument/didClose', { textDocument: this.identifier });
    this.name = name;
    this.open(text);
  }

  /// Asks about the document as it is now; nothing if it was changed before the answer came, or there
  /// is none.
  async ask<T = any>(method: string, params: object = {}): Promise<T | null> {
    const version = this.version;
    if (!this.client.ready) {
      return null;
    }
    try {
      const answer = await this.client.request<T>(method, { textDocument: this.identifier, ...params });
      return version === this.version ? answer : null;
    } catch {
      return null;
    }
  }

  /// Applies what a `WorkspaceEdit` says of this document.
  apply(edit: any, more: TransactionSpec = {}): void {
    const edits: TextEdit[] = edit?.changes?.[this.uri] ?? [];
    for (const change of edit?.documentChanges ?? []) {
      if (change.textDocument?.uri === this.uri) {
        edits.push(...change.edits);
      }
    }
    this.applyEdits(edits, more);
  }

  applyEdits(edits: readonly TextEdit[], more: TransactionSpec = {}): void {
    if (this.view && edits.length > 0) {
      const changes = changesOf(this.view.state, edits);
      this.view.dispatch({ changes, userEvent: 'input.server', scrollIntoView: true, ...more });
    }
  }

  /// Keeps the server's text the same as the editor's.
  extension() {
    const document = this;
    return ViewPlugin.fromClass(
      class {
        constructor(view: EditorView) {
          document.view = view;
        }
        update(update: ViewUpdate) {
          if (update.docChanged) {
            document.tell(update);
          }
        }
      },
    );
  }

  private tell(update: ViewUpdate): void {
    ++this.version;
    const before = update.startState.doc;
    const contentChanges: object[] = [];
    // From the end, so that places in front are still those of the text before.
    update.changes.iterChanges((fromA, toA, _fromB, _toB, inserted) => {
      contentChanges.unshift({ range: rangeOf(before, fromA, toA), text: inserted.toString() });
    });
    this.client.notify('textDocument/didChange', {
      textDocument: { uri: this.uri, version: this.version },
      contentChanges,
    });
  }
}
