// Makes build/extension.js, one file with everything in it; with --tests, build/test/*.mjs.
import { readdirSync, rmSync } from 'node:fs';
import { build } from 'esbuild';

const isTest = process.argv.includes('--tests');
const shared = { bundle: true, platform: 'node', target: 'node18', logLevel: 'warning' };
if (isTest) {
  rmSync('build/test', { recursive: true, force: true });
  const entryPoints = readdirSync('test').filter((name) => name.endsWith('.test.ts')).map((name) => `test/${name}`);
  await build({ ...shared, entryPoints, outdir: 'build/test', format: 'esm', packages: 'external', outExtension: { '.js': '.mjs' } });
} else {
  await build({ ...shared, entryPoints: ['src/extension.ts'], outfile: 'build/extension.js', format: 'cjs', external: ['vscode'], minify: true, sourcemap: false });
}
