// The page of the playground as a stranger meets it: an example that has run, with a card that says
// who sees what; inputs that are checked, results that are marked when they are out of date, errors
// that lead to their place, examples that can be searched and undone, banners for what keeps the page
// from working, a phone, the keyboard alone, and what axe finds.
//
// usage: playground_page.mjs TACET NODE_MODULES [SCREENSHOT]
import { readFileSync } from 'node:fs';
import { assert, choose, drive, finished, require, say, screenshot, serve, textOf, write } from './playground_browser.mjs';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

async function accessible(page, where) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  assert.deepEqual(violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target.join(' ')).join(', ')}`), [], where);
}

/// The card as rows of words.
const card = (page) => page.locator('#who-sees tr').evaluateAll((rows) =>
  rows.map((row) => [...row.children].map((cell) => cell.textContent.trim()).join(' | ')));

async function firstSight(page) {
  await page.locator('#about', { hasText: 'secret data' }).waitFor();
  await finished(page);
  assert.deepEqual(await card(page), [
    ' | alice | bob | third party',
    'alice_has | 5,000,000 | share | share',
    'bob_has | share | 4,200,000 | share',
    'result | true | true | true',
  ]);
  assert.equal(await page.locator('#who-sees .locked .lock').count(), 4);
  assert.equal(await page.locator('#who-sees .revealed').count(), 3);
  const numbers = await page.locator('.numbers li').allInnerTexts();
  assert.match(numbers[0], /^[\d.,]+ (µs|ms|s)\s+time$/);
  assert.match(numbers[1], /^[\d.,]+ (B|kB|MB)\s+sent per party$/);
  assert.match(numbers[2], /^\d+\s+rounds$/);
  assert.equal(await page.locator('#details').evaluate((details) => details.open), false);
  assert.equal(await page.locator('#tab-layout').isVisible(), false);
  say('an example has run: who sees what, and three numbers');
}

async function changes(page) {
  await page.locator('#input-bob_has').fill('9000000');
  await page.locator('#result.stale .stale-note').waitFor();
  await page.locator('.stale-note button').click();
  await page.locator('#who-sees .revealed', { hasText: 'false' }).first().waitFor();
  assert.equal(await page.locator('.stale-note').count(), 0);
  await page.locator('#input-bob_has').fill('many');
  await page.locator('#input-bob_has-problem', { hasText: '`many` is not a whole number' }).waitFor();
  await page.locator('#run').click();
  assert.equal(await page.evaluate(() => document.activeElement.id), 'input-bob_has');
  await page.locator('#input-bob_has').fill('9223372036854775808');
  await page.locator('#input-bob_has-problem', { hasText: 'out of range for i64' }).waitFor();
  await page.getByLabel('Random value for bob_has').click();
  await page.waitForFunction(() => /^\d+$/.test(document.getElementById('input-bob_has').value));
  assert.equal(await page.locator('#input-bob_has-problem').innerText(), '');
  say('inputs are checked and drawn, and results go out of date');
}

async function arrays(page) {
  await choose(page, 'A dot product');
  await finished(page);
  assert.deepEqual((await card(page)).slice(-1), ['result | 120 | encrypted']);
  await page.locator('#input-a').fill('[1, 2, 3]');
  await page.locator('#input-a-problem', { hasText: 'expected 8 values, found 3' }).waitFor();
  await page.locator('#input-a').fill('[1, 2, 3, 4, 5, 6, 7, 100]');
  await page.locator('#input-a-problem', { hasText: '`100` is outside -100..100' }).waitFor();
  await page.locator('#tab-layout').click();
  await page.locator('#layout-picture svg.tp rect').first().waitFor();
  await page.locator('#target').evaluate((select) => select.value);
  await choose(page, 'Who is richer?');
  await page.locator('#tab-layout').waitFor({ state: 'hidden' });
  assert.equal(await page.locator('#tab-run').getAttribute('aria-selected'), 'true');
  say('arrays are checked, and tabs follow the function');
}

async function links(page) {
  await choose(page, 'Who is richer?');
  await finished(page);
  await page.locator('#details summary').click();
  const box = page.locator('#timeline rect[data-line="8"]').first();
  await box.scrollIntoViewIfNeeded();
  assert.doesNotMatch(await page.locator('#timeline').innerText(), /\w = |gt\b/);
  await box.hover();
  await page.locator('.linked-line', { hasText: 'reveal(alice_has > bob_has)' }).waitFor();
  await page.locator('.cm-line', { hasText: 'reveal(' }).hover();
  await page.locator('#timeline rect.linked[data-line="8"]').first().waitFor();
  assert.equal(await page.locator('.linked-line').count(), 0);
  await choose(page, 'A dot product');
  await page.locator('#tab-circuit').click();
  const input = page.locator('#circuit-picture rect[data-name="a"]').first();
  await input.hover();
  await page.locator('.linked-name').first().waitFor();
  assert.deepEqual([...new Set(await page.locator('.linked-name').allInnerTexts())], ['a']);
  await input.click();
  await page.waitForFunction(() => document.activeElement.classList.contains('cm-content'));
  await page.locator('#circuit-picture rect.linked[data-name="a"]').first().waitFor();
  await page.locator('#tab-run').click();
  await choose(page, 'Who is richer?');
  await finished(page);
  say('pictures and the text mark each other');
}

async function failures(page) {
  const before = await textOf(page);
  await write(page, before.replace('alice_has > bob_has', 'alice_has > nobody_has'));
  await page.locator('#problems.errors').waitFor();
  await page.locator('#run').click();
  await page.locator('.outcome.failed .place').first().click();
  await page.waitForFunction(() => document.activeElement.classList.contains('cm-content'));
  assert.match(await page.locator('.cm-activeLine').innerText(), /nobody_has/);
  say('an error leads to its place');
  await write(page, '#version 0.1.0\n\nfn(mpc) spin(a: i64) -> i64 {\n    var s = a;\n    for i in 0..1000000000 {\n' +
    '        for j in 0..1000000 {\n            s = s + j;\n        }\n    }\n    return s;\n}\n');
  await page.locator('label', { hasText: 'a: i64' }).waitFor();
  await page.locator('input[value=ref]').check();
  await page.locator('#run').click();
  await page.locator('#stop').click();
  await page.locator('.outcome.stopped[role=status]').waitFor();
  assert.equal(await page.locator('[role=alert]').count(), 0);
  say('a stopped run is no error');
}

async function gallery(page) {
  await write(page, '#version 0.1.0\n\nfn(mpc) mine(a: secret i64) -> secret i64 { a }\n');
  await page.locator('#input-a').fill('77');
  await page.locator('#examples').click();
  await page.locator('#gallery-search').fill('salar');
  assert.deepEqual(await page.locator('.example:visible b').allInnerTexts(), ['Salaries of three companies']);
  await page.locator('#gallery-search').fill('zebra');
  await page.locator('#gallery-none').waitFor();
  await page.locator('#gallery-search').fill('distances');
  await page.keyboard.press('Enter');
  await page.locator('#example-title', { hasText: 'Distances to a secret point' }).waitFor();
  await finished(page);
  assert.equal(await page.locator('#language').inputValue(), 'tlhe');
  assert.match((await card(page)).join('\n'), /client \| server\npoints \| not sent \| .*\nhere \| \[1, 2, 2\] \| encrypted/);
  await page.locator('#said button', { hasText: 'Undo' }).click();
  await page.locator('.cm-line', { hasText: 'fn(mpc) mine' }).waitFor();
  await page.locator('#input-a').waitFor();
  assert.equal(await page.locator('#input-a').inputValue(), '77');
  assert.equal(await page.locator('#language').inputValue(), 'tacet');
  await page.locator('#problems', { hasText: 'no problems' }).waitFor();
  say('examples can be searched, and undone');
}

async function banners(page, address) {
  await page.goto(`${address}#v1=damaged`);
  await page.reload();
  await page.locator('#banner', { hasText: 'incomplete or damaged' }).waitFor();
  await page.locator('#banner button').click();
  await page.locator('#banner').waitFor({ state: 'hidden' });
  assert.equal(new URL(page.url()).hash, '');
  say('a damaged link is reported');
  const small = await serve('--sessions', '1');
  const first = await page.context().newPage();
  await first.goto(small.address);
  await first.locator('#status[data-state=ready]').waitFor();
  const second = await page.context().newPage();
  await second.goto(small.address);
  await second.locator('#banner', { hasText: 'The playground is full: limit of 1 sessions reached' }).waitFor();
  await first.close();
  // The server notices that the page is closed in its own time.
  await second.waitForFunction(() => {
    document.querySelector('#banner:not([hidden]) button')?.click();
    return document.getElementById('status').dataset.state === 'ready';
  }, undefined, { polling: 500 });
  await second.locator('#banner').waitFor({ state: 'hidden' });
  small.stop();
  await second.locator('#banner', { hasText: 'The connection to the playground is lost' }).waitFor();
  await second.close();
  say('a full and a lost playground are reported');
}

/// What is smaller than a finger, of all that can be pressed outside of the text.
const small = (page) => page.locator('button, select, input:not([type=radio]), summary, [role=tab], .devices label, a').evaluateAll((all) => all
  .filter((one) => one.offsetParent && !one.closest('.cm-editor, .stale-note, .outcome'))
  .filter((one) => one.getBoundingClientRect().height < 43.5)
  .map((one) => one.outerHTML.slice(0, 80)));

async function phone(open) {
  const page = await open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await finished(page);
  assert.ok((await page.locator('header').boundingBox()).height < 64, 'the header has one row');
  assert.equal(await page.locator('#editor-pane').isVisible(), false);
  assert.deepEqual(await small(page), []);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is cut off');
  await page.locator('#view-editor').tap();
  await page.locator('.cm-content').waitFor();
  assert.equal(await page.locator('#side').isVisible(), false);
  assert.deepEqual(await small(page), []);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is cut off');
  await page.locator('.cm-lineWrapping').waitFor();
  await accessible(page, 'the editor on a phone');
  await page.locator('#view-result').tap();
  await choose(page, 'Salaries of three companies');
  await finished(page);
  await page.locator('#run').scrollIntoViewIfNeeded();
  await page.locator('#run').tap();
  await finished(page);
  await page.waitForFunction(() => document.getElementById('result').getBoundingClientRect().top < innerHeight - 80);
  await accessible(page, 'a phone');
  await page.context().close();
  say('a phone shows one pane at a time, with large touch targets');
}

async function keyboard(page) {
  await page.locator('#examples').focus();
  await page.keyboard.press('Enter');
  await page.locator('#gallery').waitFor();
  await page.keyboard.type('auction');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.locator('#example-title', { hasText: 'A sealed auction' }).waitFor();
  await finished(page);
  await page.locator('.cm-content').focus();
  await page.keyboard.press('Escape');
  const focused = () => page.evaluate(() => document.activeElement.id);
  // Lenses come first.
  for (let i = 0; i < 9 && await focused() !== 'split'; ++i) {
    await page.keyboard.press('Tab');
  }
  assert.equal(await focused(), 'split');
  const width = () => page.locator('#editor-pane').evaluate((pane) => pane.offsetWidth);
  const before = await width();
  await page.keyboard.press('ArrowLeft');
  assert.ok(await width() < before);
  await page.keyboard.press('Tab');
  assert.equal(await focused(), 'tab-run');
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.locator('#tab-choices').getAttribute('aria-selected'), 'true');
  await page.keyboard.press('ArrowLeft');
  await page.locator('#input-bids').focus();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('[1, 2, 3, 4, 5, 6, 7, 8]');
  await page.keyboard.press('Enter');
  await page.locator('#who-sees', { hasText: '[1, 2, 3, 4, 5, 6, 7, 8]' }).waitFor();
  await finished(page);
  // What computes the same, one click from a run.
  await page.locator('#tab-choices').click();
  await page.locator('#choices button').first().click();
  assert.equal(await page.locator('#tab-run').getAttribute('aria-selected'), 'true');
  say('the keyboard is enough');
}

async function looks(page) {
  for (const theme of ['light', 'dark']) {
    await page.evaluate((name) => { document.documentElement.dataset.theme = name; }, theme);
    await choose(page, 'A dot product');
    await finished(page);
    await page.locator('#details summary').scrollIntoViewIfNeeded();
    if (!await page.locator('#details').evaluate((details) => details.open)) {
      await page.locator('#details summary').click();
    }
    await page.locator('.sem-parameter').first().waitFor();
    await accessible(page, `the result, ${theme}`);
    for (const tab of ['layout', 'circuit', 'choices', 'stages']) {
      const shown = { choices: '#choices table', stages: '#stage-text:not(:empty)' };
      await page.locator(`#tab-${tab}`).click();
      await page.locator(shown[tab] ?? `#${tab}-picture svg`).waitFor();
      await accessible(page, `${tab}, ${theme}`);
    }
    await page.locator('#examples').click();
    await accessible(page, `the examples, ${theme}`);
    await page.keyboard.press('Escape');
    await page.locator('#help').click();
    await accessible(page, `the keys, ${theme}`);
    await page.keyboard.press('Escape');
  }
  say('axe finds nothing, light and dark');
}

/// The pictures of the documentation, and of links to the page.
async function pictures(open) {
  const phone = await open({ viewport: { width: 390, height: 844 } });
  await finished(phone);
  await phone.screenshot({ path: screenshot.replace(/\.png$/, '_phone.png') });
  await phone.context().close();
  const link = await open({ viewport: { width: 1200, height: 630 } });
  await finished(link);
  await link.locator('.sem-parameter').first().waitFor();
  await link.screenshot({ path: new URL('../../editors/playground/page/preview.png', import.meta.url).pathname });
  await link.context().close();
}

await drive('playground page', async ({ open, address, complaints }) => {
  const page = await open();
  await firstSight(page);
  await changes(page);
  await arrays(page);
  await links(page);
  await failures(page);
  await gallery(page);
  await keyboard(page);
  await looks(page);
  await phone(open);
  await banners(page, address);
  if (screenshot) {
    await pictures(open);
  }
  // Browsers complain of every connection that fails, and of the other server.
  complaints.splice(0, complaints.length, ...complaints.filter((one) => !/WebSocket|a request to/.test(one)));
});
