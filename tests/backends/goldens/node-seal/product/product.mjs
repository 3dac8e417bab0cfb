// `product` of product.he on encrypted numbers, by node-seal (BFV).
// Written by `tacet emit --to`; it can be changed like any other source.
// Results are not hidden: what the client decrypts can show numbers of the server.

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
    const parameters = seal.EncryptionParameters(seal.SchemeType[part.scheme]);
    parameters.setPolyModulusDegree(part.ringDimension);
    parameters.setCoeffModulus(
      seal.CoeffModulus.Create(part.ringDimension, Int32Array.from(part.primeBits)));
    parameters.setPlainModulus(seal.Modulus(part.plainModulus));
    this.context = seal.Context(parameters, true, seal.SecurityLevel[part.security]);
    if (!this.context.parametersSet()) {
      throw new Error(`node-seal rejects the parameters: ${this.context.toHuman()}`);
    }
    this.encoder = seal.BatchEncoder(this.context);
    this.evaluator = seal.Evaluator(this.context);
    // By number of primes, from one.
    this.levels = [];
    let data = this.context.firstContextData;
    for (let n = data.chainIndex; n >= 0; --n) {
      this.levels[n + 1] = data.parmsId;
      data = n > 0 ? data.nextContextData : data;
    }
  }

  // The number near zero that is the same modulo the plaintext modulus.
  residue(number) {
    const modulus = this.part.plainModulus;
    const rest = ((number % modulus) + modulus) % modulus;
    return rest > modulus / 2n ? rest - modulus : rest;
  }

  elements(values, name) {
    return values[name].map((number) => this.residue(number));
  }

  zeros() {
    return new BigInt64Array(this.part.nRows * this.part.nColumns);
  }

  sum(a, b) {
    return this.residue(a + b);
  }

  encode(slots) {
    return this.encoder.encode(BigInt64Array.from(slots, (slot) => this.residue(slot)));
  }

  filled(number) {
    return this.zeros().fill(number);
  }

  // Repeats the first columns of the first row in the others, and in all rows.
  repeatInRows(slots, period) {
    for (let i = 0; i < slots.length; ++i) {
      slots[i] = slots[(i % this.part.nColumns) % period];
    }
  }

  numbers(count) {
    return new Array(count).fill(0n);
  }

  addSlots(a, b) {
    return a.map((slot, i) => this.residue(slot + b[i]));
  }

  negateSlots(a) {
    return a.map((slot) => this.residue(-slot));
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
    const plain = this.encode(slots);
    const cipher = this.encryptor.encryptSymmetric(plain);
    plain.delete();
    this.evaluator.cipherModSwitchTo(cipher, this.levels[nPrimes], cipher);
    return cipher;
  }

  decrypt(results) {
    return results.map((cipher) => {
      if (this.decryptor.invariantNoiseBudget(cipher) <= 0) {
        throw new Error('a result cannot be decrypted: its noise exceeds the modulus');
      }
      const plain = this.decryptor.decrypt(cipher);
      const slots = this.encoder.decodeBigInt(plain, true);
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

  // Of degree two.
  mul(a, b) {
    return this.evaluator.multiply(a, b);
  }

  relinearise(a) {
    return this.evaluator.relinearize(a, this.keys.relinearisation);
  }

  // Swaps the rows.
  swap(a) {
    return this.evaluator.rotateColumns(a, this.keys.rotation);
  }

  // Each row to the left.
  rotate(a, steps) {
    const n = this.part.nColumns;
    const left = ((steps % n) + n) % n;
    return left === 0 ? a.clone() : this.evaluator.rotateRows(a, left, this.keys.rotation);
  }

  // An operation with a vector of the server.
  withPlain(operation, a, slots) {
    const plain = this.encode(slots);
    const result = this.evaluator[operation](a, plain);
    plain.delete();
    return result;
  }

  plainSub(slots, a) {
    const difference = this.withPlain('subPlain', a, slots);
    this.evaluator.negate(difference, difference);
    return difference;
  }

  mulPlain(a, slots) {
    return this.withPlain('multiplyPlain', a, slots);
  }

  // Switches to a modulus without the last primes, which divides the noise.
  drop(a, nPrimes) {
    let result = this.evaluator.cipherModSwitchToNext(a);
    for (let n = 1; n < nPrimes; ++n) {
      this.evaluator.cipherModSwitchToNext(result, result);
    }
    return result;
  }
}

const ones = [1n, 1n];
const steps = [0, 1];

export function encryptInputs(he, values) {
  const vector = he.elements(values, 'vector');
  const inputs = [];

  // x = vector[j] over (j:16) repeat
  const x = he.zeros();
  for (let j = 0; j < 16; ++j) {
    x[j] = vector[j];
  }
  he.repeatInRows(x, 16);
  inputs.push(he.encrypt(x, 3));

  // y primes 2 = vector[j - 1] over (r | j:16) where 2*r in 0..2 else 1 + ones[i] over (i:2)
  let y = he.filled(1n);
  for (let r = 0; r < 2; ++r) {
    for (let j = 0; j < 16; ++j) {
      if (2 * r < 2 && j - 1 >= 0) {
        y[4096 * r + j] = vector[j - 1];
      }
    }
  }
  const term_2 = he.zeros();
  for (let i = 0; i < 2; ++i) {
    term_2[i] = ones[i];
  }
  he.repeatInRows(term_2, 4096);
  y = he.addSlots(y, term_2);
  inputs.push(he.encrypt(y, 2));

  return inputs;
}

export function evaluate(he, inputs, values) {
  const matrix = he.elements(values, 'matrix');
  const x = inputs[0];
  const y = inputs[1];

  // diagonal[i:16] = matrix[j, (i + j) mod 16] over (j:16) repeat
  const diagonal = new Array(16);
  for (let i = 0; i < 16; ++i) {
    const slots = he.zeros();
    for (let j = 0; j < 16; ++j) {
      slots[j] = matrix[((i + j) % 16) + 16 * j];
    }
    he.repeatInRows(slots, 16);
    diagonal[i] = slots;
  }
  let term;
  const pair = new Array(2);

  let w = diagonal[0];
  let sum = he.mulPlain(x, w);  // 3 primes
  for (let i = 1; i < 16; ++i) {
    w = diagonal[i];
    term = he.replace(term, he.rotate(x, i));  // 3 primes
    term = he.replace(term, he.mulPlain(term, w));  // 3 primes
    sum = he.replace(sum, he.add(sum, term));  // 3 primes
  }
  for (let k = 0; k < 2; ++k) {
    pair[k] = he.replace(pair[k], he.rotate(sum, steps[k]));  // 3 primes
    pair[k] = he.replace(pair[k], he.drop(pair[k], 1));  // 2 primes
  }
  const half = he.negateSlots(diagonal[0]);
  w = half;
  term = he.replace(term, he.plainSub(w, y));  // 2 primes
  term = he.replace(term, he.swap(term));  // 2 primes
  term = he.replace(term, he.mul(term, term));  // 2 primes, degree 2
  term = he.replace(term, he.relinearise(term));  // 2 primes
  pair[1] = he.replace(pair[1], he.add(pair[1], term));  // 2 primes

  return [...pair];
}

export function decryptOutputs(he, results) {
  const slots = he.decrypt(results);

  const result = he.numbers(16);
  for (let j = 0; j < 16; ++j) {
    for (let k = 0; k < 2; ++k) {
      result[j] = he.sum(result[j], slots[k][j]);
    }
  }
  return { result };
}

// In the order of arguments. Ranges are those of elements as they are stored.
const inputs = [
  { name: 'matrix', type: '[i64; 16, 16]', extents: [16, 16], fractionBits: 0,
    low: -8n, high: 8n, owner: 'server' },
  { name: 'vector', type: '[i64; 16]', extents: [16], fractionBits: 0,
    low: -8n, high: 8n, owner: 'client' },
];

const results = [
  { name: 'result', type: '[i64; 16]', extents: [16], fractionBits: 0,
    low: -1024n, high: 1024n,
    bits: 64, isSigned: true, isBool: false, isFixed: false },
];

const parts = [
  {
    scheme: 'bfv',
    security: 'tc128',
    ringDimension: 8192,
    nRows: 2,
    nColumns: 4096,
    primeBits: [54, 54, 54, 54],
    plainModulus: 65537n,
    rotations: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    swapsRows: true,
    relinearises: true,
    encryptInputs: encryptInputs,
    evaluate: evaluate,
    decryptOutputs: decryptOutputs,
  },
];

const storedAs = (number) => number;

const numbersOf = (result, [values]) => values[result.name];

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
    console.error(`usage: node product.mjs ${inputs.map((input) => input.name.toUpperCase()).join(' ')}`);
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
