// Why there is no server, in words. Knows nothing of VS Code.

import { ANY, type Search } from './server_program.js';

export interface ServerProblem {
  readonly kind: 'missing' | 'failed' | 'stopped';
  /** One sentence. */
  readonly summary: string;
  /** What was tried, and what can be done, line by line. */
  readonly details: readonly string[];
}

export function missing(setting: string, search: Search): ServerProblem {
  const isAny = setting === '' || setting === ANY;
  return {
    kind: 'missing',
    summary: isAny
      ? 'The program `tacet` was not found. Without it there are only colours from the grammar.'
      : `The setting tacet.server.path names \`${setting}\`, which is not a program that can run.`,
    details: ['Searched:', ...search.places.map((place) => `  ${place}`)],
  };
}

/** `error` is what starting the program at `command` gave. */
export function failed(command: string, error: unknown): ServerProblem {
  const message = error instanceof Error ? error.message : String(error);
  const code = (error as { code?: unknown } | undefined)?.code;
  const reason =
    code === 'EACCES' ? 'there is no permission to run it'
    : code === 'ENOENT' ? 'it or its interpreter does not exist'
    : /ENOEXEC|Exec format/i.test(`${String(code)} ${message}`) ? 'it was built for another kind of machine'
    : message;
  return {
    kind: 'failed',
    summary: `The server \`${command}\` did not start: ${reason}.`,
    details: ['The output "Tacet" contains what the program printed.'],
  };
}

export function stopped(command: string): ServerProblem {
  return {
    kind: 'stopped',
    summary: `The server \`${command}\` stopped several times in a row.`,
    details: ['The output "Tacet" contains what it printed. A report of a crash helps to fix it.'],
  };
}

/** The text of the status document while there is no server. */
export function problemText(problem: ServerProblem | undefined): string {
  return problem === undefined
    ? 'The server is starting.\n'
    : [problem.summary, '', ...problem.details, '',
      'What to do:',
      '  Tacet: Select the Server Program…   if it is somewhere else',
      '  Tacet: Restart the Server           to try again, after installing or building it',
      '  Tacet: Get Started                  how to install it', ''].join('\n');
}
