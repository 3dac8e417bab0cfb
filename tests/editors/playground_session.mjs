// The playground in a browser, as a person uses it: a mistake is typed, shown, explained and fixed;
// names are completed and changed, the text is formatted, a program runs under encryption, its
// pictures are shown, and a link gives all of it to somebody else. Nothing is loaded from elsewhere,
// and the browser has nothing to complain about.
//
// usage: playground_session.mjs TACET NODE_MODULES [SCREENSHOT]
import { assert, choose, drive, finished, isSite, say, screenshot, textOf, write } from './playground_browser.mjs';

const PROGRAM = `#version 0.1.0

/// The inner product of two secret vectors.
fn(he) inner(a: secret [i64; 8] in -100..100, b: secret [i64; 8] in -100..100) -> secret i64 {
    let products = for i: 8 { a[i] * b[i] };
    sum(products)
}
`;

/// Places the cursor in the line with that text, behind `n` characters. By keyboard, because a click
/// may miss a line that lenses and hints are still moving.
async function go(page, line, n) {
  await page.locator('.cm-line', { hasText: line }).first().waitFor();
  const number = 1 + await page.evaluate((wanted) => [...document.querySelectorAll('.cm-content .cm-line')]
    .findIndex((element) => element.textContent.includes(wanted)), line);
  await page.locator('.cm-content').focus();
  await page.keyboard.press('Control+Alt+g');
  await page.locator('.cm-dialog input').fill(String(number));
  await page.keyboard.press('Enter');
  await page.locator('.cm-dialog').waitFor({ state: 'detached' });
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
  assert.match(await textOf(page), /sum\(products\)/);
  say('a fix corrects it');
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
  assert.match(await textOf(page), /sum\(products\)\n\s+products/);
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
  assert.match(await textOf(page), /let terms = /);
  say('a name is changed');
}

async function runs(page) {
  await page.locator('#input-a').fill('[1, 2, 3, 4, 5, 6, 7, 8]');
  await page.locator('#input-b').fill('[8, 7, 6, 5, 4, 3, 2, 1]');
  assert.equal(await page.locator('input[name=device]:checked').getAttribute('value'), 'he');
  await page.locator('.cm-content').focus();
  await page.keyboard.press('Control+Enter');
  await page.locator('#who-sees .revealed', { hasText: '120' }).waitFor({ timeout: 60_000 });
  await page.locator('#details summary').click();
  await page.locator('.statistics dt', { hasText: 'products' }).waitFor();
  await page.locator('#timeline svg.tp').waitFor();
  say('it runs under encryption, with a timeline');
  await go(page, 'sum(terms)', 4);
  await page.locator('#tab-layout').click();
  await page.locator('#layout-picture svg.tp rect').first().waitFor();
  await page.keyboard.press('ArrowRight');
  await page.locator('#circuit-picture svg.tp rect').first().waitFor();
  assert.match(await page.locator('#circuit-picture').innerText(), /×/);
  await page.locator('#tab-stages').click();
  await page.locator('#stage').selectOption('schedule');
  await page.locator('#stage-text', { hasText: 'schedule {' }).waitFor();
  say('layout, circuit and stages are shown');
}

async function sharing(page) {
  await page.locator('#share').click();
  await page.waitForFunction(() => location.hash.length > 20);
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.locator('.cm-line', { hasText: 'sum(terms)' }).waitFor();
  await other.locator('#input-a').waitFor();
  assert.equal(await other.locator('#input-a').inputValue(), '[1, 2, 3, 4, 5, 6, 7, 8]');
  await other.close();
  say('a link has the program and its inputs');
}

async function parties(page) {
  await choose(page, 'Who is richer?');
  await page.locator('#who-sees .revealed', { hasText: 'true' }).first().waitFor({ timeout: 60_000 });
  await page.locator('#timeline', { hasText: 'party 2' }).waitFor();
  say('parties compute, with a timeline');
  await choose(page, 'A sum, specified and implemented');
  await page.locator('#who-sees .revealed', { hasText: '5050' }).waitFor({ timeout: 60_000 });
  say('a pipeline runs in plaintext');
  await page.locator('#input-last').fill('100000000000');
  await page.locator('#run').click();
  await page.locator('.outcome.time, .outcome.memory, .outcome.failed').waitFor({ timeout: 60_000 });
  say('a run without an end is ended');
}

async function examples(page) {
  await page.locator('#examples').click();
  const titles = await page.locator('.example').evaluateAll((all) => all.map((one) => one.dataset.title));
  await page.keyboard.press('Escape');
  assert.ok(titles.length >= 10);
  for (const title of titles) {
    await choose(page, title);
    await page.locator('#target option').first().waitFor({ state: 'attached' });
    await finished(page);
    assert.equal(await page.locator('.outcome').count(), 0, `${title}: ${await page.locator('#result').innerText()}`);
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
  await choose(page, 'Who is richer?');
  await finished(page);
  await page.locator('.lenses', { hasText: 'rounds' }).first().waitFor();
  await page.locator('.sem-parameter').first().waitFor();
  await page.screenshot({ path: screenshot });
}

await drive('playground', async ({ open }) => {
  const page = await open();
  say('the page is there');
  await mistakes(page);
  await knowledge(page);
  await edits(page);
  await runs(page);
  await sharing(page);
  if (!isSite) {
    await parties(page);
  }
  await examples(page);
  await looks(page);
  if (screenshot) {
    await picture(page);
  }
});
