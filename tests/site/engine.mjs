// The engine's own tests, compiled for browsers, under Node.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const tests = process.argv[2];
if (!existsSync(tests)) {
  console.log(`skipped: ${tests} is not built; \`./dev site\` does`);
  process.exit(77);
}
// Emscripten takes a path for an address where `fetch` exists.
const ended = spawnSync(process.execPath, ['--no-experimental-fetch', tests], { stdio: 'inherit' });
process.exit(ended.status ?? 1);
