// The playground in a browser, as a person uses it: a mistake is typed, shown, explained and mended;
// names are completed and changed, the text is formatted, a program runs under encryption, its
// pictures are shown, and a link gives all of it to somebody else. Nothing is loaded from elsewhere,
// and the browser has nothing to complain about.
//
// usage: playground_session.mjs TACET NODE_MODULES [SCREENSHOT]
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';

const [tacet, modules, screenshot] = process.argv.slice(2);
const { chromium } = createRequire(path.join(modules, 'x'))('playwright-core');
const began = Date.now();
const say = (text) => console.log(`${((Date.now() - began) / 1000).toFixed(1)} s ${text}`);

const server = spawn(tacet, ['playground', '--port', '0', '--run-time', '8'], { stdio: ['ignore', 'pipe', 'inherit'] });
const address = await new Promise((resolve, reject) => {
  let printed = '';
  server.stdout.on('data', (data) => {
    printed += data;
    if (printed.includes('\n')) {
      resolve(printed.trim());
    }
  });
  server.on('exit', () => reject(new Error('the playground ended')));
});

const PROGRAM = `#version 0.1.0

/// The inner product of two secret vectors.
fn(he) inner(a: secret [i64; 8] in -100..100, b: secret [i64; 8] in -100..100) -> secret i64 {
    let products = for i: 8 { a[i] * b[i] };
    sum(products)
}
`;

/// Puts a text in the place of the editor's.
async function write(page, text) {
  await page.locator('.cm-content').focus();
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(text);
}

const text = (page) => page.evaluate(() => [...document.querySelectorAll('.cm-content .cm-line')].map((line) => line.cloneNode(true))
  .map((line) => { line.querySelectorAll('.hint').forEach((hint) => hint.remove()); return line.textContent; }).join('\n'));

/// Places the cursor in the line with that text, behind `n` characters. By keyboard, because a click
/// may miss a line that lenses and hints are still moving.
async function go(page, line, n) {
  await page.locator('.cm-line', { hasText: line }).first().waitFor();
  await page.locator('.cm-content').focus();
  await page.keyboard.press('Control+Home');
  const above = await page.evaluate((wanted) => [...document.querySelectorAll('.cm-content .cm-line')]
    .findIndex((element) => element.textContent.includes(wanted)), line);
  for (let i = 0; i < above; ++i) {
    await page.keyboard.press('ArrowDown');
  }
  await page.keyboard.press('Home');
  await page.keyboard.press('Home');
  for (let i = 0; i < n; ++i) {
    await page.keyboard.press('ArrowRight');
  }
}

async function mistakes(page) {
  await page.locator('#language').selectOption('tacet');
  await write(page, PROGRAM.replace('sum(products)', 'sum(product)'));
  await page.locator('.cm-lintRange-error').first().waitFor();
  await page.locator('#problems', { hasText: '1 problem' }).waitFor();
  await page.locator('.lenses').first().waitFor();  // which move the lines below
  await page.locator('.cm-lintRange-error').first().hover();
  await page.locator('.cm-tooltip .problem').first().waitFor();
  assert.match(await page.locator('.cm-tooltip .problem').first().innerText(), /product/);
  say('a mistake is shown and explained');
  await page.mouse.move(5, 5);
  await go(page, 'sum(product)', 8);
  await page.keyboard.press('Control+.');
  await page.locator('.menu [role=menuitem]').first().waitFor();
  await page.locator('.menu [role=menuitem]', { hasText: 'products' }).click();
  await page.locator('#problems', { hasText: 'no problems' }).waitFor();
  assert.match(await text(page), /sum\(products\)/);
  say('a fix mends it');
}

async function knowledge(page) {
  await page.locator('.tok-secret').first().waitFor();
  await page.locator('.sem-parameter').first().waitFor();
  await page.locator('.hint', { hasText: '[i64; 8]' }).first().waitFor();
  await page.locator('.lens', { hasText: 'run' }).first().waitFor();
  await page.locator('.lenses', { hasText: 'rotations' }).first().waitFor();
  say('colours, hints and lenses are there');
  await go(page, 'let products', 9);
  await page.keyboard.press('Control+I');
  await page.locator('.hover .markdown', { hasText: 'i64' }).first().waitFor();
  await page.keyboard.press('Escape');
  await page.locator('.hover').waitFor({ state: 'detached' });
  await page.locator('.cm-line', { hasText: 'fn(he) inner' }).locator('.sem-parameter').first().hover();
  await page.locator('.hover svg.tp').first().waitFor();
  say('hovers have words and pictures');
  await page.mouse.move(5, 5);
}

async function edits(page) {
  await go(page, 'sum(products)', 4);
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.keyboard.type('prod');
  await page.locator('.cm-tooltip-autocomplete li', { hasText: 'products' }).first().waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+Space');
  await page.locator('.cm-tooltip-autocomplete li[aria-selected]').waitFor();
  await page.locator('.cm-tooltip-autocomplete li', { hasText: 'products' }).first().click();
  assert.match(await text(page), /sum\(products\)\n\s+products/);
  say('a name is completed');
  await write(page, PROGRAM.replace('    sum(products)', '        sum(  products)'));
  await page.locator('#problems', { hasText: 'no problems' }).waitFor();
  await page.locator('#format').click();
  await page.waitForFunction(() => document.querySelector('.cm-content').textContent.includes('sum(products)'));
  say('the text is formatted');
  await go(page, 'let products', 9);
  await page.keyboard.press('F2');
  await page.locator('.cm-dialog input').waitFor();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('terms');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('.cm-content').textContent.includes('sum(terms)'));
  assert.match(await text(page), /let terms = /);
  say('a name is changed');
}

async function runs(page) {
  await page.locator('#input-a').fill('[1, 2, 3, 4, 5, 6, 7, 8]');
  await page.locator('#input-b').fill('[8, 7, 6, 5, 4, 3, 2, 1]');
  assert.equal(await page.locator('input[name=device]:checked').getAttribute('value'), 'he');
  await page.locator('.cm-content').focus();
  await page.keyboard.press('Control+Enter');
  await page.locator('#values dd', { hasText: '120' }).waitFor({ timeout: 60_000 });
  await page.locator('.statistics dt', { hasText: 'rotations' }).waitFor();
  await page.locator('#timeline svg.tp').waitFor();
  say('it runs under encryption, with a timeline');
  await go(page, 'sum(terms)', 4);
  await page.locator('#tab-layout').click();
  await page.locator('#layout-picture svg.tp rect').first().waitFor();
  await page.keyboard.press('ArrowRight');
  await page.locator('#circuit-picture svg.tp rect').first().waitFor();
  assert.match(await page.locator('#circuit-picture').innerText(), /rot/);
  await page.locator('#tab-stages').click();
  await page.locator('#stage').selectOption('schedule');
  await page.locator('#stage-text', { hasText: 'schedule {' }).waitFor();
  say('layout, circuit and stages are shown');
}

async function sharing(page, context) {
  await page.locator('#share').click();
  await page.waitForFunction(() => location.hash.length > 20);
  const other = await context.newPage();
  await other.goto(page.url());
  await other.locator('.cm-line', { hasText: 'sum(terms)' }).waitFor();
  await other.locator('#input-a').waitFor();
  assert.equal(await other.locator('#input-a').inputValue(), '[1, 2, 3, 4, 5, 6, 7, 8]');
  await other.close();
  say('a link has the program and its inputs');
}

async function parties(page) {
  await page.locator('#examples').selectOption({ label: 'Who is richer?' });
  await page.locator('#input-alice_has').waitFor();
  await page.locator('#run').click();
  await page.locator('#values dd', { hasText: 'true' }).waitFor({ timeout: 60_000 });
  await page.locator('#timeline', { hasText: 'party 2' }).waitFor();
  say('parties compute, with a timeline');
  await page.locator('#examples').selectOption({ label: 'A sum, specified and implemented' });
  await page.locator('#input-last').waitFor();
  await page.locator('#run').click();
  await page.locator('#values dd', { hasText: '5050' }).waitFor({ timeout: 60_000 });
  say('a pipeline runs in the clear');
  await page.locator('#input-last').fill('100000000000');
  await page.locator('#run').click();
  await page.locator('.outcome.time, .outcome.memory, .outcome.failed').waitFor({ timeout: 60_000 });
  say('a run without an end is ended');
}

async function examples(page) {
  const labels = await page.locator('#examples option:not([value=""])').allInnerTexts();
  assert.ok(labels.length >= 10);
  for (const label of labels) {
    await page.locator('#examples').selectOption({ label });
    await page.locator('#target option').first().waitFor({ state: 'attached' });
    await page.waitForFunction(() => !document.getElementById('run').disabled && document.querySelector('#result').childElementCount === 0);
    await page.locator('#run').click();
    await page.locator('#values dd, .outcome').first().waitFor({ timeout: 60_000 });
    assert.equal(await page.locator('.outcome').count(), 0, `${label}: ${await page.locator('#result').innerText()}`);
  }
  say('every example runs');
}

async function looks(page) {
  await page.evaluate(() => document.documentElement.dataset.theme = 'light');
  const light = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.locator('#theme').click();
  const dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.notEqual(light, dark);
  await page.keyboard.press('F1');
  await page.locator('#keys').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('#keys').waitFor({ state: 'hidden' });
  say('light, dark, and help by keyboard');
}

async function picture(page) {
  await page.evaluate(() => document.documentElement.dataset.theme = 'light');
  await page.locator('#examples').selectOption({ label: 'A dot product' });
  await page.locator('#input-a').waitFor();
  await page.locator('#run').click();
  await page.locator('#timeline svg.tp').waitFor({ timeout: 60_000 });
  await page.locator('.lenses', { hasText: 'rotations' }).first().waitFor();
  await page.waitForTimeout(500);
  await page.screenshot({ path: screenshot });
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
let code = 1;
let page;
const complaints = [];
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  page = await context.newPage();
  page.setDefaultTimeout(20_000);
  context.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') {
      complaints.push(message.text());
    }
  });
  context.on('weberror', (error) => complaints.push(error.error().stack));
  context.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(address).origin && !request.url().startsWith('data:')) {
      complaints.push(`a request to ${request.url()}`);
    }
  });
  await page.goto(address);
  await page.locator('#status[data-state=ready]').waitFor();
  say('the page is there');
  await mistakes(page);
  await knowledge(page);
  await edits(page);
  await runs(page);
  await sharing(page, context);
  await parties(page);
  await examples(page);
  await looks(page);
  if (screenshot) {
    await picture(page);
  }
  assert.deepEqual(complaints, []);
  console.log('PASS playground');
  code = 0;
} catch (error) {
  console.log(`FAIL ${error.stack}\n${complaints.join('\n')}`);
  await page?.screenshot({ path: process.env.FAILED_SCREENSHOT ?? 'build/failed.png' }).catch(() => {});
}
await browser.close();
server.kill();
process.exit(code);
