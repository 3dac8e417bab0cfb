import assert from 'node:assert/strict';
import * as path from 'node:path';
import { test } from 'node:test';

import { expand, findProgram, type Surroundings } from '../src/server_program.js';

function around(programs: string[], more: Partial<Surroundings> = {}): Surroundings {
  return {
    searchPath: ['/usr/bin', '/opt/tacet/bin'].join(path.delimiter),
    home: '/home/me',
    workspaceFolder: '/project',
    isProgram: (file) => programs.includes(file),
    isWindows: false,
    ...more,
  };
}

test('a name is looked for in PATH, the first folder first', () => {
  assert.equal(findProgram('tacet', around(['/opt/tacet/bin/tacet'])), '/opt/tacet/bin/tacet');
  assert.equal(findProgram('', around(['/usr/bin/tacet', '/opt/tacet/bin/tacet'])), '/usr/bin/tacet');
  assert.equal(findProgram('tacet', around(['/project/tacet', 'tacet'])), undefined);
});

test('a path is taken as it is', () => {
  assert.equal(findProgram('/a/tacet', around(['/a/tacet', '/usr/bin/tacet'])), '/a/tacet');
  assert.equal(findProgram('/a/tacet', around(['/usr/bin/tacet'])), undefined);
});

test('home and workspace are filled in', () => {
  assert.equal(expand('~/bin/tacet', around([])), '/home/me/bin/tacet');
  assert.equal(expand('~user/tacet', around([])), '/project/~user/tacet');
  assert.equal(expand('${workspaceFolder}/build/tacet', around([])), '/project/build/tacet');
  assert.equal(expand('build/tacet', around([])), '/project/build/tacet');
  assert.equal(expand('build/tacet', around([], { workspaceFolder: undefined })), 'build/tacet');
});

test('Windows adds .exe', () => {
  const windows = { isWindows: true, searchPath: '/p' };
  assert.equal(findProgram('tacet', around(['/p/tacet.exe'], windows)), '/p/tacet.exe');
});
