// Makes a picture of a terminal's screen: terminal_picture.mjs NODE_MODULES PICTURE <SCREEN
// SCREEN is what `tmux capture-pane -e -p` prints; NODE_MODULES has playwright-core.
import fs from 'node:fs';
import path from 'node:path';
import { launch, needArguments } from './prerequisites.mjs';

needArguments('terminal_picture.mjs NODE_MODULES PICTURE <SCREEN', 2);
const [modules, picture] = process.argv.slice(2).map((one) => path.resolve(one));

const BASE = ['#24292e', '#b31d28', '#22863a', '#9a6700', '#0550ae', '#6f42c1', '#1b7c83', '#57606a',
  '#6e7781', '#d73a49', '#1a7f37', '#bf8700', '#0969da', '#8250df', '#3192aa', '#8c959f'];

/** One of the 256 colours of terminals. */
function colour(index) {
  if (index < 16) {
    return BASE[index];
  }
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return `rgb(${grey},${grey},${grey})`;
  }
  const level = (step) => (step === 0 ? 0 : 55 + step * 40);
  const cube = index - 16;
  return `rgb(${[36, 6, 1].map((size) => level(Math.floor(cube / size) % 6)).join(',')})`;
}

/** Reads the colour behind 38 or 48 at the front of `codes`, and takes it away. */
function extended(codes) {
  return codes.shift() === 5 ? colour(codes.shift()) : `rgb(${codes.splice(0, 3).join(',')})`;
}

function apply(style, codes) {
  while (codes.length > 0) {
    const code = codes.shift();
    if (code === 0) Object.keys(style).forEach((key) => delete style[key]);
    else if (code === 1) style.bold = true;
    else if (code === 3) style.italic = true;
    else if (code === 4) style.underline = true;
    else if (code === 7) style.reverse = true;
    else if (code === 22) delete style.bold;
    else if (code === 24) delete style.underline;
    else if (code === 27) delete style.reverse;
    else if (code === 38) style.front = extended(codes);
    else if (code === 48) style.back = extended(codes);
    else if (code === 39) delete style.front;
    else if (code === 49) delete style.back;
    else if (code >= 30 && code < 38) style.front = colour(code - 30);
    else if (code >= 40 && code < 48) style.back = colour(code - 40);
    else if (code >= 90 && code < 98) style.front = colour(code - 82);
    else if (code >= 100 && code < 108) style.back = colour(code - 92);
  }
}

function css(style) {
  let [front, back] = [style.front ?? '#24292e', style.back ?? '#ffffff'];
  if (style.reverse) [front, back] = [back, front];
  return `color:${front};background:${back};` + (style.bold ? 'font-weight:bold;' : '') +
    (style.italic ? 'font-style:italic;' : '') + (style.underline ? 'text-decoration:underline;' : '');
}

const escape = (text) => text.replace(/[&<>]/g, (mark) => `&#${mark.charCodeAt(0)};`);
const style = {};
const html = fs.readFileSync(0, 'utf8').split(/(\x1b\[[\d;:]*m)/).map((part) => {
  const found = /^\x1b\[([\d;:]*)m$/.exec(part);
  if (!found) {
    return part === '' ? '' : `<span style="${css(style)}">${escape(part)}</span>`;
  }
  apply(style, found[1].split(/[;:]/).map(Number));
  return '';
}).join('');

const browser = await launch(modules);
const page = await browser.newPage({ viewport: { width: 1000, height: 600 } });
await page.setContent(`<pre style="font:14px/18px 'DejaVu Sans Mono',monospace;display:inline-block;margin:0;padding:8px">${html}</pre>`);
await page.locator('pre').screenshot({ path: picture });
await browser.close();
