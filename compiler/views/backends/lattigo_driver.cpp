#include "compiler/views/backends/lattigo_support.h"

namespace tacet::backends {

namespace {

constexpr std::string_view kGoIntegerDriver = R"(
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
)";

constexpr std::string_view kGoRealDriver = R"(
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
)";

constexpr std::string_view kGoDriver = R"(
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
)";

}  // namespace

auto lattigo_driver(bool is_integer) -> std::string {
  return std::string(is_integer ? kGoIntegerDriver : kGoRealDriver) + std::string(kGoDriver);
}

}  // namespace tacet::backends
