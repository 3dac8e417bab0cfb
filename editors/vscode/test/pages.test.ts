// What panels and documents show of what the server answers.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { pageOf } from '../src/picture_page.js';
import { statusText } from '../src/server_status.js';
import { showingTimelines } from '../src/run_arguments.js';
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

test('what is run is told who shows the picture', () => {
  assert.deepEqual(showingTimelines([{ uri: 'a', fn: 'f' }]), [{ uri: 'a', fn: 'f', shows: true }]);
  assert.deepEqual(showingTimelines([]), []);
});

test('the status stands in columns', () => {
  const text = statusText({
    health: 'ok', quiescent: true, version: '0.1.0', processId: 12, memory: { resident: 2_500_000, peak: 12_340_000 },
    files: 3, openDocuments: 1, requests: { pending: 0, received: 45 }, runs: 0, background: 0,
    queries: [
      { name: 'types_of_item', kept: 10, executed: 1000, unchanged: 990 },
      { name: 'text', kept: 3, executed: 7, unchanged: 0 },
    ],
  });
  assert.equal(text, [
    'version            0.1.0',
    'process            12',
    'doing something    no',
    'memory             2.5 MB, at most 12.3 MB so far',
    'files              3',
    'open documents     1',
    'requests           45, 0 under way',
    'programs running   0',
    'in the background  0',
    '',
    'query          kept  computed  as before',
    'types_of_item    10      1000        990',
    'text              3         7          0',
    '',
  ].join('\n'));
});
