// Completion, in the server's order, and the heads of what is being called.

import { autocompletion, type Completion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { StateEffect, StateField } from '@codemirror/state';
import { EditorView, showTooltip, type Tooltip, type ViewUpdate } from '@codemirror/view';
import { element } from '../dom';
import { changesOf, offsetAt, positionAt, type OpenDocument } from '../document';
import { highlighted } from '../language';
import { renderMarkdown } from '../markdown';

const KINDS: Record<number, string> = {
  2: 'method', 3: 'function', 5: 'property', 6: 'variable', 7: 'class', 9: 'namespace', 10: 'property',
  14: 'keyword', 20: 'enum', 21: 'constant', 22: 'class', 25: 'type',
};

function markup(documentation: any): HTMLElement | null {
  const text = typeof documentation === 'string' ? documentation : documentation?.value;
  return text ? renderMarkdown(text, highlighted) : null;
}

function option(document: OpenDocument, item: any, rank: number): Completion {
  return {
    label: item.label,
    type: KINDS[item.kind] ?? 'text',
    detail: item.detail,
    boost: -rank,
    info: async () => markup((await document.client.request('completionItem/resolve', item).catch(() => null))?.documentation),
    apply: (view, _completion, from, to) => {
      const edit = item.textEdit;
      const begin = edit ? Math.min(from, offsetAt(view.state.doc, edit.range.start)) : from;
      const insert = edit?.newText ?? item.insertText ?? item.label;
      view.dispatch({
        changes: { from: begin, to, insert },
        selection: { anchor: begin + insert.length },
        userEvent: 'input.complete',
      });
    },
  };
}

function source(document: OpenDocument) {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const typed = context.matchBefore(/[\w.@?-]$/);
    if (!typed && !context.explicit) {
      return null;
    }
    const answer = await document.ask('textDocument/completion', { position: positionAt(context.state.doc, context.pos) });
    const items: any[] = Array.isArray(answer) ? answer : answer?.items ?? [];
    if (context.aborted || items.length === 0) {
      return null;
    }
    const edit = items[0].textEdit;
    const from = edit ? offsetAt(context.state.doc, edit.range.start) : context.matchBefore(/\w*$/)!.from;
    return { from, options: items.map((item, rank) => option(document, item, rank)), filter: false };
  };
}

const setSignature = StateEffect.define<Tooltip | null>();

const signatureField = StateField.define<Tooltip | null>({
  create: () => null,
  update(value, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setSignature)) {
        return effect.value;
      }
    }
    return value && transaction.docChanged ? { ...value, pos: transaction.changes.mapPos(value.pos) } : value;
  },
  provide: (field) => showTooltip.from(field),
});

function drawSignature(help: any): HTMLElement {
  const signature = help.signatures[help.activeSignature ?? 0] ?? help.signatures[0];
  const active = signature.parameters?.[help.activeParameter ?? -1]?.label;
  const head = element('div', { class: 'signature' });
  if (Array.isArray(active)) {
    head.append(signature.label.slice(0, active[0]), element('strong', {}, signature.label.slice(active[0], active[1])),
      signature.label.slice(active[1]));
  } else {
    head.append(signature.label);
  }
  return element('div', { class: 'hover' }, head, markup(signature.documentation));
}

/// Asked for behind each edit and step inside of parentheses.
function signatureHelp(document: OpenDocument) {
  return EditorView.updateListener.of((update: ViewUpdate) => {
    if (!update.docChanged && !update.selectionSet) {
      return;
    }
    const { view, state } = update;
    const at = state.selection.main.head;
    const isShown = state.field(signatureField) !== null;
    const isCall = update.docChanged && /[(,]\s?$/.test(state.doc.sliceString(Math.max(0, at - 2), at));
    if (!isShown && !isCall) {
      return;
    }
    void document.ask('textDocument/signatureHelp', { position: positionAt(state.doc, at) }).then((help) => {
      const tooltip: Tooltip | null = help?.signatures?.length > 0
        ? { pos: at, above: true, create: () => ({ dom: drawSignature(help) }) }
        : null;
      if (tooltip || view.state.field(signatureField)) {
        view.dispatch({ effects: setSignature.of(tooltip) });
      }
    });
  });
}

/// Formats what a typed `}` or `;` ends.
function formatOnType(document: OpenDocument) {
  return EditorView.updateListener.of((update) => {
    if (!update.transactions.some((transaction) => transaction.isUserEvent('input.type'))) {
      return;
    }
    const at = update.state.selection.main.head;
    const typed = update.state.doc.sliceString(at - 1, at);
    if (typed !== '}' && typed !== ';') {
      return;
    }
    void document
      .ask('textDocument/onTypeFormatting', {
        position: positionAt(update.state.doc, at),
        ch: typed,
        options: { tabSize: 4, insertSpaces: true },
      })
      .then((edits) => {
        if (edits?.length > 0) {
          const changes = changesOf(update.view.state, edits);
          const head = changes.mapPos(update.view.state.selection.main.head, 1);
          update.view.dispatch({ changes, selection: { anchor: head }, userEvent: 'input.format' });
        }
      });
  });
}

export function hideSignature(view: EditorView): boolean {
  if (!view.state.field(signatureField)) {
    return false;
  }
  view.dispatch({ effects: setSignature.of(null) });
  return true;
}

export function completion(document: OpenDocument) {
  return [
    autocompletion({ override: [source(document)], icons: true, closeOnBlur: true }),
    signatureField,
    signatureHelp(document),
    formatOnType(document),
  ];
}
