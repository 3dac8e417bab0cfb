// Random computations on encrypted vectors, the same in every run, in the language of
// `calculator.cpp`.

// xorshift32
function randomNumbers(seed) {
  let state = seed;
  return (n) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % n;
  };
}

function vectorOf(section, random) {
  const half = section.t / 2;
  const length = section.t ? section.n : section.n / 2;
  return Array.from({ length }, () =>
    section.t ? random(section.t) - Math.floor(half) : (random(2000001) - 1000000) / 1000000);
}

// The largest number that a CKKS result of the parameters below can be.
const kLargest = 100;

// A computation of a few steps, each of the last value and maybe another one. With a value stand how
// many products lie behind it, no more than the parameters bear, how many primes were dropped, and
// for CKKS the bound of its slots. CKKS operands have as many products behind them, others have
// dropped as many primes; BGV drops one for each product before the next.
function computation(section, random) {
  const lines = ['computation'];
  const values = [];
  const emit = (line, value) => {
    lines.push(line);
    values.push(value);
  };
  const pick = (list) => list[random(list.length)];

  emit(`encrypt ${random(section.nVectors)}`, { depth: 0, bound: 1, dropped: 0 });
  emit(`encrypt ${random(section.nVectors)}`, { depth: 0, bound: 1, dropped: 0 });
  emit(`plain ${random(section.nVectors)}`, { bound: 1 });
  const plain = 2;
  let last = random(2);
  for (let step = 3 + random(4); step > 0; --step) {
    const { depth, bound, dropped } = values[last];
    const partners = values.flatMap((value, i) =>
      (section.t ? value.depth <= depth && value.dropped === dropped
                 : value.depth === depth) ? [i] : []);
    const other = random(3) === 0 ? plain : pick(partners);
    const after = (newBound, products = 0) =>
      ({ depth: depth + products, bound: newBound, dropped });
    const mayMultiply = section.scheme !== 'bgv' || depth <= dropped;
    const choices = [
      [`add ${last} ${other}`, after(bound + values[other].bound)],
      [`subtract ${last} ${other}`, after(bound + values[other].bound)],
      [`rotate ${last} ${pick(section.rotations)}`, after(bound)],
      [`negate ${last}`, after(bound)],
      ...(mayMultiply ? [[`square ${last}`, after(bound * bound, 1)],
                         [`multiply ${last} ${other}`, after(bound * values[other].bound, 1)]] : []),
      ...(section.scheme === 'bgv' && dropped < depth
        ? [[`drop ${last}`, { depth, bound, dropped: dropped + 1 }]] : []),
      ...(section.t ? [[`swap ${last}`, after(bound)]] : []),
    ].filter(([, value]) =>
      value.depth <= section.maxDepth && (section.t || value.bound <= kLargest));
    last = values.length;
    emit(...pick(choices));
  }
  lines.push(`result ${last}`);
  return lines;
}

// A chain of squares as long as the parameters bear.
function squares(section) {
  const lines = ['computation', 'encrypt 0'];
  let last = 0;
  for (let i = 0; i < section.maxDepth; ++i) {
    lines.push(`square ${last++}`);
    if (section.scheme === 'bgv') {
      lines.push(`drop ${last++}`);
    }
  }
  return [...lines, `result ${last}`];
}

export const sections = [
  { scheme: 'bfv', n: 4096, t: 65537, bits: [36, 35], special: [35], maxDepth: 1, count: 160 },
  { scheme: 'bfv', n: 8192, t: 786433, bits: [43, 43, 43, 42], special: [43], maxDepth: 3, count: 40 },
  { scheme: 'bgv', n: 4096, t: 65537, bits: [36, 35], special: [35], maxDepth: 1, count: 80 },
  { scheme: 'bgv', n: 8192, t: 786433, bits: [43, 43, 43, 42], special: [43], maxDepth: 3, count: 60 },
  { scheme: 'ckks', n: 4096, t: 0, bits: [49], special: [49], maxDepth: 0, count: 60 },
  { scheme: 'ckks', n: 8192, t: 0, bits: [49, 40, 40], special: [49], maxDepth: 2, count: 80 },
].map((section) => ({ ...section, rotations: [1, 7, -3, 512], nVectors: 6 }));

// The lines of a section, and its computations for a message about one that differs.
export function linesOf(section, seed) {
  const random = randomNumbers(seed);
  const vectors = Array.from({ length: section.nVectors }, () => vectorOf(section, random));
  const computations = [squares(section)];
  while (computations.length < section.count) {
    computations.push(computation(section, random));
  }
  const { scheme, n, t, bits, special, rotations } = section;
  const lines = [
    `parameters ${scheme} ${n} ${t} ${bits.join(' ')} : ${special.join(' ')}`,
    `rotations ${rotations.join(' ')}`,
    ...vectors.map((vector) => `vector ${vector.join(' ')}`),
    ...computations.flat(),
  ];
  return { lines, computations };
}
