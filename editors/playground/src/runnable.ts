// What can be run, as the language server lists it (`tacet/runnables`).

import type { Range } from './language_client';

export interface Input { name: string; type: string; owner?: string; bound?: [number, number] }
export interface Output { name?: string; type: string; owner?: string }
export interface Runnable {
  name: string;
  kind: 'pipeline' | 'program' | 'fn' | 'val';
  device?: string;
  inputs: Input[];
  results?: Output[];
  range: Range;
}

export const DEVICES = ['ref', 'he', 'mpc'] as const;
export type Device = (typeof DEVICES)[number];

export const keyOf = (runnable: Runnable) => `${runnable.kind}:${runnable.name}`;

export function titleOf(runnable: Runnable): string {
  const device = runnable.device ? `(${runnable.device})` : '';
  return runnable.kind === 'program' ? 'the program' : `${runnable.kind}${device} ${runnable.name}`;
}

export const isSecret = (type: string) => /\bsecret\b/.test(type);

/// The device it is written for.
export function deviceOf(runnable: Runnable): Device {
  const device = runnable.device ?? (runnable.kind === 'program' ? 'he' : 'ref');
  return (DEVICES as readonly string[]).includes(device) ? (device as Device) : 'ref';
}
