// Makes build/extension.js and build/run_page.js, one file each with everything in it; with --tests,
// build/test/*.mjs.
import { readdirSync, rmSync } from 'node:fs';
import { build } from 'esbuild';

const isTest = process.argv.includes('--tests');
const shared = { bundle: true, logLevel: 'warning' };
const onNode = { ...shared, platform: 'node', target: 'node18' };
if (isTest) {
  rmSync('build/test', { recursive: true, force: true });
  const tests = readdirSync('test').filter((name) => name.endsWith('.test.ts')).map((name) => `test/${name}`);
  const entryPoints = [...tests, 'src/run_page_html.ts'].map((file) => ({ in: file, out: file.replace(/^.*\/|\.ts$/g, '') }));
  await build({ ...onNode, entryPoints, outdir: 'build/test', format: 'esm', packages: 'external', outExtension: { '.js': '.mjs' } });
} else {
  await build({ ...onNode, entryPoints: ['src/extension.ts'], outfile: 'build/extension.js', format: 'cjs', external: ['vscode'], minify: true });
  await build({ ...shared, entryPoints: ['src/run_page/main.ts'], outfile: 'build/run_page.js', format: 'iife', target: 'chrome120', minify: true });
}
