// `tacet check` and `tacet lint` as tasks, with the problem matcher `$tacet`.

import * as vscode from 'vscode';

interface Definition extends vscode.TaskDefinition {
  readonly command: string;
  readonly arguments?: string[];
}

function task(definition: Definition, scope: vscode.WorkspaceFolder | vscode.TaskScope, program: string): vscode.Task {
  const { command } = definition;
  const execution = new vscode.ProcessExecution(program, [command, '--format', 'short', ...(definition.arguments ?? [])]);
  const made = new vscode.Task(definition, scope, command, 'tacet', execution, ['$tacet']);
  made.group = vscode.TaskGroup.Build;
  return made;
}

/** Tasks for each folder of the workspace; `program` is asked for when a task is made. */
export function provideTasks(program: () => string): vscode.Disposable {
  return vscode.tasks.registerTaskProvider('tacet', {
    provideTasks: () =>
      (vscode.workspace.workspaceFolders ?? []).flatMap((folder) =>
        ['check', 'lint'].map((command) => task({ type: 'tacet', command }, folder, program())),
      ),
    resolveTask: (given) =>
      task(given.definition as Definition, given.scope ?? vscode.TaskScope.Workspace, program()),
  });
}
