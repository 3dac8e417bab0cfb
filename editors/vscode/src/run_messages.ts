// What the page of runs and the extension say to each other. Knows nothing of VS Code.

import type { Report } from '../../playground/src/result_view.js';
import type { Device, Runnable } from '../../playground/src/runnable.js';
import type { Values } from './run_form.js';

/** What is to be run, on what. */
export interface Choice {
  readonly key: string;
  readonly device: Device;
  readonly values: Values;
}

export type ToPage =
  /** What can be run now; `values` are those of `selected`. */
  | { readonly kind: 'form'; readonly file: string; readonly runnables: readonly Runnable[]; readonly selected: string;
    readonly devices: readonly Device[]; readonly device: Device; readonly values: Values }
  /** Nothing can be run, and why. */
  | { readonly kind: 'nothing'; readonly reason: string }
  /** What is wrong with inputs, as only the extension can know; all others are good. */
  | { readonly kind: 'problems'; readonly problems: Values }
  | { readonly kind: 'file'; readonly input: string; readonly value: string }
  | { readonly kind: 'running' }
  | { readonly kind: 'report'; readonly report: Report; readonly choice: Choice; readonly runnable: Runnable; readonly showsDetails: boolean }
  /** The source changed. */
  | { readonly kind: 'outdated' };

export type FromPage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'select'; readonly key: string }
  | { readonly kind: 'run'; readonly choice: Choice }
  | { readonly kind: 'stop' }
  | { readonly kind: 'edit'; readonly choice: Choice }
  | { readonly kind: 'selectFile'; readonly input: string }
  | { readonly kind: 'goTo'; readonly line: number; readonly column: number };
