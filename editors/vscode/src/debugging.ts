// Debugging by `tacet debug`: its configurations, the lens `debug`, values beside the code.

import * as vscode from 'vscode';

import { type Runnable } from '../../playground/src/runnable.js';
import { launchOf, namesIn } from './debug_configuration.js';
import type { RememberedInputs } from './remembered_inputs.js';
import { mostLikely, runnableAt } from './run_form.js';
import type { Server } from './server.js';

const TYPE = 'tacet';

/** Lines above the current one whose values are shown. */
const LINES_OF_VALUES = 60;

export class Debugging
  implements vscode.DebugAdapterDescriptorFactory, vscode.DebugConfigurationProvider, vscode.CodeLensProvider, vscode.InlineValuesProvider {
  private readonly disposables: vscode.Disposable[];

  constructor(private readonly server: Server, private readonly inputs: RememberedInputs) {
    this.disposables = [
      vscode.debug.registerDebugAdapterDescriptorFactory(TYPE, this),
      vscode.debug.registerDebugConfigurationProvider(TYPE, this),
      vscode.languages.registerCodeLensProvider({ language: 'tacet', scheme: 'file' }, this),
      vscode.languages.registerInlineValuesProvider({ language: 'tacet' }, this),
    ];
  }

  dispose(): void {
    this.disposables.forEach((one) => one.dispose());
  }

  createDebugAdapterDescriptor(): vscode.DebugAdapterDescriptor {
    return new vscode.DebugAdapterExecutable(this.server.program(), ['debug']);
  }

  /** F5 without a configuration: the function at the cursor. */
  async resolveDebugConfiguration(
    folder: vscode.WorkspaceFolder | undefined, given: vscode.DebugConfiguration,
  ): Promise<vscode.DebugConfiguration | undefined> {
    if (given.type !== undefined && given.program !== undefined) {
      return { cwd: folder?.uri.fsPath, ...given };
    }
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.languageId !== 'tacet') {
      void vscode.window.showInformationMessage('Tacet: open the program to debug.');
      return undefined;
    }
    const line = editor.selection.active.line;
    return this.configuration(editor.document, (all) => runnableAt(all, line));
  }

  /** The function at the cursor, or one by name. */
  async debugHere(uri?: string, key?: { readonly kind: string; readonly name: string }): Promise<void> {
    const document = uri === undefined
      ? vscode.window.activeTextEditor?.document
      : await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
    if (document === undefined) {
      return;
    }
    const line = vscode.window.activeTextEditor?.selection.active.line ?? 0;
    const found = await this.configuration(document, (all) =>
      key === undefined ? runnableAt(all, line) : all.find((one) => one.kind === key.kind && one.name === key.name));
    if (found !== undefined) {
      await document.save();
      await vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(document.uri), found);
    }
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    if (!vscode.workspace.getConfiguration('tacet', document).get('codeLens.enable', true)) {
      return [];
    }
    return (await this.runnables(document)).map((one) => {
      const { start, end } = one.range;
      return new vscode.CodeLens(new vscode.Range(start.line, start.character, end.line, end.character), {
        title: 'debug',
        command: 'tacet.debugHere',
        arguments: [String(document.uri), { kind: one.kind, name: one.name }],
      });
    });
  }

  provideInlineValues(
    document: vscode.TextDocument, viewport: vscode.Range, context: vscode.InlineValueContext,
  ): vscode.InlineValue[] {
    const last = context.stoppedLocation.end.line;
    const values: vscode.InlineValue[] = [];
    for (let line = Math.max(viewport.start.line, last - LINES_OF_VALUES); line <= last; ++line) {
      for (const { name, column } of namesIn(document.lineAt(line).text)) {
        values.push(new vscode.InlineValueVariableLookup(new vscode.Range(line, column, line, column + name.length), name));
      }
    }
    return values;
  }

  private async runnables(document: vscode.TextDocument): Promise<readonly Runnable[]> {
    const textDocument = { uri: String(document.uri) };
    try {
      return (await this.server.client()?.sendRequest<Runnable[]>('tacet/runnables', { textDocument })) ?? [];
    } catch {
      return [];  // the text changed meanwhile
    }
  }

  private async configuration(
    document: vscode.TextDocument, select: (all: readonly Runnable[]) => Runnable | undefined,
  ): Promise<vscode.DebugConfiguration | undefined> {
    const all = await this.runnables(document);
    const runnable = select(all) ?? mostLikely(all);
    if (runnable === undefined) {
      void vscode.window.showInformationMessage('Tacet: the file has nothing to run.');
      return undefined;
    }
    const values = await this.inputs.recall(String(document.uri), runnable);
    const name = runnable.name === '' ? 'Tacet' : `Tacet: ${runnable.name}`;
    const cwd = vscode.workspace.getWorkspaceFolder(document.uri)?.uri.fsPath;
    return { type: TYPE, request: 'launch', name, cwd, stopOnEntry: true, ...launchOf(document.uri.fsPath, runnable, values) };
  }
}
