// The file that users install, as the scripts make it.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { after, before, test } from 'node:test';

import { Client, TACET } from './client.js';
import { made } from './extension_file.js';
import { allowToRun, findProgram, isProgram, packedServer, type Surroundings } from '../src/server_program.js';

let folder: string;

before(() => {
  assert.equal(spawnSync(process.execPath, ['scripts/bundle.mjs']).status, 0);
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacet-package-'));
});

after(() => fs.rmSync(folder, { recursive: true }));

test('the file has the licences of what is bundled', () => {
  const text = made(folder, 'plain.vsix').get('extension/build/licences.txt')!.data.toString();
  const { version } = JSON.parse(fs.readFileSync('node_modules/vscode-languageclient/package.json', 'utf8'));
  assert.match(text, new RegExp(`^vscode-languageclient ${version} \\(MIT\\)$`, 'm'));
  assert.match(text, /^vscode-jsonrpc \S+ \(MIT\)$/m);
  assert.doesNotMatch(text, /^(esbuild|typescript) /m);
  assert.match(text, /Permission is hereby granted/);
});

test('the file has all that the manifest names, and a server if it is given one', () => {
  const plain = made(folder, 'plain.vsix');
  const manifest = JSON.parse(plain.get('extension/package.json')!.data.toString());
  const { main, icon, contributes } = manifest;
  const named: string[] = [main, icon, 'build/run_page.js', ...Object.values(contributes.languages[0].icon as Record<string, string>),
    ...contributes.walkthroughs[0].steps.map(({ media }: { media: { image?: string; markdown?: string } }) => media.image ?? media.markdown)];
  for (const file of named) {
    assert.ok((plain.get(path.posix.join('extension', file))?.data.length ?? 0) > 0, file);
  }
  assert.doesNotMatch(plain.get('extension/readme.md')!.data.toString(), /\]\(media\//);
  assert.ok(![...plain.keys()].some((name) => name.includes('/server/')));
  const server = path.join(folder, 'built');
  fs.writeFileSync(server, 'a program');
  const notices = path.join(folder, 'notices');
  fs.writeFileSync(notices, 'by others');
  const full = made(folder, 'full.vsix', '--server', server, '--platform', 'linux-arm64', '--licences', notices);
  assert.equal(full.get('extension/server/tacet')!.data.toString(), 'a program');
  assert.equal(full.get('extension/server/tacet')!.mode & 0o777, 0o755);
  assert.equal(full.get('extension/server/licences.txt')!.data.toString(), 'by others');
  assert.equal(full.get('extension/server/licences.txt')!.mode & 0o777, 0o644);
  assert.match(full.get('extension.vsixmanifest')!.data.toString(), /TargetPlatform="linux-arm64"/);
});

test('an installed extension starts the server that it contains, unless a setting names another', async () => {
  const file = made(folder, 'served.vsix', '--server', fs.realpathSync(TACET));
  const extensionFolder = path.join(folder, 'installed');
  for (const [name, { data }] of file) {
    const target = path.join(extensionFolder, path.posix.relative('extension', name));
    if (name.startsWith('extension/')) {
      fs.mkdirSync(path.dirname(target), { recursive: true });
      fs.writeFileSync(target, data, { mode: 0o644 });
    }
  }
  const around: Surroundings = {
    searchPath: path.dirname(TACET), home: folder, workspaceFolder: undefined, isTrusted: true, extensionFolder, isProgram, isWindows: false,
  };
  allowToRun(packedServer(extensionFolder, false));
  const { program } = findProgram('tacet', around);
  assert.equal(program, path.join(extensionFolder, 'server', 'tacet'));
  assert.equal(findProgram(TACET, around).program, TACET);
  const client = new Client(program);
  const { serverInfo } = await client.start();
  assert.equal(serverInfo?.name, 'tacet');
  assert.equal(await client.stop(), 0);
});
