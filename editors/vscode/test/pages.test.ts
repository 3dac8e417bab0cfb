// What panels and documents show of what the server answers.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { inTheme, picturesInTheme, withoutStyle } from '../src/picture_style.js';
import { pageOf } from '../src/picture_page.js';
import { runPage } from '../src/run_page_html.js';
import { statusText } from '../src/server_status.js';
import { exploredPage } from '../src/explored_page.js';
import { asProblem } from '../src/stages.js';

const drawn = { languageId: 'plaintext', text: '<svg><text>a < b</text></svg>', line: 0 };

test('a page shows pictures as they are, and why there is none', () => {
  const page = pageOf([
    { title: 'One', answer: drawn },
    { title: 'Two', answer: asProblem(new Error('`<f>` & others do not fit')) },
  ]);
  assert.match(page, /<h2>One<\/h2>\n<svg><text>a < b<\/text><\/svg>/);
  assert.match(page, /<h2>Two<\/h2>\n<p>`&lt;f&gt;` &amp; others do not fit\.<\/p>/);
  assert.match(page, /default-src 'none'/);
});

test('one reason for all pictures stands once', () => {
  const answer = asProblem(new Error('there is no array program here'));
  const page = pageOf([{ title: 'One', answer }, { title: 'Two', answer }]);
  assert.equal(page.split('There is no array program here.').length, 2);
  assert.doesNotMatch(page, /<h2>/);
  assert.match(pageOf([]), /Put the cursor/);
});

test('what the server says is told apart', () => {
  assert.equal(asProblem(new Error('ask again in a moment')).isUnfinished, true);
  assert.equal(asProblem(new Error('there is no array program here')).isElsewhere, true);
  assert.equal(asProblem(new Error('too large')).isElsewhere, false);
  assert.equal(asProblem('too large.').text, 'Too large.');
});

test('what was explored is a table whose points can be clicked', () => {
  const page = exploredPage({
    name: 'total',
    isMeasured: true,
    picture: '<svg><text>a</text></svg>',
    points: [
      { label: '`f` in plaintext', milliseconds: 0.5, bytes: 0, isChosen: true, isOnFront: true },
      { label: '`g` <x>', milliseconds: 1500, bytes: 2_500_000, text: 'other' },
      { label: '`h`', why: 'refused & "more"' },
    ],
  }, 'tacet.compareExplored');
  assert.match(page, /<td>`f` in plaintext<\/td><td>500 µs<\/td><td>0 B<\/td><td>★ chosen<\/td>/);
  assert.match(page, /<a href="command:tacet\.compareExplored\?%5B1%5D" title="[^"]*">`g` &lt;x&gt;<\/a><\/td><td>1\.50 s<\/td><td>2\.50 MB/);
  assert.match(page, /<td>refused &amp; &quot;more&quot;<\/td>/);
  assert.match(page, /default-src 'none'/);
  assert.doesNotMatch(page, /<script/);
  assert.match(exploredPage('Nothing <here>.', 'c'), /<p>Nothing &lt;here&gt;\.<\/p>/);
  assert.match(exploredPage({ name: 'f', isMeasured: false, points: [] }, 'c'), /Nothing was measured/);
});

const COLOURED = '<svg class="tp"><style>.tp text{fill:#000}@media(prefers-color-scheme:dark){.tp text{fill:#fff}.tp rect{fill:#111}}</style></svg>';

test('pictures have the colours of the editor, not those of the system', () => {
  assert.equal(withoutStyle(COLOURED), '<svg class="tp"></svg>');
  assert.equal(inTheme(COLOURED, false), '<svg class="tp"><style>.tp text{fill:#000}</style></svg>');
  assert.equal(inTheme(COLOURED, true), '<svg class="tp"><style>.tp text{fill:#000}.tp text{fill:#fff}.tp rect{fill:#111}</style></svg>');
  const data = (svg: string) => `![x](data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')})`;
  assert.equal(picturesInTheme(data(COLOURED), true), data(inTheme(COLOURED, true)));
  assert.equal(picturesInTheme('no picture', true), 'no picture');
});

test('the page of runs loads one script, and nothing else', () => {
  const page = runPage('https://x/run_page.js', 'https://x');
  assert.match(page, /default-src 'none'; style-src 'unsafe-inline'; script-src https:\/\/x"/);
  assert.equal(page.split('<script').length, 2);
});

test('the status is a table', () => {
  const text = statusText({
    health: 'ok', quiescent: true, version: '0.1.0', processId: 12, memory: { resident: 2_500_000, peak: 12_340_000 },
    files: 3, openDocuments: 1, requests: { pending: 0, received: 45 }, runs: 0, background: 0,
    queries: [
      { name: 'types_of_item', kept: 10, executed: 1000, unchanged: 990 },
      { name: 'text', kept: 3, executed: 7, unchanged: 0 },
    ],
  }, '/usr/bin/tacet');
  assert.equal(text, [
    'version           0.1.0',
    'program           /usr/bin/tacet',
    'process           12',
    'state             idle',
    'memory            2.5 MB, peak 12.3 MB',
    'files             3',
    'open documents    1',
    'requests          45, of which 0 pending',
    'programs running  0',
    'background tasks  0',
    '',
    'query          kept  computed  unchanged',
    'types_of_item    10      1000        990',
    'text              3         7          0',
    '',
  ].join('\n'));
});
