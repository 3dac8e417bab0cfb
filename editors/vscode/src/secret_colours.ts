// Secrets in a colour of their own, in every theme: themes do not know of the server's modifier
// `secret`, so that its tokens are decorated in colours that the extension contributes.

import * as vscode from 'vscode';

import { applyEdits, spansWith } from './secret_tokens.js';

type Tokens = vscode.SemanticTokens | null | undefined;
type TokensOrEdits = Tokens | vscode.SemanticTokensEdits;

interface Known {
  readonly resultId: string | undefined;
  readonly data: Uint32Array;
}

export class SecretColours implements vscode.Disposable {
  private readonly known = new Map<string, Known>();
  private readonly decoration = vscode.window.createTextEditorDecorationType({
    color: new vscode.ThemeColor('tacet.secretForeground'),
    borderColor: new vscode.ThemeColor('tacet.secretUnderline'),
    borderStyle: 'dotted',
    borderWidth: '0 0 1px 0',
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
  private readonly disposables: vscode.Disposable[];

  /** `modifier` is the number of `secret` in the server's legend; negative if there is none. */
  constructor(private readonly modifier: () => number) {
    this.disposables = [
      this.decoration,
      vscode.window.onDidChangeVisibleTextEditors((editors) => editors.forEach((editor) => this.draw(editor))),
      vscode.workspace.onDidCloseTextDocument((document) => this.known.delete(document.uri.toString())),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('tacet.secrets.colour')) {
          vscode.window.visibleTextEditors.forEach((editor) => this.draw(editor));
        }
      }),
    ];
  }

  /** All tokens of a document. */
  full(document: vscode.TextDocument, answer: Tokens): Tokens {
    if (answer) {
      this.keep(document, answer);
    }
    return answer;
  }

  /** The tokens of a document, or what is different from those called `previous`. */
  changed(document: vscode.TextDocument, previous: string, answer: TokensOrEdits): TokensOrEdits {
    if (answer && 'data' in answer) {
      return this.full(document, answer);
    }
    const before = this.known.get(document.uri.toString());
    if (answer && before?.resultId === previous) {
      this.keep(document, { resultId: answer.resultId, data: applyEdits(before.data, answer.edits) });
    }
    return answer;
  }

  dispose(): void {
    this.disposables.forEach((one) => one.dispose());
  }

  private keep(document: vscode.TextDocument, tokens: Known): void {
    this.known.set(document.uri.toString(), tokens);
    vscode.window.visibleTextEditors
      .filter((editor) => editor.document === document)
      .forEach((editor) => this.draw(editor));
  }

  private draw(editor: vscode.TextEditor): void {
    const known = this.known.get(editor.document.uri.toString());
    const modifier = this.modifier();
    const isOn = vscode.workspace.getConfiguration('tacet.secrets', editor.document).get('colour', true);
    const spans = known === undefined || modifier < 0 || !isOn ? [] : spansWith(known.data, modifier);
    editor.setDecorations(this.decoration, spans.map(({ line, begin, end }) => new vscode.Range(line, begin, line, end)));
  }
}
