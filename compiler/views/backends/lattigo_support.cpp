#include "compiler/views/backends/lattigo_support.h"

namespace tacet::backends {

namespace {

constexpr std::string_view kGoHead = R"(package main

import (
  "encoding/json"
  "fmt"
  "math"
  "math/big"
  "os"
  "strings"

  "github.com/tuneinsight/lattigo/v6/core/rlwe"
  "github.com/tuneinsight/lattigo/v6/schemes/@SCHEME@"
)

type cipher = rlwe.Ciphertext

// The elements of arrays by their names, row-major.
type valuesByName map[string][]number
type slotVector = []number

// Parameters and functions of a program modulo one prime.
type part struct {
  isBfv                   bool
  logN, nRows, nColumns   int
  dataPrimes, keyPrimes   []uint64
  plainModulus            uint64
  logScale                int
  // Steps to the left.
  rotations               []int
  swapsRows, relinearises bool
  encryptInputs           func(*client, valuesByName) []*cipher
  evaluate                func(*server, []*cipher, valuesByName) []*cipher
  decryptOutputs          func(*client, []*cipher) valuesByName
}

func must[T any](value T, err error) T {
  if err != nil {
    panic(err)
  }
  return value
}

func check(err error) {
  if err != nil {
    panic(err)
  }
}
)";

constexpr std::string_view kGoIntegers = R"(
type number = int64

func parametersOf(p *part) bgv.Parameters {
  return must(bgv.NewParametersFromLiteral(bgv.ParametersLiteral{
    LogN: p.logN, Q: p.dataPrimes, P: p.keyPrimes, PlaintextModulus: p.plainModulus}))
}

// Vectors of slots modulo the plaintext modulus.
type vectors struct {
  part       *part
  parameters bgv.Parameters
  encoder    *bgv.Encoder
}

func newVectors(p *part) vectors {
  parameters := parametersOf(p)
  return vectors{p, parameters, bgv.NewEncoder(parameters)}
}

// The number near zero that is the same modulo the plaintext modulus.
func (he *vectors) residue(x number) number {
  modulus := int64(he.part.plainModulus)
  rest := (x%modulus + modulus) % modulus
  if rest > modulus/2 {
    rest -= modulus
  }
  return rest
}

func (he *vectors) elements(values valuesByName, name string) []number {
  all := append([]number(nil), values[name]...)
  for i := range all {
    all[i] = he.residue(all[i])
  }
  return all
}

func (he *vectors) sum(a, b number) number {
  return he.residue(a + b)
}

func (he *vectors) product(a, b number) number {
  product := new(big.Int).Mul(big.NewInt(a), big.NewInt(b))
  return he.residue(product.Mod(product, new(big.Int).SetUint64(he.part.plainModulus)).Int64())
}

func (he *vectors) encode(slots slotVector, nPrimes int) *rlwe.Plaintext {
  residues := make([]int64, len(slots))
  for i, slot := range slots {
    residues[i] = he.residue(slot)
  }
  plain := bgv.NewPlaintext(he.parameters, nPrimes-1)
  check(he.encoder.Encode(residues, plain))
  return plain
}

func (he *vectors) decode(plain *rlwe.Plaintext) slotVector {
  slots := he.zeros()
  check(he.encoder.Decode(plain, slots))
  return slots
}
)";

constexpr std::string_view kGoReals = R"(
type number = float64

func parametersOf(p *part) ckks.Parameters {
  return must(ckks.NewParametersFromLiteral(ckks.ParametersLiteral{
    LogN: p.logN, Q: p.dataPrimes, P: p.keyPrimes, LogDefaultScale: p.logScale}))
}

// Vectors of slots of reals.
type vectors struct {
  part       *part
  parameters ckks.Parameters
  encoder    *ckks.Encoder
  // Of messages, by number of primes.
  scales []float64
}

func newVectors(p *part) vectors {
  parameters := parametersOf(p)
  scales := make([]float64, len(p.dataPrimes)+1)
  scales[len(p.dataPrimes)] = math.Exp2(float64(p.logScale))
  for n := len(p.dataPrimes); n > 1; n-- {
    scales[n-1] = scales[n] * scales[n] / float64(p.dataPrimes[n-1])
  }
  return vectors{p, parameters, ckks.NewEncoder(parameters), scales}
}

func (he *vectors) elements(values valuesByName, name string) []number {
  return values[name]
}

func (he *vectors) sum(a, b number) number {
  return a + b
}

func (he *vectors) product(a, b number) number {
  return a * b
}

func (he *vectors) encodeAt(slots slotVector, scale rlwe.Scale, nPrimes int) *rlwe.Plaintext {
  plain := ckks.NewPlaintext(he.parameters, nPrimes-1)
  plain.Scale = scale
  check(he.encoder.Encode(slots, plain))
  return plain
}

func (he *vectors) encode(slots slotVector, nPrimes int) *rlwe.Plaintext {
  return he.encodeAt(slots, rlwe.NewScale(he.scales[nPrimes]), nPrimes)
}

func (he *vectors) decode(plain *rlwe.Plaintext) slotVector {
  slots := he.zeros()
  check(he.encoder.Decode(plain, slots))
  return slots
}
)";

constexpr std::string_view kGoSides = R"(
func (he *vectors) zeros() slotVector {
  return make(slotVector, he.part.nRows*he.part.nColumns)
}

func (he *vectors) numbers(count int) []number {
  return make([]number, count)
}

// Has the secret key.
type client struct {
  vectors
  generator *rlwe.KeyGenerator
  secret    *rlwe.SecretKey
}

func newClient(p *part) *client {
  he := &client{vectors: newVectors(p)}
  he.generator = rlwe.NewKeyGenerator(he.parameters)
  he.secret = he.generator.GenSecretKeyNew()
  return he
}

// With a key for each rotation of the program, and for no other.
func (he *client) keys() *rlwe.MemEvaluationKeySet {
  var elements []uint64
  for _, steps := range he.part.rotations {
    elements = append(elements, he.parameters.GaloisElement(steps))
  }
  if he.part.swapsRows {
    elements = append(elements, he.parameters.GaloisElementOrderTwoOrthogonalSubgroup())
  }
  var relinearisation *rlwe.RelinearizationKey
  if he.part.relinearises {
    relinearisation = he.generator.GenRelinearizationKeyNew(he.secret)
  }
  rotation := he.generator.GenGaloisKeysNew(elements, he.secret)
  return rlwe.NewMemEvaluationKeySet(relinearisation, rotation...)
}

func (he *client) encrypt(slots slotVector, nPrimes int) *cipher {
@ENCRYPT_LEVEL@  encryptor := rlwe.NewEncryptor(he.parameters, he.secret)
  return must(encryptor.EncryptNew(he.encode(slots, nPrimes)))
}

func (he *client) decrypt(results []*cipher) []slotVector {
  decryptor := rlwe.NewDecryptor(he.parameters, he.secret)
  var all []slotVector
  for _, result := range results {
    all = append(all, he.decode(decryptor.DecryptNew(result)))
  }
  return all
}

// Has keys that reveal nothing.
type server struct {
  vectors
  evaluator *@SCHEME@.Evaluator
}

func newServer(p *part, keys *rlwe.MemEvaluationKeySet) *server {
  he := &server{vectors: newVectors(p)}
  he.evaluator = @SCHEME@.NewEvaluator(he.parameters, keys@SCALE_INVARIANT@)
  return he
}
)";

constexpr SupportPiece kGoPieces[] = {
    {"filled", R"(
func (he *vectors) filled(x number) slotVector {
  slots := he.zeros()
  for i := range slots {
    slots[i] = x
  }
  return slots
}
)"},
    {"repeat", R"(
// Repeats the first columns of each row in the others.
func (he *vectors) repeat(slots slotVector, period int) {
  for i := range slots {
    column := i % he.part.nColumns
    slots[i] = slots[i-column+column%period]
  }
}
)"},
    {"repeatInRows", R"(
// Repeats the first columns of the first row in the others, and in all rows.
func (he *vectors) repeatInRows(slots slotVector, period int) {
  for i := range slots {
    slots[i] = slots[i%he.part.nColumns%period]
  }
}
)"},
    {"addSlots", R"(
func (he *vectors) addSlots(a, b slotVector) slotVector {
  slots := he.zeros()
  for i := range slots {
    slots[i] = he.sum(a[i], b[i])
  }
  return slots
}
)"},
    {"subSlots", R"(
func (he *vectors) subSlots(a, b slotVector) slotVector {
  slots := he.zeros()
  for i := range slots {
    slots[i] = he.sum(a[i], -b[i])
  }
  return slots
}
)"},
    {"mulSlots", R"(
func (he *vectors) mulSlots(a, b slotVector) slotVector {
  slots := he.zeros()
  for i := range slots {
    slots[i] = he.product(a[i], b[i])
  }
  return slots
}
)"},
    {"negateSlots", R"(
func (he *vectors) negateSlots(a slotVector) slotVector {
  slots := he.zeros()
  for i := range slots {
    slots[i] = -a[i]
  }
  return slots
}
)"},
    {"rotateSlots", R"(
// Each row to the left.
func (he *vectors) rotateSlots(a slotVector, steps int) slotVector {
  slots := he.zeros()
  n := he.part.nColumns
  for i := range slots {
    slots[i] = a[i-i%n+((i+steps)%n+n)%n]
  }
  return slots
}
)"},
    {"swapSlots", R"(
func (he *vectors) swapSlots(a slotVector) slotVector {
  slots := he.zeros()
  for i := range slots {
    slots[i] = a[(i+he.part.nColumns)%len(a)]
  }
  return slots
}
)"},
    {"add", R"(
func (he *server) add(a, b *cipher) *cipher {
  return must(he.evaluator.AddNew(a, b))
}
)"},
    {"sub", R"(
func (he *server) sub(a, b *cipher) *cipher {
  return must(he.evaluator.SubNew(a, b))
}
)"},
    {"mul", R"(
// Of degree two.
func (he *server) mul(a, b *cipher) *cipher {
  return must(he.evaluator.MulNew(a, b))
}
)"},
    {"negate", R"(
func (he *server) negate(a *cipher) *cipher {
  return must(he.evaluator.MulNew(a, -1))
}
)"},
    {"copy", R"(
func (he *server) copy(a *cipher) *cipher {
  return a.CopyNew()
}
)"},
    {"relinearise", R"(
func (he *server) relinearise(a *cipher) *cipher {
  return must(he.evaluator.RelinearizeNew(a))
}
)"},
    {"rotate", R"(
// Each row to the left.
func (he *server) rotate(a *cipher, steps int) *cipher {
  n := he.part.nColumns
  return must(he.evaluator.@ROTATE@(a, (steps%n+n)%n))
}
)"},
    {"swap", R"(
// Swaps the rows.
func (he *server) swap(a *cipher) *cipher {
  return must(he.evaluator.RotateRowsNew(a))
}
)"},
    {"addPlain", R"(
func (he *server) addPlain(a *cipher, slots slotVector) *cipher {
  return must(he.evaluator.AddNew(a, he.like(a, slots)))
}
)"},
    {"subPlain", R"(
func (he *server) subPlain(a *cipher, slots slotVector) *cipher {
  return must(he.evaluator.SubNew(a, he.like(a, slots)))
}
)"},
    {"plainSub", R"(
func (he *server) plainSub(slots slotVector, a *cipher) *cipher {
  return must(he.evaluator.MulNew(he.subPlain(a, slots), -1))
}
)"},
    {"mulPlain", R"(
func (he *server) mulPlain(a *cipher, slots slotVector) *cipher {
  return must(he.evaluator.MulNew(a, he.encode(slots, a.Level()+1)))
}
)"},
};

constexpr SupportPiece kGoIntegerPieces[] = {
    {"like", R"(
// To be added to `a`.
func (he *server) like(a *cipher, slots slotVector) *rlwe.Plaintext {
  return he.encode(slots, a.Level()+1)
}
)"},
    {"drop", R"(
// Switches to a modulus without the last primes, which divides the noise; BFV does not.
func (he *server) drop(a *cipher, nPrimes int) *cipher {
  result := a.CopyNew()
  for n := 0; n < nPrimes && !he.part.isBfv; n++ {
    check(he.evaluator.Rescale(result, result))
  }
  return result
}
)"},
};

constexpr SupportPiece kGoRealPieces[] = {
    {"like", R"(
// To be added to `a`.
func (he *server) like(a *cipher, slots slotVector) *rlwe.Plaintext {
  return he.encodeAt(slots, a.Scale, a.Level()+1)
}
)"},
    {"scaleAt", R"(
// The scale of a level to the power that `a` has it.
func (he *server) scaleAt(a *cipher, nPrimes int) float64 {
  power := math.Round(math.Log2(a.Scale.Float64()) / math.Log2(he.scales[a.Level()+1]))
  return math.Pow(he.scales[nPrimes], power)
}
)"},
    {"drop", R"(
// Divides by the last primes.
func (he *server) drop(a *cipher, nPrimes int) *cipher {
  result := a.CopyNew()
  for n := 0; n < nPrimes; n++ {
    check(he.evaluator.Rescale(result, result))
  }
  result.Scale = rlwe.NewScale(he.scaleAt(result, result.Level()+1))
  return result
}
)"},
    {"truncate", R"(
// Leaves the last primes away, and has the scale of the level that is reached.
func (he *server) truncate(a *cipher, nPrimes int) *cipher {
  n := a.Level() + 1 - nPrimes
  scale := he.scaleAt(a, n)
  result := a.CopyNew()
  he.evaluator.DropLevel(result, nPrimes-1)
  factor := uint64(math.Round(scale * float64(he.part.dataPrimes[n]) / a.Scale.Float64()))
  check(he.evaluator.Mul(result, factor, result))
  result.Scale = a.Scale.Mul(rlwe.NewScale(factor))
  check(he.evaluator.Rescale(result, result))
  result.Scale = rlwe.NewScale(scale)
  return result
}
)"},
};

}  // namespace

auto lattigo_sides(bool is_integer, std::string_view code) -> std::string {
  std::string text(kGoHead);
  text += is_integer ? kGoIntegers : kGoReals;
  text += kGoSides;
  std::vector<SupportPiece> pieces(std::begin(kGoPieces), std::end(kGoPieces));
  if (is_integer) {
    pieces.insert(pieces.end(), std::begin(kGoIntegerPieces), std::end(kGoIntegerPieces));
  } else {
    pieces.insert(pieces.end(), std::begin(kGoRealPieces), std::end(kGoRealPieces));
  }
  text += used_pieces(pieces, code);
  // Programs of integers alone use this import.
  text += is_integer ? "" : "\nvar _ = new(big.Int)\n";
  return with_replacements(text,
                           {{"SCHEME", is_integer ? "bgv" : "ckks"},
                            {"ROTATE", is_integer ? "RotateColumnsNew" : "RotateNew"},
                            {"SCALE_INVARIANT", is_integer ? ", p.isBfv" : ""},
                            {"ENCRYPT_LEVEL", is_integer ? "  if he.part.isBfv {\n    nPrimes = "
                                                           "len(he.part.dataPrimes)\n  }\n"
                                                         : ""}});
}

}  // namespace tacet::backends
