// What was explored of the specification, function or pipeline at the cursor, in a panel beside the
// source. A click on a point compares the program with it.

import * as vscode from 'vscode';

import { exploredPage, type Explored } from './explored_page.js';
import { Following, type Place } from './following.js';
import { placeOf } from './stage_views.js';
import { asProblem } from './stages.js';

const SCHEME = 'tacet-explored';
const COMMAND = 'tacet.compareExplored';
const PAUSE = 150;

export type AskForExplored = (place: Place) => Promise<Explored | undefined>;

export class ExploredPanel implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private shown: { readonly place: Place; readonly explored: Explored } | undefined;
  private readonly following: Following<Explored | string>;
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly disposables: vscode.Disposable[];

  constructor(ask: AskForExplored) {
    this.following = new Following<Explored | string>(
      (place) => ask(place).catch((error: unknown) => asProblem(error).text),
      (place, explored) => this.draw(place, explored),
      PAUSE,
      (explored) => typeof explored !== 'string' && explored.isUnfinished === true,
    );
    this.disposables = [
      this.changed,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.window.onDidChangeTextEditorSelection((event) => this.moved(event.textEditor)),
      vscode.window.onDidChangeActiveTextEditor((editor) => this.moved(editor)),
      vscode.commands.registerCommand(COMMAND, (index: unknown) => this.compare(index)),
    ];
  }

  show(): void {
    if (this.panel === undefined) {
      this.panel = vscode.window.createWebviewPanel(
        'tacet.explored',
        'Tacet: Explored',
        { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
        { enableScripts: false, enableCommandUris: [COMMAND], localResourceRoots: [] },
      );
      this.panel.onDidDispose(() => { this.panel = undefined; });
      this.panel.webview.html = exploredPage(undefined, COMMAND);
    } else {
      this.panel.reveal(undefined, true);
    }
    this.moved(vscode.window.activeTextEditor);
  }

  provideTextDocumentContent(document: vscode.Uri): string {
    return this.texts.get(document.toString()) ?? '';
  }

  dispose(): void {
    this.following.close();
    this.panel?.dispose();
    this.disposables.forEach((one) => one.dispose());
  }

  private moved(editor: vscode.TextEditor | undefined): void {
    if (this.panel !== undefined && editor?.document.languageId === 'tacet' && editor.document.uri.scheme !== SCHEME) {
      this.following.moved(placeOf(editor));
    }
  }

  private draw(place: Place, explored: Explored | string): void {
    this.shown = typeof explored === 'string' ? undefined : { place, explored };
    if (this.panel !== undefined) {
      this.panel.webview.html = exploredPage(explored, COMMAND);
    }
  }

  /** The file beside the file with the point of that index. */
  private async compare(index: unknown): Promise<void> {
    const point = typeof index === 'number' ? this.shown?.explored.points[index] : undefined;
    if (this.shown === undefined || point?.text === undefined) {
      return;
    }
    const source = vscode.Uri.parse(this.shown.place.uri);
    const document = vscode.Uri.from({ scheme: SCHEME, path: source.path, query: String(index) });
    this.texts.set(document.toString(), point.text);
    this.changed.fire(document);
    await vscode.commands.executeCommand('vscode.diff', source, document, `${this.shown.explored.name}: ${point.label}`);
  }
}
