// The page of runs of the extension for VS Code, in Chromium: usage: vscode_run_page.mjs PLAYWRIGHT PAGE,
// where PLAYWRIGHT is a folder of packages with playwright-core, and PAGE a module made of run_page_html.ts.
// What VS Code does is done here: messages to the page are sent, and those of the page are looked at.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const [packages, module] = process.argv.slice(2).map((one) => path.resolve(one));
const { chromium } = createRequire(path.join(packages, 'x'))('playwright-core');
const { runPage } = await import(module);
const HOST = 'http://page.test';
const script = fs.readFileSync(path.join(path.dirname(module), '..', 'run_page.js'), 'utf8');

const range = { start: { line: 1, character: 0 }, end: { line: 1, character: 3 } };
const LARGER = {
  name: 'larger', kind: 'fn', device: 'mpc', range, results: [{ type: 'secret i64' }],
  inputs: [{ name: 'a', type: 'secret i64' }, { name: 'b', type: 'secret i64', owner: 'bank' }],
};
const runnables = [LARGER, { name: 'f', kind: 'fn', range, inputs: [] }];
const form = { kind: 'form', file: 's.tacet', runnables, selected: 'fn:larger', devices: ['mpc', 'ref'], device: 'mpc', values: { a: '3' } };
const timeline = '<svg xmlns="http://www.w3.org/2000/svg" class="tp" width="10" height="10" viewBox="0 0 10 10"><style>rect{fill:red}</style><rect class="c0" width="3" height="3"/></svg>';
const done = {
  outcome: 'done', results: [{ name: 'out', type: 'i64', value: 4 }], stats: { parties: 3, rounds: 14, bytes_sent: 223 }, timeline,
};

async function session(page) {
  const post = (message) => page.evaluate((one) => window.postMessage(one, '*'), message);
  const sent = () => page.evaluate(() => window.sent);
  await page.goto(HOST);
  await post(form);
  assert.equal(await page.inputValue('#input-a'), '3');
  await page.fill('#input-b', '3 apples');
  assert.match(await page.textContent('#input-b-problem'), /unexpected `apples`/);
  await page.click('#run');
  assert.ok(!(await sent()).some(({ kind }) => kind === 'run'), 'a wrong input does not run');
  assert.ok(await page.evaluate(() => document.activeElement.id === 'input-b'));
  await page.click('[aria-label="Values for b from a file"]');
  assert.deepEqual((await sent()).at(-1), { kind: 'selectFile', input: 'b' });
  await post({ kind: 'file', input: 'b', value: '@b.json' });
  await page.waitForFunction(() => document.getElementById('input-b').value === '@b.json');
  await page.fill('#input-b', '');
  await page.click('#run');
  const { kind, choice } = (await sent()).at(-1);
  assert.equal(kind, 'run');
  assert.equal(choice.values.a, '3');
  assert.match(choice.values.b, /^\d+$/, 'what is missing is drawn');
  await post({ kind: 'running' });
  await page.waitForFunction(() => document.getElementById('run').disabled);
  await post({ kind: 'report', choice, runnable: LARGER, showsDetails: true, report: done });
  await page.locator('#who-sees .locked', { hasText: 'share' }).first().waitFor();
  assert.match(await page.innerText('#who-sees'), /input owner\s+bank\s+2 more parties/);
  assert.ok(await page.locator('#timeline svg').isVisible());
  assert.equal(await page.locator('#timeline style').count(), 0);
  await page.click('input[value=ref]');
  await page.locator('#result.stale .stale-note').waitFor();
  await post({ kind: 'problems', problems: { a: 'there is no file' } });
  await page.locator('#input-a-problem', { hasText: 'there is no file' }).waitFor();
  const failed = { outcome: 'failed', message: 'program.tacet:3:13: error[T0001]: expected an expression' };
  await post({ kind: 'report', choice, runnable: LARGER, showsDetails: false, report: failed });
  await page.click('.place');
  assert.deepEqual((await sent()).at(-1), { kind: 'goTo', line: 3, column: 13 });
  await post({ ...form, selected: 'fn:f', devices: ['ref'], device: 'ref', values: {} });
  await page.locator('h1', { hasText: 's.tacet · fn f' }).waitFor();
  assert.equal(await page.locator('#inputs input').count(), 0);
  assert.equal(await page.innerText('#result'), '');
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'], timeout: 120_000,
});
try {
  const page = await browser.newPage({ viewport: { width: 520, height: 900 } });
  const errors = [];
  page.setDefaultTimeout(60_000);
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => errors.push(message.text()));
  await page.addInitScript(() => {
    window.sent = [];
    window.acquireVsCodeApi = () => ({ postMessage: (message) => window.sent.push(message) });
  });
  await page.route(`${HOST}/`, (route) => route.fulfill({ contentType: 'text/html', body: runPage(`${HOST}/run_page.js`, HOST) }));
  await page.route(`${HOST}/run_page.js`, (route) => route.fulfill({ contentType: 'text/javascript', body: script }));
  await session(page);
  assert.deepEqual(errors, []);
  console.log('PASS the page of runs');
} finally {
  await browser.close();
}
