// What package.json promises, against the sources and the real command line.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { test } from 'node:test';

import { TACET } from './client.js';

const manifest = JSON.parse(fs.readFileSync('package.json', 'utf8'));
const sources = fs.readdirSync('src').map((name) => fs.readFileSync(path.join('src', name), 'utf8')).join('\n');

test('each command is registered, and each registered command is promised', () => {
  const promised = manifest.contributes.commands.map((one: { command: string }) => one.command).sort();
  const registered = [...sources.matchAll(/registerCommand\('([^']+)'/g)].map((match) => match[1]).sort();
  assert.deepEqual(registered, promised);
});

test('each setting is one that the extension or the server reads', () => {
  const readByServer = ['inlayHints.types', 'inlayHints.tags', 'inlayHints.draws', 'inlayHints.costs', 'codeLens.enable', 'hover.pictures',
    'lint.levels', 'lint.obliviousness', 'format.width', 'format.indent', 'format.tabs', 'semanticTokens.all'];
  // `trace.server` is read by the library.
  const readHere = ['server.path', 'server.arguments', 'trace.server'];
  const known = [...readByServer, ...readHere].map((name) => `tacet.${name}`).sort();
  assert.deepEqual(Object.keys(manifest.contributes.configuration.properties).sort(), known);
  assert.match(sources, /get\('path'/);
  assert.match(sources, /get<string\[\]>\('arguments'/);
});

test('the problem matcher reads what `tacet check` and `tacet lint` print', () => {
  const [pattern] = manifest.contributes.problemPatterns;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacet-matcher-'));
  const file = path.join(folder, 'a: b.tacet');
  fs.writeFileSync(file, '#version 0.1.0\nval f(a: i64) -> i64 { returns b }\nfn(mpc) g(s: secret i64) -> i64 {\n' +
    '    if s < 3 { return 1; }\n    return 2;\n}\n');
  const lines = ['check', 'lint'].flatMap((command) =>
    spawnSync(TACET, [command, '--quiet', '--format', 'short', file], { encoding: 'utf8' }).stdout.trim().split('\n'));
  fs.rmSync(folder, { recursive: true });
  assert.ok(lines.length >= 2, lines.join('\n'));
  for (const line of lines) {
    const found = new RegExp(pattern.regexp).exec(line);
    assert.ok(found, `not matched: ${line}`);
    assert.equal(found[pattern.file], file);
    assert.ok(Number(found[pattern.line]) >= 1 && Number(found[pattern.column]) >= 1);
    assert.match(found[pattern.code]!, /^T\d{4}$/);
  }
});

test('files that the manifest names exist', () => {
  const named = [
    ...manifest.contributes.languages.map((one: { configuration: string }) => one.configuration),
    ...manifest.contributes.grammars.map((one: { path: string }) => one.path),
  ];
  for (const file of named) {
    JSON.parse(fs.readFileSync(file, 'utf8'));
  }
});
