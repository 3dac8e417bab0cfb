// Files with the values of inputs, which programs name from their own folder. Knows nothing of VS Code.

import * as path from 'node:path';

import { isFile } from './server_program.js';

/** A file as a value: relative to the folder of the program if it is below it. */
export function valueOfFile(file: string, folder: string): string {
  const relative = path.relative(folder, file);
  const isBelow = relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
  return '@' + (isBelow ? relative.replaceAll('\\', '/') : file);
}

/** Whether there is a file, as a program in the folder names it. */
export function filesIn(folder: string): (file: string) => boolean {
  return (file) => isFile(path.resolve(folder, file));
}
