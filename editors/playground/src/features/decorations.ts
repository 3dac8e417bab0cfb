// What stands in the text and is not of it: the colours of names, hints within lines, lenses above
// them. Asked for when the text has come to rest, and moved along with edits until then.

import { StateEffect, StateField, type Extension, type Range } from '@codemirror/state';
import { Decoration, EditorView, ViewPlugin, WidgetType, type DecorationSet, type ViewUpdate } from '@codemirror/view';
import { element } from '../dom';
import { offsetAt, rangeOf, refreshed, type OpenDocument } from '../document';

/// How long the text has not changed when it is asked about.
const REST = 120;

export interface LensCommand { title: string; command: string; arguments?: any[] }

class Hint extends WidgetType {
  constructor(readonly text: string, readonly isFirst: boolean) {
    super();
  }
  override eq(other: Hint): boolean {
    return other.text === this.text && other.isFirst === this.isFirst;
  }
  toDOM(): HTMLElement {
    return element('span', { class: this.isFirst ? 'hint padded' : 'hint', 'aria-hidden': 'true' }, this.text);
  }
}

class Lenses extends WidgetType {
  constructor(readonly commands: LensCommand[], readonly indent: number, readonly run: (command: LensCommand) => void) {
    super();
  }
  override eq(other: Lenses): boolean {
    return other.indent === this.indent && JSON.stringify(other.commands) === JSON.stringify(this.commands);
  }
  toDOM(): HTMLElement {
    const row = element('div', { class: 'lenses' }, ' '.repeat(this.indent));
    this.commands.forEach((command, i) => {
      row.append(i > 0 ? ' · ' : '');
      row.append(
        command.command
          ? element('button', { type: 'button', class: 'lens', click: () => this.run(command) }, command.title)
          : element('span', {}, command.title),
      );
    });
    return row;
  }
  override ignoreEvent(): boolean {
    return true;
  }
}

function layer(): { set: (decorations: DecorationSet) => StateEffect<DecorationSet>; extension: Extension } {
  const effect = StateEffect.define<DecorationSet>();
  const field = StateField.define<DecorationSet>({
    create: () => Decoration.none,
    update(value, transaction) {
      let next = value.map(transaction.changes);
      for (const one of transaction.effects) {
        next = one.is(effect) ? one.value : next;
      }
      return next;
    },
    provide: (one) => EditorView.decorations.from(one),
  });
  return { set: (decorations) => effect.of(decorations), extension: field };
}

function tokenDecorations(document: OpenDocument, view: EditorView, data: number[]): DecorationSet {
  const legend = document.client.capabilities.semanticTokensProvider?.legend;
  const marks: Range<Decoration>[] = [];
  let line = 0;
  let column = 0;
  for (let i = 0; i + 4 < data.length; i += 5) {
    column = data[i]! > 0 ? data[i + 1]! : column + data[i + 1]!;
    line += data[i]!;
    const classes = [`sem-${legend.tokenTypes[data[i + 3]!]}`];
    legend.tokenModifiers.forEach((modifier: string, bit: number) => {
      if (data[i + 4]! & (1 << bit)) {
        classes.push(`mod-${modifier}`);
      }
    });
    const from = offsetAt(view.state.doc, { line, character: column });
    const to = offsetAt(view.state.doc, { line, character: column + data[i + 2]! });
    if (from < to) {
      marks.push(Decoration.mark({ class: classes.join(' ') }).range(from, to));
    }
  }
  return Decoration.set(marks, true);
}

function hintDecorations(view: EditorView, hints: any[]): DecorationSet {
  const widgets = hints.map((hint) => {
    const text = typeof hint.label === 'string' ? hint.label : hint.label.map((part: any) => part.value).join('');
    const widget = new Hint(text, hint.paddingLeft === true);
    return Decoration.widget({ widget, side: 1 }).range(offsetAt(view.state.doc, hint.position));
  });
  return Decoration.set(widgets, true);
}

function lensDecorations(view: EditorView, lenses: any[], run: (command: LensCommand) => void): DecorationSet {
  const byLine = new Map<number, LensCommand[]>();
  for (const lens of lenses) {
    if (lens?.command) {
      const line = lens.range.start.line + 1;
      byLine.set(line, [...(byLine.get(line) ?? []), lens.command]);
    }
  }
  const widgets = [...byLine]
    .filter(([line]) => line <= view.state.doc.lines)
    .map(([number, commands]) => {
      const line = view.state.doc.line(number);
      const indent = /^ */.exec(line.text)![0].length;
      const widget = new Lenses(commands, indent, run);
      return Decoration.widget({ widget, side: -1, block: true }).range(line.from);
    });
  return Decoration.set(widgets, true);
}

/// `changed` is called when the text has come to rest, too.
export function decorations(document: OpenDocument, run: (command: LensCommand) => void, changed: () => void): Extension {
  const tokens = layer();
  const hints = layer();
  const lenses = layer();
  const asking = ViewPlugin.fromClass(
    class {
      timer: ReturnType<typeof setTimeout> | undefined;
      constructor(readonly view: EditorView) {}
      update(update: ViewUpdate) {
        if (update.docChanged || update.transactions.some((one) => one.effects.some((effect) => effect.is(refreshed)))) {
          clearTimeout(this.timer);
          this.timer = setTimeout(() => void this.ask(), REST);
        }
      }
      destroy() {
        clearTimeout(this.timer);
      }
      async ask() {
        changed();
        const all = rangeOf(this.view.state.doc, 0, this.view.state.doc.length);
        void document.ask('textDocument/semanticTokens/full').then((answer) => {
          if (answer) {
            this.view.dispatch({ effects: tokens.set(tokenDecorations(document, this.view, answer.data)) });
          }
        });
        void document.ask('textDocument/inlayHint', { range: all }).then((answer) => {
          if (answer) {
            this.view.dispatch({ effects: hints.set(hintDecorations(this.view, answer)) });
          }
        });
        const found = await document.ask<any[]>('textDocument/codeLens');
        if (!found) {
          return;
        }
        const version = document.version;
        const resolved = await Promise.all(
          found.map((lens) => document.client.request('codeLens/resolve', lens).catch(() => null)),
        );
        if (version === document.version) {
          this.view.dispatch({ effects: lenses.set(lensDecorations(this.view, resolved, run)) });
        }
      }
    },
  );
  return [tokens.extension, hints.extension, lenses.extension, asking];
}
