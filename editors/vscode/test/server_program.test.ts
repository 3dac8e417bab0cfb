import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { test } from 'node:test';

import { allowToRun, expand, findProgram, isProgram, packedServer, type Surroundings } from '../src/server_program.js';

function around(programs: string[], more: Partial<Surroundings> = {}): Surroundings {
  return {
    searchPath: ['/usr/sbin', '/opt/mine/bin'].join(path.delimiter),
    home: '/home/me',
    workspaceFolder: '/project',
    isTrusted: true,
    extensionFolder: '/extension',
    isProgram: (file) => programs.includes(file),
    isWindows: false,
    ...more,
  };
}

const found = (setting: string, surroundings: Surroundings) => findProgram(setting, surroundings).program;

test('a name is looked for in PATH, in its order', () => {
  assert.equal(found('tacet', around(['/opt/mine/bin/tacet'])), '/opt/mine/bin/tacet');
  assert.equal(found('', around(['/usr/sbin/tacet', '/opt/mine/bin/tacet'])), '/usr/sbin/tacet');
  assert.equal(found('tacet', around(['/project/tacet', 'tacet'])), undefined);
});

test('the packed server comes first, the usual folders last', () => {
  assert.equal(found('tacet', around(['/extension/server/tacet', '/usr/sbin/tacet'])), '/extension/server/tacet');
  assert.equal(found('tacet', around(['/home/me/.local/bin/tacet', '/usr/sbin/tacet'])), '/usr/sbin/tacet');
  assert.equal(found('tacet', around(['/home/me/.local/bin/tacet'])), '/home/me/.local/bin/tacet');
});

test('another name or a path is taken as it is', () => {
  assert.equal(found('tacet-old', around(['/extension/server/tacet', '/opt/mine/bin/tacet-old'])), '/opt/mine/bin/tacet-old');
  assert.equal(found('/a/tacet', around(['/a/tacet', '/usr/sbin/tacet', '/extension/server/tacet'])), '/a/tacet');
  assert.equal(found('/a/tacet', around(['/usr/sbin/tacet'])), undefined);
});

test('a build in the workspace is used only where the workspace is trusted', () => {
  const built = ['/project/build/release/cli/tacet'];
  assert.equal(found('tacet', around(built)), built[0]);
  assert.equal(found('tacet', around(built, { isTrusted: false })), undefined);
});

test('the places that were searched are listed once each', () => {
  const { places } = findProgram('tacet', around([], { searchPath: '/usr/bin' + path.delimiter + '/usr/bin' }));
  assert.equal(places[0], '/extension/server/tacet');
  assert.equal(places.filter((one) => one === '/usr/bin').length, 1);
  assert.deepEqual(findProgram('/a/tacet', around([])).places, ['/a/tacet']);
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
  assert.equal(found('tacet', around(['/p/tacet.exe'], windows)), '/p/tacet.exe');
});

test('a packed server that lost its permissions gets them back', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacet-extension-'));
  const server = packedServer(folder, false);
  allowToRun(server);
  fs.mkdirSync(path.dirname(server));
  fs.writeFileSync(server, '#!/bin/sh\n', { mode: 0o644 });
  allowToRun(server);
  assert.ok(isProgram(server));
  fs.rmSync(folder, { recursive: true });
});
