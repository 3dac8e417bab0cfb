// `product` of product.he on encrypted numbers, by Lattigo (BFV).
// Written by `tacet emit --to`; it can be changed like any other source.
// Results are not hidden: what the client decrypts can show numbers of the server.
package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"os"
	"strings"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/schemes/bgv"
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
	if he.part.isBfv {
		nPrimes = len(he.part.dataPrimes)
	}
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
	evaluator *bgv.Evaluator
}

func newServer(p *part, keys *rlwe.MemEvaluationKeySet) *server {
	he := &server{vectors: newVectors(p)}
	he.evaluator = bgv.NewEvaluator(he.parameters, keys, p.isBfv)
	return he
}

func (he *vectors) filled(x number) slotVector {
	slots := he.zeros()
	for i := range slots {
		slots[i] = x
	}
	return slots
}

// Repeats the first columns of the first row in the others, and in all rows.
func (he *vectors) repeatInRows(slots slotVector, period int) {
	for i := range slots {
		slots[i] = slots[i%he.part.nColumns%period]
	}
}

func (he *vectors) addSlots(a, b slotVector) slotVector {
	slots := he.zeros()
	for i := range slots {
		slots[i] = he.sum(a[i], b[i])
	}
	return slots
}

func (he *vectors) negateSlots(a slotVector) slotVector {
	slots := he.zeros()
	for i := range slots {
		slots[i] = -a[i]
	}
	return slots
}

func (he *server) add(a, b *cipher) *cipher {
	return must(he.evaluator.AddNew(a, b))
}

// Of degree two.
func (he *server) mul(a, b *cipher) *cipher {
	return must(he.evaluator.MulNew(a, b))
}

func (he *server) relinearise(a *cipher) *cipher {
	return must(he.evaluator.RelinearizeNew(a))
}

// Each row to the left.
func (he *server) rotate(a *cipher, steps int) *cipher {
	n := he.part.nColumns
	return must(he.evaluator.RotateColumnsNew(a, (steps%n+n)%n))
}

// Swaps the rows.
func (he *server) swap(a *cipher) *cipher {
	return must(he.evaluator.RotateRowsNew(a))
}

func (he *server) subPlain(a *cipher, slots slotVector) *cipher {
	return must(he.evaluator.SubNew(a, he.like(a, slots)))
}

func (he *server) plainSub(slots slotVector, a *cipher) *cipher {
	return must(he.evaluator.MulNew(he.subPlain(a, slots), -1))
}

func (he *server) mulPlain(a *cipher, slots slotVector) *cipher {
	return must(he.evaluator.MulNew(a, he.encode(slots, a.Level()+1)))
}

// To be added to `a`.
func (he *server) like(a *cipher, slots slotVector) *rlwe.Plaintext {
	return he.encode(slots, a.Level()+1)
}

// Switches to a modulus without the last primes, which divides the noise; BFV does not.
func (he *server) drop(a *cipher, nPrimes int) *cipher {
	result := a.CopyNew()
	for n := 0; n < nPrimes && !he.part.isBfv; n++ {
		check(he.evaluator.Rescale(result, result))
	}
	return result
}

var ones = []number{1, 1}
var steps = []int{0, 1}

func encryptInputs(he *client, values valuesByName) []*cipher {
	vector := he.elements(values, "vector")
	var inputs []*cipher

	// x = vector[j] over (j:16) repeat
	x := he.zeros()
	for j := 0; j < 16; j++ {
		x[j] = vector[j]
	}
	he.repeatInRows(x, 16)
	inputs = append(inputs, he.encrypt(x, 3))

	// y primes 2 = vector[j - 1] over (r | j:16) where 2*r in 0..2 else 1 + ones[i] over (i:2)
	y := he.filled(1)
	for r := 0; r < 2; r++ {
		for j := 0; j < 16; j++ {
			if 2 * r < 2 && j - 1 >= 0 {
				y[4096 * r + j] = vector[j - 1]
			}
		}
	}
	term_2 := he.zeros()
	for i := 0; i < 2; i++ {
		term_2[i] = ones[i]
	}
	he.repeatInRows(term_2, 4096)
	y = he.addSlots(y, term_2)
	inputs = append(inputs, he.encrypt(y, 2))

	return inputs
}

func evaluate(he *server, inputs []*cipher, values valuesByName) []*cipher {
	matrix := he.elements(values, "matrix")
	x := inputs[0]
	y := inputs[1]

	// diagonal[i:16] = matrix[j, (i + j) mod 16] over (j:16) repeat
	diagonal := make([]slotVector, 16)
	for i := 0; i < 16; i++ {
		slots := he.zeros()
		for j := 0; j < 16; j++ {
			slots[j] = matrix[((i + j) % 16) + 16 * j]
		}
		he.repeatInRows(slots, 16)
		diagonal[i] = slots
	}
	var term *cipher
	pair := make([]*cipher, 2)

	w := diagonal[0]
	sum := he.mulPlain(x, w)  // 3 primes
	for i := 1; i < 16; i++ {
		w = diagonal[i]
		term = he.rotate(x, i)  // 3 primes
		term = he.mulPlain(term, w)  // 3 primes
		sum = he.add(sum, term)  // 3 primes
	}
	for k := 0; k < 2; k++ {
		pair[k] = he.rotate(sum, steps[k])  // 3 primes
		pair[k] = he.drop(pair[k], 1)  // 2 primes
	}
	half := he.negateSlots(diagonal[0])
	w = half
	term = he.plainSub(w, y)  // 2 primes
	term = he.swap(term)  // 2 primes
	term = he.mul(term, term)  // 2 primes, degree 2
	term = he.relinearise(term)  // 2 primes
	pair[1] = he.add(pair[1], term)  // 2 primes

	var results []*cipher
	results = append(results, pair...)
	return results
}

func decryptOutputs(he *client, results []*cipher) valuesByName {
	slots := he.decrypt(results)

	result := he.numbers(16)
	for j := 0; j < 16; j++ {
		for k := 0; k < 2; k++ {
			result[j] = he.sum(result[j], slots[k][j])
		}
	}
	return valuesByName{"result": result}
}

// In the order of arguments.
var inputFields = []field{
	{name: "matrix", ofType: "[i64; 16, 16]", extents: []int{16, 16}, low: -8, high: 8, bits: 64,
		fractionBits: 0, isSigned: true, isBool: false, isFixed: false, isClient: false},
	{name: "vector", ofType: "[i64; 16]", extents: []int{16}, low: -8, high: 8, bits: 64,
		fractionBits: 0, isSigned: true, isBool: false, isFixed: false, isClient: true},
}

var resultFields = []field{
	{name: "result", ofType: "[i64; 16]", extents: []int{16}, low: -1024, high: 1024, bits: 64,
		fractionBits: 0, isSigned: true, isBool: false, isFixed: false, isClient: true},
}

var parts []part

func init() {
	parts = []part{
	{
		isBfv:          true,
		logN:           13,
		nRows:          2,
		nColumns:       4096,
		dataPrimes:     []uint64{18014398508400641, 18014398508138497, 18014398507892737},
		keyPrimes:      []uint64{18014398507794433},
		plainModulus:   65537,
		logScale:       0,
		rotations:      []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
		swapsRows:      true,
		relinearises:   true,
		encryptInputs:  encryptInputs,
		evaluate:       evaluate,
		decryptOutputs: decryptOutputs,
	},
	}
}

func fromStored(stored int64, f field) number {
	return stored
}

// The numbers of a result near zero, from those of the parts that have it (Chinese remainders).
func numbersOf(f field, outputs []valuesByName) []int64 {
	var all []int64
	for at := 0; ; at++ {
		number, product := new(big.Int), big.NewInt(1)
		for i, values := range outputs {
			residues, has := values[f.name]
			if !has {
				continue
			}
			if at == len(residues) {
				return all
			}
			modulus := new(big.Int).SetUint64(parts[i].plainModulus)
			digit := new(big.Int).Sub(big.NewInt(residues[at]), number)
			digit.Mul(digit, new(big.Int).ModInverse(product, modulus)).Mod(digit, modulus)
			number.Add(number, digit.Mul(digit, product))
			product.Mul(product, modulus)
		}
		if new(big.Int).Lsh(number, 1).Cmp(product) > 0 {
			number.Sub(number, product)
		}
		all = append(all, number.Int64())
	}
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
