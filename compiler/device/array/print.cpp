#include "compiler/device/array/print.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/device/array/width.h"
#include "engine/program/common/element_text.h"

namespace tacet::array {

auto name_of(FunctionKind kind) -> std::string_view {
  switch (kind) {
    case FunctionKind::Equal:
      return "equal";
    case FunctionKind::Less:
      return "less";
    case FunctionKind::Select:
      return "select";
    case FunctionKind::Divide:
      return "divide";
    case FunctionKind::Remainder:
      return "remainder";
    case FunctionKind::FloorDivide:
      return "floor_divide";
    case FunctionKind::Modulo:
      return "modulo";
    case FunctionKind::BitAnd:
      return "bit_and";
    case FunctionKind::BitOr:
      return "bit_or";
    case FunctionKind::BitXor:
      return "bit_xor";
    case FunctionKind::Ramp:
      return "ramp";
    case FunctionKind::Step:
      return "step";
    case FunctionKind::Sqrt:
      return "sqrt";
    case FunctionKind::Rsqrt:
      return "rsqrt";
    case FunctionKind::Reciprocal:
      return "reciprocal";
    case FunctionKind::Exp:
      return "exp";
    case FunctionKind::Log:
      return "log";
    case FunctionKind::Sigmoid:
      return "sigmoid";
    case FunctionKind::Tanh:
      return "tanh";
    case FunctionKind::Erf:
      return "erf";
    case FunctionKind::Sin:
      return "sin";
    case FunctionKind::Cos:
      return "cos";
    case FunctionKind::Promise:
      return "promise";
    case FunctionKind::Masked:
      return "masked";
  }
  return "";
}

auto name_of(FunctionKind kind, Width width) -> std::string {
  return width.bits == 0 ? std::string(name_of(kind))
                         : fmt::format("{}_{}", name_of(kind), name_of(width));
}

auto number_text(int64_t number, uint8_t fraction_bits) -> std::string {
  return fraction_bits == 0 ? fmt::format("{}", number)
                            : engine::element_text({engine::ElementKind::Fxp, fraction_bits},
                                                   static_cast<engine::Cell>(number));
}

namespace {

/// How tightly an expression holds together.
enum class Binding : uint8_t { Sum, Product, Whole };

class Printer {
 public:
  Printer(const Program& program, const Statement& statement)
      : program_(program), statement_(statement), numbers_(statement.exprs.size(), 0) {}

  /// Writes so many expressions, of what is shared each time; what would follow is `…`. Constants
  /// are numbers, since their names are not the text's.
  auto excerpt(ExprId id, size_t most_exprs) -> std::string {
    n_left_ = most_exprs;
    shows_numbers_ = true;
    return expression(id, Binding::Sum);
  }

  auto statement() -> std::string {
    number_shared();
    const Array& result = program_.arrays[statement_.result];
    std::string text = result.name;
    for (size_t i = 0; i < statement_.shape.size(); ++i) {
      const Dim& dim = statement_.dims[statement_.shape[i]];
      text += fmt::format("{}{}: {}", i == 0 ? "[" : ", ", dim.name, dim.extent);
    }
    text += fmt::format("{} = {}\n", statement_.shape.empty() ? "" : "]",
                        written_out(statement_.root, Binding::Sum));
    for (uint32_t i = 0; i < statement_.exprs.size(); ++i) {
      if (numbers_[i] != 0) {
        text += fmt::format("  %{} = {}\n", numbers_[i], written_out(ExprId{i}, Binding::Sum));
      }
    }
    return text;
  }

  auto expression(ExprId id, Binding around) -> std::string {
    if (n_left_ == 0) {
      return "…";
    }
    --n_left_;
    return numbers_[id.index] != 0 ? fmt::format("%{}", numbers_[id.index])
                                   : written_out(id, around);
  }

 private:
  void number_shared() {
    std::vector<uint32_t> n_uses(statement_.exprs.size(), 0);
    auto use = [&](ExprId id) { ++n_uses[id.index]; };
    for (const Expr& expr : statement_.exprs.values()) {
      if (const auto* operation = std::get_if<Operation>(&expr.node)) {
        use(operation->left);
        use(operation->right);
      } else if (const auto* reduction = std::get_if<Reduction>(&expr.node)) {
        use(reduction->body);
      } else if (const auto* function = std::get_if<Function>(&expr.node)) {
        std::for_each(function->operands.begin(), function->operands.end(), use);
      }
    }
    uint32_t n = 0;
    for (uint32_t i = 0; i < statement_.exprs.size(); ++i) {
      const auto& node = statement_.exprs[ExprId{i}].node;
      bool has_operands =
          !std::holds_alternative<Literal>(node) && !std::holds_alternative<Site>(node);
      numbers_[i] = has_operands && n_uses[i] > 1 ? ++n : 0;
    }
  }

  auto written_out(ExprId id, Binding around) -> std::string {
    const auto& node = statement_.exprs[id].node;
    if (const auto* literal = std::get_if<Literal>(&node)) {
      bool stands_alone = literal->value >= 0 || around == Binding::Sum;
      return stands_alone ? fmt::format("{}", literal->value) : fmt::format("({})", literal->value);
    }
    if (const auto* site = std::get_if<Site>(&node)) {
      return this->site(*site);
    }
    if (const auto* reduction = std::get_if<Reduction>(&node)) {
      const Dim& dim = statement_.dims[reduction->dim];
      return fmt::format("{}[{}: {}]({})", reduction->op == Operator::Add ? "sum" : "product",
                         dim.name, dim.extent, expression(reduction->body, Binding::Sum));
    }
    if (const auto* function = std::get_if<Function>(&node)) {
      return this->function(*function);
    }
    return operation(std::get<Operation>(node), around);
  }

  auto function(const Function& function) -> std::string {
    std::string text;
    for (ExprId operand : function.operands) {
      text += (text.empty() ? "" : ", ") + expression(operand, Binding::Sum);
    }
    return fmt::format("{}({})", name_of(function.kind, function.width), text);
  }

  auto operation(const Operation& operation, Binding around) -> std::string {
    Binding own = operation.op == Operator::Multiply ? Binding::Product : Binding::Sum;
    // Operators are read from the left, so a right operand must hold together more tightly.
    Binding right = own == Binding::Sum ? Binding::Product : Binding::Whole;
    std::string_view token = operation.op == Operator::Add        ? "+"
                             : operation.op == Operator::Subtract ? "-"
                                                                  : "*";
    std::string text = fmt::format("{} {} {}", expression(operation.left, own), token,
                                   expression(operation.right, right));
    return around > own ? fmt::format("({})", text) : text;
  }

  auto site(const Site& site) -> std::string {
    const Array& array = program_.arrays[site.array];
    if (shows_numbers_ && array.owner == Owner::Constant && array.elements.size() == 1) {
      return number_text(array.elements.front(), array.fraction_bits);
    }
    std::string text = array.name;
    for (size_t i = 0; i < site.indices.size(); ++i) {
      text += (i == 0 ? "[" : ", ") + index(site.indices[i]);
    }
    return text + (site.indices.empty() ? "" : "]");
  }

  auto term(const IndexTerm& term, int64_t stride) -> std::string {
    const Dim& dim = statement_.dims[term.dim];
    std::string text = term.is_cyclic
                           ? fmt::format("({} + {}) mod {}", dim.name, term.shift, dim.extent)
                           : dim.name;
    if (stride == 1) {
      return text;
    }
    return term.is_cyclic ? fmt::format("{}*({})", stride, text)
                          : fmt::format("{}*{}", stride, text);
  }

  auto index(const ArrayIndex& index) -> std::string {
    // The first term that is added leads; without one, the constant does.
    std::string text;
    for (bool is_added : {true, false}) {
      for (const IndexTerm& each : index.terms) {
        if ((each.stride > 0) != is_added) {
          continue;
        }
        if (is_added) {
          text += (text.empty() ? "" : " + ") + term(each, each.stride);
        } else {
          text += (text.empty() ? "-" : " - ") + subtracted(each);
        }
      }
      if (is_added && (index.terms.empty() || (text.empty() && index.offset != 0))) {
        text = fmt::format("{}", index.offset);
      } else if (is_added && index.offset > 0) {
        text += fmt::format(" + {}", index.offset);
      } else if (is_added && index.offset < 0) {
        text += fmt::format(" - {}", 0 - static_cast<uint64_t>(index.offset));
      }
    }
    return text;
  }

  auto subtracted(const IndexTerm& each) -> std::string {
    if (each.stride != INT64_MIN) {
      return term(each, -each.stride);
    }
    return "9223372036854775808*(" + term(each, 1) + ")";
  }

  const Program& program_;
  const Statement& statement_;
  std::vector<uint32_t> numbers_;  ///< of what is shared, from 1; else 0
  size_t n_left_ = SIZE_MAX;
  bool shows_numbers_ = false;
};

auto owner_text(Owner owner) -> std::string_view {
  return owner == Owner::Client ? "client" : "server";
}

}  // namespace

/// The numbers of an array, as many as its text says.
static auto elements_text(const Array& array) -> std::string {
  std::string text;
  for (const int64_t element : array.elements) {
    text += (text.empty() ? "" : ", ") + number_text(element, array.fraction_bits);
  }
  return text;
}

auto print(const Program& program) -> std::string {
  std::string text = is_real(program) ? fmt::format("fixed {}\n", program.fraction_bits) : "";
  for (const Array& array : program.arrays.values()) {
    if (array.owner == Owner::Computed) {
      continue;
    }
    const bool is_constant = array.owner == Owner::Constant;
    text += fmt::format("{} {}", is_constant ? "constant" : "input", array.name);
    text += array.extents.empty() ? "" : fmt::format(": [{}]", fmt::join(array.extents, ", "));
    text += array.fraction_bits != 0 ? " fixed" : "";
    text += is_constant ? fmt::format(" = {}", elements_text(array))
                        : fmt::format(" from {}", owner_text(array.owner));
    if (array.range) {
      // As the language writes it, without the upper end; which is not a number of 64 bits above
      // all.
      std::string end = array.range->high == INT64_MAX
                            ? "9223372036854775808"
                            : number_text(array.range->high + 1, array.fraction_bits);
      text += fmt::format(" in {}..{}", number_text(array.range->low, array.fraction_bits), end);
    }
    if (array.norm) {
      text += fmt::format(" norm {}",
                          number_text(static_cast<int64_t>(*array.norm), array.fraction_bits));
    }
    text += "\n";
  }
  for (const Statement& statement : program.statements) {
    text += print(program, statement);
  }
  return text;
}

auto print(const Program& program, const Statement& statement) -> std::string {
  return Printer(program, statement).statement();
}

auto print(const Program& program, const Statement& statement, ExprId expr) -> std::string {
  return Printer(program, statement).expression(expr, Binding::Sum);
}

auto excerpt(const Program& program, const Statement& statement, ExprId expr, size_t most)
    -> std::string {
  std::string text = Printer(program, statement).excerpt(expr, most);
  if (text.size() <= most) {
    return text;
  }
  size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80) {
    --end;  // inside of a character
  }
  return text.substr(0, end) + "…";
}

}  // namespace tacet::array
