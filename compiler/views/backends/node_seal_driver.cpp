#include "compiler/views/backends/node_seal_support.h"

namespace tacet::backends {

/// How results of integers are combined, and how those of reals are rounded.
static constexpr std::string_view kNodeSealIntegerNumbers = R"(
const storedAs = (number) => number;

// The number near zero that is the given ones modulo each of the moduli (Garner).
function combined(residues, moduli) {
  let number = 0n;
  let product = 1n;
  residues.forEach((residue, i) => {
    const m = moduli[i];
    const digit = ((((residue - number) % m) + m) * inverse(product % m, m)) % m;
    number += product * digit;
    product *= m;
  });
  return number > product / 2n ? number - product : number;
}

// Modulo a prime.
function inverse(number, modulus) {
  let result = 1n;
  for (let exponent = modulus - 2n; exponent > 0n; exponent >>= 1n) {
    result = exponent & 1n ? (result * number) % modulus : result;
    number = (number * number) % modulus;
  }
  return result;
}

// The numbers of a result, from those of the parts that have it.
function numbersOf(result, outputs) {
  const found = outputs.map((values, i) => ({ numbers: values[result.name], part: parts[i] }))
    .filter(({ numbers }) => numbers !== undefined);
  return found[0].numbers.map((_, at) =>
    combined(found.map(({ numbers }) => numbers[at]), found.map(({ part }) => part.plainModulus)));
}
)";

/// The same of a program that is computed modulo one prime.
static constexpr std::string_view kNodeSealSinglePart = R"(
const storedAs = (number) => number;

const numbersOf = (result, [values]) => values[result.name];
)";

static constexpr std::string_view kNodeSealRealNumbers = R"(
const storedAs = (number, fractionBits) => Number(number) / 2 ** fractionBits;

// The numbers of a result as they are stored: multiples of the least number of its type.
function numbersOf(result, outputs) {
  const values = outputs.find((each) => each[result.name] !== undefined)[result.name];
  return values.map((number) => BigInt(Math.round(number * 2 ** result.fractionBits)));
}
)";

static constexpr std::string_view kNodeSealDriver = R"(
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
    console.error(`usage: node @FILE@ ${inputs.map((input) => input.name.toUpperCase()).join(' ')}`);
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
)";

auto node_seal_driver(bool is_integer, size_t n_parts) -> std::string {
  return std::string(!is_integer    ? kNodeSealRealNumbers
                     : n_parts == 1 ? kNodeSealSinglePart
                                    : kNodeSealIntegerNumbers) +
         std::string(kNodeSealDriver);
}

}  // namespace tacet::backends
