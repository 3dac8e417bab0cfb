// What users read when there is no server.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';

import { Restarts } from '../src/restarts.js';
import { failed, missing, problemText, stopped } from '../src/server_problem.js';

test('a missing program is explained with the places that were searched', () => {
  const problem = missing('tacet', { program: undefined, places: ['/usr/bin', '/home/me/.local/bin'] });
  assert.match(problem.summary, /`tacet` was not found/);
  assert.match(problemText(problem), /Searched:\n {2}\/usr\/bin\n {2}\/home\/me\/\.local\/bin\n/);
  assert.match(problemText(problem), /Restart the Server/);
});

test('a setting that names nothing is named', () => {
  assert.match(missing('~/x', { program: undefined, places: ['/home/me/x'] }).summary, /tacet\.server\.path names `~\/x`/);
});

test('a program that does not start is explained by its real error', async () => {
  const errorOf = (command: string) => new Promise((resolve) => void spawn(command).on('error', resolve));
  assert.match(failed('/dev/null', await errorOf('/dev/null')).summary, /no permission to run it/);
  assert.match(failed('/none', await errorOf('/none')).summary, /does not exist/);
  assert.match(failed('x', new Error('spawn Exec format error')).summary, /another kind of machine/);
  assert.match(failed('x', new Error('odd')).summary, /did not start: odd\.$/);
  assert.equal(problemText(undefined), 'The server is starting.\n');
});

test('a server that keeps ending is not started for ever', () => {
  const restarts = new Restarts();
  assert.deepEqual([0, 1, 2, 3, 4].map((now) => restarts.allow(now)), [true, true, true, true, false]);
  assert.equal(restarts.allow(200_000), true);
  restarts.forget();
  assert.deepEqual([0, 1, 2, 3, 4].map((now) => restarts.allow(now)), [true, true, true, true, false]);
  assert.match(stopped('x').summary, /several times/);
});
