// Runs the array program at the cursor under encryption, or the function on secret shares by local
// parties: what the lens above it does.

import * as vscode from 'vscode';

import { RUN } from './run_arguments.js';

/** The command of the last `run` lens that does not begin below the line, or else of the first. */
export function lensFor(lenses: readonly vscode.CodeLens[], line: number): vscode.Command | undefined {
  const runs = lenses
    .filter(({ command }) => command?.command === RUN && command.arguments?.[0]?.trace !== true)
    .sort((one, other) => one.range.start.line - other.range.start.line);
  const above = runs.filter((lens) => lens.range.start.line <= line);
  return (above.at(-1) ?? runs[0])?.command;
}

export async function runHere(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || editor.document.languageId !== 'tacet') {
    return;
  }
  if (editor.document.isDirty && !(await editor.document.save())) {
    return;
  }
  const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
    'vscode.executeCodeLensProvider',
    editor.document.uri,
    10_000,
  );
  const command = lensFor(lenses ?? [], editor.selection.active.line);
  if (command === undefined) {
    void vscode.window.showWarningMessage('Tacet: neither an array program nor a function on secret shares without mistakes stands at the cursor.');
    return;
  }
  await vscode.commands.executeCommand(command.command, ...(command.arguments ?? []));
}
