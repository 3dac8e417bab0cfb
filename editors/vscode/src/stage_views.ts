// What the compiler makes of a file, or of the function at the cursor, in documents beside the
// source. They follow the cursor and every edit.

import * as vscode from 'vscode';

import { Following, type Place } from './following.js';
import { STAGES, asProblem, type StageText } from './stages.js';
import type { AskForStage } from './server.js';

// Not `tacet-stage`: documents of that scheme are the server's, and do not follow the cursor.
const SCHEME = 'tacet-view';
const PAUSE = 60;

function documentOf(source: vscode.Uri, stage: string, languageId: string): vscode.Uri {
  const extension = languageId === 'tacet' ? '$1' : '';
  const path = source.path.replace(/(\.[a-z]+)?$/, ` (${stage})${extension}`);
  return vscode.Uri.from({ scheme: SCHEME, path, query: source.toString() });
}

export function placeOf(editor: vscode.TextEditor): Place {
  const { line, character } = editor.selection.active;
  return { uri: editor.document.uri.toString(), line, character };
}

/** A document beside a source: one stage of it. */
interface View {
  readonly stage: string;
  readonly document: vscode.Uri;
  text: StageText;
  readonly following: Following<StageText>;
}

export class StageViews implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly views = new Map<string, View>();
  private readonly disposables: vscode.Disposable[] = [this.changed];

  constructor(private readonly ask: AskForStage) {
    this.disposables.push(
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.window.onDidChangeTextEditorSelection((event) => this.moved(event.textEditor)),
      vscode.workspace.onDidChangeTextDocument((event) => {
        const editor = vscode.window.activeTextEditor;
        if (editor !== undefined && event.document === editor.document) {
          this.moved(editor);
        }
      }),
      vscode.workspace.onDidCloseTextDocument((document) => this.forget(document.uri)),
    );
  }

  /** Asks which stage, and shows it. */
  async choose(): Promise<void> {
    const chosen = await vscode.window.showQuickPick(
      STAGES.map(({ name, description }) => ({ label: name, description })),
      { placeHolder: 'What the compiler makes of this file or function', matchOnDescription: true },
    );
    if (chosen !== undefined) {
      await this.show(chosen.label);
    }
  }

  async show(stage: string): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined || editor.document.languageId !== 'tacet' || editor.document.uri.scheme === SCHEME) {
      return;
    }
    const place = placeOf(editor);
    const text = await this.ask(place, stage).catch(asProblem);
    if (text === undefined) {
      return;
    }
    const view = this.viewOf(editor.document.uri, stage, text);
    this.keep(view, text);
    if (text.isUnfinished) {
      view.following.moved(place);
    }
    const document = await vscode.workspace.openTextDocument(view.document);
    await vscode.window.showTextDocument(document, {
      viewColumn: vscode.ViewColumn.Beside,
      preserveFocus: true,
      preview: false,
    });
    this.reveal(view);
  }

  provideTextDocumentContent(document: vscode.Uri): string {
    return this.views.get(document.toString())?.text.text ?? '';
  }

  dispose(): void {
    this.views.forEach((view) => view.following.close());
    this.disposables.forEach((one) => one.dispose());
  }

  private viewOf(source: vscode.Uri, stage: string, text: StageText): View {
    const isSource = stage === 'oblivious' || stage === 'annotated';
    const document = documentOf(source, stage, isSource ? 'tacet' : text.languageId);
    const known = this.views.get(document.toString());
    if (known !== undefined) {
      return known;
    }
    const view: View = {
      stage,
      document,
      text,
      following: new Following<StageText>(
        (place) => this.ask(place, stage).catch(asProblem),
        (_, answer) => this.keepOrLeave(view, answer),
        PAUSE,
        (answer) => answer.isUnfinished === true,
      ),
    };
    this.views.set(document.toString(), view);
    return view;
  }

  private moved(editor: vscode.TextEditor): void {
    for (const view of this.views.values()) {
      if (view.document.query === editor.document.uri.toString()) {
        view.following.moved(placeOf(editor));
      }
    }
  }

  /** Between two functions, what was shown stays. */
  private keepOrLeave(view: View, text: StageText): void {
    if (text.isElsewhere !== true) {
      this.keep(view, text);
      this.reveal(view);
    }
  }

  private keep(view: View, text: StageText): void {
    const isNew = view.text.text !== text.text;
    view.text = text;
    if (isNew) {
      this.changed.fire(view.document);
    }
  }

  /** Moves the document to the item that the cursor is in, where it shows the whole file. */
  private reveal(view: View): void {
    if (view.text.line === 0) {
      return;
    }
    const at = new vscode.Range(view.text.line, 0, view.text.line, 0);
    vscode.window.visibleTextEditors
      .filter((editor) => editor.document.uri.toString() === view.document.toString())
      .forEach((editor) => editor.revealRange(at, vscode.TextEditorRevealType.AtTop));
  }

  private forget(document: vscode.Uri): void {
    const view = this.views.get(document.toString());
    view?.following.close();
    this.views.delete(document.toString());
  }
}
