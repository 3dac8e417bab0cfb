// What a run answers, as the page of runs shows it. Knows nothing of VS Code.

import * as path from 'node:path';

import type { Report } from '../../playground/src/result_view.js';

export const RUN = 'tacet.run';

/** What the server answers to `tacet.run`, and what a process leaves. */
export interface RunAnswer {
  readonly exitCode: number;
  readonly output: string;
  readonly errors: string;
  /** A picture of what took how long; empty if nothing is known. */
  readonly timeline?: string;
}

interface Problem {
  readonly file?: string;
  readonly code?: string;
  readonly severity: string;
  readonly message: string;
  readonly range?: { readonly start: { readonly line: number; readonly character: number } };
  readonly notes?: readonly unknown[];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isProblem(value: unknown): value is Problem {
  return typeof value === 'object' && value !== null && 'severity' in value && 'message' in value;
}

/** The page links places in what it calls `program`: the file that runs. */
function readable(line: string, program: string): string {
  const problem = parsed(line);
  if (!isProblem(problem)) {
    return line.replace(/\S*tacet-inputs-\w+[\\/]input-\d+\.json: /, '').replace(/^tacet: /, '');
  }
  const { file, range, severity, code, message, notes = [] } = problem;
  const isHere = file !== undefined && path.resolve(path.dirname(program), file) === program;
  const name = isHere ? `program${path.extname(program)}` : file;
  const place = name !== undefined && range !== undefined ? `${name}:${range.start.line + 1}:${range.start.character + 1}: ` : '';
  return [`${place}${severity}${code === undefined ? '' : `[${code}]`}: ${message}`, ...notes.map((note) => `  = note: ${String(note)}`)].join('\n');
}

/** The lines that `tacet run --format json` prints as errors, for people. */
export function readableErrors(errors: string, program: string): string {
  return errors.split('\n').filter((line) => line.trim() !== '').map((line) => readable(line, program)).join('\n');
}

/** `program` is the file that ran. */
export function reportOf(answer: RunAnswer, program: string): Report {
  const message = readableErrors(answer.errors, program);
  const printed = parsed(answer.output) as Pick<Report, 'results' | 'stats'> | undefined;
  if (answer.exitCode !== 0 || printed?.results === undefined) {
    return { outcome: 'failed', message: message === '' ? `The run ended with exit code ${answer.exitCode}.` : message };
  }
  return {
    outcome: 'done', results: printed.results, stats: printed.stats, remarks: message,
    ...(answer.timeline === undefined ? {} : { timeline: answer.timeline }),
  };
}

/** Whether a message of the server is the end of a run of `name`, which the page shows itself. */
export function isAboutRun(message: string, name: string): boolean {
  return [`${name}: `, `${name} on random values: `, `${name} failed: `].some((begin) => message.startsWith(begin));
}
