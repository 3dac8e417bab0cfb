// The workers of the site under Node, with the real module: what the page and they say to each other
// (editors/playground/src/worker_messages.ts).
//
// usage: site_worker.mjs MODULE PAGE, the folders of tacet.js and of worker.js
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { Worker } from 'node:worker_threads';
import { needArguments, needFile } from './prerequisites.mjs';
import { serveFolder } from './static_server.mjs';

needArguments('site_worker.mjs MODULE PAGE', 2);
const [module, page] = process.argv.slice(2).map((folder) => path.resolve(folder));
const script = path.join(page, 'worker.js');
needFile(path.join(module, 'tacet.wasm'), 'tools/build_web_module.py builds it');
needFile(script, 'npm run build in editors/playground makes it');

/// What a worker of a browser has and one of Node has not.
const BROWSER = `
const { parentPort, workerData } = require('node:worker_threads');
const { readFileSync } = require('node:fs');
const run = (file) => require('node:vm').runInThisContext(readFileSync(file, 'utf8'), { filename: file });
Object.assign(globalThis, {
  self: globalThis, require, __dirname: workerData.module, __filename: workerData.module + '/tacet.js',
  importScripts: (...files) => files.forEach((file) => run(workerData.module + '/' + file)),
  postMessage: (message) => parentPort.postMessage(message),
});
run(workerData.script);
parentPort.on('message', (data) => self.onmessage({ data }));
`;

const began = Date.now();
const say = (text) => console.log(`${((Date.now() - began) / 1000).toFixed(1)} s ${text}`);
const compiled = await WebAssembly.compile(readFileSync(path.join(module, 'tacet.wasm')));

class Started {
  constructor(given) {
    this.worker = new Worker(BROWSER, { eval: true, workerData: { module, script } });
    this.heard = [];
    this.changed = () => {};
    this.worker.on('message', (message) => {
      this.heard.push(message);
      this.changed();
    });
    this.post({ kind: 'start', module: given });
  }

  post(message) {
    this.worker.postMessage(message);
  }

  say(message) {
    this.post({ kind: 'receive', message: JSON.stringify({ jsonrpc: '2.0', ...message }) });
  }

  /// The first message of the worker that fits, also of those before.
  async next(fits) {
    for (;;) {
      const found = this.heard.find(fits);
      if (found) {
        return found;
      }
      await new Promise((resolve) => { this.changed = resolve; });
    }
  }

  /// What the language server says.
  async told(fits) {
    const found = await this.next((one) => one.kind === 'message' && fits(JSON.parse(one.message)));
    return JSON.parse(found.message);
  }

  diagnostics(version) {
    return this.told((one) => one.method === 'textDocument/publishDiagnostics' && one.params.version === version);
  }

  async end() {
    await this.worker.terminate();
  }
}

const uri = 'playground:/program.tacet';
const RIGHT = `#version 0.1.0

fn(he) dot(a: secret [i64; 4] in 0..9, b: secret [i64; 4] in 0..9) -> secret i64 {
    sum(for i: 4 { a[i] * b[i] })
}
`;

async function language() {
  const worker = new Started(compiled);
  await worker.next((one) => one.kind === 'started');
  worker.say({ id: 1, method: 'initialize', params: { processId: null, rootUri: null, capabilities: {} } });
  const answer = await worker.told((one) => one.id === 1);
  assert.ok(answer.result.capabilities.hoverProvider);
  worker.say({ method: 'initialized', params: {} });
  worker.say({ method: 'textDocument/didOpen', params: { textDocument: { uri, languageId: 'tacet', version: 1, text: RIGHT.replace('b[i]', 'c[i]') } } });
  const wrong = await worker.diagnostics(1);
  assert.equal(wrong.params.diagnostics.length, 1);
  assert.match(wrong.params.diagnostics[0].message, /`c`/);
  say('a session of the language server reports a mistake');
  // Typed faster than it is checked: é takes two bytes, and one letter of a position.
  for (let version = 2; version < 40; ++version) {
    worker.say({ method: 'textDocument/didChange', params: { textDocument: { uri, version }, contentChanges: [{ text: `${RIGHT}// é ${version}\n` }] } });
  }
  worker.say({ method: 'textDocument/didChange', params: { textDocument: { uri, version: 40 }, contentChanges: [{ range: { start: { line: 5, character: 5 }, end: { line: 5, character: 5 } }, text: '\nfn' }] } });
  worker.say({ id: 2, method: 'textDocument/hover', params: { textDocument: { uri }, position: { line: 2, character: 8 } } });
  const last = await worker.diagnostics(40);
  assert.ok(last.params.diagnostics.length > 0);
  assert.equal(last.params.diagnostics[0].range.start.line >= 5, true);
  const checked = worker.heard.filter((one) => one.kind === 'message' && one.message.includes('publishDiagnostics')).length;
  assert.ok(checked < 20, `40 edits in a row are checked ${checked} times`);
  assert.match(JSON.stringify((await worker.told((one) => one.id === 2)).result), /dot/);
  await worker.end();
  say('edits in a row are one piece of work');
}

async function runs() {
  const worker = new Started(compiled);
  await worker.next((one) => one.kind === 'started');
  let id = 0;
  const run = async (request) => {
    const own = ++id;
    worker.post({ kind: 'run', id: own, request: JSON.stringify(request) });
    const done = await worker.next((one) => one.kind === 'failed' || (one.kind === 'ran' && one.id === own));
    assert.equal(done.kind, 'ran', done.message);
    assert.ok(done.bytes > 0);
    return JSON.parse(done.report);
  };
  const request = { name: 'program.tacet', text: RIGHT, fn: 'dot', inputs: { a: '[1, 2, 3, 4]', b: '[4, 3, 2, 1]' }, ranges: [] };
  for (const device of ['ref', 'he', 'he']) {
    const report = await run({ ...request, device });
    assert.equal(report.outcome, 'done', report.message);
    assert.deepEqual(report.results.map((one) => one.value), [20]);
    assert.ok(device === 'ref' || report.stats.ring_dimension >= 1024);
  }
  say('a program runs in plaintext and under encryption');
  const wrong = await run({ ...request, device: 'ref', text: RIGHT.replace('b[i]', 'c[i]') });
  assert.equal(wrong.outcome, 'failed');
  assert.match(wrong.message, /program\.tacet:4:\d+: error/);
  const outside = await run({ ...request, device: 'he', inputs: { a: '[1, 2, 3, 40]', b: '[4, 3, 2, 1]' } });
  assert.equal(outside.outcome, 'failed');
  assert.equal((await run({ ...request, device: 'nowhere' })).outcome, 'failed');
  assert.equal((await run({ ...request, inputs: { a: '@/etc/passwd', b: '[]' } })).outcome, 'failed');
  assert.equal((await run({ ...request, device: 'he' })).outcome, 'done');
  await worker.end();
  say('what does not run is reported, and the next run works');
}

async function failures() {
  // As the page starts the first worker: packed, unpacked by the host, cut off, and missing.
  const folder = mkdtempSync(path.join(tmpdir(), 'tacet-'));
  const plain = readFileSync(path.join(module, 'tacet.wasm'));
  const packed = gzipSync(plain, { level: 1 });
  writeFileSync(path.join(folder, 'packed.gz'), packed);
  writeFileSync(path.join(folder, 'plain.gz'), plain);
  writeFileSync(path.join(folder, 'cut.gz'), packed.subarray(0, 100_000));
  writeFileSync(path.join(folder, 'empty.gz'), '');
  const host = await serveFolder(folder);
  for (const [name, end] of [['packed', 'started'], ['plain', 'started'], ['cut', 'failed'], ['empty', 'failed'], ['missing', 'failed']]) {
    const worker = new Started({ file: `${host.address}${name}.gz`, cache: 'default' });
    const told = await worker.next((one) => one.kind !== 'message');
    assert.equal(told.kind, end, `${name}: ${told.message}`);
    assert.ok(end === 'failed' || told.module instanceof WebAssembly.Module);
    await worker.end();
  }
  host.stop();
  rmSync(folder, { recursive: true });
  // A module that is none of ours.
  const worker = new Started(new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])));
  const failed = await worker.next((one) => one.kind === 'failed');
  assert.equal(failed.failure, 'crashed');
  assert.notEqual(failed.message, '');
  await worker.end();
  say('a packed module starts, and one that does not is reported');
}

await language();
await runs();
await failures();
console.log('PASS workers');
process.exit(0);
