// The library of VS Code's clients against the real server.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as lsp from 'vscode-languageserver-protocol/node';

import { Client, TACET } from './client.js';
import { PICTURES, STAGES, type StageText } from '../src/stages.js';
import { statusText, type ServerStatus } from '../src/server_status.js';

const SPECIFICATION = `#version 0.1.0

/// Adds one.
val add_one(x: i64) -> i64 {
    returns x + 1
}
tmln at_once(start: Event) -> Event {
    returns start
}
sptl in_no_buffer(space: BufferSpace) -> BufferSpace {
    returns space
}
fn keep(x: i64) -> i64 impls add_one, at_once, in_no_buffer {
    let y = x + 1;
    y
}
`;

const SECRETS = `#version 0.1.0

/// The larger of two.
fn(mpc) larger(a: secret i64, b: secret i64) -> secret i64 {
    if a < b {
        return b;
    }
    return a;
}
`;

const client = new Client();
let started: lsp.InitializeResult;

before(async () => {
  started = await client.start();
});

after(async () => {
  assert.equal(await client.stop(), 0);
});

test('what the extension relies on is offered', () => {
  const { capabilities, serverInfo } = started;
  assert.equal(serverInfo?.name, 'tacet');
  assert.ok(capabilities.executeCommandProvider?.commands.includes('tacet.run'));
  for (const one of ['codeLensProvider', 'inlayHintProvider', 'hoverProvider', 'renameProvider'] as const) {
    assert.ok(capabilities[one], one);
  }
});

test('a mistake is shown, mended by its fix, and gone', async () => {
  const broken = SPECIFICATION.replace('x + 1;', 'x + 1');
  const uri = await client.open('mistake.tacet', broken);
  const found = await client.diagnostics(uri);
  assert.equal(found.length, 1);
  const [diagnostic] = found as [lsp.Diagnostic];
  assert.equal(diagnostic.source, 'tacet');
  const actions = await client.connection.sendRequest(lsp.CodeActionRequest.type, {
    textDocument: { uri },
    range: diagnostic.range,
    context: { diagnostics: found, only: ['quickfix'] },
  });
  const [action] = actions as lsp.CodeAction[];
  const edits = action?.edit?.documentChanges?.[0] as lsp.TextDocumentEdit;
  const [edit] = edits.edits as lsp.TextEdit[];
  const lines = broken.split('\n');
  const { line, character } = edit!.range.start;
  lines[line] = lines[line]!.slice(0, character) + edit!.newText + lines[line]!.slice(edit!.range.end.character);
  assert.equal(lines.join('\n'), SPECIFICATION);
  await client.change(uri, SPECIFICATION);
  assert.deepEqual(await client.diagnostics(uri), []);
});

test('hover, definition, completion, symbols and renaming', async () => {
  const uri = await client.open('names.tacet', SPECIFICATION);
  const lines = SPECIFICATION.split('\n');
  const line = lines.findIndex((text) => text.startsWith('fn keep'));
  const place = { textDocument: { uri }, position: { line, character: lines[line]!.indexOf('add_one') + 2 } };
  const hover = await client.connection.sendRequest(lsp.HoverRequest.type, place);
  assert.match((hover?.contents as lsp.MarkupContent).value, /Adds one/);
  const [link] = (await client.connection.sendRequest(lsp.DefinitionRequest.type, place)) as lsp.LocationLink[];
  assert.equal(link?.targetSelectionRange.start.line, 3);
  const symbols = await client.connection.sendRequest(lsp.DocumentSymbolRequest.type, { textDocument: { uri } });
  assert.deepEqual(symbols?.map((symbol) => symbol.name), ['add_one', 'at_once', 'in_no_buffer', 'keep']);
  const completion = await client.connection.sendRequest(lsp.CompletionRequest.type, {
    textDocument: { uri }, position: { line: line + 2, character: 5 },
  });
  const items = Array.isArray(completion) ? completion : completion?.items ?? [];
  assert.ok(items.some((item) => item.label === 'y'));
  const edit = await client.connection.sendRequest(lsp.RenameRequest.type, { ...place, newName: 'successor' });
  const changed = edit?.documentChanges?.flatMap((one) => ('edits' in one ? one.edits : [])) ?? [];
  assert.equal(changed.length, 2);
});

test('lenses say what they lead to', async () => {
  const uri = await client.open('lenses.tacet', SECRETS);
  const lenses = (await client.connection.sendRequest(lsp.CodeLensRequest.type, { textDocument: { uri } })) ?? [];
  const titles: string[] = [];
  for (const lens of lenses) {
    const resolved = await client.connection.sendRequest(lsp.CodeLensResolveRequest.type, lens);
    titles.push(resolved.command?.title ?? '');
  }
  assert.ok(titles.some((title) => title.startsWith('rewritten in')), titles.join(', '));
  assert.ok(titles.some((title) => /^aby3, 3 parties: \d+ rounds · \d+ B$/.test(title)), titles.join(', '));
  assert.ok(titles.includes('run on 3 local parties'), titles.join(', '));
});

test('the oblivious form follows the text', async () => {
  const uri = await client.open('secrets.tacet', SECRETS);
  const form = (at: lsp.Position) =>
    client.connection.sendRequest('tacet/obliviousForm', { textDocument: { uri }, position: at });
  const before = (await form({ line: 4, character: 6 })) as { uri: string; languageId: string; text: string };
  assert.equal(before.languageId, 'tacet');
  assert.ok(before.uri.startsWith('tacet-oblivious:') && before.uri.endsWith('#larger'));
  assert.ok(!/\breturn b;/.test(before.text), 'the early return is still there');
  await client.change(uri, SECRETS.replace('a < b', 'b < a'));
  const later = (await form({ line: 4, character: 6 })) as { text: string };
  assert.notEqual(later.text, before.text);
  assert.equal(await form({ line: 0, character: 0 }), null);
});

test('settings reach the server', async () => {
  const uri = await client.open('hints.tacet', SPECIFICATION);
  const range = { start: { line: 0, character: 0 }, end: { line: 20, character: 0 } };
  const count = async () =>
    (await client.connection.sendRequest(lsp.InlayHintRequest.type, { textDocument: { uri }, range }))?.length ?? 0;
  assert.ok((await count()) > 0);
  client.settings = { inlayHints: { types: false } };
  await client.connection.sendNotification(lsp.DidChangeConfigurationNotification.type, {
    settings: { tacet: client.settings },
  });
  for (let i = 0; i < 200 && (await count()) > 0; ++i) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.equal(await count(), 0);
});

test('every stage that is offered is one that the server has', async () => {
  const kernel = 'fn(he) dot(a: secret [i64; 4] in 0..9 from client, b: secret [i64; 4] in 0..9 from client) -> secret i64 {\n    sum(a * b)\n}\n';
  const smooth = 'fn(he) smooth(x: secret fxp in -4..4 from client) -> secret fxp within 0.01 {\n    sigmoid(x)\n}\n';
  const text = `${SECRETS}\n${kernel}\n${smooth}`;
  const functions = new Map([['mpc', 'larger'], ['approximations', 'smooth']]);
  const uri = await client.open('stages.tacet', text);
  const lineOf = (name: string) => text.split('\n').findIndex((line) => line.includes(` ${name}(`));
  const ask = async (stage: string): Promise<StageText> => {
    const position = { line: lineOf(functions.get(stage) ?? 'dot'), character: 9 };
    for (;;) {
      try {
        return await client.connection.sendRequest('tacet/stage', { textDocument: { uri }, position, stage });
      } catch (error) {
        assert.match(String(error), /ask again/, stage);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  };
  // What there is only of coordinator functions and specifications is empty.
  const empty = ['hir', 'ssa', 'quotients', 'random'];
  for (const { name } of STAGES) {
    const answer = await ask(name);
    assert.ok(answer.text !== '' || empty.includes(name), name);
  }
  assert.match((await ask('program')).text, /^%/);
  assert.match((await ask('mpc')).text, /^mpc_program/);
  for (const { stage } of PICTURES) {
    assert.match((await ask(stage)).text, /^<svg/);
  }
});

test('the status names the server and its queries', async () => {
  const status = await client.connection.sendRequest<ServerStatus>('tacet/serverStatus');
  const text = statusText(status, TACET);
  assert.match(text, /^version +\d/);
  assert.match(text, /\nprogram_of_item +\d+ +\d+ +\d+\n/);
});
