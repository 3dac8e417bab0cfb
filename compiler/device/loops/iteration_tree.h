#pragma once

#include <string>
#include <vector>

#include "compiler/device/loops/recurrence_form.h"

/// Writes trees of iterations, as loops whose iterations are independent. Private to this folder.
namespace tacet::loops {

/// What the iterations of a loop do to what it carries, as rows of which each iteration has an
/// element; and how two of them are joined.
class IterationTree {
 public:
  /// What all iterations have in common of one part of their forms.
  enum class Kind : uint8_t { Zero, One, Absent, Row };
  struct Part {
    Kind kind = Kind::Zero;
    engine::ElementType element{};
    std::string name{};
    kernel::VariableId row{};  ///< of kind `Row`
  };

  IterationTree(kernel::Builder& make, std::vector<kernel::VariableId> carried, int64_t n)
      : make_(make), carried_(std::move(carried)), n_(n) {}
  virtual ~IterationTree() = default;

  /// Makes the rows: statements for in front of the loop, and for the end of its body, where
  /// `place` counts iterations from 0.
  void start(kernel::Block& before, kernel::Block& body, kernel::ExprId place);
  /// All iterations at once: the variables hold what the loop leaves in them.
  void fold(kernel::Block& block);
  /// All iterations up to each one: by variable a row that begins with what the variable holds
  /// now, and has what each iteration leaves behind that.
  auto prefixes(kernel::Block& block) -> std::map<kernel::VariableId, kernel::VariableId>;

 protected:
  using Operands = std::vector<std::optional<kernel::ExprId>>;  ///< by part

  /// Expressions of the parts of two neighbours joined; of rows alone.
  virtual auto join(const Operands& earlier, const Operands& later) -> Operands = 0;
  /// What the carried variables, which hold `held`, hold after that.
  virtual auto apply(const Operands& parts, const std::vector<kernel::ExprId>& held)
      -> std::vector<kernel::ExprId> = 0;

  /// A part with the values of one iteration.
  void add_part(Part part, std::optional<kernel::ExprId> value);
  /// Widens kinds until they hold for joined iterations, too.
  virtual void settle_kinds() = 0;

  kernel::Builder& make_;
  std::vector<kernel::VariableId> carried_;
  std::vector<Part> parts_;

 private:
  auto integer(int64_t value) -> kernel::ExprId { return make_.integer(value); }
  auto sum(kernel::ExprId left, int64_t right) -> kernel::ExprId;
  auto scaled(kernel::ExprId value, int64_t by) -> kernel::ExprId;
  auto new_counter(const char* name) -> kernel::VariableId;
  auto new_row(const Part& part, int64_t length, kernel::Block& block) -> kernel::VariableId;
  auto loop(kernel::VariableId counter, int64_t n, kernel::Block body) -> kernel::StatementId;
  /// Elements of all rows, held by variables.
  auto elements(const std::vector<Part>& parts, kernel::ExprId at, const char* suffix,
                kernel::Block& block) -> Operands;
  auto operand(const Part& part, kernel::ExprId at) -> std::optional<kernel::ExprId>;
  void store(const std::vector<Part>& parts, kernel::ExprId at, const Operands& values,
             kernel::Block& block);
  void join_blocks(int64_t first, int64_t n_blocks, int64_t half, int64_t n_later,
                   kernel::Block& block);

  int64_t n_;
  std::vector<std::optional<kernel::ExprId>> values_;
};

/// Of `LinearForm`s; of truth values and of integers, exactly.
class LinearTree : public IterationTree {
 public:
  LinearTree(kernel::Builder& make, std::vector<kernel::VariableId> carried,
             const std::map<kernel::VariableId, LinearForm>& forms, int64_t n);

 protected:
  auto join(const Operands& earlier, const Operands& later) -> Operands override;
  auto apply(const Operands& parts, const std::vector<kernel::ExprId>& held)
      -> std::vector<kernel::ExprId> override;
  void settle_kinds() override;

 private:
  /// The factor of variable `column` in variable `row`; behind all of them the constant.
  [[nodiscard]] auto at(size_t row, size_t column) const -> size_t {
    return row * (carried_.size() + 1) + column;
  }
  Field field_;
};

/// Of `ClampForm`s.
class ClampTree : public IterationTree {
 public:
  /// With `limit`, sums of shifts are cut to -limit..limit, so that they do not overflow.
  ClampTree(kernel::Builder& make, kernel::VariableId carried, const ClampForm& form, int64_t n,
            std::optional<int64_t> limit);

 protected:
  auto join(const Operands& earlier, const Operands& later) -> Operands override;
  auto apply(const Operands& parts, const std::vector<kernel::ExprId>& held)
      -> std::vector<kernel::ExprId> override;
  void settle_kinds() override {}

 private:
  auto sum(std::optional<kernel::ExprId> left, std::optional<kernel::ExprId> right)
      -> std::optional<kernel::ExprId>;
  auto greater(kernel::ExprId left, kernel::ExprId right) -> kernel::ExprId {
    return make_.apply(engine::Function::Max, {left, right});
  }
  auto lesser(kernel::ExprId left, kernel::ExprId right) -> kernel::ExprId {
    return make_.apply(engine::Function::Min, {left, right});
  }

  std::optional<int64_t> limit_;
};

}  // namespace tacet::loops
