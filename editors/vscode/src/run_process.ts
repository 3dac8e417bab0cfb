// A run in plaintext, which the server does not offer: `tacet run` as a process of its own. Values
// go by files that only the user can read. Knows nothing of VS Code.

import { execFile } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';

import type { Runnable } from '../../playground/src/runnable.js';
import { RANDOM, type Values } from './run_form.js';
import type { RunAnswer } from './run_report.js';

const MOST_OUTPUT = 64 << 20;

function selection({ kind, name }: Runnable): string[] {
  return kind === 'program' ? [] : [kind === 'pipeline' ? '--pipeline' : '--fn', name];
}

/** The arguments of a run in plaintext; writes values into files in `folder`. */
function argumentsOf(file: string, runnable: Runnable, values: Values, folder: string): string[] {
  const inputs = runnable.inputs.flatMap(({ name }, i) => {
    const value = values[name]?.trim() || RANDOM;
    if (value.startsWith('@')) {
      return ['--input', `${name}=${value}`];
    }
    const written = path.join(folder, `input-${i}.json`);
    fs.writeFileSync(written, value, { mode: 0o600 });
    return ['--input', `${name}=@${written}`];
  });
  return ['run', file, '--device', 'ref', '--stats', '--format', 'json', ...selection(runnable), ...inputs];
}

/** Runs part of a saved file. Rejects if there is no such program, or the signal stops it. */
export async function runInPlaintext(
  program: string, file: string, runnable: Runnable, values: Values, signal: AbortSignal,
): Promise<RunAnswer> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacet-inputs-'));
  try {
    const args = argumentsOf(file, runnable, values, folder);
    return await new Promise((resolve, reject) => {
      execFile(program, args, { cwd: path.dirname(file), signal, maxBuffer: MOST_OUTPUT }, (error, output, errors) => {
        const exitCode = error === null ? 0 : error.code;
        if (typeof exitCode === 'number') {
          resolve({ exitCode, output, errors });
        } else {
          reject(error);
        }
      });
    });
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
