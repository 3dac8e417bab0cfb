#include "compiler/spec/program/hover_words.h"

#include <fmt/format.h>

#include <utility>

#include "compiler/front/names/queries.h"
#include "engine/program/common/element_type.h"

namespace tacet::program {

using syntax::NodeKind;
using types::DType;
using types::Operator;

namespace {

struct Word {
  NodeKind kind;
  std::string_view documentation;
};

constexpr Word kWords[] = {
    {NodeKind::KwFn,
     "A function. `fn` runs on the coordinator and implements specifications; "
     "`fn(he)` and `fn(mpc)` run on encrypted or shared data."},
    {NodeKind::KwVal, "A value specification: what is computed."},
    {NodeKind::KwTmln, "A timeline specification: when things happen."},
    {NodeKind::KwSptl, "A spatial specification: where values are stored."},
    {NodeKind::KwFeq, "A functional equivalence class: functions that compute the same."},
    {NodeKind::KwExtern, "A function that the host supplies."},
    {NodeKind::KwImpls, "The specifications that this function implements."},
    {NodeKind::KwImport, "Brings the items of another module into scope."},
    {NodeKind::KwPipeline, "The function that a program runs."},
    {NodeKind::KwParty, "Declares a party, which may own inputs and receive results."},
    {NodeKind::KwSchedule, "Fixes how the arrays of an `he` function are packed in ciphertexts."},
    {NodeKind::KwConst, "A constant, known when compiling."},
    {NodeKind::KwType, "A name for a type."},
    {NodeKind::KwLet,
     "Binds a value to a name. The variable cannot change; `var` declares one that "
     "can."},
    {NodeKind::KwVar, "Declares a variable that can change."},
    {NodeKind::KwFor,
     "`for i in lo..hi step s max n { … }` runs the body for each `i` from `lo` up "
     "to, but not including, `hi`. `for i: n { e }` is the array of the `n` values "
     "of `e`."},
    {NodeKind::KwWhile,
     "`while c max n { … }` repeats the body while `c` is true. A secret "
     "condition needs `max n`: the loop is padded to `n` iterations."},
    {NodeKind::KwDo, "`do { … } while c max n;` runs the body, and again while `c` is true."},
    {NodeKind::KwIf,
     "`if c { … } else { … }` runs one of two blocks; `a if c else b` is one of two "
     "values. If `c` is secret, both are computed and the result is selected."},
    {NodeKind::KwElse, "The other choice of an `if`."},
    {NodeKind::KwReturn, "Ends the function with its results: `return (a, b);`."},
    {NodeKind::KwReturns, "The results of a specification."},
    {NodeKind::KwBreak, "Leaves the innermost loop."},
    {NodeKind::KwContinue, "Starts the next iteration of the innermost loop."},
    {NodeKind::KwStep, "What a loop counts by; 1 if it is omitted."},
    {NodeKind::KwMax,
     "The largest number of iterations. A loop that depends on a secret always "
     "runs as many, so that their number reveals nothing."},
    {NodeKind::KwAs,
     "Converts a number to another type. Integers wrap; `fxp` to an integer drops "
     "the fraction."},
    {NodeKind::KwFrom, "The party that supplies this input."},
    {NodeKind::KwTo, "The party that receives this result."},
    {NodeKind::KwNorm,
     "The largest Euclidean norm of this array, or of each of its items if it has several "
     "dimensions. The party that gives the value must keep to it."},
    {NodeKind::KwWithin,
     "How far each number of this result may be from the real-valued meaning of the function "
     "under encryption."},
    {NodeKind::KwSecret, "Nobody who computes may see the value."},
    {NodeKind::KwPublic, "Everybody who computes may see the value."},
    {NodeKind::KwEncode, "Adds a command to an encoder."},
    {NodeKind::KwEncodeBegin, "Starts to encode commands for a device."},
    {NodeKind::KwSubmit, "Hands the encoded commands to their device; gives a future."},
    {NodeKind::KwAwait,
     "Waits for a device. Reading a field of the result decrypts or reveals it."},
};

}  // namespace

auto keyword_documentation(NodeKind keyword) -> std::string_view {
  for (const Word& word : kWords) {
    if (word.kind == keyword) {
      return word.documentation;
    }
  }
  return {};
}

auto device_documentation(names::Device device) -> std::string_view {
  switch (device) {
    case names::Device::Cpu:
      return "The coordinator's machine. It sees all values.";
    case names::Device::Gpu:
      return "A graphics processor, whose kernels the host supplies. It sees all values.";
    case names::Device::He:
      return "Homomorphic encryption: one server computes on ciphertexts, whose keys the client "
             "has.";
    case names::Device::Mpc:
      return "Multi-party computation: parties compute on shares, none of which says anything "
             "about a secret.";
  }
  return {};
}

auto party_documentation(std::string_view party) -> std::string_view {
  if (party == "client") {
    return "The party that has the keys: it encrypts its inputs and decrypts its results.";
  }
  return party == "server" ? "The party that computes; it never sees the client's values."
                           : std::string_view();
}

static auto wraps(const types::Type& type) -> std::string {
  if (types::is_integer(type.dtype)) {
    return fmt::format("Wraps at {} bits.", types::dtype_bits(type.dtype));
  }
  return {};
}

auto operator_documentation(Operator op, const types::Type& operand) -> std::string {
  const bool is_fixed = operand.dtype == DType::Fxp;
  switch (op) {
    case Operator::Add:
    case Operator::Sub:
    case Operator::Neg:
      return is_fixed ? "Exact within the range of the type." : wraps(operand);
    case Operator::Mul:
      return is_fixed ? "Rounded down to a unit of the type; on `mpc` the product may be a unit "
                        "larger."
                      : wraps(operand);
    case Operator::Div:
      if (!types::is_integer(operand.dtype)) {
        return {};
      }
      return "Truncates towards zero. A public division by 0 is an error; if the divisor is "
             "secret, it gives 0.";
    case Operator::Mod:
      return "The remainder of a division that truncates towards zero. A public remainder by 0 is "
             "an error; if the divisor is secret, it gives the dividend.";
    case Operator::Shl:
    case Operator::Shr:
    case Operator::Ashr:
      return "A public distance outside of the width is an error; a secret one is taken modulo the "
             "width.";
    case Operator::Land:
    case Operator::Lor:
    case Operator::Lt:
    case Operator::Leq:
    case Operator::Gt:
    case Operator::Geq:
    case Operator::Eq:
    case Operator::Neq:
    case Operator::And:
    case Operator::Or:
    case Operator::Xor:
    case Operator::Not:
    case Operator::Invert:
      return {};
  }
  return {};
}

auto range_documentation(const types::Type& type) -> std::string {
  const uint32_t bits = types::dtype_bits(type.dtype);
  if (types::is_unsigned_integer(type.dtype)) {
    return fmt::format("`0..={}`", bits == 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1);
  }
  if (types::is_signed_integer(type.dtype)) {
    const uint64_t limit = uint64_t{1} << (bits - 1);
    return fmt::format("`-{}..={}`", limit, limit - 1);
  }
  if (type.dtype == DType::Fxp) {
    return fmt::format("fixed point, in units of 2^-{}",
                       type.fraction_bits == 0 ? engine::kDefaultFractionBits : type.fraction_bits);
  }
  return {};
}

auto hexadecimal(std::string_view literal) -> std::string {
  const std::optional<uint64_t> value = names::parse_integer(literal);
  return value && *value >= 10 ? fmt::format("{:#x}", *value) : std::string();
}

}  // namespace tacet::program
