// What VS Code calls: everything is put together here, and nothing is done.

import * as vscode from 'vscode';

import { Debugging } from './debugging.js';
import { ExploredPanel } from './explored.js';
import { KeptCosts } from './kept_costs_view.js';
import { makeMiddleware } from './middleware.js';
import { Pictures } from './pictures.js';
import { RememberedInputs } from './remembered_inputs.js';
import { RunPanel } from './run_panel.js';
import { SecretColours } from './secret_colours.js';
import { Server } from './server.js';
import { StageViews } from './stage_views.js';
import { StatusDocument } from './status_document.js';
import { provideTasks } from './tasks.js';

let server: Server | undefined;

const WALKTHROUGH = 'tacet.tacet#start';

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const secrets = new SecretColours(() => started.modifier('secret'));
  const costs = new KeptCosts((document) => started.refreshLenses(document));
  const started: Server = new Server(context.extensionPath, {
    middleware: makeMiddleware({ run: (uri, fn, isTraced) => runs.showNamed(uri, fn, isTraced), secrets, costs }),
    showsItself: (message) => runs.showsItself(message),
  });
  server = started;
  const inputs = new RememberedInputs(context.workspaceState, context.secrets);
  const runs: RunPanel = new RunPanel(started, inputs, context.extensionUri);
  const debugging = new Debugging(started, inputs);
  const stages = new StageViews(started.askForStage);
  const pictures = new Pictures(started.askForStage);
  const explored = new ExploredPanel(started.askForExplored);
  const status = new StatusDocument(started);
  const whenReady = (work: () => unknown) => () => (started.isReady() ? work() : undefined);
  context.subscriptions.push(
    started, secrets, costs, runs, debugging, stages, pictures, explored, status,
    provideTasks(() => started.program()),
    vscode.commands.registerCommand('tacet.runHere', () => runs.showHere()),
    vscode.commands.registerCommand('tacet.debugHere', (uri, key) => debugging.debugHere(uri, key)),
    vscode.commands.registerCommand('tacet.showObliviousForm', whenReady(() => stages.show('oblivious'))),
    vscode.commands.registerCommand('tacet.showStage', whenReady(() => stages.choose())),
    vscode.commands.registerCommand('tacet.showPictures', whenReady(() => pictures.show())),
    vscode.commands.registerCommand('tacet.showExplored', whenReady(() => explored.show())),
    vscode.commands.registerCommand('tacet.showServerStatus', () => status.show()),
    vscode.commands.registerCommand('tacet.restartServer', () => started.restart()),
    vscode.commands.registerCommand('tacet.selectServer', () => started.selectProgram()),
    vscode.commands.registerCommand('tacet.showOutput', () => started.output.show()),
    vscode.commands.registerCommand('tacet.getStarted', () =>
      vscode.commands.executeCommand('workbench.action.openWalkthrough', WALKTHROUGH, false)),
    vscode.workspace.onDidGrantWorkspaceTrust(() => started.restart()),
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
