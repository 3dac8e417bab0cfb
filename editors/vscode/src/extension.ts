// What VS Code calls: everything is put together here, and nothing is done.

import * as vscode from 'vscode';

import { ObliviousForms } from './oblivious_form.js';
import { runHere } from './run_program.js';
import { Server } from './server.js';
import { provideTasks } from './tasks.js';

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const started = new Server();
  server = started;
  const forms = new ObliviousForms(() => started.client());
  context.subscriptions.push(
    started,
    forms,
    provideTasks(() => started.program()),
    vscode.commands.registerCommand('tacet.restartServer', () => started.restart()),
    vscode.commands.registerCommand('tacet.showOutput', () => started.output.show()),
    vscode.commands.registerCommand('tacet.showObliviousForm', () => forms.show()),
    vscode.commands.registerCommand('tacet.runHere', () => runHere()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('tacet.server')) {
        void started.restart();
      }
    }),
  );
  await started.restart();
}

export async function deactivate(): Promise<void> {
  await server?.end();
}
