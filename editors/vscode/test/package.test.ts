// The file that users install, as the scripts make it.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { test } from 'node:test';
import { inflateRawSync } from 'node:zlib';

interface Entry { mode: number; data: Buffer }

const CENTRAL = 0x02014b50;

/** The entries of a zip, by its central directory. */
function entriesOf(zip: Buffer): Map<string, Entry> {
  const end = zip.length - 22;
  const found = new Map<string, Entry>();
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; --left) {
    assert.equal(zip.readUInt32LE(at), CENTRAL);
    const [packed, nameLength, local] = [zip.readUInt32LE(at + 20), zip.readUInt16LE(at + 28), zip.readUInt32LE(at + 42)];
    const begin = local + 30 + zip.readUInt16LE(local + 26);
    const data = inflateRawSync(zip.subarray(begin, begin + packed));
    found.set(zip.toString('utf8', at + 46, at + 46 + nameLength), { mode: zip.readUInt16LE(at + 40), data });
    at += 46 + nameLength;
  }
  return found;
}

function made(folder: string, name: string, ...options: string[]): Map<string, Entry> {
  const file = path.join(folder, name);
  const { status, stderr } = spawnSync(process.execPath, ['scripts/package.mjs', file, ...options], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return entriesOf(fs.readFileSync(file));
}

test('the file has all that the manifest names, and a server if it is given one', () => {
  const { status } = spawnSync(process.execPath, ['scripts/bundle.mjs']);
  assert.equal(status, 0);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacet-package-'));
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
  const full = made(folder, 'full.vsix', '--server', server, '--platform', 'linux-arm64');
  assert.equal(full.get('extension/server/tacet')!.data.toString(), 'a program');
  assert.equal(full.get('extension/server/tacet')!.mode & 0o777, 0o755);
  assert.match(full.get('extension.vsixmanifest')!.data.toString(), /TargetPlatform="linux-arm64"/);
  fs.rmSync(folder, { recursive: true });
});
