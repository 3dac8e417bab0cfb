// The last known costs, in a text that was edited since.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as lsp from 'vscode-languageserver-protocol/node';

import { isCost, lineOfFunction, placed, withNewer, type LineCost } from '../src/kept_costs.js';
import { Client } from './client.js';

const nowhere = () => false;

test('costs follow their lines, and changed lines lose them', () => {
  const known: LineCost[] = [{ line: 1, text: 'if a < b {', label: '12 rounds · 199 B' }, { line: 4, text: 'a * b', label: '1 round · 8 B' }];
  const lines = ['fn', '', '  if a < b {', 'x', 'y', '  a * * b'];
  assert.deepEqual(placed(known, lines, nowhere), [{ ...known[0]!, line: 2 }]);
  assert.deepEqual(placed(known, lines, (line) => line === 2), []);
});

test('of equal lines, each gets the nearest cost', () => {
  const known: LineCost[] = [{ line: 0, text: 'x', label: 'first' }, { line: 5, text: 'x', label: 'second' }];
  const found = placed(known, ['', 'x', '', '', '', 'x', ''], nowhere);
  assert.deepEqual(found.map(({ line, label }) => [line, label]), [[1, 'first'], [5, 'second']]);
});

test('newer costs replace older ones of the same line', () => {
  const older: LineCost[] = [{ line: 0, text: 'x', label: 'old' }, { line: 1, text: 'y', label: 'kept' }];
  assert.deepEqual(withNewer(older, [{ line: 0, text: 'x', label: 'new' }]).map(({ label }) => label), ['kept', 'new']);
});

test('heads of functions are found by name', () => {
  const lines = ['val f(x: i64)', 'fn(mpc) f_2(x: i64)', '  fn(he) f(x: i64)'];
  assert.equal(lineOfFunction('f', lines), 2);
  assert.equal(lineOfFunction('f_2', lines), 1);
  assert.equal(lineOfFunction('g', lines), undefined);
});

test('what the server shows as costs is known as such, and nothing else', async () => {
  const client = new Client();
  await client.start();
  const uri = await client.open('costs.tacet', '#version 0.1.0\nfn(mpc) f(a: secret i64, b: secret i64) -> secret i64 {\n    let c = a * b;\n    c\n}\n');
  await client.diagnostics(uri);
  const textDocument = { uri };
  const range = { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } };
  const hints = (await client.connection.sendRequest(lsp.InlayHintRequest.type, { textDocument, range })) ?? [];
  assert.deepEqual(hints.map(({ label }) => [label, isCost(String(label))]), [[': secret i64', false], ['1 round · 8 B', true]]);
  const lenses = (await client.connection.sendRequest(lsp.CodeLensRequest.type, { textDocument })) ?? [];
  const resolved = await Promise.all(lenses.map((lens) => client.connection.sendRequest(lsp.CodeLensResolveRequest.type, lens)));
  const costs = resolved.filter(({ command }) => isCost(command?.title ?? ''));
  assert.equal(costs.length, 1, resolved.map(({ command }) => command?.title).join(', '));
  assert.equal(costs[0]!.data.kind, 1);
  assert.equal(await client.stop(), 0);
});
