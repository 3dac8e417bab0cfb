// `mean` of mean.he on encrypted numbers, by Lattigo (CKKS).
// Written by `tacet emit --to`; it can be changed like any other source.
package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"os"
	"strings"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"
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
	encryptor := rlwe.NewEncryptor(he.parameters, he.secret)
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
	evaluator *ckks.Evaluator
}

func newServer(p *part, keys *rlwe.MemEvaluationKeySet) *server {
	he := &server{vectors: newVectors(p)}
	he.evaluator = ckks.NewEvaluator(he.parameters, keys)
	return he
}

func (he *vectors) filled(x number) slotVector {
	slots := he.zeros()
	for i := range slots {
		slots[i] = x
	}
	return slots
}

// Repeats the first columns of each row in the others.
func (he *vectors) repeat(slots slotVector, period int) {
	for i := range slots {
		column := i % he.part.nColumns
		slots[i] = slots[i-column+column%period]
	}
}

func (he *server) add(a, b *cipher) *cipher {
	return must(he.evaluator.AddNew(a, b))
}

// Each row to the left.
func (he *server) rotate(a *cipher, steps int) *cipher {
	n := he.part.nColumns
	return must(he.evaluator.RotateNew(a, (steps%n+n)%n))
}

func (he *server) mulPlain(a *cipher, slots slotVector) *cipher {
	return must(he.evaluator.MulNew(a, he.encode(slots, a.Level()+1)))
}

// The scale of a level to the power that `a` has it.
func (he *server) scaleAt(a *cipher, nPrimes int) float64 {
	power := math.Round(math.Log2(a.Scale.Float64()) / math.Log2(he.scales[a.Level()+1]))
	return math.Pow(he.scales[nPrimes], power)
}

// Divides by the last primes.
func (he *server) drop(a *cipher, nPrimes int) *cipher {
	result := a.CopyNew()
	for n := 0; n < nPrimes; n++ {
		check(he.evaluator.Rescale(result, result))
	}
	result.Scale = rlwe.NewScale(he.scaleAt(result, result.Level()+1))
	return result
}

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

var _ = new(big.Int)

var quarter = []number{0.25}

func encryptInputs(he *client, values valuesByName) []*cipher {
	x := he.elements(values, "x")
	var inputs []*cipher

	// x_2 = x[j] over (j:4) repeat
	x_2 := he.zeros()
	for j := 0; j < 4; j++ {
		x_2[j] = x[j]
	}
	he.repeat(x_2, 4)
	inputs = append(inputs, he.encrypt(x_2, 3))

	return inputs
}

func evaluate(he *server, inputs []*cipher, values valuesByName) []*cipher {
	x_2 := inputs[0]

	// quarter_2 = quarter over () repeat
	quarter_2 := he.filled(quarter[0])

	v := he.mulPlain(x_2, quarter_2)  // 3 primes, scale^2
	v = he.drop(v, 1)  // 2 primes
	v = he.truncate(v, 1)  // 1 prime
	total := he.rotate(v, 2)  // 1 prime
	v = he.add(v, total)  // 1 prime
	total = he.rotate(v, 1)  // 1 prime
	total = he.add(v, total)  // 1 prime

	var results []*cipher
	results = append(results, total)
	return results
}

func decryptOutputs(he *client, results []*cipher) valuesByName {
	slots := he.decrypt(results)

	out := he.numbers(1)
	out[0] = he.sum(out[0], slots[0][0])
	return valuesByName{"out": out}
}

// In the order of arguments.
var inputFields = []field{
	{name: "x", ofType: "[fxp; 4]", extents: []int{4}, low: -262144, high: 262144, bits: 64,
		fractionBits: 18, isSigned: true, isBool: false, isFixed: true, isClient: true},
}

var resultFields = []field{
	{name: "out", ofType: "fxp", extents: []int{}, low: -262144, high: 262144, bits: 64,
		fractionBits: 18, isSigned: true, isBool: false, isFixed: true, isClient: true},
}

var parts []part

func init() {
	parts = []part{
	{
		isBfv:          false,
		logN:           13,
		nRows:          1,
		nColumns:       4096,
		dataPrimes:     []uint64{1125899906826241, 549755486209, 549755731969},
		keyPrimes:      []uint64{1125899906629633},
		plainModulus:   0,
		logScale:       39,
		rotations:      []int{1, 2},
		swapsRows:      false,
		relinearises:   false,
		encryptInputs:  encryptInputs,
		evaluate:       evaluate,
		decryptOutputs: decryptOutputs,
	},
	}
}

func fromStored(stored int64, f field) number {
	return math.Ldexp(float64(stored), -f.fractionBits)
}

// The numbers of a result as they are stored: multiples of the least number of its type.
func numbersOf(f field, outputs []valuesByName) []int64 {
	var all []int64
	for _, values := range outputs {
		for _, x := range values[f.name] {
			all = append(all, int64(math.Round(math.Ldexp(x, f.fractionBits))))
		}
	}
	return all
}

// An argument or a result. The range is that of elements as they are stored.
type field struct {
	name, ofType                        string
	extents                             []int
	low, high                           int64
	bits, fractionBits                  int
	isSigned, isBool, isFixed, isClient bool
}

// The elements of an argument as they are stored, row-major.
func elementsOf(f field, value any, dimension int) []int64 {
	var all []int64
	if dimension < len(f.extents) {
		elements, isList := value.([]any)
		if !isList || len(elements) != f.extents[dimension] {
			panic(fmt.Errorf("the input %s is no %s", f.name, f.ofType))
		}
		for _, element := range elements {
			all = append(all, elementsOf(f, element, dimension+1)...)
		}
		return all
	}
	var stored int64
	switch x := value.(type) {
	case bool:
		if x {
			stored = 1
		}
	case json.Number:
		if f.isFixed {
			stored = int64(math.Round(math.Ldexp(must(x.Float64()), f.fractionBits)))
		} else {
			stored = must(x.Int64())
		}
	default:
		panic(fmt.Errorf("%v in the input %s is no element", value, f.name))
	}
	if stored < f.low || stored > f.high {
		panic(fmt.Errorf("%v in the input %s is out of its range", value, f.name))
	}
	return append(all, stored)
}

// A stored number of a result as text, after its range was checked: what is outside is not what
// the program computes.
func textOf(f field, stored int64) string {
	if stored < f.low || stored > f.high {
		panic(fmt.Errorf("the result %s has the number %d, which is out of its range", f.name, stored))
	}
	if f.isBool {
		return fmt.Sprint(stored != 0)
	}
	if f.isFixed {
		return fmt.Sprint(math.Ldexp(float64(stored), -f.fractionBits))
	}
	unused := 64 - f.bits
	if f.isSigned {
		return fmt.Sprint(stored << unused >> unused)
	}
	return fmt.Sprint(uint64(stored) << unused >> unused)
}

func nested(f field, numbers []int64, dimension int) (string, []int64) {
	if dimension == len(f.extents) {
		return textOf(f, numbers[0]), numbers[1:]
	}
	var texts []string
	for i := 0; i < f.extents[dimension]; i++ {
		var text string
		text, numbers = nested(f, numbers, dimension+1)
		texts = append(texts, text)
	}
	return "[" + strings.Join(texts, ",") + "]", numbers
}

// Client and server in one process.
func run(arguments []string) string {
	ofClient, ofServer := valuesByName{}, valuesByName{}
	for i, f := range inputFields {
		text := arguments[i]
		if strings.HasPrefix(text, "@") {
			text = string(must(os.ReadFile(text[1:])))
		}
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		var value any
		check(decoder.Decode(&value))
		for _, stored := range elementsOf(f, value, 0) {
			if f.isClient {
				ofClient[f.name] = append(ofClient[f.name], fromStored(stored, f))
			} else {
				ofServer[f.name] = append(ofServer[f.name], fromStored(stored, f))
			}
		}
	}
	var outputs []valuesByName
	for i := range parts {
		p := &parts[i]
		theClient := newClient(p)
		theServer := newServer(p, theClient.keys())
		results := p.evaluate(theServer, p.encryptInputs(theClient, ofClient), ofServer)
		outputs = append(outputs, p.decryptOutputs(theClient, results))
	}
	var texts []string
	for _, f := range resultFields {
		text, _ := nested(f, numbersOf(f, outputs), 0)
		texts = append(texts, fmt.Sprintf(`{"name":"%s","type":"%s","value":%s}`, f.name, f.ofType, text))
	}
	return `{"results":[` + strings.Join(texts, ",") + `]}`
}

func main() {
	defer func() {
		if problem := recover(); problem != nil {
			fmt.Fprintln(os.Stderr, problem)
			os.Exit(1)
		}
	}()
	if len(os.Args) != len(inputFields)+1 {
		fmt.Fprintln(os.Stderr, "usage: go run .")
		for _, f := range inputFields {
			fmt.Fprintf(os.Stderr, "  '%s: %s'\n", f.name, f.ofType)
		}
		fmt.Fprintln(os.Stderr, "Each is a JSON value, or @FILE with one.")
		os.Exit(2)
	}
	fmt.Println(run(os.Args[1:]))
}
