// Makes the file that users install, and reads it.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { inflateRawSync } from 'node:zlib';

export interface Entry { mode: number; data: Buffer }

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

export function made(folder: string, name: string, ...options: string[]): Map<string, Entry> {
  const file = path.join(folder, name);
  const { status, stderr } = spawnSync(process.execPath, ['scripts/package.mjs', file, ...options], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return entriesOf(fs.readFileSync(file));
}
