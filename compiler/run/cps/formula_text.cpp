#include "compiler/run/cps/formula_text.h"

#include <fmt/format.h>

#include "compiler/run/cps/formula.h"
#include "compiler/run/cps/print.h"
#include "compiler/run/interpret/value.h"

namespace tacet::cps {

namespace {

/// A formula of a hostile text must not use up the stack.
constexpr int kMaxDepth = 1000;

class FormulaPrinter {
 public:
  FormulaPrinter(const Program& program, const Formula& formula)
      : program_(program), formula_(formula) {}

  auto text(uint32_t at) const -> std::string {
    const FormulaNode& node = formula_.nodes[at];
    if (node.kind == FormulaKind::Operand) {
      return fmt::format("${}", node.number);
    }
    if (node.kind == FormulaKind::Variable) {
      return fmt::format("i{}", node.number);
    }
    std::string result = "(" + head(node);
    for (uint32_t child : node.children) {
      result += " " + text(child);
    }
    return result + ")";
  }

 private:
  auto head(const FormulaNode& node) const -> std::string {
    const std::string_view word = formula_word(node.kind);
    switch (node.kind) {
      case FormulaKind::Unary:
      case FormulaKind::Binary:
        return std::string(types::scheme_of(node.op).name);
      case FormulaKind::Literal: {
        const Type& type = program_.types[node.type];
        std::string result = fmt::format("{} {}", word, type_text(type));
        for (uint64_t cell : node.cells) {
          result += " " + interpret::element_text(type.element, cell);
        }
        return result;
      }
      case FormulaKind::Cast:
      case FormulaKind::Convert:
        return fmt::format("{} {}", word, type_text(program_.types[node.type]));
      case FormulaKind::For:
        return fmt::format("{} i{} {}", word, node.number, node.extent);
      case FormulaKind::Let:
        return fmt::format("{} i{}", word, node.number);
      case FormulaKind::Reduce:
        return fmt::format("{} {} {}", word, types::scheme_of(node.op).name, node.extent);
      case FormulaKind::Update:
        return fmt::format("{} {}", word, node.number);
      case FormulaKind::Run:
        return fmt::format("{} {}{}", word, callee(node),
                           node.n_dims > 0 ? fmt::format(" grid {}", node.n_dims) : "");
      case FormulaKind::Operand:
      case FormulaKind::Variable:
      case FormulaKind::Select:
      case FormulaKind::Array:
      case FormulaKind::Index:
      case FormulaKind::Rotate:
        return std::string(word);
    }
    return {};
  }

  auto callee(const FormulaNode& node) const -> std::string {
    return node.kernel.has_value() ? std::string(program_.text(program_.kernels[node.kernel].name))
                                   : fmt::format("of {}: {}", program_.text(node.text),
                                                 type_text(program_.types[node.type]));
  }

  const Program& program_;
  const Formula& formula_;
};

class FormulaReader {
 public:
  FormulaReader(LineReader& line, const Program& program, ProgramTables& tables,
                const std::function<KernelId(std::string_view)>& find_kernel)
      : line_(line), program_(program), tables_(tables), find_kernel_(find_kernel) {}

  auto run() -> std::optional<Formula> {
    part(0);
    return is_good_ ? std::optional(std::move(formula_)) : std::nullopt;
  }

 private:
  void want(bool is_so) { is_good_ = is_good_ && is_so; }

  auto add(FormulaNode node) -> uint32_t {
    formula_.nodes.push_back(std::move(node));
    return formula_.root();
  }

  auto part(int depth) -> uint32_t {
    FormulaNode node;
    want(depth < kMaxDepth);
    if (line_.take("$")) {
      node.number = number();
      return add(std::move(node));
    }
    if (!line_.take("(")) {
      node.kind = FormulaKind::Variable;
      node.number = variable();
      return add(std::move(node));
    }
    head(node);
    while (is_good_ && !line_.take(")")) {
      node.children.push_back(part(depth + 1));
    }
    return add(std::move(node));
  }

  auto number() -> uint32_t {
    const std::optional<uint64_t> number = line_.number();
    want(number && *number <= UINT32_MAX);
    return is_good_ ? static_cast<uint32_t>(*number) : 0;
  }

  auto variable() -> uint32_t {
    const std::string_view word = line_.next();
    want(word.starts_with("i") && word.size() > 1);
    if (!is_good_) {
      return 0;
    }
    const std::optional<uint64_t> number = LineReader(word.substr(1)).number();
    want(number && *number <= UINT32_MAX);
    return is_good_ ? static_cast<uint32_t>(*number) : 0;
  }

  void head(FormulaNode& node) {
    const std::string_view word = line_.next();
    if (find_operator(word, node.op)) {
      node.kind = types::scheme_of(node.op).arity == 1 ? FormulaKind::Unary : FormulaKind::Binary;
      return;
    }
    auto kind = static_cast<uint8_t>(FormulaKind::Operand);
    while (kind <= static_cast<uint8_t>(FormulaKind::Update) &&
           (word.empty() || formula_word(static_cast<FormulaKind>(kind)) != word)) {
      ++kind;
    }
    want(kind <= static_cast<uint8_t>(FormulaKind::Update));
    if (is_good_) {
      node.kind = static_cast<FormulaKind>(kind);
      details(node);
    }
  }

  void details(FormulaNode& node) {
    switch (node.kind) {
      case FormulaKind::Literal:
        type(node);
        while (is_good_ && line_.peek() != ")") {
          want(!line_.at_end());
          node.cells.push_back(read_element(program_.types[node.type].element, line_.next()));
        }
        return;
      case FormulaKind::Cast:
      case FormulaKind::Convert:
        type(node);
        return;
      case FormulaKind::For:
      case FormulaKind::Let:
        node.number = variable();
        if (node.kind == FormulaKind::For) {
          const std::optional<uint64_t> extent = line_.number();
          want(extent.has_value());
          node.extent = extent.value_or(0);
        }
        return;
      case FormulaKind::Reduce:
        want(line_.op(node.op));
        node.extent = number();
        return;
      case FormulaKind::Update:
        node.number = number();
        return;
      case FormulaKind::Run:
        callee(node);
        node.n_dims = line_.take("grid") ? number() : 0;
        return;
      case FormulaKind::Operand:
      case FormulaKind::Variable:
      case FormulaKind::Unary:
      case FormulaKind::Binary:
      case FormulaKind::Select:
      case FormulaKind::Array:
      case FormulaKind::Index:
      case FormulaKind::Rotate:
        return;
    }
  }

  void type(FormulaNode& node) {
    const std::optional<TypeId> type = line_.type(tables_);
    want(type.has_value());
    node.type = type.value_or(TypeId());
  }

  void callee(FormulaNode& node) {
    if (line_.take("of")) {
      node.text = tables_.name(line_.next());
      want(line_.take(":"));
      type(node);
      return;
    }
    node.kernel = find_kernel_(line_.next());
    want(node.kernel.has_value() && !program_.kernels[node.kernel].results.empty());
    if (is_good_) {
      node.text = program_.kernels[node.kernel].class_name;
      node.type = program_.kernels[node.kernel].results[0];
    }
  }

  LineReader& line_;
  const Program& program_;
  ProgramTables& tables_;
  const std::function<KernelId(std::string_view)>& find_kernel_;
  Formula formula_;
  bool is_good_ = true;
};

}  // namespace

auto print_formula(const Program& program, const Formula& formula) -> std::string {
  return formula.nodes.empty() ? "()" : FormulaPrinter(program, formula).text(formula.root());
}

auto read_formula(LineReader& line, const Program& program, ProgramTables& tables,
                  const std::function<KernelId(std::string_view)>& find_kernel)
    -> std::optional<Formula> {
  return FormulaReader(line, program, tables, find_kernel).run();
}

}  // namespace tacet::cps
