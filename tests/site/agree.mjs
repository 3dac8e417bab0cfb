// Whether the module for browsers answers as the native program does, byte for byte.
//
//     node agree.mjs TACET MODULE ROOT check|lsp|runs [EVERY]
//
// check: diagnostics, formatting and costs of all programs below ROOT; runs: results of their functions
// on random inputs; lsp: diagnostics, hovers, hints and tokens over the protocol. EVERY: one program of so
// many, for a short run. Exits with 1 and the first differences.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadModule } from './module.mjs';
import { ModuleSession, NativeSession } from './sessions.mjs';

const [tacet, modulePath, root, what, every = '1'] = process.argv.slice(2);
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

function native(words) {
  const ended = spawnSync(tacet, words, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28, timeout: 10000, stdio: ['ignore', 'pipe', 'pipe'] });
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

const kinds = { lsp: compareSessions,  check: compareCommands, runs: compareRuns };
await kinds[what]();
for (const { name, native: left, own } of differences.slice(0, 10)) {
  let at = 0;
  while (at < left.length && left[at] === own[at]) ++at;
  const from = Math.max(0, at - 120);
  console.log(`${name}\n  native: …${left.slice(from, at + 200)}\n  module: …${own.slice(from, at + 200)}`);
}
console.log(`${nCompared} compared, ${differences.length} differ`);
process.exit(differences.length === 0 ? 0 : 1);
