// Inputs of runs: checked, remembered, handed to the real program; and what it answers.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { test } from 'node:test';

import type { Runnable } from '../../playground/src/runnable.js';
import { filesIn, valueOfFile } from '../src/input_files.js';
import { RememberedInputs } from '../src/remembered_inputs.js';
import { devicesOf, fileOf, problemsOf, runnableAt } from '../src/run_form.js';
import { runInPlaintext } from '../src/run_process.js';
import { isAboutRun, readableErrors, reportOf } from '../src/run_report.js';
import { TACET } from './client.js';

const range = (line: number) => ({ start: { line, character: 3 }, end: { line, character: 6 } });
const DOT: Runnable = {
  name: 'dot', kind: 'fn', device: 'he', range: range(1), results: [{ type: 'secret i64' }],
  inputs: [{ name: 'a', type: 'secret [i64; 4]', owner: 'client', bound: [0, 9] }, { name: 'w', type: '[i64; 4]' }],
};
const DOT_TEXT = `#version 0.1.0
fn(he) dot(a: secret [i64; 4] in 0..9 from client, w: [i64; 4]) -> secret i64 {
    sum(a * w)
}
`;

function folderWith(files: Record<string, string>): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacet-runs-'));
  for (const [name, text] of Object.entries(files)) {
    fs.writeFileSync(path.join(folder, name), text);
  }
  return folder;
}

test('inputs are checked against their type, their bound and the files that there are', () => {
  const folder = folderWith({ 'w.csv': '1,2,3,4\n' });
  const problems = (a: string, w: string) => problemsOf(DOT, { a, w }, filesIn(folder));
  assert.deepEqual(problems('[1, 2, 3, 4]', '@w.csv'), {});
  assert.deepEqual(problems('[1, 2, 3, 4]', '@w.csv:a,b'), {});
  assert.deepEqual(problems('', '@random'), {});
  assert.match(problems('[1, 2, 3]', '')['a']!, /expected 4 values, found 3/);
  assert.match(problems('[1, 2, 3, 9]', '')['a']!, /outside 0\.\.9/);
  assert.match(problems('', '@none.csv')['w']!, /no file `none\.csv`/);
  assert.match(problems('', '@-')['w']!, /no standard input/);
  assert.match(problems('', '@w.txt')['w']!, /\.json, \.csv, \.tsv, \.npy or \.npz/);
  fs.rmSync(folder, { recursive: true });
});

test('a file below the program is named from there', () => {
  assert.equal(valueOfFile('/p/data/x.csv', '/p'), '@data/x.csv');
  assert.equal(valueOfFile('/q/x.csv', '/p'), '@/q/x.csv');
  assert.equal(fileOf(' @data/x.csv '), 'data/x.csv');
  assert.equal(fileOf('@random'), undefined);
});

test('the form shows what the cursor is in, and where it can run', () => {
  const later: Runnable = { name: 'main', kind: 'pipeline', range: range(9), inputs: [] };
  assert.equal(runnableAt([DOT, later], 5)?.name, 'dot');
  assert.equal(runnableAt([DOT, later], 9)?.name, 'main');
  assert.equal(runnableAt([DOT, later], 0)?.name, 'main');
  assert.equal(runnableAt([], 0), undefined);
  assert.deepEqual(devicesOf(DOT), ['he', 'ref']);
  assert.deepEqual(devicesOf(later), ['ref']);
});

function stores() {
  const plain = new Map<string, Readonly<Record<string, string>>>();
  const encrypted = new Map<string, string>();
  const inputs = new RememberedInputs(
    { get: (key) => plain.get(key), update: async (key, value) => void (value === undefined ? plain.delete(key) : plain.set(key, value)) },
    { get: async (key) => encrypted.get(key), store: async (key, value) => void encrypted.set(key, value), delete: async (key) => void encrypted.delete(key) },
  );
  return { plain, encrypted, inputs };
}

test('inputs are remembered, secret values only encrypted', async () => {
  const { plain, encrypted, inputs } = stores();
  await inputs.remember('file:///a', DOT, { a: '[1, 2, 3, 4]', w: '[5, 6, 7, 8]' });
  assert.deepEqual(await inputs.recall('file:///a', DOT), { a: '[1, 2, 3, 4]', w: '[5, 6, 7, 8]' });
  assert.doesNotMatch(JSON.stringify([...plain]), /1, 2, 3, 4/);
  assert.match(JSON.stringify([...encrypted]), /1, 2, 3, 4/);
  assert.deepEqual(await inputs.recall('file:///b', DOT), {});
  await inputs.remember('file:///a', DOT, { a: '@secret.csv', w: '' });
  assert.equal(encrypted.size, 0);
  assert.deepEqual(await inputs.recall('file:///a', DOT), { a: '@secret.csv' });
  assert.deepEqual(await inputs.recall('file:///a', { ...DOT, inputs: [DOT.inputs[1]!] }), {});
});

test('a run in plaintext has results and costs', async () => {
  const folder = folderWith({ 'dot.tacet': DOT_TEXT, 'w.csv': '1,2,3,4\n' });
  const file = path.join(folder, 'dot.tacet');
  const { signal } = new AbortController();
  const report = reportOf(await runInPlaintext(TACET, file, DOT, { a: '[1, 2, 3, 4]', w: '@w.csv' }, signal), file);
  assert.equal(report.outcome, 'done', report.message);
  assert.equal(report.results?.[0]?.value, 30);
  const wrong = reportOf(await runInPlaintext(TACET, file, DOT, { a: '[1, 2, 3, 99]', w: '@w.csv' }, signal), file);
  assert.equal(wrong.outcome, 'failed');
  assert.match(wrong.message!, /^error: parameter `a`: element \[3\] is 99, outside the bound 0\.\.9$/);
  fs.rmSync(folder, { recursive: true });
});

test('mistakes in the program are places that the page can link', async () => {
  const folder = folderWith({ 'my dot.tacet': DOT_TEXT.replace('sum(a * w)', 'sum(a * )') });
  const file = path.join(folder, 'my dot.tacet');
  const report = reportOf(await runInPlaintext(TACET, file, DOT, {}, new AbortController().signal), file);
  assert.equal(report.outcome, 'failed');
  assert.match(report.message!, /^program\.tacet:3:13: error\[T\d{4}\]: expected an expression/);
  fs.rmSync(folder, { recursive: true });
});

test('a run can be stopped, and leaves no inputs behind', async () => {
  const inputs = () => fs.readdirSync(os.tmpdir()).filter((name) => name.startsWith('tacet-inputs-')).sort();
  const before = inputs();
  const abort = new AbortController();
  const run = runInPlaintext('/bin/sleep', '/tmp/60', { ...DOT, inputs: [] }, {}, abort.signal);
  abort.abort();
  await assert.rejects(run, { name: 'AbortError' });
  await assert.rejects(runInPlaintext('/none', '/tmp/x', DOT, { a: '[1]' }, new AbortController().signal), /ENOENT/);
  assert.deepEqual(inputs(), before);
});

test('what the program prints is read as people would', () => {
  assert.equal(readableErrors('tacet: error: parameter `a`: /tmp/tacet-inputs-X2/input-0.json: element [3] is 40\n', '/p/a.tacet'),
    'error: parameter `a`: element [3] is 40');
  const elsewhere = JSON.stringify({ file: '/p/b.tacet', code: 'T1', severity: 'error', message: 'm', range: range(0), notes: ['n'] });
  assert.equal(readableErrors(elsewhere, '/p/a.tacet'), '/p/b.tacet:1:4: error[T1]: m\n  = note: n');
  assert.match(reportOf({ exitCode: 3, output: '', errors: '' }, '/p/a.tacet').message!, /exit code 3/);
  assert.ok(isAboutRun('dot: out = 4', 'dot') && isAboutRun('dot failed: no', 'dot') && !isAboutRun('dotted: 4', 'dot'));
});
