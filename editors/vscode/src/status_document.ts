// What the server reports of itself, in a read-only document that stays up to date while it is seen.

import * as vscode from 'vscode';

import type { Server } from './server.js';

const SCHEME = 'tacet-status';
const DOCUMENT = vscode.Uri.from({ scheme: SCHEME, path: '/Tacet Server Status' });
const PAUSE = 2000;

export class StatusDocument implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly disposables: vscode.Disposable[];
  private readonly timer: ReturnType<typeof setInterval>;

  constructor(private readonly server: Server) {
    this.disposables = [
      this.changed,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      server.onStateChange(() => this.refresh()),
    ];
    this.timer = setInterval(() => this.refresh(), PAUSE);
  }

  async show(): Promise<void> {
    this.changed.fire(DOCUMENT);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(DOCUMENT), { preview: true });
  }

  async provideTextDocumentContent(): Promise<string> {
    try {
      return await this.server.describe();
    } catch (error) {
      return `The server does not answer: ${error instanceof Error ? error.message : String(error)}\n`;
    }
  }

  dispose(): void {
    clearInterval(this.timer);
    this.disposables.forEach((one) => one.dispose());
  }

  private refresh(): void {
    const isSeen = vscode.window.visibleTextEditors.some(({ document }) => document.uri.scheme === SCHEME);
    if (isSeen && vscode.window.state.focused) {
      this.changed.fire(DOCUMENT);
    }
  }
}
