// `mean` of mean.he on encrypted numbers, by node-seal (CKKS).
// Written by `tacet emit --to`; it can be changed like any other source.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

// The variant that accepts products with vectors of zeros.
const makeSeal = createRequire(import.meta.url)('node-seal/allows_wasm_node_umd');

// What both sides know: parameters, and vectors of slots.
class Vectors {
  constructor(seal, part) {
    this.seal = seal;
    this.part = part;
    const parameters = seal.EncryptionParameters(seal.SchemeType.ckks);
    parameters.setPolyModulusDegree(part.ringDimension);
    parameters.setCoeffModulus(
      seal.CoeffModulus.Create(part.ringDimension, Int32Array.from(part.primeBits)));
    this.context = seal.Context(parameters, true, seal.SecurityLevel[part.security]);
    if (!this.context.parametersSet()) {
      throw new Error(`node-seal rejects the parameters: ${this.context.toHuman()}`);
    }
    this.encoder = seal.CKKSEncoder(this.context);
    this.evaluator = seal.Evaluator(this.context);
    // By number of primes, from one: the level, and the scale that messages have there.
    this.levels = [];
    this.scales = [];
    this.primes = Array.from(this.context.firstContextData.parms.coeffModulus, Number);
    let data = this.context.firstContextData;
    let scale = 2 ** part.scaleBits.at(-1);
    for (let n = data.chainIndex + 1; n > 0; --n) {
      this.levels[n] = data.parmsId;
      this.scales[n] = scale;
      data = n > 1 ? data.nextContextData : data;
      scale = scale * scale / this.primes[n - 1];
    }
  }

  elements(values, name) {
    return values[name];
  }

  zeros() {
    return new Float64Array(this.part.nRows * this.part.nColumns);
  }

  sum(a, b) {
    return a + b;
  }

  // With so many primes.
  encode(slots, scale, nPrimes) {
    // The library's primes are not those that the scales were planned for.
    if (!(Math.abs(Math.log2(this.scales[nPrimes]) - this.part.scaleBits[nPrimes - 1]) < 0.1)) {
      throw new Error(`scales with ${nPrimes} primes are too far from those of the plan`);
    }
    const plain = this.encoder.encode(slots, scale);
    this.evaluator.plainModSwitchTo(plain, this.levels[nPrimes], plain);
    return plain;
  }

  filled(number) {
    return this.zeros().fill(number);
  }

  // Repeats the first columns of each row in the others.
  repeat(slots, period) {
    for (let i = 0; i < slots.length; ++i) {
      const column = i % this.part.nColumns;
      slots[i] = slots[i - column + column % period];
    }
  }

  numbers(count) {
    return new Array(count).fill(0);
  }
}

// Has the secret key, and encrypts with it: that leaves less noise than the public key.
class Client extends Vectors {
  constructor(seal, part) {
    super(seal, part);
    this.generator = seal.KeyGenerator(this.context);
    const secretKey = this.generator.secretKey();
    this.encryptor = seal.Encryptor(this.context, this.generator.createPublicKey(), secretKey);
    this.decryptor = seal.Decryptor(this.context, secretKey);
  }

  // What the server needs: the keys for exactly these rotations.
  keys() {
    const { part, generator } = this;
    const steps = part.swapsRows ? [0, ...part.rotations] : part.rotations;
    return {
      relinearisation: part.relinearises ? generator.createRelinKeys() : null,
      rotation: steps.length > 0 ? generator.createGaloisKeys(Int32Array.from(steps)) : null,
    };
  }

  encrypt(slots, nPrimes) {
    const plain = this.encode(slots, this.scales[nPrimes], nPrimes);
    const cipher = this.encryptor.encryptSymmetric(plain);
    plain.delete();
    return cipher;
  }

  decrypt(results) {
    return results.map((cipher) => {
      const plain = this.decryptor.decrypt(cipher);
      const slots = this.encoder.decode(plain);
      plain.delete();
      return slots;
    });
  }
}

// Has keys that reveal nothing.
class Server extends Vectors {
  constructor(seal, part, keys) {
    super(seal, part);
    this.keys = keys;
  }

  // Frees what a variable held before.
  replace(old, cipher) {
    old?.delete();
    return cipher;
  }

  add(a, b) {
    return this.evaluator.add(a, b);
  }

  nPrimes(a) {
    return a.coeffModulusSize;
  }

  // The factors of the level's scale that a message has.
  power(a) {
    return Math.round(Math.log2(a.scale) / Math.log2(this.scales[this.nPrimes(a)]));
  }

  // Scales of one level are the same number, or a power of it, but for rounding.
  settled(a) {
    const planned = this.part.scaleBits[this.nPrimes(a) - 1];
    if (!(Math.abs(Math.log2(this.scales[this.nPrimes(a)]) - planned) < 0.1)) {
      throw new Error(`scales with ${this.nPrimes(a)} primes are too far from those of the plan`);
    }
    const scale = this.scales[this.nPrimes(a)] ** this.power(a);
    if (!(Math.abs(a.scale / scale - 1) < 1e-6)) {
      throw new Error(`the scale ${a.scale} is none of ${this.nPrimes(a)} primes`);
    }
    a.setScale(scale);
    return a;
  }

  // To the left.
  rotate(a, steps) {
    const n = this.part.nColumns;
    const left = ((steps % n) + n) % n;
    return left === 0 ? a.clone() : this.evaluator.rotateVector(a, left, this.keys.rotation);
  }

  // An operation with a vector of the server.
  withPlain(operation, a, slots, scale) {
    const plain = this.encode(slots, scale, this.nPrimes(a));
    const result = this.evaluator[operation](a, plain);
    plain.delete();
    return result;
  }

  mulPlain(a, slots) {
    return this.withPlain('multiplyPlain', a, slots, this.scales[this.nPrimes(a)]);
  }

  // Divides by the last primes.
  drop(a, nPrimes) {
    let result = this.evaluator.rescaleToNext(a);
    for (let n = 1; n < nPrimes; ++n) {
      this.evaluator.rescaleToNext(result, result);
    }
    return this.settled(result);
  }

  // Leaves the last primes away, and has the scale of the level that is reached.
  truncate(a, nPrimes) {
    const power = this.power(a);
    const n = this.nPrimes(a) - nPrimes;
    const result = this.evaluator.cipherModSwitchTo(a, this.levels[n + 1]);
    const factor = Math.round(this.scales[n] ** power * this.primes[n] / a.scale);
    const one = this.encode(new Float64Array(this.part.nColumns).fill(1), factor, n + 1);
    this.evaluator.multiplyPlain(result, one, result);
    one.delete();
    this.evaluator.rescaleToNext(result, result);
    return this.settled(result);
  }
}

const quarter = [0.25];

export function encryptInputs(he, values) {
  const x = he.elements(values, 'x');
  const inputs = [];

  // x_2 = x[j] over (j:4) repeat
  const x_2 = he.zeros();
  for (let j = 0; j < 4; ++j) {
    x_2[j] = x[j];
  }
  he.repeat(x_2, 4);
  inputs.push(he.encrypt(x_2, 3));

  return inputs;
}

export function evaluate(he, inputs, values) {
  const x_2 = inputs[0];

  // quarter_2 = quarter over () repeat
  const quarter_2 = he.filled(quarter[0]);

  let v = he.mulPlain(x_2, quarter_2);  // 3 primes, scale^2
  v = he.replace(v, he.drop(v, 1));  // 2 primes
  v = he.replace(v, he.truncate(v, 1));  // 1 prime
  let total = he.rotate(v, 2);  // 1 prime
  v = he.replace(v, he.add(v, total));  // 1 prime
  total = he.replace(total, he.rotate(v, 1));  // 1 prime
  total = he.replace(total, he.add(v, total));  // 1 prime

  return [total];
}

export function decryptOutputs(he, results) {
  const slots = he.decrypt(results);

  const out = he.numbers(1);
  out[0] = he.sum(out[0], slots[0][0]);
  return { out };
}

// In the order of arguments. Ranges are those of elements as they are stored.
const inputs = [
  { name: 'x', type: '[fxp; 4]', extents: [4], fractionBits: 18,
    low: -262144n, high: 262144n, owner: 'client' },
];

const results = [
  { name: 'out', type: 'fxp', extents: [], fractionBits: 18,
    low: -262144n, high: 262144n,
    bits: 64, isSigned: true, isBool: false, isFixed: true },
];

const parts = [
  {
    scheme: 'ckks',
    security: 'tc128',
    ringDimension: 8192,
    nRows: 1,
    nColumns: 4096,
    primeBits: [50, 39, 39, 50],
    scaleBits: [39, 39, 39],
    rotations: [1, 2],
    swapsRows: false,
    relinearises: false,
    encryptInputs: encryptInputs,
    evaluate: evaluate,
    decryptOutputs: decryptOutputs,
  },
];

const storedAs = (number, fractionBits) => Number(number) / 2 ** fractionBits;

// The numbers of a result as they are stored: multiples of the least number of its type.
function numbersOf(result, outputs) {
  const values = outputs.find((each) => each[result.name] !== undefined)[result.name];
  return values.map((number) => BigInt(Math.round(number * 2 ** result.fractionBits)));
}

// The elements of an argument as they are stored, row-major. Numbers are read as text, so that no
// digit of 64 bits is lost.
function elementsOf(input, argument) {
  const text = argument.startsWith('@') ? readFileSync(argument.slice(1), 'utf8') : argument;
  const value = JSON.parse(text.replace(/-?\d[\d.eE+-]*/g, '"$&"'));
  const shape = [];
  for (let at = value; Array.isArray(at); at = at[0]) {
    shape.push(at.length);
  }
  if (shape.join() !== input.extents.join()) {
    throw new Error(`the input ${input.name} has the extents [${input.extents}], not [${shape}]`);
  }
  return [value].flat(Infinity).map((element) => {
    const stored = input.fractionBits > 0
      ? BigInt(Math.round(Number(element) * 2 ** input.fractionBits)) : BigInt(element);
    if (stored < input.low || stored > input.high) {
      throw new Error(`${element} in the input ${input.name} is out of its range`);
    }
    return stored;
  });
}

// A stored number of a result as text, after its range was checked: what is outside is not what
// the program computes.
function textOf(result, stored) {
  if (stored < result.low || stored > result.high) {
    throw new Error(`the result ${result.name} has the number ${stored}, which is out of its range`);
  }
  if (result.isBool) {
    return String(stored !== 0n);
  }
  if (!result.isFixed) {
    return String(result.isSigned ? BigInt.asIntN(result.bits, stored)
                                  : BigInt.asUintN(result.bits, stored));
  }
  const number = Number(stored) / 2 ** result.fractionBits;
  return Number.isInteger(number) ? `${number}.0` : String(number);
}

function nested(texts, extents) {
  if (extents.length === 0) {
    return texts[0];
  }
  const [extent, ...inner] = extents;
  const size = texts.length / extent;
  return `[${Array.from({ length: extent },
                        (_, i) => nested(texts.slice(i * size, (i + 1) * size), inner))}]`;
}

// Client and server in one process.
export async function run(stored) {
  const seal = await makeSeal();
  const ofOwner = (owner) => Object.fromEntries(inputs.filter((input) => input.owner === owner)
    .map((input) => [input.name,
                     stored[input.name].map((number) => storedAs(number, input.fractionBits))]));
  const outputs = parts.map((part) => {
    const client = new Client(seal, part);
    const server = new Server(seal, part, client.keys());
    const encrypted = part.encryptInputs(client, ofOwner('client'));
    return part.decryptOutputs(client, part.evaluate(server, encrypted, ofOwner('server')));
  });
  return results.map((result) => {
    const texts = numbersOf(result, outputs).map((number) => textOf(result, number));
    return `{"name":"${result.name}","type":"${result.type}","value":${nested(texts, result.extents)}}`;
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const given = process.argv.slice(2);
  if (given.length !== inputs.length) {
    console.error(`usage: node mean.mjs ${inputs.map((input) => input.name.toUpperCase()).join(' ')}`);
    console.error('Each is a JSON value, or @FILE with one.');
    process.exit(2);
  }
  try {
    const stored = Object.fromEntries(
      inputs.map((input, i) => [input.name, elementsOf(input, given[i])]));
    console.log(`{"results":[${(await run(stored)).join(',')}]}`);
  } catch (error) {
    console.error(error.message ?? String(error));
    process.exit(1);
  }
}
