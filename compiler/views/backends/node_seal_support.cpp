#include "compiler/views/backends/node_seal_support.h"

namespace tacet::backends {

constexpr std::string_view kContextOfIntegers = R"(
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
)";

constexpr std::string_view kContextOfReals = R"(
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
)";

auto node_seal_context(bool is_integer) -> std::string_view {
  return is_integer ? kContextOfIntegers : kContextOfReals;
}

static auto joined(std::span<const SupportPiece> pieces, std::span<const SupportPiece> more)
    -> std::vector<SupportPiece> {
  std::vector<SupportPiece> all(pieces.begin(), pieces.end());
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

constexpr SupportPiece kVectors[] = {
    {"filled", R"(
  filled(number) {
    return this.zeros().fill(number);
  }
)"},
    {"repeat", R"(
  // Repeats the first columns of each row in the others.
  repeat(slots, period) {
    for (let i = 0; i < slots.length; ++i) {
      const column = i % this.part.nColumns;
      slots[i] = slots[i - column + column % period];
    }
  }
)"},
    {"repeatInRows", R"(
  // Repeats the first columns of the first row in the others, and in all rows.
  repeatInRows(slots, period) {
    for (let i = 0; i < slots.length; ++i) {
      slots[i] = slots[(i % this.part.nColumns) % period];
    }
  }
)"},
    {"rotateSlots", R"(
  // Each row to the left.
  rotateSlots(a, steps) {
    const n = this.part.nColumns;
    return a.map((_, i) => a[i - i % n + (((i + steps) % n) + n) % n]);
  }
)"},
    {"swapSlots", R"(
  swapSlots(a) {
    return a.map((_, i) => a[(i + this.part.nColumns) % a.length]);
  }
)"},
};

constexpr SupportPiece kVectorsOfIntegers[] = {
    {"numbers", R"(
  numbers(count) {
    return new Array(count).fill(0n);
  }
)"},
    {"addSlots", R"(
  addSlots(a, b) {
    return a.map((slot, i) => this.residue(slot + b[i]));
  }
)"},
    {"subSlots", R"(
  subSlots(a, b) {
    return a.map((slot, i) => this.residue(slot - b[i]));
  }
)"},
    {"mulSlots", R"(
  mulSlots(a, b) {
    return a.map((slot, i) => this.residue(slot * b[i]));
  }
)"},
    {"negateSlots", R"(
  negateSlots(a) {
    return a.map((slot) => this.residue(-slot));
  }
)"},
};

constexpr SupportPiece kVectorsOfReals[] = {
    {"numbers", R"(
  numbers(count) {
    return new Array(count).fill(0);
  }
)"},
    {"addSlots", R"(
  addSlots(a, b) {
    return a.map((slot, i) => slot + b[i]);
  }
)"},
    {"subSlots", R"(
  subSlots(a, b) {
    return a.map((slot, i) => slot - b[i]);
  }
)"},
    {"mulSlots", R"(
  mulSlots(a, b) {
    return a.map((slot, i) => slot * b[i]);
  }
)"},
    {"negateSlots", R"(
  negateSlots(a) {
    return a.map((slot) => -slot);
  }
)"},
};

auto node_seal_vectors(bool is_integer) -> std::vector<SupportPiece> {
  return is_integer ? joined(kVectors, kVectorsOfIntegers) : joined(kVectors, kVectorsOfReals);
}

auto node_seal_client(bool is_integer) -> std::vector<SupportPiece> {
  std::vector<SupportPiece> pieces = {{"keys", R"(
  // What the server needs: the keys for exactly these rotations.
  keys() {
    const { part, generator } = this;
    const steps = part.swapsRows ? [0, ...part.rotations] : part.rotations;
    return {
      relinearisation: part.relinearises ? generator.createRelinKeys() : null,
      rotation: steps.length > 0 ? generator.createGaloisKeys(Int32Array.from(steps)) : null,
    };
  }
)"}};
  pieces.push_back(is_integer ? SupportPiece{"encrypt", R"(
  encrypt(slots, nPrimes) {
    const plain = this.encode(slots);
    const cipher = this.encryptor.encryptSymmetric(plain);
    plain.delete();
    this.evaluator.cipherModSwitchTo(cipher, this.levels[nPrimes], cipher);
    return cipher;
  }
)"}
                              : SupportPiece{"encrypt", R"(
  encrypt(slots, nPrimes) {
    const plain = this.encode(slots, this.scales[nPrimes], nPrimes);
    const cipher = this.encryptor.encryptSymmetric(plain);
    plain.delete();
    return cipher;
  }
)"});
  pieces.push_back(is_integer ? SupportPiece{"decrypt", R"(
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
)"}
                              : SupportPiece{"decrypt", R"(
  decrypt(results) {
    return results.map((cipher) => {
      const plain = this.decryptor.decrypt(cipher);
      const slots = this.encoder.decode(plain);
      plain.delete();
      return slots;
    });
  }
)"});
  return pieces;
}

constexpr SupportPiece kServer[] = {
    {"replace", R"(
  // Frees what a variable held before.
  replace(old, cipher) {
    old?.delete();
    return cipher;
  }
)"},
    {"add", R"(
  add(a, b) {
    return this.evaluator.add(a, b);
  }
)"},
    {"sub", R"(
  sub(a, b) {
    return this.evaluator.sub(a, b);
  }
)"},
    {"mul", R"(
  // Of degree two.
  mul(a, b) {
    return this.evaluator.multiply(a, b);
  }
)"},
    {"negate", R"(
  negate(a) {
    return this.evaluator.negate(a);
  }
)"},
    {"copy", R"(
  copy(a) {
    return a.clone();
  }
)"},
    {"relinearise", R"(
  relinearise(a) {
    return this.evaluator.relinearize(a, this.keys.relinearisation);
  }
)"},
    {"swap", R"(
  // Swaps the rows.
  swap(a) {
    return this.evaluator.rotateColumns(a, this.keys.rotation);
  }
)"},
};

constexpr SupportPiece kServerOfIntegers[] = {
    {"rotate", R"(
  // Each row to the left.
  rotate(a, steps) {
    const n = this.part.nColumns;
    const left = ((steps % n) + n) % n;
    return left === 0 ? a.clone() : this.evaluator.rotateRows(a, left, this.keys.rotation);
  }
)"},
    {"withPlain", R"(
  // An operation with a vector of the server.
  withPlain(operation, a, slots) {
    const plain = this.encode(slots);
    const result = this.evaluator[operation](a, plain);
    plain.delete();
    return result;
  }
)"},
    {"addPlain", R"(
  addPlain(a, slots) {
    return this.withPlain('addPlain', a, slots);
  }
)"},
    {"subPlain", R"(
  subPlain(a, slots) {
    return this.withPlain('subPlain', a, slots);
  }
)"},
    {"plainSub", R"(
  plainSub(slots, a) {
    const difference = this.withPlain('subPlain', a, slots);
    this.evaluator.negate(difference, difference);
    return difference;
  }
)"},
    {"mulPlain", R"(
  mulPlain(a, slots) {
    return this.withPlain('multiplyPlain', a, slots);
  }
)"},
    {"drop", R"(
  // Switches to a modulus without the last primes, which divides the noise.
  drop(a, nPrimes) {
    let result = this.evaluator.cipherModSwitchToNext(a);
    for (let n = 1; n < nPrimes; ++n) {
      this.evaluator.cipherModSwitchToNext(result, result);
    }
    return result;
  }
)"},
};

constexpr SupportPiece kServerOfReals[] = {
    {"nPrimes", R"(
  nPrimes(a) {
    return a.coeffModulusSize;
  }
)"},
    {"power", R"(
  // The factors of the level's scale that a message has.
  power(a) {
    return Math.round(Math.log2(a.scale) / Math.log2(this.scales[this.nPrimes(a)]));
  }
)"},
    {"settled", R"(
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
)"},
    {"rotate", R"(
  // To the left.
  rotate(a, steps) {
    const n = this.part.nColumns;
    const left = ((steps % n) + n) % n;
    return left === 0 ? a.clone() : this.evaluator.rotateVector(a, left, this.keys.rotation);
  }
)"},
    {"withPlain", R"(
  // An operation with a vector of the server.
  withPlain(operation, a, slots, scale) {
    const plain = this.encode(slots, scale, this.nPrimes(a));
    const result = this.evaluator[operation](a, plain);
    plain.delete();
    return result;
  }
)"},
    {"addPlain", R"(
  addPlain(a, slots) {
    return this.withPlain('addPlain', a, slots, a.scale);
  }
)"},
    {"subPlain", R"(
  subPlain(a, slots) {
    return this.withPlain('subPlain', a, slots, a.scale);
  }
)"},
    {"plainSub", R"(
  plainSub(slots, a) {
    const difference = this.subPlain(a, slots);
    this.evaluator.negate(difference, difference);
    return difference;
  }
)"},
    {"mulPlain", R"(
  mulPlain(a, slots) {
    return this.withPlain('multiplyPlain', a, slots, this.scales[this.nPrimes(a)]);
  }
)"},
    {"drop", R"(
  // Divides by the last primes.
  drop(a, nPrimes) {
    let result = this.evaluator.rescaleToNext(a);
    for (let n = 1; n < nPrimes; ++n) {
      this.evaluator.rescaleToNext(result, result);
    }
    return this.settled(result);
  }
)"},
    {"truncate", R"(
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
)"},
};

auto node_seal_server(bool is_integer) -> std::vector<SupportPiece> {
  return is_integer ? joined(kServer, kServerOfIntegers) : joined(kServer, kServerOfReals);
}

}  // namespace tacet::backends
