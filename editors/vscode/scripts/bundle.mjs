// Makes build/extension.js and build/run_page.js, one file each with everything in it, and
// build/licences.txt, what is in them and by whom; with --tests, build/test/*.mjs.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  const common = { minify: true, metafile: true };
  const made = [
    await build({ ...onNode, ...common, entryPoints: ['src/extension.ts'], outfile: 'build/extension.js', format: 'cjs', external: ['vscode'] }),
    await build({ ...shared, ...common, entryPoints: ['src/run_page/main.ts'], outfile: 'build/run_page.js', format: 'iife', target: 'chrome120' }),
  ];
  writeFileSync('build/licences.txt', licencesOf(made.flatMap(({ metafile }) => Object.keys(metafile.inputs))));
}

/** The licences of the packages of which the files are part. */
function licencesOf(inputs) {
  const folders = inputs.map((input) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]).filter((one) => one !== undefined);
  const parts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
    const file = readdirSync(folder).sort().find((one) => /^licen[cs]e(\.\w+)?$/i.test(one));
    if (file === undefined) {
      throw new Error(`${folder} has no licence`);
    }
    const lines = readFileSync(`${folder}/${file}`, 'utf8').trimEnd().split('\n').map((line) => line.trimEnd());
    return `\n${'='.repeat(72)}\n${name} ${version} (${license})\n\n${lines.join('\n')}\n`;
  });
  return `The extension is part of Tacet, under the Apache License 2.0, and contains:\n${parts.join('')}`;
}
