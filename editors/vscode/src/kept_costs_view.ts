// While a text has mistakes, the server knows no costs of what they are in: the last known ones
// stay in the editor, dimmed behind lines, and in lenses that say so.

import * as vscode from 'vscode';

import { isCost, lineOfFunction, placed, withNewer, type LineCost } from './kept_costs.js';

type Hints = vscode.InlayHint[] | null | undefined;
type Lenses = vscode.CodeLens[] | null | undefined;

/** What the server sends along with a lens that it fills in later. */
interface LensData { readonly data?: { readonly uri?: string; readonly kind?: number } }
const COST_LENS = 1;

interface Known {
  lines: readonly LineCost[];
  /** The lines with costs of the last answer. */
  shown: ReadonlySet<number>;
  readonly functions: Map<string, string>;
  isBroken: boolean;
}

export class KeptCosts implements vscode.Disposable {
  private readonly known = new Map<string, Known>();
  private readonly decoration = vscode.window.createTextEditorDecorationType({
    after: { color: new vscode.ThemeColor('tacet.lastCostForeground'), margin: '0 0 0 1em', fontStyle: 'italic' },
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
  private readonly disposables: vscode.Disposable[];

  /** `refresh` has the lenses of a document asked for again. */
  constructor(private readonly refresh: (document: vscode.TextDocument) => void) {
    this.disposables = [
      this.decoration,
      vscode.languages.onDidChangeDiagnostics(({ uris }) => uris.forEach((uri) => this.checked(uri))),
      vscode.window.onDidChangeVisibleTextEditors((editors) => editors.forEach((editor) => this.draw(editor))),
      vscode.workspace.onDidCloseTextDocument((document) => this.known.delete(document.uri.toString())),
    ];
  }

  hints(document: vscode.TextDocument, range: vscode.Range, answer: Hints): Hints {
    const known = this.of(document.uri);
    const costs = (answer ?? []).flatMap((hint) => {
      const line = hint.position.line;
      const isOne = typeof hint.label === 'string' && isCost(hint.label) && line < document.lineCount;
      return isOne ? [{ line, text: document.lineAt(line).text.trim(), label: hint.label as string }] : [];
    });
    known.lines = withNewer(known.lines, costs);
    const elsewhere = [...known.shown].filter((line) => line < range.start.line || line > range.end.line);
    known.shown = new Set([...elsewhere, ...costs.map(({ line }) => line)]);
    this.drawAll(document.uri);
    return answer;
  }

  lenses(document: vscode.TextDocument, answer: Lenses): Lenses {
    const known = this.of(document.uri);
    if (!known.isBroken || known.functions.size === 0) {
      return answer;
    }
    const fresh = (answer ?? []).filter((lens) => (lens as LensData).data?.kind === COST_LENS);
    const names = new Set(fresh.map((lens) => document.getText(lens.range)));
    const lines = document.getText().split('\n');
    const kept = [...known.functions].flatMap(([name, title]) => {
      const line = names.has(name) ? undefined : lineOfFunction(name, lines);
      return line === undefined ? [] : [new vscode.CodeLens(new vscode.Range(line, 0, line, 0), { title: `before the error: ${title}`, command: '' })];
    });
    return [...kept, ...(answer ?? [])];
  }

  resolved(lens: vscode.CodeLens, answer: vscode.CodeLens | null | undefined): vscode.CodeLens | null | undefined {
    const uri = (lens as LensData).data?.uri;
    const title = answer?.command?.title ?? '';
    const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri || one.uri.toString(true) === uri);
    if (document !== undefined && isCost(title)) {
      this.of(document.uri).functions.set(document.getText(lens.range), title);
    }
    return answer;
  }

  dispose(): void {
    this.disposables.forEach((one) => one.dispose());
  }

  private of(uri: vscode.Uri): Known {
    const key = uri.toString();
    const known: Known = this.known.get(key) ?? { lines: [], shown: new Set(), functions: new Map(), isBroken: false };
    this.known.set(key, known);
    return known;
  }

  private checked(uri: vscode.Uri): void {
    const known = this.known.get(uri.toString());
    if (known === undefined) {
      return;
    }
    const isBroken = vscode.languages.getDiagnostics(uri).some(({ severity }) => severity === vscode.DiagnosticSeverity.Error);
    const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri.toString());
    if (isBroken !== known.isBroken && document !== undefined) {
      known.isBroken = isBroken;
      this.refresh(document);
    }
    this.drawAll(uri);
  }

  private drawAll(uri: vscode.Uri): void {
    vscode.window.visibleTextEditors.filter(({ document }) => document.uri.toString() === uri.toString()).forEach((one) => this.draw(one));
  }

  private draw(editor: vscode.TextEditor): void {
    const known = this.known.get(editor.document.uri.toString());
    const lines = editor.document.getText().split('\n').map((line) => line.trimEnd());
    const costs = known?.isBroken === true ? placed(known.lines, lines, (line) => known.shown.has(line)) : [];
    editor.setDecorations(this.decoration, costs.map(({ line, label }) => ({
      range: new vscode.Range(line, lines[line]!.length, line, lines[line]!.length),
      renderOptions: { after: { contentText: label } },
      hoverMessage: 'The last known cost, before the error',
    })));
  }
}
