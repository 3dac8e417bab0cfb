// What VS Code calls: everything is put together here, and nothing is done.

import * as vscode from 'vscode';

import { Pictures } from './pictures.js';
import { runHere } from './run_program.js';
import { Server } from './server.js';
import { StageViews } from './stage_views.js';
import { Timelines } from './timelines.js';
import { provideTasks } from './tasks.js';

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const timelines = new Timelines();
  const started = new Server((picture) => timelines.show(picture));
  server = started;
  const stages = new StageViews(started.askForStage);
  const pictures = new Pictures(started.askForStage);
  context.subscriptions.push(
    started,
    stages,
    pictures,
    timelines,
    provideTasks(() => started.program()),
    vscode.commands.registerCommand('tacet.restartServer', () => started.restart()),
    vscode.commands.registerCommand('tacet.showOutput', () => started.output.show()),
    vscode.commands.registerCommand('tacet.showObliviousForm', () => stages.show('oblivious')),
    vscode.commands.registerCommand('tacet.showStage', () => stages.choose()),
    vscode.commands.registerCommand('tacet.showPictures', () => pictures.show()),
    vscode.commands.registerCommand('tacet.showServerStatus', () => started.showStatus()),
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
