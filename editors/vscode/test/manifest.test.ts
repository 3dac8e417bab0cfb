// What package.json promises, against the sources and the real command line.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { test } from 'node:test';

import { TACET } from './client.js';

const manifest = JSON.parse(fs.readFileSync('package.json', 'utf8'));
const sources = fs.readdirSync('src').filter((name) => name.endsWith('.ts')).map((name) => fs.readFileSync(path.join('src', name), 'utf8')).join('\n');

interface Setting { order: number; description?: string; markdownDescription?: string; enum?: string[]; enumDescriptions?: string[] }
const sections: { title: string; properties: Record<string, Setting> }[] = manifest.contributes.configuration;
const settings = new Map(sections.flatMap(({ properties }) => Object.entries(properties)));

test('each command is registered, and each registered command is promised', () => {
  const promised = manifest.contributes.commands.map((one: { command: string }) => one.command).sort();
  const registered = [...sources.matchAll(/registerCommand\('([^']+)'/g)].map((match) => match[1]).sort();
  assert.deepEqual(registered, promised);
});

test('each setting is one that the extension or the server reads', () => {
  const readByServer = ['inlayHints.types', 'inlayHints.tags', 'inlayHints.draws', 'inlayHints.costs', 'inlayHints.parameters', 'codeLens.enable', 'hover.pictures',
    'lint.levels', 'lint.obliviousness', 'format.width', 'format.indent', 'format.tabs', 'semanticTokens.all', 'completion.calls', 'diagnostics.delay'];
  // `trace.server` is read by the library.
  const readHere = ['server.path', 'server.arguments', 'trace.server', 'secrets.colour', 'run.rememberInputs'];
  const known = [...readByServer, ...readHere].map((name) => `tacet.${name}`).sort();
  assert.deepEqual([...settings.keys()].sort(), known);
  assert.match(sources, /get\('path'/);
  assert.match(sources, /get<string\[\]>\('arguments'/);
  assert.match(sources, /get\('colour'/);
  assert.match(sources, /get\('rememberInputs'/);
});

test('settings are in the order of the manifest, and each description is a sentence of its own', () => {
  for (const { properties } of sections) {
    assert.deepEqual(Object.values(properties).map(({ order }) => order), Object.keys(properties).map((_, i) => i));
  }
  for (const [name, setting] of settings) {
    const text = setting.markdownDescription ?? setting.description ?? '';
    assert.match(text, /^[A-Z`].*\.$/, name);
    assert.ok(text.split(' ').length >= 7, `${name}: ${text}`);
    assert.doesNotMatch(text, /^(Whether|What|By how)\b|\bthere\.$/, name);
    assert.equal(setting.enumDescriptions?.length, setting.enum?.length, name);
  }
});

test('colours have a default in every kind of theme', () => {
  for (const { id, defaults } of manifest.contributes.colors) {
    assert.deepEqual(Object.keys(defaults).sort(), ['dark', 'highContrast', 'highContrastLight', 'light'], id);
    assert.match(sources, new RegExp(`'${id}'`));
  }
});

/** Contrast as WCAG defines it. */
function contrast(one: string, other: string): number {
  const luminance = (colour: string) => {
    const [r, g, b] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255)
      .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)) as [number, number, number];
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

test('texts in our colours are legible', () => {
  const backgrounds = { dark: ['#1e1e1e', '#1f1f1f', '#272822'], light: ['#ffffff', '#fdf6e3'], highContrast: ['#000000'], highContrastLight: ['#ffffff'] };
  const wanted = { dark: 4.5, light: 4.5, highContrast: 7, highContrastLight: 7 };
  for (const { id, defaults } of manifest.contributes.colors.filter((one: { id: string }) => one.id !== 'tacet.secretUnderline')) {
    for (const kind of Object.keys(backgrounds) as (keyof typeof backgrounds)[]) {
      // What is dimmed may have less.
      const least = wanted[kind] - (id === 'tacet.lastCostForeground' ? 1 : 0);
      for (const background of backgrounds[kind]) {
        assert.ok(contrast(defaults[kind], background) >= least, `${id} on ${background}: ${contrast(defaults[kind], background)}`);
      }
    }
  }
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
  const { languages, grammars, walkthroughs } = manifest.contributes;
  const parsed: string[] = [
    ...languages.map((one: { configuration: string }) => one.configuration),
    ...grammars.map((one: { path: string }) => one.path),
  ];
  for (const file of parsed) {
    JSON.parse(fs.readFileSync(file, 'utf8'));
  }
  const media = walkthroughs.flatMap((one: { steps: { media: { image?: string; markdown?: string } }[] }) => one.steps.map(({ media }) => media.image ?? media.markdown!));
  for (const file of [manifest.icon, ...Object.values(languages[0].icon as Record<string, string>), ...media]) {
    assert.ok(fs.statSync(file).size > 100, file);
  }
});

test('the walkthrough names commands and files that exist', () => {
  const steps: { description: string }[] = manifest.contributes.walkthroughs[0].steps;
  const promised = new Set(manifest.contributes.commands.map((one: { command: string }) => one.command));
  for (const [, command] of steps.flatMap(({ description }) => [...description.matchAll(/\(command:(tacet\.\w+)\)/g)])) {
    assert.ok(promised.has(command), command);
  }
  assert.match(sources, new RegExp(`'${manifest.publisher}\\.${manifest.name}#${manifest.contributes.walkthroughs[0].id}'`));
});
