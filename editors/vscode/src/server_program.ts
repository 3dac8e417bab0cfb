// Where the program `tacet` is. Knows nothing of VS Code.

import * as fs from 'node:fs';
import * as path from 'node:path';

export interface Surroundings {
  /** What `PATH` says. */
  readonly searchPath: string;
  /** The home folder, for `~`. */
  readonly home: string;
  /** The first folder of the workspace, if there is one. */
  readonly workspaceFolder: string | undefined;
  /** True if the file can be run. */
  readonly isProgram: (file: string) => boolean;
  readonly isWindows: boolean;
}

/** A file that exists and that we may run. */
export function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/** The path that a setting means: `~` and `${workspaceFolder}` replaced; relative to the workspace. */
export function expand(setting: string, around: Surroundings): string {
  let text = setting.trim();
  if (text === '~' || text.startsWith('~/')) {
    text = around.home + text.slice(1);
  }
  text = text.replaceAll('${workspaceFolder}', around.workspaceFolder ?? '');
  const isName = !text.includes('/') && !text.includes(path.sep);
  if (isName || path.isAbsolute(text) || around.workspaceFolder === undefined) {
    return text;
  }
  return path.join(around.workspaceFolder, text);
}

/** The program that the setting names, or undefined if there is none. */
export function findProgram(setting: string, around: Surroundings): string | undefined {
  const wanted = expand(setting === '' ? 'tacet' : setting, around);
  const names = around.isWindows && !wanted.endsWith('.exe') ? [wanted + '.exe', wanted] : [wanted];
  const folders =
    wanted.includes('/') || path.isAbsolute(wanted)
      ? ['']
      : around.searchPath.split(path.delimiter).filter((folder) => folder !== '');
  for (const folder of folders) {
    for (const name of names) {
      const file = folder === '' ? name : path.join(folder, name);
      if (around.isProgram(file)) {
        return file;
      }
    }
  }
  return undefined;
}
