#include <fmt/format.h>

#include "compiler/device/array/evaluate.h"
#include "compiler/device/array/find_fault.h"
#include "compiler/device/array/print.h"
#include "compiler/device/array/statement_text.h"
#include "engine/program/common/element_text.h"

namespace tacet::array {

namespace {

using engine::HeToken;

class Parser : private StatementReader {
 public:
  explicit Parser(std::string_view text) : StatementReader(text, parsed_) {}

  auto run() -> Result<Program> {
    if (is("fixed") && !is_next("=") && !is_next("[")) {
      fraction_bits();
    }
    while (!is_done()) {
      if ((is("input") || is("constant")) && is_next_word()) {
        declaration();
      } else {
        statement();
      }
    }
    if (problem().empty() && parsed_.statements.empty()) {
      expected("a statement");
    }
    if (!problem().empty()) {
      return Error{problem()};
    }
    if (std::string fault = find_fault(parsed_); !fault.empty()) {
      return Error{std::move(fault)};
    }
    return std::move(parsed_);
  }

 private:
  void fraction_bits() {
    take();
    const HeToken place = at();
    const int64_t bits = StatementReader::number();
    if (problem().empty() && (bits < 1 || bits > int64_t{engine::kMaxFractionBits})) {
      fail(place,
           fmt::format("fixed-point numbers have 1 to {} fraction bits", engine::kMaxFractionBits));
    }
    parsed_.fraction_bits = problem().empty() ? static_cast<uint8_t>(bits) : uint8_t{0};
  }

  void declaration() {
    const HeToken start = at();
    Array array;
    const bool is_constant = take() == "constant";
    const HeToken name_token = at();
    array.name = word("a name");
    if (accept(":")) {
      array.extents = extents_in_brackets();
    }
    if (accept("fixed")) {
      array.fraction_bits = parsed_.fraction_bits;
      if (!is_real(parsed_)) {
        fail(name_token,
             "a program with `fixed` arrays must start with `fixed` and the number of fraction "
             "bits");
      }
    }
    if (is_constant) {
      array.owner = Owner::Constant;
      want("=");
      elements(array);
    } else {
      want("from");
      if (!is("client") && !is("server")) {
        expected("`client` or `server`");
      }
      array.owner = take() == "server" ? Owner::Server : Owner::Client;
      if (accept("in")) {
        array.range = range(array.fraction_bits);
      }
      if (is("norm")) {
        norm(array);
      }
    }
    const bool is_late =
        !parsed_.statements.empty() || (!is_constant && !parsed_.arrays.values().empty() &&
                                        parsed_.arrays.values().back().owner == Owner::Constant);
    if (is_late) {
      fail(start, "inputs come first, then constants, then statements");
    }
    add_array(std::move(array), name_token);
  }

  void elements(Array& array) {
    const HeToken start = at();
    do {
      const HeToken token = at();
      array.elements.push_back(number(array.fraction_bits));
      const int64_t element = array.elements.back();
      if (element < -kMaxConstant || element > kMaxConstant) {
        fail(token,
             fmt::format("elements of constants must not exceed {} in magnitude", kMaxConstant));
      }
    } while (accept(","));
    if (static_cast<int64_t>(array.elements.size()) != n_elements(array.extents)) {
      fail(start, fmt::format("found {} numbers, expected {}", array.elements.size(),
                              n_elements(array.extents)));
    }
  }

  /// A number of an array with so many fraction bits.
  auto number(uint8_t fraction_bits) -> int64_t {
    if (fraction_bits == 0) {
      return StatementReader::number();
    }
    const HeToken place = at();
    const std::string sign = accept("-") ? "-" : "";
    const std::string decimal = sign + std::string(at().text);
    engine::Cell cell = 0;
    if (at().kind != HeToken::Kind::Number || !engine::parse_fixed(decimal, fraction_bits, cell)) {
      fail(place, "expected a number in the range of fixed-point numbers");
    }
    take();
    return static_cast<int64_t>(cell);
  }

  void norm(Array& array) {
    const HeToken start = at();
    take();
    const int64_t norm = number(array.fraction_bits);
    if (norm <= 0 || array.fraction_bits == 0 || array.extents.empty()) {
      fail(start, "a norm is positive, and of an array of fixed-point numbers");
      return;
    }
    array.norm = static_cast<uint64_t>(norm);
  }

  /// As the language writes it, without the upper end.
  auto range(uint8_t fraction_bits) -> Interval {
    const HeToken start = at();
    Interval result;
    result.low = number(fraction_bits);
    want("..");
    if (accept("9223372036854775808")) {
      result.high = INT64_MAX;
      return result;
    }
    const int64_t end = number(fraction_bits);
    if (end <= result.low) {
      fail(start, "range is empty");
      return {};
    }
    result.high = end - 1;
    return result;
  }

  Program parsed_;
};

}  // namespace

auto parse_program(std::string_view text) -> Result<Program> {
  return Parser(text).run();
}

}  // namespace tacet::array
