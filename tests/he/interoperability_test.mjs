// Computes the same on encrypted vectors by Tacet's engine and by node-seal, and compares what
// comes out: equal integers for BFV and BGV, reals that differ by no more than kErrors times the engine's
// estimate of its error for CKKS. `interoperability_test.mjs CALCULATOR FOLDER`, where node-seal is in
// FOLDER/node_modules.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { linesOf, sections } from './computations.mjs';
import { NodeSealCalculator } from './node_seal_calculator.mjs';

// The estimate is ten standard deviations of the engine's error, and is itself tested elsewhere.
// node-seal's is larger in single slots: digits of its key switching are not centred, and what they
// have in common adds up where a slot's root of unity is near one.
const kErrors = 16;

const [calculator, folder] = process.argv.slice(2);
if (!existsSync(join(folder, 'node_modules', 'node-seal'))) {
  console.log('skipped: node-seal is not installed; ./dev test installs it');
  process.exit(77);
}
const makeSeal = createRequire(join(folder, 'package.json'))('node-seal/allows_wasm_node_umd');
const seal = await makeSeal();

// The largest distance between two results, in units of what is allowed: 1 is too much.
function distance([first, ...ours], theirs) {
  if (ours.length !== theirs.length || ours.length === 0) {
    return Infinity;
  }
  const allowed = first === 'result' ? 1 : kErrors * Number(first);
  return ours.reduce((most, slot, i) => {
    const apart = Math.abs(Number(slot) - theirs[i]) / allowed;
    return apart >= most || Number.isNaN(apart) ? apart : most;
  }, 0);
}

function resultsOfTacet(lines) {
  const run = spawnSync(calculator, { input: `${lines.join('\n')}\n`, maxBuffer: 2 ** 30 });
  if (run.status !== 0) {
    throw new Error(`${calculator} ended with ${run.status ?? run.signal}: ${run.stderr}`);
  }
  return run.stdout.toString().trimEnd().split('\n').map((line) => line.split(' '));
}

let failures = 0;
let seed = 20251121;
for (const section of sections) {
  const { lines, computations } = linesOf(section, seed++);
  const ours = resultsOfTacet(lines);
  const other = new NodeSealCalculator(seal);
  const theirs = lines.map((line) => other.run(line)).filter((result) => result !== null);
  let most = 0;
  computations.forEach((computation, i) => {
    const apart = distance(ours[i] ?? [], theirs[i]);
    if (!(apart < 1)) {
      failures += 1;
      console.log(`${section.scheme} N = ${section.n}: results differ: ${computation.join('; ')}`);
      // The slots with the largest difference first.
      const slots = ours[i]?.slice(1).map((slot, k) => [Number(slot), theirs[i][k], k]) ?? [];
      slots.sort((x, y) => Math.abs(y[0] - y[1]) - Math.abs(x[0] - x[1]));
      slots.slice(0, 3).forEach(([tacet, peer, k]) =>
        console.log(`  slot ${k}: tacet ${tacet}, node-seal ${peer}`));
    }
    most = Math.max(most, apart);
  });
  const nDifferent = new Set(ours.map((slots) => slots.slice(1, 9).join(' '))).size;
  if (nDifferent < computations.length / 2) {
    failures += 1;
    console.log(`${section.scheme} N = ${section.n}: only ${nDifferent} different results`);
  }
  console.log(`${section.scheme} N = ${section.n}: ${computations.length} computations, ` +
              `at most ${most.toPrecision(2)} of what may differ`);
}
process.exit(failures === 0 ? 0 : 1);
