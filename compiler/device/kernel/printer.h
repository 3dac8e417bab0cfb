#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/device/kernel/declarations.h"
#include "compiler/device/kernel/kernel.h"

/// Private to this folder.
namespace tacet::kernel {

/// Writes expressions. Literals have the type that is asked of them; where nothing asks, one is
/// written with its type (`1 as i8`), unless the language would choose that type. A cast asks for
/// the type it gives, of a literal as of a variable that literals alone were assigned to.
class ExpressionPrinter {
 public:
  explicit ExpressionPrinter(const Kernel& kernel) : kernel_(kernel) {}

  /// How tightly an expression binds, as in the grammar.
  enum class Level : uint8_t {
    Conditional,
    Any,  ///< what `a if c else b` may not be in without parentheses
    BitOr,
    BitXor,
    BitAnd,
    Shift,
    LogicalOr,
    LogicalAnd,
    Comparison,
    Additive,
    Multiplicative,
    Cast,
    Unary,
    Postfix,
  };

  /// Which type what stands around asks for.
  enum class Expected : uint8_t {
    Its,      ///< that of the expression
    Nothing,  ///< the language chooses
    Another,
  };

  /// With parentheses if it binds less tightly than `level`.
  auto text(ExprId id, Level level, Expected expected) -> std::string;
  /// Does it have its type whatever asks? Or, if nothing asks?
  [[nodiscard]] auto says_its_type(ExprId id, Expected expected) const -> bool;

 private:
  struct Piece {
    std::string text;
    Level level = Level::Postfix;
  };

  auto piece(ExprId id, Expected expected) -> Piece;
  auto literal(const Literal& node, ElementType type, Expected expected) const -> Piece;
  auto binary(const Binary& node, Expected expected) -> Piece;
  auto element(const Element& node, Expected expected) -> Piece;
  auto select(const Select& node, Expected expected) -> Piece;
  auto reduction(const Reduce& node, Expected expected) -> Piece;
  auto operand(ExprId id, Level level, types::Operator op, Expected expected) -> std::string;
  auto function(const Apply& apply, const Type& type, Expected expected) -> std::string;
  auto list(const std::vector<ExprId>& ids, Expected expected) -> std::string;
  auto type(ExprId id) const -> const Type& { return kernel_.exprs[id].type; }
  /// `ids` share a type: it is asked of all of them if one says it, else the first one says it.
  auto expected_of(const std::vector<ExprId>& ids, size_t i, Expected expected) const -> Expected;
  [[nodiscard]] auto standard_fraction() const -> ElementType;

  const Kernel& kernel_;
};

/// Writes statements.
class Printer {
 public:
  using Level = ExpressionPrinter::Level;
  using Expected = ExpressionPrinter::Expected;

  explicit Printer(const Kernel& kernel);

  auto run() -> std::string;

 private:
  void head();
  void block(const Block& statements);
  /// `head { … } tail`, on one line without statements.
  void braces(std::string_view head, const Block& statements, std::string_view tail = "");
  void statement(StatementId id);
  void declare(VariableId variable);
  void assign(StatementId id, VariableId variable, const std::string& value, bool says_type,
              bool is_secret);
  void call(StatementId id, const Call& node);
  void branch(const If& node, std::string_view begin);
  void loop(const For& node);
  void loop(const While& node);
  void region(const SecretRegion& node);
  void line(std::string_view text);
  auto max_text(const std::optional<ExprId>& max) -> std::string;
  [[nodiscard]] auto reads_secret(ExprId id) const -> bool;
  auto is_declared(StatementId id, VariableId variable) const -> bool;
  auto expr(ExprId id, Expected expected, Level level = Level::Conditional) -> std::string {
    return expressions_.text(id, level, expected);
  }
  /// What asks for the type of the value that declares a variable.
  [[nodiscard]] auto expected_of_declaration(VariableId variable) const -> Expected {
    return cast_.contains(variable) ? Expected::Another : Expected::Nothing;
  }
  auto name(VariableId variable) const -> const std::string& {
    return kernel_.variables[variable].name;
  }

  const Kernel& kernel_;
  ExpressionPrinter expressions_;
  Declarations declarations_;
  std::set<VariableId> cast_;  ///< what a cast could ask for another type
  std::string text_;
  uint32_t depth_ = 0;
};

}  // namespace tacet::kernel
