// The names that are shown as secret, against the real server.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as lsp from 'vscode-languageserver-protocol/node';

import { applyEdits, spansWith } from '../src/secret_tokens.js';
import { Client } from './client.js';

const TEXT = `#version 0.1.0
fn(mpc) larger(a: secret i64, n: i64) -> secret i64 {
    let m = n + 1;
    let b = a + m;
    b
}
`;

const wordsOf = (text: string, data: Uint32Array, modifier: number) =>
  spansWith(data, modifier).map(({ line, begin, end }) => text.split('\n')[line]!.slice(begin, end));

test('secret names are found, and followed through changes', async () => {
  const client = new Client();
  const { capabilities } = await client.start();
  const modifier = (capabilities.semanticTokensProvider as lsp.SemanticTokensOptions).legend.tokenModifiers.indexOf('secret');
  const uri = await client.open('secrets.tacet', TEXT);
  const textDocument = { uri };
  const full = await client.connection.sendRequest(lsp.SemanticTokensRequest.type, { textDocument });
  const before = Uint32Array.from(full!.data);
  assert.deepEqual(wordsOf(TEXT, before, modifier), ['a', 'b', 'a', 'b']);
  const changed = TEXT.replace('let m = n + 1', 'let m = n + a');
  await client.change(uri, changed);
  const previousResultId = full!.resultId!;
  const delta = await client.connection.sendRequest(lsp.SemanticTokensDeltaRequest.type, { textDocument, previousResultId });
  assert.ok(delta !== null && 'edits' in delta);
  const data = applyEdits(before, delta.edits.map((edit) => ({ ...edit, data: Uint32Array.from(edit.data ?? []) })));
  assert.deepEqual(wordsOf(changed, data, modifier), ['a', 'm', 'a', 'b', 'a', 'm', 'b']);
  assert.equal(await client.stop(), 0);
});

test('edits are applied to the tokens as they were', () => {
  const edits = [{ start: 4, deleteCount: 1 }, { start: 0, deleteCount: 2, data: Uint32Array.of(7, 8, 9) }];
  assert.deepEqual([...applyEdits(Uint32Array.of(1, 2, 3, 4, 5, 6), edits)], [7, 8, 9, 3, 4, 6]);
  assert.deepEqual([...applyEdits(Uint32Array.of(1), [])], [1]);
});
