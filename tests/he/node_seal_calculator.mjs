// The language of `calculator.cpp`, computed by node-seal.

const kScale = 2 ** 40;

export class NodeSealCalculator {
  constructor(seal) {
    this.seal = seal;
    this.vectors = [];
    this.values = [];
  }

  // One line; a result is returned, as an array of slots.
  run(line) {
    const [word, ...words] = line.split(' ');
    if (word === 'parameters') {
      this.setParameters(words);
    } else if (word === 'rotations') {
      this.makeKeys(words.map(Number));
    } else if (word === 'vector') {
      this.vectors.push(words.map(Number));
    } else if (word === 'computation') {
      this.values.filter((value) => value.delete).forEach((value) => value.delete());
      this.values = [];
    } else if (word === 'result') {
      return this.decrypted(this.values[Number(words[0])]);
    } else {
      this.values.push(this.value(word, words.map(Number)));
    }
    return null;
  }

  setParameters([scheme, n, t, ...bits]) {
    const { seal } = this;
    this.isCkks = scheme === 'ckks';
    const parameters = seal.EncryptionParameters(seal.SchemeType[scheme]);
    parameters.setPolyModulusDegree(Number(n));
    const sizes = Int32Array.from(bits.filter((word) => word !== ':').map(Number));
    parameters.setCoeffModulus(seal.CoeffModulus.Create(Number(n), sizes));
    if (!this.isCkks) {
      parameters.setPlainModulus(seal.Modulus(BigInt(t)));
    }
    this.context = seal.Context(parameters, true, seal.SecurityLevel.tc128);
    if (!this.context.parametersSet()) {
      throw new Error(`node-seal rejects the parameters: ${this.context.toHuman()}`);
    }
  }

  makeKeys(rotations) {
    const { seal, context } = this;
    const generator = seal.KeyGenerator(context);
    this.relinearisationKeys = context.usingKeyswitching ? generator.createRelinKeys() : null;
    // Zero steps stand for the exchange of the rows.
    this.rotationKeys = generator.createGaloisKeys(Int32Array.from([0, ...rotations]));
    this.encryptor = seal.Encryptor(context, generator.createPublicKey());
    this.decryptor = seal.Decryptor(context, generator.secretKey());
    this.evaluator = seal.Evaluator(context);
    this.encoder = this.isCkks ? seal.CKKSEncoder(context) : seal.BatchEncoder(context);
  }

  value(word, [index, argument]) {
    const { evaluator } = this;
    const a = this.values[index];
    switch (word) {
      case 'plain': return { vector: index };
      case 'encrypt': return this.encryptor.encrypt(this.encoded(index, kScale));
      case 'negate': return evaluator.negate(a);
      case 'drop': return evaluator.cipherModSwitchToNext(a);
      case 'square': return this.product(evaluator.square(a));
      case 'rotate':
        return this.isCkks ? evaluator.rotateVector(a, argument, this.rotationKeys)
                           : evaluator.rotateRows(a, argument, this.rotationKeys);
      case 'swap': return evaluator.rotateColumns(a, this.rotationKeys);
      case 'add': case 'subtract': case 'multiply':
        return this.binary(word, a, this.values[argument]);
      default: throw new Error(`no operation named ${word}`);
    }
  }

  binary(word, a, b) {
    const { evaluator } = this;
    if (b.vector === undefined) {
      return word === 'add' ? evaluator.add(a, b)
           : word === 'subtract' ? evaluator.sub(a, b)
           : this.product(evaluator.multiply(a, b));
    }
    let plain = this.encoded(b.vector, a.scale);
    if (this.isCkks) {
      plain = evaluator.plainModSwitchTo(plain, a.parmsId);
    }
    return word === 'add' ? evaluator.addPlain(a, plain)
         : word === 'subtract' ? evaluator.subPlain(a, plain)
         : this.rescaled(evaluator.multiplyPlain(a, plain));
  }

  product(a) {
    return this.rescaled(this.evaluator.relinearize(a, this.relinearisationKeys));
  }

  rescaled(a) {
    return this.isCkks ? this.evaluator.rescaleToNext(a) : a;
  }

  encoded(index, scale) {
    const numbers = this.vectors[index];
    return this.isCkks ? this.encoder.encode(Float64Array.from(numbers), scale)
                       : this.encoder.encode(Int32Array.from(numbers));
  }

  decrypted(a) {
    const plain = this.decryptor.decrypt(a);
    const slots = this.isCkks ? this.encoder.decode(plain) : this.encoder.decode(plain, true);
    plain.delete();
    return slots;
  }
}
