// Values of inputs: checked while they are typed, and drawn at random.

import type { Input } from './runnable';

interface Shape { element: string; dimensions: number[] }

/// An array with more elements is drawn by the run, not written into its field.
const MOST_DRAWN = 256;
/// Where nothing bounds a number.
const USUAL_END = 100;

const INTEGERS: Record<string, [bits: number, isSigned: boolean]> = {
  i8: [8, true], i16: [16, true], i32: [32, true], i64: [64, true],
  u8: [8, false], u16: [16, false], u32: [32, false], u64: [64, false],
};

/// `secret [i64; 4, 3]` or `[[i64; 3]; 4]`; nothing for a type whose size is not known here.
export function shapeOf(type: string): Shape | null {
  const plain = type.replace(/\b(secret|public)\b/g, '').trim();
  const array = /^\[(?:(.*);)?\s*(\d+(?:\s*,\s*\d+)*)\s*\]$/.exec(plain);
  if (array) {
    const inner = shapeOf(array[1] ?? 'i64');
    return inner && { element: inner.element, dimensions: [...array[2]!.split(',').map(Number), ...inner.dimensions] };
  }
  return plain in INTEGERS || /^(bool|fxp|f32|f64)$/.test(plain) ? { element: plain, dimensions: [] } : null;
}

type Nested = string | Nested[];

/// A value as its words, so that no digit of a large number is lost; an error is a message.
function read(text: string): Nested {
  const words = text.match(/[[\],]|[^[\],\s]+/g) ?? [];
  let at = 0;
  const value = (): Nested => {
    const word = words[at++];
    if (word !== '[') {
      if (word === undefined || word === ',' || word === ']') {
        throw new Error('expected a value');
      }
      return word;
    }
    const list: Nested[] = [];
    while (words[at] !== ']') {
      list.push(value());
      if (words[at] === ',') {
        ++at;
      } else if (words[at] !== ']') {
        throw new Error(words[at] === undefined ? 'missing `]`' : `expected \`,\` before \`${words[at] as string}\``);
      }
    }
    ++at;
    return list;
  };
  const read = value();
  if (at < words.length) {
    throw new Error(`unexpected \`${words[at]!}\``);
  }
  return read;
}

function checkInteger(word: string, element: string, bound: Input['bound']): void {
  if (!/^-?\d+$/.test(word)) {
    throw new Error(`\`${word}\` is not a whole number`);
  }
  const [bits, isSigned] = INTEGERS[element]!;
  const number = BigInt(word);
  const end = 1n << BigInt(isSigned ? bits - 1 : bits);
  if (number < (isSigned ? -end : 0n) || number >= end) {
    throw new Error(`\`${word}\` is out of range for ${element}`);
  }
  if (bound && (number < BigInt(Math.ceil(bound[0])) || number > BigInt(Math.ceil(bound[1])) - 1n)) {
    throw new Error(`\`${word}\` is outside ${bound[0]}..${bound[1]}`);
  }
}

function checkElement(word: string, element: string, bound: Input['bound']): void {
  if (element in INTEGERS) {
    checkInteger(word, element, bound);
  } else if (element === 'bool') {
    if (word !== 'true' && word !== 'false') {
      throw new Error(`expected true or false, found \`${word}\``);
    }
  } else if (!/^-?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(word)) {
    throw new Error(`\`${word}\` is not a number`);
  } else if (bound && (Number(word) < bound[0] || Number(word) > bound[1])) {
    throw new Error(`\`${word}\` is outside ${bound[0]}..${bound[1]}`);
  }
}

function check(value: Nested, shape: Shape, depth: number, bound: Input['bound']): void {
  const n = shape.dimensions[depth];
  if (n === undefined) {
    if (typeof value !== 'string') {
      throw new Error(depth === 0 ? 'expected one value, found a list' : 'too many brackets');
    }
    checkElement(value, shape.element, bound);
    return;
  }
  if (typeof value === 'string') {
    throw new Error(`expected a list of ${n}, found \`${value}\``);
  }
  if (value.length !== n) {
    throw new Error(`expected ${n} ${depth + 1 < shape.dimensions.length ? 'rows' : 'values'}, found ${value.length}`);
  }
  value.forEach((one) => check(one, shape, depth + 1, bound));
}

/// What is wrong with a value for `input`; empty for a good one and for what only the run can check.
export function problemOf(input: Input, text: string): string {
  const shape = shapeOf(input.type);
  if (!shape || text.trim() === '' || text.trim() === '@random') {
    return '';
  }
  try {
    check(read(text), shape, 0, input.bound);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

function drawElement(element: string, bound: Input['bound']): number | boolean {
  if (element === 'bool') {
    return Math.random() < 0.5;
  }
  const [begin, end] = bound ?? [0, USUAL_END];
  const drawn = begin + Math.random() * (end - begin);
  return element in INTEGERS ? Math.floor(drawn) : Math.floor(drawn * 100) / 100;
}

/// A random value; nothing if its type is not known here, or it is large.
export function draw(input: Input): string | null {
  const shape = shapeOf(input.type);
  if (!shape || shape.dimensions.reduce((a, b) => a * b, 1) > MOST_DRAWN ||
      (input.bound && !input.bound.every((end) => Math.abs(end) <= Number.MAX_SAFE_INTEGER))) {
    return null;
  }
  const nested = (depth: number): unknown => depth === shape.dimensions.length
    ? drawElement(shape.element, input.bound)
    : Array.from({ length: shape.dimensions[depth]! }, () => nested(depth + 1));
  return JSON.stringify(nested(0)).replaceAll(',', ', ');
}
