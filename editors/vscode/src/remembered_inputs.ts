// The inputs of earlier runs: public values and names of files as they are, secret values in the
// encrypted storage. Knows nothing of VS Code, which has both kinds of storage.

import { keyOf, type Runnable } from '../../playground/src/runnable.js';
import { isConfidential, type Values } from './run_form.js';

export interface PlainStore {
  get(key: string): Values | undefined;
  update(key: string, value: Values | undefined): PromiseLike<void>;
}

export interface EncryptedStore {
  get(key: string): PromiseLike<string | undefined>;
  store(key: string, value: string): PromiseLike<void>;
  delete(key: string): PromiseLike<void>;
}

/** Longer values are not remembered: they belong into files. */
const LONGEST = 20_000;

export class RememberedInputs {
  constructor(private readonly plain: PlainStore, private readonly encrypted: EncryptedStore) {}

  async recall(uri: string, runnable: Runnable): Promise<Values> {
    const key = this.keyOf(uri, runnable);
    const text = await this.encrypted.get(key);
    const all: Values = { ...this.plain.get(key), ...(text === undefined ? {} : (JSON.parse(text) as Values)) };
    // The program may have other inputs by now.
    return Object.fromEntries(runnable.inputs.flatMap(({ name }) => (all[name] === undefined ? [] : [[name, all[name]]])));
  }

  async remember(uri: string, runnable: Runnable, values: Values): Promise<void> {
    const key = this.keyOf(uri, runnable);
    const open: Record<string, string> = {};
    const hidden: Record<string, string> = {};
    for (const input of runnable.inputs) {
      const value = values[input.name] ?? '';
      if (value.trim() !== '' && value.length <= LONGEST) {
        (isConfidential(input, value) ? hidden : open)[input.name] = value;
      }
    }
    await this.plain.update(key, Object.keys(open).length > 0 ? open : undefined);
    await (Object.keys(hidden).length > 0 ? this.encrypted.store(key, JSON.stringify(hidden)) : this.encrypted.delete(key));
  }

  private keyOf(uri: string, runnable: Runnable): string {
    return `tacet.inputs:${uri}#${keyOf(runnable)}`;
  }
}
