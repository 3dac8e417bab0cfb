#include "tests/kernel/random_expression.h"

#include <fmt/format.h>

#include "engine/program/common/element_type.h"

namespace tacet::testing {

using Faults = FunctionOptions::Faults;

auto RandomType::text() const -> std::string {
  const std::string shaped = is_scalar()
                                 ? std::string(element)
                                 : fmt::format("[{}; {}]", element, fmt::join(extents, ", "));
  return (is_secret ? "secret " : "") + shaped;
}

static auto width(std::string_view element) -> unsigned {
  engine::ElementType type;
  engine::find_element_type(element, type);
  return engine::bit_width(type.kind);
}

static auto is_number(std::string_view element) -> bool {
  return element != "bool";
}

static auto is_integer(std::string_view element) -> bool {
  return element != "bool" && element != "fxp";
}

/// Few in one module, so that variables go together.
static auto elements_of(Random& random) -> std::vector<std::string_view> {
  static constexpr std::string_view kOthers[] = {"i64", "i32", "i16", "i8",  "u64",
                                                 "u32", "u16", "u8",  "fxp", "i64"};
  const std::string_view one = kOthers[random() % std::size(kOthers)];
  const std::string_view other = kOthers[random() % std::size(kOthers)];
  return {"i64", "i64", one, one, other, "bool"};
}

ExpressionWriter::ExpressionWriter(Random& random, const FunctionOptions& options)
    : random_(random), options_(options), elements_(elements_of(random)) {}

auto ExpressionWriter::element() -> std::string_view {
  return pick(elements_);
}

auto ExpressionWriter::type(bool may_be_secret) -> RandomType {
  RandomType type{element(), {}, may_be_secret && !chance(3)};
  for (uint64_t n = chance(3) ? 1 + below(2) : 0; n > 0; --n) {
    type.extents.push_back(static_cast<int64_t>(2 + below(3)));
  }
  return type;
}

auto ExpressionWriter::literal(std::string_view element) -> std::string {
  if (element == "bool") {
    return chance(2) ? "true" : "false";
  }
  if (element == "fxp") {
    return fmt::format("{}.{}", below(9), pick(std::vector<int>{0, 5, 25, 125}));
  }
  const bool is_negative = element[0] == 'i' && chance(4);
  return fmt::format("{}{}", is_negative ? "-" : "", chance(5) ? below(120) : below(6));
}

auto ExpressionWriter::variable(const RandomType& type) -> std::optional<std::string> {
  std::vector<const RandomVariable*> found;
  for (const RandomVariable& candidate : scope) {
    if (candidate.type.element == type.element && candidate.type.extents == type.extents &&
        (type.is_secret || !candidate.type.is_secret) && !(candidate.is_index && is_in_index_)) {
      found.push_back(&candidate);
    }
  }
  return found.empty() ? std::nullopt : std::optional(pick(found)->name);
}

auto ExpressionWriter::expression(const RandomType& type, uint32_t depth) -> std::string {
  return type.is_scalar() ? scalar(type.element, type.is_secret, depth) : array(type, depth);
}

auto ExpressionWriter::array(const RandomType& type, uint32_t depth) -> std::string {
  const std::optional<std::string> known = variable(type);
  if (known && (depth == 0 || chance(2))) {
    return *known;
  }
  const int64_t extent = type.extents[0];
  switch (depth == 0 ? 0 : below(7)) {
    case 5:
      return ordered(type, depth);
    case 1: {
      RandomType part = type;
      part.extents.erase(part.extents.begin());
      std::vector<std::string> elements;
      for (int64_t i = 0; i < extent; ++i) {
        elements.push_back(expression(part, depth - 1));
      }
      // Literals alone leave the type open.
      return part.is_scalar() && is_number(part.element)
                 ? fmt::format("[({}) as {}, {}]", elements[0], part.element,
                               fmt::join(elements.begin() + 1, elements.end(), ", "))
                 : fmt::format("[{}]", fmt::join(elements, ", "));
    }
    case 2:
      return fmt::format("rotate({}, {})", array(type, depth - 1),
                         scalar("i64", type.is_secret && chance(2), 0));
    case 3:
      if (is_number(type.element)) {
        return fmt::format(
            "({} {} {})", array(type, depth - 1), chance(2) ? "+" : "*",
            chance(2) ? array(type, depth - 1) : scalar(type.element, type.is_secret, depth - 1));
      }
      break;
    case 4:
      return fmt::format("({} if {} else {})", array(type, depth - 1),
                         condition(type.is_secret, depth - 1), array(type, depth - 1));
    default:
      break;
  }
  return tabulation(type, depth);
}

/// Of the same type, its parts in another order; or chosen among two.
auto ExpressionWriter::ordered(const RandomType& type, uint32_t depth) -> std::string {
  if (chance(3) && is_number(type.element)) {
    return fmt::format(
        "{}({}, {})", chance(2) ? "min" : "max", array(type, depth - 1),
        chance(2) ? array(type, depth - 1) : scalar(type.element, type.is_secret, depth - 1));
  }
  if (type.extents.size() == 1 && chance(2)) {
    const RandomType more{type.element, {type.extents[0] + 1}, type.is_secret};
    return chance(2) ? fmt::format("sort({})", array(type, depth - 1))
                     : fmt::format("top_k({}, {})", array(more, depth - 1), type.extents[0]);
  }
  const RandomType keys{element(), {type.extents[0]}, type.is_secret};
  return fmt::format("sort_by({}, {})", array(keys, depth - 1), array(type, depth - 1));
}

auto ExpressionWriter::tabulation(const RandomType& type, uint32_t depth) -> std::string {
  const std::string name = fmt::format("k{}", n_names++);
  RandomType part = type;
  part.extents.erase(part.extents.begin());
  scope.push_back({name, {"i64", {}, false}, false, true});
  const std::string body = expression(part, depth == 0 ? 0 : depth - 1);
  scope.pop_back();
  const bool is_open = part.is_scalar() && is_number(part.element);
  return is_open
             ? fmt::format("for {}: {} {{ ({}) as {} }}", name, type.extents[0], body, part.element)
             : fmt::format("for {}: {} {{ {} }}", name, type.extents[0], body);
}

auto ExpressionWriter::inside(int64_t extent) -> std::string {
  return fmt::format("{}", below(static_cast<uint64_t>(extent)));
}

auto ExpressionWriter::index(int64_t extent, bool may_be_secret, uint32_t depth) -> std::string {
  if (chance(4)) {
    return inside(extent);
  }
  std::vector<std::string> indices;
  for (const RandomVariable& candidate : scope) {
    if (candidate.is_index) {
      indices.push_back(candidate.name);
    }
  }
  if (!indices.empty() && !is_in_index_ && chance(2)) {
    const std::string& chosen = pick(indices);
    switch (below(4)) {
      case 0:
        return fmt::format("{} + {}", chosen, below(3));
      case 1:
        return fmt::format("2 * {} - {}", chosen, below(3));
      default:
        return chosen;
    }
  }
  const bool was_in_index = std::exchange(is_in_index_, true);
  static constexpr std::string_view kElements[] = {"i64", "i64", "i32", "u8", "u64"};
  const std::string_view element = pick(kElements);
  std::string text = fmt::format("({}) as {}", scalar(element, may_be_secret, depth), element);
  if (chance(2)) {
    text = fmt::format("({}) & {}", text, chance(2) ? 1 : 3);
  }
  is_in_index_ = was_in_index;
  return text;
}

/// A variable, or an element of one.
auto ExpressionWriter::read(std::string_view element, bool may_be_secret, uint32_t depth)
    -> std::optional<std::string> {
  std::vector<RandomVariable> found;
  for (const RandomVariable& candidate : scope) {
    if (candidate.type.element == element && (may_be_secret || !candidate.type.is_secret) &&
        !(candidate.is_index && is_in_index_)) {
      found.push_back(candidate);
    }
  }
  if (found.empty()) {
    return std::nullopt;
  }
  const RandomVariable& chosen = pick(found);
  std::string text = chosen.name;
  for (const int64_t extent : chosen.type.extents) {
    text += fmt::format("[{}]", index(extent, may_be_secret, depth == 0 ? 0 : depth - 1));
  }
  return text;
}

auto ExpressionWriter::scalar(std::string_view element, bool may_be_secret, uint32_t depth)
    -> std::string {
  if (depth == 0) {
    const std::optional<std::string> known =
        chance(5) ? std::nullopt : read(element, may_be_secret, 0);
    return known ? *known : literal(element);
  }
  if (element == "bool" && chance(2)) {
    return condition(may_be_secret, depth);
  }
  switch (below(9)) {
    case 0:
    case 1:
      if (std::optional<std::string> known = read(element, may_be_secret, depth)) {
        return *std::move(known);
      }
      return literal(element);
    case 2:
      return fmt::format("({} if {} else {})", scalar(element, may_be_secret, depth - 1),
                         condition(may_be_secret, depth - 1),
                         scalar(element, may_be_secret, depth - 1));
    case 3: {
      const std::string_view from = this->element();
      return element == "bool" || (from == "bool" && !is_integer(element))
                 ? scalar(element, may_be_secret, depth - 1)
                 : fmt::format("(({}) as {})", scalar(from, may_be_secret, depth - 1), element);
    }
    case 4:
      if (is_number(element) && depth > 1) {
        static constexpr std::string_view kReductions[] = {"sum", "product", "min", "max"};
        const RandomType summed{element, {static_cast<int64_t>(2 + below(3))}, may_be_secret};
        return fmt::format("{}({})", pick(kReductions), array(summed, depth - 1));
      }
      return literal(element);
    case 5:
      for (const RandomSignature& callee : callees) {
        if (callee.results.size() == 1 && callee.results[0].is_scalar() &&
            callee.results[0].element == element &&
            (may_be_secret || !callee.results[0].is_secret)) {
          return call(callee, depth - 1);
        }
      }
      return arithmetic(element, may_be_secret, depth);
    default:
      return arithmetic(element, may_be_secret, depth);
  }
}

auto ExpressionWriter::call(const RandomSignature& callee, uint32_t depth) -> std::string {
  std::vector<std::string> arguments;
  for (const RandomType& parameter : callee.parameters) {
    arguments.push_back(expression(parameter, depth));
  }
  return fmt::format("{}({})", callee.name, fmt::join(arguments, ", "));
}

auto ExpressionWriter::arithmetic(std::string_view element, bool may_be_secret, uint32_t depth)
    -> std::string {
  auto side = [&] { return scalar(element, may_be_secret, depth - 1); };
  if (element == "bool") {
    return condition(may_be_secret, depth);
  }
  const uint64_t which = below(12);
  if (which == 0) {
    return division(element, may_be_secret, depth);
  }
  if (which == 1 && is_integer(element)) {
    return shift(element, may_be_secret, depth);
  }
  if (which == 2) {
    return fmt::format("(-{})", side());
  }
  if (which <= 4 && is_integer(element)) {
    return fmt::format("({} {} {})", side(), pick(std::vector<std::string>{"&", "|", "^"}), side());
  }
  if (which == 5) {
    return chance(3) ? fmt::format("abs({})", side())
                     : fmt::format("{}({}, {})", chance(2) ? "min" : "max", side(), side());
  }
  if (which == 6 && element == "fxp") {
    static constexpr std::string_view kFunctions[] = {
        "sqrt", "rsqrt", "reciprocal", "exp", "log", "sigmoid", "tanh", "erf", "sin", "cos"};
    return fmt::format("{}({})", pick(kFunctions), side());
  }
  return fmt::format("({} {} {})", side(), pick(std::vector<std::string>{"+", "-", "*"}), side());
}

auto ExpressionWriter::division(std::string_view element, bool may_be_secret, uint32_t depth)
    -> std::string {
  const std::string dividend = scalar(element, may_be_secret, depth - 1);
  const std::string_view op = is_integer(element) && chance(2) ? "%" : "/";
  if (options_.faults == Faults::None || chance(2)) {
    return fmt::format("({} {} {})", dividend, op, element == "fxp" ? "2.5" : "3");
  }
  const std::string divisor = scalar(element, may_be_secret, depth - 1);
  if (options_.faults == Faults::Any && chance(2)) {
    return fmt::format("({} {} {})", dividend, op, divisor);
  }
  return fmt::format("({0} {1} ({2}) if ({2}) != {3} else {4})", dividend, op, divisor,
                     element == "fxp" ? "0.0" : "0", literal(element));
}

auto ExpressionWriter::shift(std::string_view element, bool may_be_secret, uint32_t depth)
    -> std::string {
  const std::string_view op = pick(std::vector<std::string_view>{"<<", ">>", ">>>"});
  const std::string shifted = scalar(element, may_be_secret, depth - 1);
  const unsigned bits = width(element);
  if (options_.faults == Faults::Any && chance(3)) {
    return fmt::format("({} {} {})", shifted, op, scalar(element, may_be_secret, depth - 1));
  }
  if (options_.faults == Faults::None || chance(2)) {
    return fmt::format("({} {} {})", shifted, op, below(bits));
  }
  return fmt::format("({} {} ({} & {}))", shifted, op, scalar(element, may_be_secret, depth - 1),
                     bits - 1);
}

auto ExpressionWriter::condition(bool may_be_secret, uint32_t depth) -> std::string {
  if (depth > 0 && chance(4)) {
    return fmt::format("({} {} {})", condition(may_be_secret, depth - 1), chance(2) ? "&&" : "||",
                       condition(may_be_secret, depth - 1));
  }
  if (depth > 0 && chance(8)) {
    return fmt::format("!{}", condition(may_be_secret, depth - 1));
  }
  const std::optional<std::string> known =
      chance(4) ? variable({"bool", {}, may_be_secret}) : std::nullopt;
  if (known) {
    return *known;
  }
  static constexpr std::string_view kComparisons[] = {"<", "<=", ">", ">=", "==", "!="};
  std::string_view element = this->element();
  element = element == "bool" ? "i64" : element;
  const uint32_t inside = depth == 0 ? 0 : depth - 1;
  return fmt::format("(({}) as {} {} {})", scalar(element, may_be_secret, inside), element,
                     pick(kComparisons), scalar(element, may_be_secret, inside));
}

}  // namespace tacet::testing
