// A playground and a browser that shows it, for tests: `drive(name, steps)` runs the steps on a page
// that is connected, and ends the process with 0 if they pass and the browser complained of nothing.
// Nothing may be loaded from elsewhere. TACET is the program, whose server is started, or the folder of
// the site, which needs none.
//
// usage of a test: TEST.mjs TACET NODE_MODULES [SCREENSHOT]
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { serveFolder } from './static_server.mjs';
import { endOf, launch, needArguments, needProgram } from './prerequisites.mjs';

needArguments(`${path.basename(process.argv[1])} TACET NODE_MODULES [SCREENSHOT]`, 2);
const [tacet, modules, screenshot] = process.argv.slice(2);
export const isSite = statSync(tacet, { throwIfNoEntry: false })?.isDirectory() ?? false;
if (!isSite) {
  needProgram(tacet, './dev build tacet builds it as build/release/cli/tacet');
}
const require = createRequire(path.join(modules, 'x'));
const began = Date.now();

export { assert, require, screenshot };
export const say = (text) => console.log(`${((Date.now() - began) / 1000).toFixed(1)} s ${text}`);

/// A server, the address that it prints, and a promise that is rejected when the server ends.
export async function serve(...options) {
  if (isSite) {
    return { ...await serveFolder(tacet, '/below/a path/'), ended: new Promise(() => {}) };
  }
  const server = spawn(tacet, ['playground', '--port', '0', ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = endOf(server, 'the playground');
  const printing = new Promise((resolve) => {
    let printed = '';
    server.stdout.on('data', (data) => {
      printed += data;
      if (printed.includes('\n')) {
        resolve(printed.trim());
      }
    });
  });
  return { address: await Promise.race([printing, ended]), ended, stop: () => server.kill() };
}

/// Puts a text in the place of the editor's.
export async function write(page, text) {
  await page.locator('.cm-content').focus();
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(text);
}

/// The text of the editor, without hints.
export const textOf = (page) => page.evaluate(() => [...document.querySelectorAll('.cm-content .cm-line')]
  .map((line) => line.cloneNode(true))
  .map((line) => { line.querySelectorAll('.hint').forEach((hint) => hint.remove()); return line.textContent; }).join('\n'));

/// Chooses an example, which runs.
export async function choose(page, title) {
  await page.locator('#examples').click();
  await page.locator(`.example[data-title="${title}"]`).click();
  await page.locator('#example-title', { hasText: title }).waitFor();
}

/// Waits for the end of a run.
export const finished = (page) => page.locator('#result:not([aria-busy=true]) :is(.numbers, .outcome)').first().waitFor({ timeout: 60_000 });

export async function drive(name, steps) {
  let server;
  let browser;
  let code = 1;
  let page;
  const complaints = [];
  try {
    server = await serve('--run-time', '8');
    browser = await launch(modules);
    const open = async (options = {}) => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
      context.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') {
          complaints.push(message.text());
        }
      });
      context.on('weberror', (error) => complaints.push(error.error().stack));
      context.on('request', (request) => {
        if (new URL(request.url()).origin !== new URL(server.address).origin && !request.url().startsWith('data:')) {
          complaints.push(`a request to ${request.url()}`);
        }
      });
      page = await context.newPage();
      page.setDefaultTimeout(20_000);
      await page.goto(server.address);
      await page.locator('#status[data-state=ready]').waitFor();
      return page;
    };
    await Promise.race([steps({ open, address: server.address, complaints }), server.ended]);
    assert.deepEqual(complaints, []);
    console.log(`PASS ${name}`);
    code = 0;
  } catch (error) {
    console.log(`FAIL ${error.stack}\n${complaints.join('\n')}`);
    await page?.screenshot({ path: process.env.FAILED_SCREENSHOT ?? 'build/failed.png' }).catch(() => {});
  }
  await browser?.close();
  server?.stop();
  process.exit(code);
}
