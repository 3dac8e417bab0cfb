#include "compiler/run/cps/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace tacet::cps {

auto formula_word(FormulaKind kind) -> std::string_view {
  switch (kind) {
    case FormulaKind::Operand:
    case FormulaKind::Variable:
    case FormulaKind::Unary:
    case FormulaKind::Binary:
      return "";
    case FormulaKind::Literal:
      return "literal";
    case FormulaKind::Cast:
      return "cast";
    case FormulaKind::Convert:
      return "convert";
    case FormulaKind::Select:
      return "select";
    case FormulaKind::Array:
      return "array";
    case FormulaKind::Index:
      return "index";
    case FormulaKind::For:
      return "for";
    case FormulaKind::Let:
      return "let";
    case FormulaKind::Reduce:
      return "reduce";
    case FormulaKind::Rotate:
      return "rotate";
    case FormulaKind::Run:
      return "run";
    case FormulaKind::Update:
      return "update";
  }
  return "";
}

auto compute_alike(const Formula& a, const Formula& b) -> bool {
  return std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(),
                    [](const FormulaNode& left, const FormulaNode& right) {
                      FormulaNode same = right;
                      same.kernel = left.kernel;
                      same.source = left.source;
                      return left == same;
                    });
}

namespace {

class FormulaTyping {
 public:
  FormulaTyping(const Program& program, const Formula& formula, std::span<const Type> operands)
      : program_(program), formula_(formula), operands_(operands) {}

  auto run() -> FormulaTypes {
    want(!formula_.nodes.empty(), "an empty formula");
    for (uint32_t i = 0; i < formula_.nodes.size(); ++i) {
      const std::vector<uint32_t>& children = formula_.nodes[i].children;
      want(std::all_of(children.begin(), children.end(), [&](uint32_t c) { return c < i; }),
           "a part of a formula in front of its own parts");
    }
    result_.of_node.resize(formula_.nodes.size());
    if (result_.fault.empty()) {
      visit(formula_.root());
      want(n_visited_ == formula_.nodes.size(), "parts of a formula that nothing uses");
    }
    return std::move(result_);
  }

 private:
  template <class... Args>
  void want(bool is_so, fmt::format_string<Args...> format, Args&&... args) {
    if (!is_so && result_.fault.empty()) {
      result_.fault = fmt::format(format, std::forward<Args>(args)...);
    }
  }

  static auto is_index(const Type& type) -> bool {
    return type.kind == TypeKind::Value && type.shape.empty() &&
           engine::is_integer(type.element.kind);
  }
  static auto is_truth(const Type& type) -> bool {
    return type == Type{TypeKind::Value, engine::kBool, {}};
  }
  static auto n_elements(const Type& type) -> uint64_t {
    uint64_t n = 1;
    for (uint64_t extent : type.shape) {
      n *= extent;
    }
    return n;
  }

  /// The type of a part. Each is visited once: a formula is a tree.
  auto visit(uint32_t at) -> Type {
    const FormulaNode& node = formula_.nodes[at];
    if (++n_visited_ > formula_.nodes.size()) {
      want(false, "a part of a formula that is used twice");
      return {};
    }
    std::vector<Type> children;
    for (uint32_t child : node.children) {
      if (node.kind == FormulaKind::For) {
        declare(node.number, {TypeKind::Value, engine::kI64, {}});
      } else if (node.kind == FormulaKind::Let && children.size() == 1) {
        declare(node.number, children[0]);
      }
      children.push_back(visit(child));
      if (!result_.fault.empty()) {
        return {};
      }
      want(children.back().kind == TypeKind::Value, "a part of a formula that is not a value");
    }
    const Type type = result_.fault.empty() ? type_of(node, children) : Type();
    return result_.of_node[at] = type;
  }

  void declare(uint32_t number, Type type) {
    want(number < formula_.nodes.size(), "a variable with too high a number");
    if (result_.fault.empty()) {
      variables_.resize(std::max(variables_.size(), size_t{number} + 1));
      variables_[number] = std::move(type);
    }
  }

  void count(const FormulaNode& node, size_t n) {
    want(node.children.size() == n, "`{}` of {} parts", formula_word(node.kind),
         node.children.size());
  }

  auto type_of(const FormulaNode& node, const std::vector<Type>& given) -> Type {
    switch (node.kind) {
      case FormulaKind::Operand:
        count(node, 0);
        want(node.number < operands_.size(), "an operand that there is none of");
        return result_.fault.empty() ? operands_[node.number] : Type();
      case FormulaKind::Variable:
        count(node, 0);
        want(node.number < variables_.size(), "a variable that is not declared");
        return result_.fault.empty() ? variables_[node.number] : Type();
      case FormulaKind::Literal:
        count(node, 0);
        return literal(node);
      case FormulaKind::Unary:
      case FormulaKind::Binary:
        return operation(node, given);
      case FormulaKind::Cast:
      case FormulaKind::Convert:
        return cast(node, given);
      case FormulaKind::Select:
        count(node, 3);
        want(given.size() == 3 && is_truth(given[0]) && given[1] == given[2],
             "a choice by what is no truth, or between different types");
        return result_.fault.empty() ? given[1] : Type();
      case FormulaKind::Array:
        return array(given);
      case FormulaKind::Index:
        count(node, 2);
        want(given.size() == 2 && !given[0].shape.empty() && is_index(given[1]),
             "an index of no array, or that is not an integer");
        return result_.fault.empty() ? without(given[0], 0) : Type();
      case FormulaKind::For:
        count(node, 1);
        return result_.fault.empty() ? with(given[0], node.extent) : Type();
      case FormulaKind::Let:
        count(node, 2);
        return result_.fault.empty() ? given[1] : Type();
      case FormulaKind::Reduce:
        count(node, 1);
        want(given.size() == 1 && node.extent < given[0].shape.size() &&
                 (node.op == types::Operator::Add || node.op == types::Operator::Mul) &&
                 given[0].element.kind != engine::ElementKind::Bool,
             "a reduction of a dimension that there is none of");
        return result_.fault.empty() ? without(given[0], node.extent) : Type();
      case FormulaKind::Rotate:
        count(node, 2);
        want(given.size() == 2 && !given[0].shape.empty() && is_index(given[1]),
             "a rotation of no array, or by what is not an integer");
        return result_.fault.empty() ? given[0] : Type();
      case FormulaKind::Run:
        return run_kernel(node, given);
      case FormulaKind::Update:
        return update(given);
    }
    return {};
  }

  static auto with(Type type, uint64_t extent) -> Type {
    type.shape.insert(type.shape.begin(), extent);
    return type;
  }

  static auto without(Type type, uint64_t dimension) -> Type {
    type.shape.erase(type.shape.begin() + static_cast<ptrdiff_t>(dimension));
    return type;
  }

  auto named(const FormulaNode& node) -> Type {
    want(node.type.index < program_.types.size(), "an unknown type");
    return result_.fault.empty() ? program_.types[node.type] : Type();
  }

  auto literal(const FormulaNode& node) -> Type {
    Type type = named(node);
    want(type.kind == TypeKind::Value && n_elements(type) == node.cells.size(),
         "another number of cells than the type has");
    return type;
  }

  auto operation(const FormulaNode& node, const std::vector<Type>& given) -> Type {
    const types::OperatorScheme& scheme = types::scheme_of(node.op);
    want(given.size() == scheme.arity && scheme.arity == (node.kind == FormulaKind::Unary ? 1 : 2),
         "`{}` of {} operands", scheme.name, given.size());
    if (!result_.fault.empty()) {
      return {};
    }
    Type type = given[0];
    for (const Type& operand : given) {
      want(operand.element == given[0].element, "operands of different kinds");
      want(operand.shape.empty() || type.shape.empty() || operand.shape == type.shape,
           "operands of different shapes");
      type.shape = type.shape.empty() ? operand.shape : type.shape;
    }
    want(types::takes(scheme.operands, static_cast<types::DType>(type.element.kind)),
         "an operand that `{}` does not take", scheme.name);
    if (scheme.result == types::OperatorResult::Boolean) {
      type.element = engine::kBool;
    }
    return type;
  }

  auto cast(const FormulaNode& node, const std::vector<Type>& given) -> Type {
    count(node, 1);
    Type type = named(node);
    want(type.kind == TypeKind::Value && given.size() == 1 &&
             (given[0].shape.empty() || given[0].shape == type.shape),
         "a cast to another shape");
    return type;
  }

  auto array(const std::vector<Type>& given) -> Type {
    want(!given.empty(), "an array of nothing");
    if (!result_.fault.empty()) {
      return {};
    }
    want(std::all_of(given.begin(), given.end(), [&](const Type& t) { return t == given[0]; }),
         "elements of different types");
    Type type = given[0];
    type.shape.insert(type.shape.begin(), given.size());
    return type;
  }

  auto run_kernel(const FormulaNode& node, const std::vector<Type>& given) -> Type {
    if (!node.kernel.has_value()) {
      // In a specification any member will do; what a node gives is said by its own type.
      return named(node);
    }
    want(node.kernel.index < program_.kernels.size(), "an unknown kernel");
    if (!result_.fault.empty()) {
      return {};
    }
    const Kernel& kernel = program_.kernels[node.kernel];
    want(program_.text(kernel.class_name) == program_.text(node.text), "a kernel of another class");
    want(kernel.results.size() == 1 && given.size() == node.n_dims + kernel.parameters.size(),
         "another number of arguments or results than the kernel has");
    for (size_t i = 0; i < given.size() && result_.fault.empty(); ++i) {
      want(i < node.n_dims ? is_index(given[i])
                           : given[i] == program_.types[kernel.parameters[i - node.n_dims]],
           "argument {} of a kernel is of another type", i + 1);
    }
    return result_.fault.empty() ? program_.types[kernel.results[0]] : Type();
  }

  auto update(const std::vector<Type>& given) -> Type {
    want(given.size() >= 3 && given[0].shape.size() + 2 >= given.size(), "an element of no array");
    if (!result_.fault.empty()) {
      return {};
    }
    Type part = given[0];
    for (size_t i = 1; i + 1 < given.size(); ++i) {
      want(is_index(given[i]), "an index that is not an integer");
      part = without(part, 0);
    }
    want(given.back() == part, "an element of another type");
    return given[0];
  }

  const Program& program_;
  const Formula& formula_;
  std::span<const Type> operands_;
  std::vector<Type> variables_;
  size_t n_visited_ = 0;
  FormulaTypes result_;
};

}  // namespace

auto formula_types(const Program& program, const Formula& formula, std::span<const Type> operands)
    -> FormulaTypes {
  return FormulaTyping(program, formula, operands).run();
}

}  // namespace tacet::cps
