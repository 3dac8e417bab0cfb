// What the compiler can be asked for of a file or function. Knows nothing of VS Code.

export interface Stage {
  readonly name: string;
  readonly description: string;
}

/** In the order of the compiler: first those of whole files, then those of a function. */
export const STAGES: readonly Stage[] = [
  { name: 'tree', description: 'the syntax tree' },
  { name: 'ast', description: 'with what names mean, and types' },
  { name: 'hir', description: 'coordinator functions as graphs' },
  { name: 'ssa', description: 'each definition once' },
  { name: 'quotients', description: 'which node of a specification a definition is' },
  { name: 'annotated', description: 'the source with everything written down that was left out' },
  { name: 'cps', description: 'continuation-passing style' },
  { name: 'random', description: 'places of random draws' },
  { name: 'oblivious', description: 'a device function that no secret steers' },
  { name: 'array', description: 'an array program without indices' },
  { name: 'schedule', description: 'how it is laid out in vectors' },
  { name: 'circuit', description: 'expressions over vectors' },
  { name: 'approximations', description: 'polynomials in place of functions of encrypted reals' },
  { name: 'loops', description: 'the circuit as loops over ciphertexts' },
  { name: 'program', description: 'with parameters, as client and server run it' },
  { name: 'dot', description: 'the circuit for Graphviz' },
  { name: 'mpc', description: 'what several parties compute on shares' },
];

/** The pictures, with what stands above them. */
export const PICTURES: readonly { readonly stage: string; readonly title: string }[] = [
  { stage: 'layout-svg', title: 'Which element stands in which slot' },
  { stage: 'circuit-svg', title: 'What is computed' },
];

/** What the server answers of a stage. */
export interface StageText {
  readonly languageId: string;
  readonly text: string;
  /** Where the item at the cursor begins. */
  readonly line: number;
  /** The server is still at it: it should be asked again in a moment. */
  readonly isUnfinished?: boolean;
  /** There is no such thing where the cursor is, but there may be a few lines on. */
  readonly isElsewhere?: boolean;
}

/** Why there is none: what the server says, as a sentence. */
export function asProblem(error: unknown): StageText {
  const message = error instanceof Error ? error.message : String(error);
  const sentence = message.charAt(0).toUpperCase() + message.slice(1) + (message.endsWith('.') ? '' : '.');
  const isUnfinished = message.includes('ask again');
  return { languageId: 'plaintext', text: sentence, line: 0, isUnfinished, isElsewhere: message.startsWith('there is no') };
}
