// What the debugger is started with, and a session with the real one.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { test } from 'node:test';

import type { Runnable } from '../../playground/src/runnable.js';
import { launchOf, namesIn } from '../src/debug_configuration.js';
import { TACET } from './client.js';

const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
const inputs = [{ name: 'a', type: 'i64' }, { name: 'b', type: 'secret i64' }];
const sum = { kind: 'fn', name: 'sum', range, inputs } as unknown as Runnable;

test('missing inputs are random', () => {
  assert.deepEqual(launchOf('p', sum, { a: ' 3 ' }), { program: 'p', function: 'sum', inputs: ['a=3', '@random'] });
  assert.deepEqual(launchOf('p', sum, { a: '3', b: '@b.json' }), { program: 'p', function: 'sum', inputs: ['a=3', 'b=@b.json'] });
  assert.deepEqual(launchOf('p', { ...sum, kind: 'pipeline' } as Runnable, {}).pipeline, 'sum');
  assert.equal('function' in launchOf('p', { ...sum, kind: 'program', name: '' } as Runnable, {}), false);
});

test('names of a line are found with their columns, but not those in comments', () => {
  assert.deepEqual(namesIn('  x = y1 + 3; // z'), [{ name: 'x', column: 2 }, { name: 'y1', column: 6 }]);
});

test('the debugger takes such a configuration', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacet-debug-'));
  const program = path.join(folder, 'sum.tacet');
  fs.writeFileSync(program, '#version 0.1.0\nfn(mpc) sum(a: i64, b: secret i64) -> secret i64 { a + b }\n');
  const child = spawn(TACET, ['debug']);
  let answers = '';
  child.stdout.on('data', (data) => { answers += String(data); });
  const send = (seq: number, command: string, args: object = {}): void => {
    const body = JSON.stringify({ seq, type: 'request', command, arguments: args });
    child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  send(1, 'initialize');
  send(2, 'launch', { type: 'tacet', request: 'launch', name: 'x', noDebug: true, ...launchOf(program, sum, { a: '3', b: '4' }) });
  send(3, 'configurationDone');
  while (!answers.includes('"terminated"')) {
    await new Promise((resolve) => child.stdout.once('data', resolve));
  }
  send(4, 'disconnect');
  assert.equal(await new Promise((resolve) => child.on('close', resolve)), 0);
  assert.match(answers, /out = 7/);
  fs.rmSync(folder, { recursive: true });
});
