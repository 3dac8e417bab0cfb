// VS Code itself (code-server) in Chromium, with our packaged extension: an error is shown,
// explained and fixed; the lenses appear; the oblivious form is shown next to its source and
// follows an edit; a program runs under encryption.
//
// usage: vscode_session.mjs TACET VSIX NODE_MODULES NODE SCREENSHOT
// NODE_MODULES has code-server and playwright-core, NODE is the Node that code-server wants.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { endOf, freePort, launch, needArguments, needFile, needProgram } from './prerequisites.mjs';

needArguments('vscode_session.mjs TACET VSIX NODE_MODULES NODE SCREENSHOT', 5);
const [tacet, vsix, modules, node, screenshot] = process.argv.slice(2).map((one) => path.resolve(one));
needProgram(tacet, './dev build tacet builds it as build/release/cli/tacet');
needFile(vsix, 'npm run package in editors/vscode makes it');
needProgram(node, './dev editor vscode installs it');
needFile(path.join(modules, 'code-server'), './dev editor vscode installs it');
const PORT = await freePort(process.env.PORT ? Number(process.env.PORT) : 0);
const here = path.dirname(new URL(import.meta.url).pathname);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacet-vscode-'));
const project = path.join(folder, 'project');
const began = Date.now();
const say = (text) => console.log(`${((Date.now() - began) / 1000).toFixed(1)} s ${text}`);

fs.mkdirSync(project);
for (const name of ['mistake.tacet', 'secrets.tacet', 'program.tlhe']) {
  fs.copyFileSync(path.join(here, name), path.join(project, name));
}
function settings(kind, values) {
  fs.mkdirSync(path.join(folder, 'user', kind), { recursive: true });
  fs.writeFileSync(path.join(folder, 'user', kind, 'settings.json'), JSON.stringify(values));
}
// Where programs are is a setting of the machine that they are on.
settings('Machine', { 'tacet.server.path': tacet });
settings('User', {
  'security.workspace.trust.enabled': false,
  'workbench.startupEditor': 'none',
  'workbench.colorTheme': 'Default Light Modern',
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoCheckUpdates': false,
  'chat.disableAIFeatures': true,
  'editor.minimap.enabled': false,
  'files.autoSave': 'off',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
});
// It writes settings of its own to where settings are.
process.env.XDG_CONFIG_HOME = folder;
const entry = path.join(modules, 'code-server', 'out', 'node', 'entry.js');
const places = ['--extensions-dir', path.join(folder, 'extensions'), '--user-data-dir', path.join(folder, 'user')];
execFileSync(node, [entry, ...places, '--install-extension', vsix], { stdio: 'inherit' });

const server = spawn(node, [entry, '--bind-addr', `127.0.0.1:${PORT}`, '--auth', 'none', '--disable-telemetry',
  '--disable-update-check', ...places], { stdio: ['ignore', 'pipe', 'pipe'] });
const serverEnded = endOf(server, 'code-server');
let log = '';
server.stdout.on('data', (data) => { log += data; });
server.stderr.on('data', (data) => { log += data; });

async function command(page, title) {
  await page.keyboard.press('F1');
  const box = page.locator('.quick-input-widget input');
  await box.waitFor();
  await box.fill(`>${title}`);
  await page.locator('.quick-input-list .monaco-list-row').first().filter({ hasText: title }).click();
}

async function open(page, name) {
  await page.keyboard.press('Control+P');
  await page.locator('.quick-input-widget input').fill(name);
  await page.locator('.quick-input-list .monaco-list-row').first().filter({ hasText: name }).click();
  await page.locator('.tab', { hasText: name }).first().waitFor();
}

async function session(page) {
  await page.goto(`http://127.0.0.1:${PORT}/?folder=${project}`);
  await page.waitForSelector('.monaco-workbench', { timeout: 60_000 });
  say('VS Code is there');
  await page.locator('.explorer-folders-view').waitFor({ timeout: 60_000 });

  await open(page, 'mistake.tacet');
  await page.waitForSelector('.squiggly-error', { timeout: 60_000 });
  say('the mistake is underlined');
  // Only the name is compared: the line has several, and one span has several words.
  await page.locator('.view-line', { hasText: 'add_one(' }).first().click();
  await page.keyboard.press('Home');
  for (let i = 0; i < 8; ++i) {
    await page.keyboard.press('ArrowRight');
  }
  await command(page, 'Show or Focus Hover');
  const hover = page.locator('.monaco-hover:visible').filter({ hasText: 'Adds one' });
  await hover.first().waitFor({ timeout: 20_000 });
  say('the hover shows the documentation');
  await page.keyboard.press('Escape');
  await page.keyboard.press('F8');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+.');
  await page.locator('.action-widget .monaco-list-row', { hasText: 'insert' }).first().waitFor({ timeout: 20_000 });
  await page.keyboard.press('Enter');
  await page.waitForSelector('.squiggly-error', { state: 'detached', timeout: 20_000 });
  say('the quick fix works');
  await page.keyboard.press('Control+S');

  await open(page, 'secrets.tacet');
  await page.locator('.codelens-decoration', { hasText: 'rewritten in' }).first().waitFor({ timeout: 20_000 });
  say('the lens says that the function is rewritten');
  await page.locator('.codelens-decoration', { hasText: 'run on 3 local parties' }).first().waitFor({ timeout: 20_000 });
  say('and offers to run it by parties');
  await page.locator('.codelens-decoration a', { hasText: 'trace' }).first().click();
  await page.locator('.notification-toast .monaco-button', { hasText: 'random' }).first().click({ timeout: 20_000 });
  const timeline = page.frameLocator('iframe.webview').frameLocator('#active-frame');
  await timeline.locator('svg').first().waitFor({ timeout: 60_000 });
  say('a traced run shows what the parties did when');
  await page.setViewportSize({ width: 1000, height: 460 });
  await page.mouse.move(480, 440);
  await page.waitForTimeout(1000);
  await page.screenshot({ path: screenshot.replace(/\.png$/, '_timeline.png') });
  await page.locator('.tab', { hasText: 'Timeline' }).first().click({ button: 'middle' });
  await command(page, 'Notifications: Clear All Notifications');
  await page.locator('.tab', { hasText: 'secrets.tacet' }).first().click();
  await page.locator('.view-line', { hasText: 'if' }).first().click();
  await command(page, 'Tacet: Show the Oblivious Form Beside');
  const beside = page.locator('.editor-group-container').nth(1).locator('.view-lines');
  await beside.filter({ hasText: 'larger' }).waitFor({ timeout: 20_000 });
  const text = await beside.innerText();
  if (/return\s+b;/.test(text)) {
    throw new Error(`not oblivious:\n${text}`);
  }
  say('the oblivious form stands beside');
  await page.keyboard.press('Control+B');
  await page.setViewportSize({ width: 960, height: 320 });
  await page.mouse.move(480, 290);
  await page.waitForTimeout(1000);
  await page.screenshot({ path: screenshot });
  await page.locator('.view-line', { hasText: 'if' }).first().click();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.keyboard.type('return a + 40404;');
  await beside.filter({ hasText: '40404' }).waitFor({ timeout: 20_000 });
  say('and follows an edit');
  await page.keyboard.press('ArrowLeft');
  for (let i = 0; i < 'a + 40404'.length; ++i) {
    await page.keyboard.press('Shift+ArrowLeft');
  }
  await page.keyboard.press('Control+.');
  const extract = page.locator('.action-widget .monaco-list-row', { hasText: 'extract into a variable' });
  await extract.first().click({ timeout: 20_000 });
  await page.locator('.view-line', { hasText: 'let value = a + 40404;' }).first().waitFor({ timeout: 20_000 });
  // The new name is selected in both places.
  await page.keyboard.type('chosen');
  await page.locator('.view-line', { hasText: 'let chosen = a + 40404;' }).first().waitFor({ timeout: 20_000 });
  await page.locator('.view-line', { hasText: 'return chosen;' }).first().waitFor({ timeout: 20_000 });
  await page.keyboard.press('Escape');
  say('a value that is extracted is named where it is used');
  await page.keyboard.press('Control+S');

  await open(page, 'program.tlhe');
  await page.locator('.codelens-decoration', { hasText: 'rotations' }).first().waitFor({ timeout: 30_000 });
  say('the lens says what the program costs');
  await page.locator('.view-line', { hasText: 'input' }).first().click();
  await page.keyboard.press('Home');
  for (let i = 0; i < 6; ++i) {
    await page.keyboard.press('ArrowRight');
  }
  await command(page, 'Show or Focus Hover');
  const picture = page.locator('.monaco-hover:visible img').first();
  await picture.waitFor({ timeout: 20_000 });
  if (await picture.evaluate((image) => image.decode().then(() => image.naturalWidth)) < 50) {
    throw new Error('the picture in the hover is not shown');
  }
  say('the hover shows a picture of the layout');
  await page.keyboard.press('Escape');
  await page.locator('.view-line', { hasText: 'sum' }).first().click();
  await command(page, 'Tacet: Show Layouts and the Circuit as Pictures');
  const panel = page.frameLocator('iframe.webview').frameLocator('#active-frame');
  await panel.locator('svg').nth(1).waitFor({ timeout: 30_000 });
  say('layouts and the circuit stand beside as pictures');
  await page.setViewportSize({ width: 1000, height: 460 });
  await page.mouse.move(480, 440);
  await page.waitForTimeout(1000);
  await page.screenshot({ path: screenshot.replace(/\.png$/, '_pictures.png') });
  await page.locator('.tab', { hasText: 'program.tlhe' }).first().click();
  await command(page, 'Tacet: Show a Stage of the Compiler Beside');
  await page.locator('.quick-input-widget input').fill('schedule');
  await page.locator('.quick-input-list .monaco-list-row').first().filter({ hasText: 'laid out' }).click();
  await page.locator('.tab', { hasText: 'program (schedule)' }).first().waitFor({ timeout: 20_000 });
  await page.locator('.view-lines', { hasText: 'schedule' }).last().waitFor({ timeout: 20_000 });
  say('and its schedule as text');
  await command(page, "Tacet: Show the Server's Status");
  await page.locator('.view-line', { hasText: 'open documents' }).first().waitFor({ timeout: 20_000 });
  say('the server says how it is');
  await page.locator('.tab', { hasText: 'program.tlhe' }).first().click();
  await command(page, 'Tacet: Run Under Encryption');
  await page.locator('.notification-toast .monaco-button', { hasText: 'random' }).first().click({ timeout: 20_000 });
  await page.locator('.notification-toast', { hasText: 'out =' }).first().waitFor({ timeout: 60_000 });
  say('the program ran under encryption');
}

let browser;
let code = 1;
try {
  browser = await launch(modules);
  while (!/listening on/.test(log)) {
    if (Date.now() - began > 60_000) {
      throw new Error('code-server does not start');
    }
    await Promise.race([new Promise((resolve) => setTimeout(resolve, 50)), serverEnded]);
  }
  const page = await browser.newPage({ viewport: { width: 960, height: 600 } });
  try {
    await Promise.race([session(page), serverEnded]);
    console.log('PASS VS Code');
    code = 0;
  } catch (error) {
    await page.screenshot({ path: screenshot.replace(/\.png$/, '_failed.png') });
    throw error;
  }
} catch (error) {
  console.log(`FAIL ${error.stack}\n${log.slice(-1500)}`);
}
await browser?.close();
server.kill();
fs.rmSync(folder, { recursive: true, force: true });
process.exit(code);
