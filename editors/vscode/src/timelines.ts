// What took how long in the last traced run, in a panel beside the source.

import * as vscode from 'vscode';

import { pageOf } from './picture_page.js';

export class Timelines implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;

  /** Nothing happens if the run was not traced. */
  show(picture: string | undefined): void {
    if (picture === undefined) {
      return;
    }
    if (this.panel === undefined) {
      this.panel = vscode.window.createWebviewPanel(
        'tacet.timeline',
        'Tacet: Timeline',
        { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
        { enableScripts: false, localResourceRoots: [] },
      );
      this.panel.onDidDispose(() => { this.panel = undefined; });
    } else {
      this.panel.reveal(undefined, true);
    }
    const text = picture === '' ? 'The run told nothing of its times.' : picture;
    this.panel.webview.html = pageOf([{ title: 'What took how long', answer: { languageId: 'plaintext', text, line: 0 } }]);
  }

  dispose(): void {
    this.panel?.dispose();
  }
}
