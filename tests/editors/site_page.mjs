// The site as a stranger meets it, on a host of static files: an example that has run encrypted in the
// page, what the page says of parties, runs that are stopped while the editor answers, crashes of the
// module, old links, a small phone, and programs of the book.
//
// usage: site_page.mjs SITE NODE_MODULES
import { readFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { assert, choose, drive, finished, require, say, textOf, write } from './playground_browser.mjs';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
/// As pages made links from the beginning.
const OLD_LINK = '#v1=TY1BCsIwEEWvMnw3rdRQpQjOwpNkM9RpzaLTksQqlN5d4srd5_F4f4PJpGAscR6jTC5LrxkNsn4yGIdVYwqzUevOrvXmbbDqqTXld-i1EqakfdRM4dpRKJq71XS6_-PNGxHRhY4k3nZvJS9x1HIwGP9SaPDQtQxG1AENgi2vnMAbBIwO-_4F';

async function accessible(page, where) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  assert.deepEqual(violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target.join(' ')).join(', ')}`), [], where);
}

const fits = (page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);

async function firstSight(page) {
  await page.locator('#example-title', { hasText: 'A dot product' }).waitFor();
  await finished(page);
  assert.equal(await page.locator('input[name=device]:checked').getAttribute('value'), 'he');
  assert.match(await page.locator('#who-sees').innerText(), /120\s+encrypted/);
  assert.equal(await page.locator('#status').innerText(), 'ready');
  await page.locator('#details summary').click();
  await page.locator('.statistics dt', { hasText: 'ring dimension' }).waitFor();
  await page.locator('#timeline svg.tp').waitFor();
  say('an example has run encrypted in the page');
}

async function parties(page) {
  assert.equal(await page.locator('input[value=mpc]').isDisabled(), true);
  assert.equal(await page.locator('#elsewhere').isVisible(), false);
  await choose(page, 'Who is richer?');
  await finished(page);
  assert.equal(await page.locator('input[name=device]:checked').getAttribute('value'), 'ref');
  assert.match(await page.locator('#elsewhere').innerText(), /tacet playground/);
  await page.locator('#result', { hasText: 'true' }).waitFor();
  await accessible(page, 'a program of parties');
  say('parties run elsewhere, and in plaintext here');
}

async function stops(page) {
  await write(page, '#version 0.1.0\n\nfn(mpc) spin(n: i64) -> i64 {\n    var s = n;\n    for i in 0..1000000000 {\n' +
    '        for j in 0..1000000 {\n            s = s + j;\n        }\n    }\n    return s;\n}\n');
  await page.locator('label', { hasText: 'n: i64' }).waitFor();
  for (let i = 0; i < 2; ++i) {
    await page.locator('#run').click();
    await page.locator('#result[aria-busy=true]').waitFor();
    await write(page, (await textOf(page)).replace('return s;', `return unknown_${i};`));
    await page.locator('.cm-lintRange-error', { hasText: `unknown_${i}` }).waitFor();
    await page.locator('#stop').click();
    await page.locator('.outcome.stopped').waitFor();
    await write(page, (await textOf(page)).replace(/return \w+;/, 'return s;'));
    await page.locator('#problems', { hasText: 'no problems' }).waitFor();
  }
  await choose(page, 'A dot product');
  await finished(page);
  assert.equal(await page.locator('.outcome').count(), 0);
  say('a run is stopped, while the editor answers, and the next run works');
}

/// Has the module fail where a condition on the text of a message is true.
async function failing(context, method, condition) {
  await context.route('**/tacet.js', async (route) => {
    const response = await route.fetch();
    const body = `${await response.text()}
      {
        const make = makeTacet;
        makeTacet = (options) => make(options).then((tacet) => {
          const call = tacet['${method}'];
          const failing = (at) => {
            const text = tacet.UTF8ToString(at);
            if (${condition}) {
              options.printErr('a check failed');
              throw new WebAssembly.RuntimeError('unreachable');
            }
            return call(at);
          };
          // The first call would replace it.
          return Object.defineProperty(tacet, '${method}', { get: () => failing, set: () => {} });
        });
      }`;
    await route.fulfill({ response, body });
  });
}

/// Types a line at the end.
async function append(page, line) {
  await page.locator('.cm-content').focus();
  await page.keyboard.press('Control+End');
  await page.keyboard.insertText(line);
}

async function crashes(open) {
  const page = await open();
  await failing(page.context(), '_tacet_module_receive',
    "text.includes('crash_always') || text.includes('crash_once') && text.includes('didChange')");
  await page.reload();
  await finished(page);
  const text = await textOf(page);
  await append(page, '// crash_once');
  await page.locator('#banner', { hasText: 'The language server stopped and was restarted: unreachable' }).waitFor();
  await page.locator('#status[data-state=ready]').waitFor();
  await write(page, text.replace('a[i]', 'nobody[i]'));
  await page.locator('.cm-lintRange-error').first().waitFor();
  await page.locator('#banner button', { hasText: 'Dismiss' }).click();
  await page.locator('#banner').waitFor({ state: 'hidden' });
  await append(page, '// crash_always');
  await page.locator('#banner', { hasText: 'The language server stopped again: unreachable. It starts when you change the program.' }).waitFor();
  assert.equal(await page.locator('#status').innerText(), 'stopped');
  await accessible(page, 'a crash');
  await write(page, text);
  await page.locator('#status[data-state=ready]').waitFor();
  await page.locator('#banner').waitFor({ state: 'hidden' });
  await page.locator('#problems', { hasText: 'no problems' }).waitFor();
  await page.context().close();
  say('a language server that crashes is restarted, but not in a loop');
}

async function runCrashes(open) {
  const page = await open();
  await failing(page.context(), '_tacet_module_run', "text.includes('crash_me')");
  await page.reload();
  await finished(page);
  await append(page, '// crash_me');
  await page.locator('#run').click();
  await page.locator('.outcome.crashed', { hasText: 'unreachable; run it with `tacet run` on your own machine' }).waitFor();
  assert.equal(await page.locator('#status').innerText(), 'ready');
  await choose(page, 'A matrix times a secret vector');
  await finished(page);
  assert.equal(await page.locator('.outcome').count(), 0);
  await page.context().close();
  say('a run that crashes is reported, and the next run works');
}

async function missing(open) {
  const page = await open();
  await page.context().route('**/tacet.wasm.gz', (route) => route.fulfill({ status: 404, body: 'not found' }));
  await page.reload();
  await page.locator('#banner', { hasText: 'The playground could not be loaded: tacet.wasm.gz is not there (HTTP 404)' }).waitFor();
  await page.locator('.cm-content').waitFor();
  await page.context().unroute('**/tacet.wasm.gz');
  await page.locator('#banner button', { hasText: 'Retry' }).click();
  await page.locator('#status[data-state=ready]').waitFor();
  await page.locator('#banner').waitFor({ state: 'hidden' });
  await page.context().close();
  say('a module that is not there is reported, and loaded later');
}

/// Some hosts say what is in a packed file, so that the browser unpacks it.
async function unpacked(open, site) {
  const page = await open();
  await page.context().route('**/tacet.wasm.gz', (route) => route.fulfill({ path: `${site}/tacet.wasm`, contentType: 'text/plain' }));
  await page.reload();
  await page.locator('#status[data-state=ready]').waitFor();
  await page.context().close();
  say('a module that arrives unpacked works');
}

async function links(open, address) {
  const page = await open();
  await page.goto(`${address}${OLD_LINK}`);
  await page.reload();
  await page.locator('.cm-line', { hasText: 'fn(he) twice(a: secret i64 in 0..9)' }).waitFor();
  await page.locator('#input-a').waitFor();
  assert.equal(await page.locator('#input-a').inputValue(), '4');
  assert.equal(await page.locator('input[name=device]:checked').getAttribute('value'), 'ref');
  assert.equal(await page.locator('#result > *').count(), 0);
  const linkOf = (value) => `#v1=${deflateRawSync(JSON.stringify(value)).toString('base64url')}`;
  for (const value of [{ name: '../x.tacet', text: '' }, { name: 'x.tacet' }, null, [], { name: 'x.tacet', text: 'a'.repeat(1 << 21) }]) {
    await page.goto(`${address}${linkOf(value)}`);
    await page.reload();
    await page.locator('#banner', { hasText: 'incomplete or damaged' }).waitFor();
  }
  await page.goto(`${address}${linkOf({ name: 'x.tlhe', text: 'input a: [4] from client', inputs: { a: 7, b: null }, device: {}, target: 3, runs: 'yes' })}`);
  await page.reload();
  await page.locator('.cm-line', { hasText: 'input a: [4] from client' }).waitFor();
  await page.locator('#status[data-state=ready]').waitFor();
  assert.equal(await page.locator('#result > *').count(), 0);
  await page.context().close();
  say('links of earlier pages work, and damaged ones do no harm');
}

/// What is smaller than a finger, of all that can be pressed outside of the text.
const small = (page) => page.locator('button, select, input:not([type=radio]), summary, [role=tab], .devices label, a').evaluateAll((all) => all
  .filter((one) => one.offsetParent && !one.closest('.cm-editor, .stale-note, .outcome'))
  .filter((one) => one.getBoundingClientRect().height < 43.5)
  .map((one) => one.outerHTML.slice(0, 80)));

async function phone(open) {
  for (const colorScheme of ['light', 'dark']) {
    const page = await open({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, colorScheme });
    await finished(page);
    assert.ok(await fits(page), 'nothing is cut off');
    assert.deepEqual(await small(page), []);
    const dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor === 'rgb(13, 17, 23)');
    assert.equal(dark, colorScheme === 'dark');
    await accessible(page, `the result on a phone, ${colorScheme}`);
    for (const tab of ['layout', 'circuit', 'choices', 'stages', 'run']) {
      await page.locator(`#tab-${tab}`).tap();
      await page.locator(`#panel-${tab}`).waitFor();
      assert.ok(await fits(page), `${tab} fits`);
    }
    await page.locator('#view-editor').tap();
    await page.locator('.cm-content').tap();
    await page.locator('.sem-parameter').first().waitFor();
    assert.ok(await fits(page), 'the editor fits');
    await accessible(page, `the editor on a phone, ${colorScheme}`);
    await page.locator('#view-result').tap();
    await choose(page, 'Who is richer?');
    await finished(page);
    assert.ok(await fits(page), 'parties fit');
    assert.deepEqual(await small(page), []);
    await page.context().close();
  }
  say('a phone of 360 times 740, light and dark');
}

async function book(open, address) {
  const page = await open();
  await page.locator('footer a', { hasText: 'book' }).click();
  await page.locator('h1').first().waitFor();
  await page.goto(`${address}book/docs/book/tutorial.html`);
  await accessible(page, 'the book');
  const run = page.getByRole('link', { name: 'Run this program in the playground' }).first();
  await run.focus();
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Run');
  await page.keyboard.press('Enter');
  await page.locator('.cm-line', { hasText: 'fn(he) score' }).waitFor();
  await finished(page);
  assert.equal(await page.locator('.outcome').count(), 0);
  await page.locator('#who-sees').waitFor();
  await page.goto(`${address}book/docs/diagnostics/T2019.html`);
  await page.getByRole('link', { name: 'Edit this program in the playground' }).first().click();
  await page.locator('.cm-lintRange-error').first().waitFor();
  assert.equal(await page.locator('#result > *').count(), 0);
  await page.goto(`${address}book/examples/mpc/salaries.tacet.html`);
  await page.getByRole('link', { name: 'Run this program in the playground' }).first().click();
  await page.locator('#example-title', { hasText: 'Salaries of three companies' }).waitFor();
  await finished(page);
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`${address}book/docs/book/tutorial.html`);
  assert.ok(await fits(page), 'the book fits a phone');
  await page.context().close();
  say('programs of the book open in the playground');
}

await drive('site', async ({ open, address, complaints }) => {
  const page = await open();
  await firstSight(page);
  await parties(page);
  await stops(page);
  await page.context().close();
  await phone(open);
  await book(open, address);
  await links(open, address);
  await crashes(open);
  await runCrashes(open);
  await unpacked(open, process.argv[2]);
  await missing(open);
  // Browsers complain of files that are not there.
  complaints.splice(0, complaints.length, ...complaints.filter((one) => !/404/.test(one)));
});
