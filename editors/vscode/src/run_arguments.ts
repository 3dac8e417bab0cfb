// What the server is asked when something is to run, and answers. Knows nothing of VS Code.

export const RUN = 'tacet.run';

/** What the server answers to it. */
export interface RunAnswer {
  readonly exitCode: number;
  readonly output: string;
  readonly errors: string;
  /** Of a traced run: a picture of what took how long; empty if nothing is known. */
  readonly timeline?: string;
}

/** The arguments of a run, told that the picture of a traced one is shown here. */
export function showingTimelines(args: readonly unknown[]): unknown[] {
  const [first, ...others] = args;
  return typeof first === 'object' && first !== null ? [{ ...first, shows: true }, ...others] : [...args];
}
