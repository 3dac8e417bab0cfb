import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Following, type Place } from '../src/following.js';

const at = (line: number, uri = 'a'): Place => ({ uri, line, character: 0 });
const soon = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A follower whose questions are answered by hand. */
function followed() {
  const asked: Place[] = [];
  const answers: ((text: string | undefined) => void)[] = [];
  const shown: string[] = [];
  const following = new Following<string>(
    (place) => {
      asked.push(place);
      return new Promise((resolve) => answers.push(resolve));
    },
    (_, answer) => void shown.push(answer),
    1,
  );
  return { asked, answers, shown, following };
}

async function until(holds: () => boolean) {
  for (let i = 0; i < 1000 && !holds(); ++i) {
    await soon(1);
  }
  assert.ok(holds());
}

test('one question at a time, and the last place wins', async () => {
  const { asked, answers, shown, following } = followed();
  for (let line = 0; line < 10; ++line) {
    following.moved(at(line));
  }
  await until(() => asked.length === 1);
  assert.equal(asked[0]!.line, 9);
  following.moved(at(10));
  following.moved(at(11));
  await soon(10);
  assert.equal(asked.length, 1);
  answers[0]!('nine');
  await until(() => asked.length === 2);
  assert.equal(asked[1]!.line, 11);
  answers[1]!('eleven');
  await until(() => shown.length === 2);
  assert.deepEqual(shown, ['nine', 'eleven']);
});

test('an answer about another file is not shown', async () => {
  const { asked, answers, shown, following } = followed();
  following.moved(at(1, 'a'));
  await until(() => asked.length === 1);
  following.moved(at(1, 'b'));
  answers[0]!('of a');
  await until(() => asked.length === 2);
  answers[1]!('of b');
  await until(() => shown.length === 1);
  assert.deepEqual(shown, ['of b']);
});

test('no answer leaves what is shown, and an error ends nothing', async () => {
  const shown: string[] = [];
  let n = 0;
  const following = new Following<string>(
    () => (++n === 1 ? Promise.reject(new Error('gone')) : Promise.resolve(n === 2 ? undefined : 'third')),
    (_, answer) => void shown.push(answer),
    1,
  );
  for (let question = 1; question <= 3; ++question) {
    following.moved(at(question));
    await until(() => n === question);
    await soon(2);
  }
  assert.deepEqual(shown, ['third']);
});

test('nothing is asked once it is closed', async () => {
  const { asked, following } = followed();
  following.moved(at(1));
  following.close();
  following.moved(at(2));
  await soon(10);
  assert.equal(asked.length, 0);
});

test('what is unfinished is asked for again until it is finished, or the place moves', async () => {
  const asked: number[] = [];
  const shown: string[] = [];
  const following = new Following<string>(
    ({ line }) => {
      asked.push(line);
      return Promise.resolve(asked.length < 3 ? 'searching' : `found at ${line}`);
    },
    (_, answer) => void shown.push(answer),
    1,
    (answer) => answer === 'searching',
  );
  following.moved(at(4));
  await until(() => shown.length === 3);
  await soon(20);
  assert.deepEqual(asked, [4, 4, 4]);
  assert.deepEqual(shown, ['searching', 'searching', 'found at 4']);
  following.close();
});
