// What a visitor of the site waits for, in Chromium, from a host on this machine: the first paint, the
// first diagnostics after a load without anything kept, the diagnostics of a keystroke, and the first
// encrypted run.
//
// usage: measure.mjs SITE NODE_MODULES [LOADS [KEYSTROKES]]
import path from 'node:path';
import { launch, needArguments, needFile } from '../../tests/editors/prerequisites.mjs';
import { serveFolder } from '../../tests/editors/static_server.mjs';

needArguments('measure.mjs SITE NODE_MODULES [LOADS [KEYSTROKES]]', 2);
const [site, modules, loads = '10', keystrokes = '500'] = process.argv.slice(2);
needFile(path.join(site, 'tacet.wasm.gz'), './dev site builds it');

/// Notes, in the page, when the workers say what.
function observe() {
  window.observed = { diagnostics: [], keys: [], ran: [] };
  const Original = window.Worker;
  window.Worker = class extends Original {
    constructor(...given) {
      super(...given);
      this.addEventListener('message', ({ data }) => {
        if (data.kind === 'message' && data.message.includes('publishDiagnostics')) {
          window.observed.diagnostics.push([performance.now(), JSON.parse(data.message).params.version]);
        } else if (data.kind === 'ran') {
          window.observed.ran.push(performance.now());
        }
      });
    }
  };
  window.addEventListener('keydown', (event) => window.observed.keys.push(event.timeStamp), true);
}

function quantiles(name, unit, values) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))].toFixed(1);
  console.log(`${name}: p50 ${at(0.5)}, p90 ${at(0.9)}, p99 ${at(0.99)}, most ${at(1)} ${unit} (${sorted.length})`);
}

const host = await serveFolder(site);
const browser = await launch(modules);

async function load() {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  await context.addInitScript(observe);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  host.sent.bytes = 0;
  await page.goto(host.address);
  await page.waitForFunction(() => window.observed.diagnostics.length > 0 && window.observed.ran.length > 0);
  return page;
}

const paints = [];
const firsts = [];
const runs = [];
for (let i = 0; i < Number(loads); ++i) {
  const page = await load();
  const { paint, first, ran } = await page.evaluate(() => ({
    paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
    first: window.observed.diagnostics[0][0],
    ran: window.observed.ran[0],
  }));
  paints.push(paint);
  firsts.push(first);
  runs.push(ran);
  if (i === 0) {
    console.log(`sent by a host that compresses nothing: ${(host.sent.bytes / 1e6).toFixed(2)} MB`);
  }
  await page.context().close();
}
quantiles('load to first paint', 'ms', paints);
quantiles('load to first diagnostics', 'ms', firsts);
quantiles('load to the end of an encrypted run', 'ms', runs);

/// One letter at a time in the body of the function, each after the diagnostics of the one before.
async function type(page) {
  await page.locator('.cm-content').focus();
  await page.keyboard.press('Control+Home');
  const line = await page.evaluate(() => [...document.querySelectorAll('.cm-content .cm-line')].findIndex((one) => /\bfn\(/.test(one.textContent)));
  for (let i = 0; i <= line; ++i) {
    await page.keyboard.press('ArrowDown');
  }
  await page.keyboard.press('End');
  const taken = [];
  for (let i = 0; i < Number(keystrokes); ++i) {
    await page.evaluate(() => { window.observed.keys = []; window.observed.diagnostics = []; });
    await page.keyboard.press(i % 8 === 7 ? 'Backspace' : 'abcd xy'[i % 7]);
    await page.waitForFunction(() => window.observed.diagnostics.length > 0);
    taken.push(await page.evaluate(() => window.observed.diagnostics[0][0] - window.observed.keys[0]));
  }
  return taken;
}

const page = await load();
quantiles('keystroke to diagnostics', 'ms', await type(page));
await browser.close();
host.stop();
