// Pictures of the function at the cursor in a panel beside the source: its layouts and its circuit.

import * as vscode from 'vscode';

import { Following } from './following.js';
import { pageOf, type Picture } from './picture_page.js';
import { placeOf } from './stage_views.js';
import { PICTURES, asProblem } from './stages.js';
import type { AskForStage } from './server.js';

const PAUSE = 150;

export class Pictures implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private readonly following: Following<Picture[]>;
  private readonly disposables: vscode.Disposable[];

  constructor(private readonly ask: AskForStage) {
    this.following = new Following<Picture[]>(
      (place) => Promise.all(PICTURES.map(async ({ stage, title }) => {
        const answer = await this.ask(place, stage).catch(asProblem);
        return { title, answer };
      })),
      (_, pictures) => this.draw(pictures),
      PAUSE,
      (pictures) => pictures.some((one) => one.answer?.isUnfinished === true),
    );
    this.disposables = [
      vscode.window.onDidChangeTextEditorSelection((event) => this.moved(event.textEditor)),
      vscode.window.onDidChangeActiveTextEditor((editor) => this.moved(editor)),
    ];
  }

  show(): void {
    if (this.panel === undefined) {
      this.panel = vscode.window.createWebviewPanel(
        'tacet.pictures',
        'Tacet: Pictures',
        { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
        { enableScripts: false, localResourceRoots: [] },
      );
      this.panel.onDidDispose(() => { this.panel = undefined; });
      this.panel.webview.html = pageOf([]);
    } else {
      this.panel.reveal(undefined, true);
    }
    this.moved(vscode.window.activeTextEditor);
  }

  dispose(): void {
    this.following.close();
    this.panel?.dispose();
    this.disposables.forEach((one) => one.dispose());
  }

  private moved(editor: vscode.TextEditor | undefined): void {
    if (this.panel !== undefined && editor?.document.languageId === 'tacet') {
      this.following.moved(placeOf(editor));
    }
  }

  private draw(pictures: Picture[]): void {
    if (this.panel !== undefined) {
      this.panel.webview.html = pageOf(pictures);
    }
  }
}
