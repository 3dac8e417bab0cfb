// VS Code itself (code-server) in Chromium, with our packaged extension: a missing server is
// explained and found without a restart; an error is shown, explained and fixed; secrets have their
// colour in every kind of theme; programs run on given inputs, and show who sees what; the
// oblivious form and pictures are beside the source and follow an edit.
//
// usage: vscode_session.mjs TACET VSIX NODE_MODULES NODE PICTURES
// NODE_MODULES has code-server and playwright-core, NODE is the Node that code-server wants.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { endOf, freePort, launch, needArguments, needFile, needProgram } from './prerequisites.mjs';

needArguments('vscode_session.mjs TACET VSIX NODE_MODULES NODE PICTURES', 5);
const [tacet, vsix, modules, node, pictures] = process.argv.slice(2).map((one) => path.resolve(one));
needProgram(tacet, './dev build tacet builds it as build/release/cli/tacet');
needFile(vsix, 'npm run package in editors/vscode makes it');
needProgram(node, './dev editor vscode installs it');
needFile(path.join(modules, 'code-server'), './dev editor vscode installs it');
const PORT = await freePort(process.env.PORT ? Number(process.env.PORT) : 0);
// A loaded machine may take minutes for what an idle one does in a second.
const PATIENCE = 120_000;
const here = path.dirname(new URL(import.meta.url).pathname);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacet-vscode-'));
const project = path.join(folder, 'project');
const began = Date.now();
const say = (text) => console.log(`${((Date.now() - began) / 1000).toFixed(1)} s ${text}`);

fs.mkdirSync(project);
for (const name of ['mistake.tacet', 'secrets.tacet', 'program.tlhe']) {
  fs.copyFileSync(path.join(here, name), path.join(project, name));
}
fs.writeFileSync(path.join(project, 'a.csv'), '1,2,3,4,5,6,7,8\n');
function settings(kind, values) {
  fs.mkdirSync(path.join(folder, 'user', kind), { recursive: true });
  fs.writeFileSync(path.join(folder, 'user', kind, 'settings.json'), JSON.stringify(values));
}
settings('User', {
  'security.workspace.trust.enabled': false,
  'workbench.startupEditor': 'none',
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoCheckUpdates': false,
  'chat.disableAIFeatures': true,
  'editor.minimap.enabled': false,
  'files.autoSave': 'off',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.colorTheme': 'Default Light Modern',
});
const COLOURS = JSON.parse(fs.readFileSync(path.join(here, '../../editors/vscode/package.json'), 'utf8')).contributes.colors;
const SECRET = COLOURS.find(({ id }) => id === 'tacet.secretForeground').defaults;
const THEMES = { 'Dark Modern': SECRET.dark, Monokai: SECRET.dark, 'Solarized Light': SECRET.light,
  'Dark High Contrast': SECRET.highContrast, 'Light High Contrast': SECRET.highContrastLight, 'Light Modern': SECRET.light };
// Where programs are is a setting of the machine that they are on. It is not there yet.
const server = path.join(folder, 'installed later');
settings('Machine', { 'tacet.server.path': server });
// It writes settings of its own to where settings are.
process.env.XDG_CONFIG_HOME = folder;
const entry = path.join(modules, 'code-server', 'out', 'node', 'entry.js');
const places = ['--extensions-dir', path.join(folder, 'extensions'), '--user-data-dir', path.join(folder, 'user')];
execFileSync(node, [entry, ...places, '--install-extension', vsix], { stdio: 'inherit' });

const codeServer = spawn(node, [entry, '--bind-addr', `127.0.0.1:${PORT}`, '--auth', 'none', '--disable-telemetry',
  '--disable-update-check', ...places], { stdio: ['ignore', 'pipe', 'pipe'] });
const serverEnded = endOf(codeServer, 'code-server');
let log = '';
codeServer.stdout.on('data', (data) => { log += data; });
codeServer.stderr.on('data', (data) => { log += data; });

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

const rgb = (colour) => `rgb(${[1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)).join(', ')})`;

/** Waits until a word of the editor has a colour. */
async function isColoured(page, word, colour) {
  await page.waitForFunction(([wanted, text]) => [...document.querySelectorAll('.view-line span span')]
    .some((span) => span.textContent === text && getComputedStyle(span).color === wanted), [rgb(colour), word]);
}

const webview = (page) => page.frameLocator('iframe.webview').frameLocator('#active-frame');

async function takePicture(page, name, width, height) {
  await page.setViewportSize({ width, height });
  await page.mouse.move(width / 2, height - 20);
  await page.waitForTimeout(1000);
  await page.screenshot({ path: path.join(pictures, `${name}.png`) });
}

/** The extension finds a server that is installed while it runs. */
async function findServer(page) {
  const toast = page.locator('.notification-list-item', { hasText: 'not a program that can run' });
  // It may have been hidden before this page looks.
  await toast.first().waitFor({ timeout: 30_000 }).catch(() => command(page, 'Notifications: Show Notifications'));
  await toast.first().waitFor();
  say('a missing server is explained');
  fs.symlinkSync(tacet, server);
  await toast.first().hover();
  await toast.first().locator('.monaco-button', { hasText: 'Try Again' }).click();
}

async function session(page) {
  await page.goto(`http://127.0.0.1:${PORT}/?folder=${project}`);
  await page.waitForSelector('.monaco-workbench');
  say('VS Code is there');
  await page.locator('.explorer-folders-view').waitFor();

  await open(page, 'mistake.tacet');
  await findServer(page);
  await page.waitForSelector('.squiggly-error');
  say('the server is found without a restart; the error is underlined');
  // Only the name is compared: the line has several, and one span has several words.
  await page.locator('.view-line', { hasText: 'add_one(' }).first().click();
  await page.keyboard.press('Home');
  for (let i = 0; i < 8; ++i) {
    await page.keyboard.press('ArrowRight');
  }
  await command(page, 'Show or Focus Hover');
  const hover = page.locator('.monaco-hover:visible').filter({ hasText: 'Adds one' });
  await hover.first().waitFor();
  say('the hover shows the documentation');
  await page.keyboard.press('Escape');
  await page.keyboard.press('F8');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+.');
  await page.locator('.action-widget .monaco-list-row', { hasText: 'insert' }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.waitForSelector('.squiggly-error', { state: 'detached' });
  say('the quick fix works');
  await page.keyboard.press('Control+S');

  await open(page, 'secrets.tacet');
  await page.locator('.codelens-decoration', { hasText: 'rewritten in' }).first().waitFor();
  say('the lens says that the function is rewritten');
  await page.locator('.codelens-decoration', { hasText: 'run on 3 local parties' }).first().waitFor();
  say('and offers to run it by parties');
  for (const [theme, colour] of Object.entries(THEMES)) {
    await page.keyboard.press('Control+K');
    await page.keyboard.press('Control+T');
    await page.locator('.quick-input-widget input[placeholder^="Select Color Theme"]').waitFor();
    await page.locator('.quick-input-widget input').fill(theme);
    await page.locator('.quick-input-list .monaco-list-row.focused', { hasText: theme }).waitFor();
    await page.keyboard.press('Enter');
    await isColoured(page, 'a', colour);
    await page.screenshot({ path: path.join(pictures, `${theme.toLowerCase().replaceAll(' ', '_')}.png`) });
  }
  say('secrets have their colour in light, dark and high contrast');
  await page.locator('.view-line', { hasText: 'return a' }).first().click();
  await page.keyboard.press('End');
  await page.keyboard.type(' +');
  await page.locator('.codelens-decoration', { hasText: 'before the error: aby3' }).first().waitFor();
  await page.waitForFunction(() => [...document.querySelectorAll('.view-line span span')]
    .some((span) => getComputedStyle(span, '::after').content.includes('12 rounds')));
  say('while the text has an error, the last costs are dimmed');
  await page.keyboard.press('Control+Z');
  await page.keyboard.press('Control+S');
  await page.locator('.codelens-decoration', { hasText: 'before the error' }).first().waitFor({ state: 'detached' });
  await page.locator('.codelens-decoration a', { hasText: 'trace' }).first().click();
  const form = webview(page);
  await form.locator('#input-a').fill('3 apples');
  await form.locator('.wrong', { hasText: 'unexpected `apples`' }).waitFor();
  await form.locator('#input-a').fill('3');
  await form.locator('#input-b').fill('4');
  await form.locator('#run').click();
  await form.locator('#who-sees .locked', { hasText: 'share' }).first().waitFor();
  await form.locator('#timeline svg').waitFor();
  await form.locator('#result', { hasText: '4' }).first().waitFor();
  say('a run by parties shows who sees what, and when the parties did what');
  await page.keyboard.press('Control+B');
  await takePicture(page, 'run', 1100, 620);
  await page.keyboard.press('Control+B');
  await page.locator('.tab', { hasText: 'Tacet: Run' }).first().click({ button: 'middle' });
  await page.locator('.tab', { hasText: 'secrets.tacet' }).first().click();
  await page.locator('.view-line', { hasText: 'if' }).first().click();
  await command(page, 'Tacet: Show the Oblivious Form Beside');
  const beside = page.locator('.editor-group-container').nth(1).locator('.view-lines');
  await beside.filter({ hasText: 'larger' }).waitFor();
  const text = await beside.innerText();
  if (/return\s+b;/.test(text)) {
    throw new Error(`not oblivious:\n${text}`);
  }
  say('the oblivious form stands beside');
  await page.keyboard.press('Control+B');
  await takePicture(page, 'oblivious', 960, 320);
  await page.locator('.view-line', { hasText: 'if' }).first().click();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.keyboard.type('return a + 40404;');
  await beside.filter({ hasText: '40404' }).waitFor();
  say('and follows an edit');
  await page.keyboard.press('ArrowLeft');
  for (let i = 0; i < 'a + 40404'.length; ++i) {
    await page.keyboard.press('Shift+ArrowLeft');
  }
  await page.keyboard.press('Control+.');
  const extract = page.locator('.action-widget .monaco-list-row', { hasText: 'extract into a variable' });
  await extract.first().click();
  await page.locator('.view-line', { hasText: 'let value = a + 40404;' }).first().waitFor();
  // The new name is selected in both places.
  await page.keyboard.type('chosen');
  await page.locator('.view-line', { hasText: 'let chosen = a + 40404;' }).first().waitFor();
  await page.locator('.view-line', { hasText: 'return chosen;' }).first().waitFor();
  await page.keyboard.press('Escape');
  say('a value that is extracted is named where it is used');
  await page.keyboard.press('Control+S');

  await open(page, 'program.tlhe');
  await page.locator('.codelens-decoration', { hasText: 'rotations' }).first().waitFor();
  say('the lens says what the program costs');
  await page.locator('.view-line', { hasText: 'input' }).first().click();
  await page.keyboard.press('Home');
  for (let i = 0; i < 6; ++i) {
    await page.keyboard.press('ArrowRight');
  }
  await command(page, 'Show or Focus Hover');
  const picture = page.locator('.monaco-hover:visible img').first();
  await picture.waitFor();
  if (await picture.evaluate((image) => image.decode().then(() => image.naturalWidth)) < 50) {
    throw new Error('the picture in the hover is not shown');
  }
  say('the hover shows a picture of the layout');
  await page.keyboard.press('Escape');
  await page.locator('.view-line', { hasText: 'sum' }).first().click();
  await command(page, 'Tacet: Show Layouts and the Circuit as Pictures');
  const panel = page.frameLocator('iframe.webview').frameLocator('#active-frame');
  await panel.locator('svg').nth(1).waitFor();
  say('layouts and the circuit stand beside as pictures');
  await takePicture(page, 'pictures', 1000, 460);
  await page.locator('.tab', { hasText: 'Tacet: Pictures' }).first().click({ button: 'middle' });
  await page.locator('.tab', { hasText: 'program.tlhe' }).first().click();
  await command(page, 'Tacet: Show a Stage of the Compiler Beside');
  await page.locator('.quick-input-widget input').fill('schedule');
  await page.locator('.quick-input-list .monaco-list-row').first().filter({ hasText: 'laid out' }).click();
  await page.locator('.tab', { hasText: 'program (schedule)' }).first().waitFor();
  await page.locator('.view-lines', { hasText: 'schedule' }).last().waitFor();
  say('and its schedule as text');
  await command(page, "Tacet: Show the Server's Status");
  await page.locator('.view-line', { hasText: 'open documents' }).first().waitFor();
  say('the server says how it is');
  await page.locator('.tab', { hasText: 'program.tlhe' }).first().click();
  await command(page, 'Tacet: Run with Inputs');
  await webview(page).locator('#input-a').fill('@none.csv');
  await webview(page).locator('#run').click();
  await webview(page).locator('.wrong', { hasText: 'no file' }).waitFor();
  await webview(page).locator('#input-a').fill('@a.csv');
  await webview(page).locator('#run').click();
  await webview(page).locator('#who-sees .revealed', { hasText: '204' }).waitFor();
  say('the program ran under encryption on a file');
  await webview(page).locator('label', { hasText: 'in plaintext' }).click();
  await webview(page).locator('.stale-note button').click();
  await webview(page).locator('#who-sees', { hasText: 'this computer' }).waitFor();
  say('and in plaintext');
}

let browser;
let code = 1;
try {
  browser = await launch(modules);
  while (!/listening on/.test(log)) {
    if (Date.now() - began > PATIENCE) {
      throw new Error('code-server does not start');
    }
    await Promise.race([new Promise((resolve) => setTimeout(resolve, 50)), serverEnded]);
  }
  const page = await browser.newPage({ viewport: { width: 960, height: 600 } });
  page.setDefaultTimeout(PATIENCE);
  try {
    await Promise.race([session(page), serverEnded]);
    console.log('PASS VS Code');
    code = 0;
  } catch (error) {
    await page.screenshot({ path: path.join(pictures, 'failed.png') });
    throw error;
  }
} catch (error) {
  console.log(`FAIL ${error.stack}\n${log.slice(-1500)}`);
}
await browser?.close();
codeServer.kill();
fs.rmSync(folder, { recursive: true, force: true });
process.exit(code);
