// Whether the module for browsers answers as the native program does, byte for byte.
//
//     node agree.mjs TACET MODULE ROOT check|exchange|lsp|runs|stages [EVERY]
//
// check: diagnostics, formatting and costs of all programs below ROOT; runs: results of their functions
// on random inputs; exchange: clients and servers, one native and one of the module, with each other's files; lsp:
// diagnostics, hovers, hints and tokens over the protocol; stages: what `tacet emit` prints. EVERY: one program of so
// many, for a short run. Exits with 1 and the first differences.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { loadModule } from './module.mjs';
import { ModuleSession, NativeSession } from './sessions.mjs';

const [program, modulePath, root, what, every = '1'] = process.argv.slice(2);
const tacet = resolve(program);
if (!existsSync(modulePath)) {
  console.log(`skipped: ${modulePath} is not built; \`./dev site\` does`);
  process.exit(77);
}
const differences = [];
let nCompared = 0;

function compare(name, native, own) {
  ++nCompared;
  if (native !== own) {
    differences.push({ name, native, own });
  }
}

function programs() {
  const found = [];
  for (const folder of ['examples', 'library', 'tests']) {
    for (const name of readdirSync(join(root, folder), { recursive: true })) {
      if (/\.(tacet|tlhe)$/.test(name)) {
        found.push(join(folder, name));
      }
    }
  }
  return found.sort().filter((_, i) => i % Number(every) === 0);
}

function native(words, folder = root) {
  const ended = spawnSync(tacet, words, { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28, timeout: 10000, stdio: ['ignore', 'pipe', 'pipe'] });
  return { err: ended.stderr, exit: ended.status, out: ended.stdout };
}

/// Times differ from run to run.
function withoutTimes(text) {
  return text.replace(/[0-9.]+ ?(ns|µs|ms|s|min)\b/g, 'TIME');
}

async function compareCommands() {
  const module = await loadModule(modulePath);
  module.enter(root);
  for (const program of programs()) {
    for (const words of [['check', '--format', 'json', program], ['fmt', '--check', '--diff', program]]) {
      const left = native(words);
      const right = module.command(words);
      compare(words.join(' '), JSON.stringify(left), JSON.stringify(right));
    }
  }
}

/// What the compiler makes of each function, in all its stages: the same from two compilers of C++, which
/// evaluate arguments in different orders.
async function compareStages() {
  const module = await loadModule(modulePath);
  module.enter(root);
  for (const program of programs()) {
    const text = readFileSync(join(root, program), 'utf8');
    const targets = program.endsWith('.tlhe') ? [[]] : functions(text).map(({ name }) => ['--fn', name]);
    for (const target of targets) {
      for (const stage of ['array', 'circuit', 'schedule', 'gates', 'mpc', 'oblivious', 'loops', 'dependences', 'cps']) {
        const words = ['emit', '--stage', stage, program, ...target];
        const left = native(words);
        if (left.exit === 0) { // `check` compares what is wrong
          compare(words.join(' '), JSON.stringify(left), JSON.stringify(module.command(words)));
        }
      }
    }
  }
}

/// The functions of a program and how many parameters each has, as far as that can be read off its text:
/// what is misread is an error on both sides, and compared too.
function functions(text) {
  const found = [];
  for (const [, name, parameters] of text.matchAll(/^\s*(?:val|fn\([a-z]+\)|fn)\s+(\w+)\s*\(([^)]*)\)/gm)) {
    found.push({ name, n: parameters.trim() === '' ? 0 : parameters.replace(/\[[^\]]*\]/g, '').split(',').length });
  }
  return found;
}

async function compareRuns() {
  let module = await loadModule(modulePath);
  module.enter(root);
  for (const program of programs()) {
    const text = readFileSync(join(root, program), 'utf8');
    const runs = program.endsWith('.tlhe')
      ? [{ words: [], n: (text.match(/^input /gm) ?? []).length }]
      : functions(text).map(({ name, n }) => ({ words: ['--fn', name], n }));
    for (const { words, n } of runs) {
      for (const device of ['ref', 'he']) {
        const line = ['run', program, ...words, '--device', device, '--seed', '5eed', '--memory-limit', '1024',
          ...Array(n).fill('@random')];
        const left = native(line);
        if (left.exit === null || (left.exit !== 0 && device === 'he')) {
          continue; // it takes long; or it is not for encryption, and `check` compares why
        }
        try {
          const right = module.command(line);
          compare(line.join(' '), withoutTimes(JSON.stringify(left)), withoutTimes(JSON.stringify(right)));
        } catch (error) {
          compare(line.join(' '), JSON.stringify(left), String(error));
          module = await loadModule(modulePath);
          module.enter(root);
        }
      }
    }
  }
}

const kCapabilities = {
  general: { positionEncodings: ['utf-16'] },
  textDocument: {
    hover: { contentFormat: ['markdown'] },
    publishDiagnostics: { relatedInformation: true },
    codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ['quickfix', 'refactor'] } } },
    diagnostic: {},
  },
};

/// What is asked of a document: of the whole, and at the beginning of every ninth word.
function questions(uri, text) {
  const document = { textDocument: { uri } };
  const whole = { ...document, range: { start: { line: 0, character: 0 }, end: { line: 1e6, character: 0 } } };
  const list = [
    ['textDocument/diagnostic', document], ['textDocument/semanticTokens/full', document],
    ['textDocument/documentSymbol', document], ['textDocument/inlayHint', whole],
    ['textDocument/foldingRange', document], ['textDocument/codeLens', document],
    ['textDocument/formatting', { ...document, options: { tabSize: 2, insertSpaces: true } }],
  ];
  text.split('\n').forEach((line, number) => {
    for (const word of line.matchAll(/[A-Za-z_]\w*/g)) {
      if ((word.index + number) % 9 === 0) {
        const position = { line: number, character: word.index + 1 };
        for (const method of ['hover', 'definition', 'references', 'completion', 'signatureHelp', 'documentHighlight']) {
          list.push([`textDocument/${method}`, { ...document, position, context: { includeDeclaration: true } }]);
        }
      }
    }
  });
  return list;
}

/// Results have names of their own making.
function withoutNames({ result, error }) {
  return JSON.stringify({ result, error }).replace(/"resultId":"[^"]*"/g, '"resultId":""');
}

async function compareSessions() {
  const sessions = [new NativeSession(tacet), new ModuleSession((take) => loadModule(modulePath, take))];
  await sessions[1].ready;
  for (const session of sessions) {
    await session.request(1, 'initialize', { processId: null, rootUri: null, capabilities: kCapabilities });
    session.notify('initialized', {});
  }
  let id = 2;
  for (const program of programs()) {
    const text = readFileSync(join(root, program), 'utf8');
    if (/^\s*(import|extern|use)\b/m.test(text) || text.length > 20000) {
      continue; // the module reads no files
    }
    const uri = `untitled:${program}`;
    for (const session of sessions) {
      session.notify('textDocument/didOpen', {
        textDocument: { uri, languageId: program.endsWith('.tlhe') ? 'tacet-array' : 'tacet', version: 1, text },
      });
    }
    for (const [method, params] of questions(uri, text)) {
      const [left, right] = await Promise.all(sessions.map((session) => session.request(id, method, params)));
      ++id;
      compare(`${program}: ${method} ${JSON.stringify(params.position ?? '')}`,
        withoutNames(left), withoutNames(right));
    }
    for (const session of sessions) {
      session.notify('textDocument/didClose', { textDocument: { uri } });
      session.received.length = 0;
    }
  }
  sessions.forEach((session) => session.end());
}

/// Programs for each scheme: the client's values, the server's, and the result.
const kExchanges = [
  { scheme: 'bfv', text: 'fn(he) f(x: secret [i64; 4] in -50..50 from client, w: [i64; 4] in -9..10 from server) -> secret i64 { sum(for i: 4 { x[i] * w[i] }) }',
    client: '[-50, 49, 0, 7]', server: '[9, -9, 1, 2]', options: [], result: /^out = -877$/ },
  { scheme: 'bgv', text: 'fn(he) f(x: secret [i64; 4] in -50..50 from client, w: [i64; 4] in -9..10 from server) -> secret i64 { sum(for i: 4 { x[i] * x[i] * w[i] }) }',
    client: '[-50, 49, 0, 7]', server: '[9, -9, 1, 2]', options: [], result: /^out = 989$/ },
  { scheme: 'ckks', text: 'fn(he) f(x: secret [fxp; 4] in -4..4 from client, w: [fxp; 4] in -1..1 from server) -> secret fxp { sum(for i: 4 { x[i] * w[i] }) }',
    client: '[0.5, -3.5, 2, 1]', server: '[0.25, 0.5, -0.5, 0.125]', options: ['--unhidden'], result: /^out = -2\.(49|5)/ },
  { scheme: 'cggi', text: 'fn(he) f(x: secret u8 from client, y: u8 from server) -> secret u8 { max(x, y) }',
    client: '200', server: '199', options: ['--unhidden'], result: /^out = 200$/ },
];

/// Keys, requests and answers of either are those of the other: each side in turn is the module's.
async function compareExchanges() {
  const folder = mkdtempSync(join(tmpdir(), 'tacet-exchange-'));
  const module = await loadModule(modulePath);
  module.enter(folder);
  const sides = { native: (words) => native(words, folder), module: (words) => module.command(words) };
  for (const { scheme, text, client, server, options, result } of kExchanges) {
    for (const [builder, clients, servers] of [['native', 'native', 'module'], ['native', 'module', 'native'], ['module', 'native', 'module']]) {
      const name = `${scheme}: built by ${builder}, client ${clients}, server ${servers}`;
      writeFileSync(join(folder, 'f.tacet'), `#version 0.1.0\n\n${text}\n`);
      const program = `${scheme}-${builder}-${clients}.he`;
      const steps = [
        [builder, ['build', 'f.tacet', '--fn', 'f', '--scheme', scheme, ...options, '-o', program]],
        [clients, ['run', program, '--role', 'client', client]],
        [servers, ['run', program, '--role', 'server', server]],
        [clients, ['run', program, '--role', 'client']],
      ];
      let last = {};
      for (const [side, words] of steps) {
        last = sides[side](words);
        if (last.exit !== 0) {
          break;
        }
      }
      compare(name, 'right', result.test(last.out.trim()) ? 'right' : `${last.out}${last.err}`);
    }
  }
  rmSync(folder, { recursive: true });
}

const kinds = { check: compareCommands, exchange: compareExchanges, lsp: compareSessions, stages: compareStages, runs: compareRuns };
await kinds[what]();
for (const { name, native: left, own } of differences.slice(0, 10)) {
  let at = 0;
  while (at < left.length && left[at] === own[at]) ++at;
  const from = Math.max(0, at - 120);
  console.log(`${name}\n  native: …${left.slice(from, at + 200)}\n  module: …${own.slice(from, at + 200)}`);
}
console.log(`${nCompared} compared, ${differences.length} differ`);
process.exit(differences.length === 0 ? 0 : 1);
