// The oblivious form of the device function at the cursor, beside its source. It follows the cursor
// and every edit; where there is no device function, the last one stays.

import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';

import { Following, type Place } from './following.js';

interface VirtualDocument {
  readonly uri: string;
  readonly languageId: string;
  readonly text: string;
}

const SCHEME = 'tacet-oblivious';
const PAUSE = 60;
const NOTHING = '// No device function stands at the cursor: `fn(he)` and `fn(mpc)` have an oblivious form.\n';

function documentOf(source: vscode.Uri): vscode.Uri {
  const path = source.path.replace(/(\.[a-z]+)?$/, ' (oblivious)$1');
  return vscode.Uri.from({ scheme: SCHEME, path, query: source.toString() });
}

function sourceOf(document: vscode.Uri): vscode.Uri {
  return vscode.Uri.parse(document.query);
}

function placeOf(editor: vscode.TextEditor): Place {
  const { line, character } = editor.selection.active;
  return { uri: editor.document.uri.toString(), line, character };
}

export class ObliviousForms implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly texts = new Map<string, string>();
  private readonly disposables: vscode.Disposable[] = [this.changed];
  private readonly following: Following<VirtualDocument>;

  constructor(private readonly client: () => LanguageClient | undefined) {
    this.following = new Following((place) => this.ask(place), (place, form) => this.keep(place, form), PAUSE);
    this.disposables.push(
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.window.onDidChangeTextEditorSelection((event) => this.moved(event.textEditor)),
      vscode.workspace.onDidChangeTextDocument((event) => {
        const editor = vscode.window.activeTextEditor;
        if (editor !== undefined && event.document === editor.document) {
          this.moved(editor);
        }
      }),
      vscode.workspace.onDidCloseTextDocument((document) => {
        if (document.uri.scheme === SCHEME) {
          this.texts.delete(document.uri.query);
        }
      }),
    );
  }

  async show(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined || editor.document.languageId !== 'tacet') {
      return;
    }
    const place = placeOf(editor);
    const form = await this.ask(place);
    this.keep(place, form ?? { uri: '', languageId: 'tacet', text: this.texts.get(place.uri) ?? NOTHING });
    const document = await vscode.workspace.openTextDocument(documentOf(editor.document.uri));
    await vscode.window.showTextDocument(document, {
      viewColumn: vscode.ViewColumn.Beside,
      preserveFocus: true,
      preview: false,
    });
  }

  provideTextDocumentContent(document: vscode.Uri): string {
    return this.texts.get(sourceOf(document).toString()) ?? NOTHING;
  }

  dispose(): void {
    this.following.close();
    this.disposables.forEach((one) => one.dispose());
  }

  private moved(editor: vscode.TextEditor): void {
    if (this.texts.has(editor.document.uri.toString())) {
      this.following.moved(placeOf(editor));
    }
  }

  private async ask(place: Place): Promise<VirtualDocument | undefined> {
    const form = await this.client()?.sendRequest<VirtualDocument | null>('tacet/obliviousForm', {
      textDocument: { uri: place.uri },
      position: { line: place.line, character: place.character },
    });
    return form ?? undefined;
  }

  private keep(place: Place, form: VirtualDocument): void {
    if (this.texts.get(place.uri) !== form.text) {
      this.texts.set(place.uri, form.text);
      this.changed.fire(documentOf(vscode.Uri.parse(place.uri)));
    }
  }
}
