// node-seal's side of `compare.py`: `node_seal.mjs FOLDER SCHEME N`, with node-seal in
// FOLDER/node_modules. Talks like `operations.cpp`, for the library's own default parameters.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [folder, scheme, size] = process.argv.slice(2);
const n = Number(size);
const seal = await createRequire(join(folder, 'package.json'))('node-seal/allows_wasm_node_umd')();

const isCkks = scheme === 'ckks';
const parameters = seal.EncryptionParameters(seal.SchemeType[scheme]);
parameters.setPolyModulusDegree(n);
parameters.setCoeffModulus(seal.CoeffModulus.BFVDefault(n, seal.SecurityLevel.tc128));
if (!isCkks) {
  parameters.setPlainModulus(seal.PlainModulus.Batching(n, 20));
}
const context = seal.Context(parameters, true, seal.SecurityLevel.tc128);
const generator = seal.KeyGenerator(context);
const secretKey = generator.secretKey();
const relinearisationKeys = generator.createRelinKeys();
const steps = Int32Array.from([1]);
const rotationKeys = generator.createGaloisKeys(steps);
const encryptor = seal.Encryptor(context, generator.createPublicKey(), secretKey);
const decryptor = seal.Decryptor(context, secretKey);
const evaluator = seal.Evaluator(context);
const encoder = isCkks ? seal.CKKSEncoder(context) : seal.BatchEncoder(context);

const kScale = 2 ** 30;
const numbers = isCkks ? Float64Array.from({ length: n / 2 }, (_, i) => i % 1000)
                       : Int32Array.from({ length: n }, (_, i) => i % 1000);
const encode = (into) =>
  (isCkks ? encoder.encode(numbers, kScale, into) : encoder.encode(numbers, into));
const plaintext = seal.PlainText();
encode(plaintext);
const a = encryptor.encrypt(plaintext);
const b = encryptor.encrypt(plaintext);
const product = evaluator.multiply(a, b);
const sum = a.clone();
const ciphertext = seal.CipherText();
const otherPlaintext = seal.PlainText();

const operations = new Map([
  ['encode', () => encode(otherPlaintext)],
  ['encrypt, public key', () => encryptor.encrypt(plaintext, ciphertext)],
  ['encrypt, secret key', () => encryptor.encryptSymmetric(plaintext, ciphertext)],
  ['decrypt', () => decryptor.decrypt(a, otherPlaintext)],
  ['ct + ct', () => evaluator.add(sum, b, sum)],
  ['ct + pt', () => evaluator.addPlain(a, plaintext, ciphertext)],
  [isCkks ? 'ct x pt, both transformed' : 'ct x pt',
   () => evaluator.multiplyPlain(a, plaintext, ciphertext)],
  ['ct x ct', () => evaluator.multiply(a, b, ciphertext)],
  ['relinearise', () => evaluator.relinearize(product, relinearisationKeys, ciphertext)],
  ['ct x ct, relinearised', () => {
    evaluator.multiply(a, b, ciphertext);
    evaluator.relinearize(ciphertext, relinearisationKeys, ciphertext);
  }],
  ['rotate', () => (isCkks ? evaluator.rotateVector(a, 1, rotationKeys, ciphertext)
                           : evaluator.rotateRows(a, 1, rotationKeys, ciphertext))],
  isCkks ? ['rescale', () => evaluator.rescaleToNext(a, ciphertext)]
         : ['modulus switch', () => evaluator.cipherModSwitchToNext(a, ciphertext)],
  ['one rotation key', () => generator.createGaloisKeys(steps).delete()],
]);

// Runs `body` for 60 ms, at least three times; median and least time.
function measure(body) {
  body();
  const times = [];
  const start = performance.now();
  while (times.length < 3 || performance.now() - start < 60) {
    const before = performance.now();
    body();
    times.push(1000 * (performance.now() - before));
  }
  times.sort((x, y) => x - y);
  return `${times[Math.floor(times.length / 2)].toFixed(2)} ${times[0].toFixed(2)}`;
}

console.log(`${[...operations.keys()].join('\n')}\n`);
for await (const wanted of createInterface({ input: process.stdin })) {
  console.log(measure(operations.get(wanted)));
}
