// Where the program `tacet` is. Knows nothing of VS Code.

import * as fs from 'node:fs';
import * as path from 'node:path';

/** The setting's default: any `tacet` that can be found. */
export const ANY = 'tacet';

export interface Surroundings {
  /** What `PATH` says. */
  readonly searchPath: string;
  /** The home folder, for `~`. */
  readonly home: string;
  /** The first folder of the workspace, if there is one. */
  readonly workspaceFolder: string | undefined;
  /** True if programs in the workspace may run. */
  readonly isTrusted: boolean;
  /** The folder of the extension, which may contain a server. */
  readonly extensionFolder: string;
  /** True if the file can be run. */
  readonly isProgram: (file: string) => boolean;
  readonly isWindows: boolean;
}

/** Where a program is, if it was found, and every place that was searched for it. */
export interface Search {
  readonly program: string | undefined;
  readonly places: readonly string[];
}

/** A file that exists, and is no folder. */
export function isFile(file: string): boolean {
  try {
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/** A file that exists and that we may run. */
export function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return isFile(file);
  } catch {
    return false;
  }
}

/** The server that is packed with the extension, whether or not there is one. */
export function packedServer(extensionFolder: string, isWindows: boolean): string {
  return path.join(extensionFolder, 'server', isWindows ? 'tacet.exe' : 'tacet');
}

/** Unpacking an extension may lose the permission to run a file. */
export function allowToRun(file: string): void {
  if (fs.existsSync(file) && !isProgram(file)) {
    fs.chmodSync(file, 0o755);
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

/** Where installers and builds put programs, for editors that were started with a short `PATH`. */
function usualFolders(around: Surroundings): string[] {
  const built = around.isTrusted && around.workspaceFolder !== undefined
    ? [path.join(around.workspaceFolder, 'build', 'release', 'cli')]
    : [];
  const installed = around.isWindows
    ? []
    : [path.join(around.home, '.local', 'bin'), '/usr/local/bin', '/usr/bin', '/opt/tacet/bin', '/opt/homebrew/bin'];
  return [...built, ...installed];
}

/**
 * The program that the setting names: a path as it is, a name in `PATH`. The default name is also
 * searched for in the extension, which comes first, and in the usual folders, which come last.
 */
export function findProgram(setting: string, around: Surroundings): Search {
  const wanted = expand(setting === '' ? ANY : setting, around);
  const withEnding = (file: string) => (around.isWindows && !file.endsWith('.exe') ? [file + '.exe', file] : [file]);
  if (wanted.includes('/') || path.isAbsolute(wanted)) {
    return { program: withEnding(wanted).find(around.isProgram), places: [wanted] };
  }
  const inPath = around.searchPath.split(path.delimiter).filter((folder) => folder !== '');
  const folders = [...new Set(wanted === ANY ? [...inPath, ...usualFolders(around)] : inPath)];
  const packed = wanted === ANY ? [packedServer(around.extensionFolder, around.isWindows)] : [];
  const files = [...packed, ...folders.flatMap((folder) => withEnding(path.join(folder, wanted)))];
  return { program: files.find(around.isProgram), places: [...packed, ...folders] };
}
