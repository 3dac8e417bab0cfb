// The generated TextMate grammar against the server's semantic tokens, on every program of the
// repository: regular expressions cannot know everything, but words, literals and comments they can.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import { test } from 'node:test';
import * as lsp from 'vscode-languageserver-protocol/node';

import { Client, ROOT } from './client.js';

const require = createRequire(path.join(process.cwd(), 'package.json'));
const oniguruma = require('vscode-oniguruma');
const textmate = require('vscode-textmate');

const NAME = /^(?!(comment|string|constant\.(numeric|language)|keyword|storage|support\.type))/;
const SCOPES: Record<string, RegExp> = {
  comment: /^comment/,
  string: /^string/,
  number: /^constant\.numeric/,
  // `fxp` is a type when it stands alone.
  keyword: /^(keyword|storage|constant\.language|entity\.other\.attribute|support\.type)/,
  'type.defaultLibrary': /^support\.type/,
  variable: NAME,
  parameter: NAME,
  function: NAME,
};
/** Where one token of lookahead is not enough, as in a variable called `max` before a bracket. */
const ALLOWED_SHARE = 0.001;

async function loadGrammar() {
  await oniguruma.loadWASM(fs.readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm')));
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns: string[]) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text: string) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => JSON.parse(fs.readFileSync('syntaxes/tacet.tmLanguage.json', 'utf8')),
  });
  return registry.loadGrammar('source.tacet');
}

function* programs(folder: string): Generator<string> {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      yield* programs(full);
    } else if (/\.(tacet|cm|tlhe)$/.test(entry.name)) {
      yield full;
    }
  }
}

interface Coloured { line: number; begin: number; end: number; kind: string }

function decode(data: readonly number[], legend: lsp.SemanticTokensLegend): Coloured[] {
  const found: Coloured[] = [];
  let line = 0, begin = 0;
  for (let i = 0; i < data.length; i += 5) {
    begin = data[i]! > 0 ? data[i + 1]! : begin + data[i + 1]!;
    line += data[i]!;
    const library = legend.tokenModifiers.indexOf('defaultLibrary');
    const modifier = data[i + 4]! & (1 << library) ? '.defaultLibrary' : '';
    found.push({ line, begin, end: begin + data[i + 2]!, kind: legend.tokenTypes[data[i + 3]!]! + modifier });
  }
  return found;
}

test('words, literals and comments have the colours that the server gives them', async () => {
  const grammar = await loadGrammar();
  const client = new Client();
  const { capabilities } = await client.start();
  const legend = (capabilities.semanticTokensProvider as lsp.SemanticTokensOptions).legend;
  let compared = 0;
  const wrong: string[] = [];
  for (const folder of ['examples', 'tests']) {
    for (const file of programs(path.join(ROOT, folder))) {
      const text = fs.readFileSync(file, 'utf8');
      if (text.length > 20_000 || /[^\x00-\x7f]|\r/.test(text) || path.basename(file).startsWith('fail')) {
        continue;
      }
      const uri = await client.open(`${compared}${path.extname(file)}`, text);
      const [tokens, report] = await Promise.all([
        client.connection.sendRequest(lsp.SemanticTokensRequest.type, { textDocument: { uri } }),
        client.diagnostics(uri),
      ]);
      // What a broken program means, two readers may see differently.
      if (report.some((one) => String(one.code).startsWith('T0'))) {
        continue;
      }
      let stack = textmate.INITIAL;
      const lines = text.split('\n').map((line) => {
        const result = grammar.tokenizeLine(line, stack);
        stack = result.ruleStack;
        return result.tokens as { startIndex: number; endIndex: number; scopes: string[] }[];
      });
      for (const token of decode(tokens?.data ?? [], legend)) {
        const expected = SCOPES[token.kind];
        if (expected === undefined) {
          continue;
        }
        ++compared;
        const scopes = lines[token.line]!.find((one) => one.startIndex <= token.begin && token.begin < one.endIndex)!.scopes;
        if (!expected.test(scopes.at(-1)!) && !scopes.slice(1).some((scope) => expected.test(scope))) {
          const word = text.split('\n')[token.line]!.slice(token.begin, token.end);
          wrong.push(`${path.relative(ROOT, file)}:${token.line + 1}: \`${word}\`, a ${token.kind}, is ${scopes.slice(1).join(' ') || 'plain'}`);
        }
      }
    }
  }
  assert.equal(await client.stop(), 0);
  assert.ok(compared > 5000, `only ${compared} tokens compared`);
  assert.ok(wrong.length <= compared * ALLOWED_SHARE, `${wrong.length} of ${compared}:\n${wrong.slice(0, 40).join('\n')}`);
});
