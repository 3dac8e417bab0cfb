#include "compiler/device/dependences/accesses.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>

#include "compiler/device/kernel/walk.h"

namespace tacet::dependences {

using kernel::Block;
using kernel::ExprId;
using kernel::Kernel;
using kernel::VariableId;
using types::Operator;

namespace {

class AccessFinder {
 public:
  explicit AccessFinder(const Kernel& kernel)
      : kernel_(kernel), definitions_(kernel::values_assigned_once(kernel)) {
    const std::set<VariableId> written = kernel::variables_written(kernel, kernel.body);
    for (const VariableId parameter : kernel.parameters) {
      if (!written.contains(parameter)) {
        constants_.insert(parameter);
      }
    }
  }

  auto run() -> Accesses {
    run(kernel_.body);
    return std::move(accesses_);
  }

 private:
  struct Open {
    size_t loop = 0;
    VariableId counter{};  ///< of a `for`
  };

  void run(const Block& block);
  void run(const kernel::Statement& statement);
  void open(const kernel::Statement& statement, const Block& body);
  [[nodiscard]] auto may_end_early(const kernel::Statement& loop, const Block& body) const -> bool;
  [[nodiscard]] auto iterations_of(const kernel::For& loop) const -> std::optional<int64_t>;
  void add_step(const kernel::Statement& statement);
  void read(ExprId expr, size_t step);
  void element(VariableId variable, const std::vector<ExprId>& indices, size_t step, bool is_write);
  /// As a sum of multiples of counters and parameters; nothing if it is no such sum.
  auto affine(ExprId expr) -> std::optional<std::string>;
  auto affine(VariableId variable) -> std::optional<std::string>;
  auto affine(const kernel::Binary& binary) -> std::optional<std::string>;

  const Kernel& kernel_;
  Accesses accesses_;
  std::unordered_map<VariableId, ExprId> definitions_;  ///< of what is assigned once
  std::set<VariableId> constants_;
  std::vector<Open> open_;
  std::vector<size_t> positions_{0};
  std::vector<std::string> domain_;
  std::vector<Doubt>
      doubts_;  ///< branches, and loops of which little is known, around the statement
  size_t n_definitions_ = 0;
};

auto AccessFinder::affine(VariableId variable) -> std::optional<std::string> {
  for (size_t depth = open_.size(); depth-- > 0;) {
    if (open_[depth].counter == variable) {
      return fmt::format("c{}", depth);
    }
  }
  const kernel::Type& type = kernel_.variables[variable].type;
  if (!type.extents.empty() || !engine::is_integer(type.element.kind)) {
    return std::nullopt;
  }
  if (constants_.contains(variable)) {
    const std::string name = fmt::format("p{}", variable.index);
    accesses_.parameters.insert(name);
    return name;
  }
  const auto definition = definitions_.find(variable);
  constexpr size_t kDeepest = 16;
  if (definition == definitions_.end() || n_definitions_ > kDeepest) {
    return std::nullopt;
  }
  ++n_definitions_;
  std::optional<std::string> value = affine(definition->second);
  --n_definitions_;
  return value;
}

auto AccessFinder::affine(const kernel::Binary& binary) -> std::optional<std::string> {
  const std::optional<std::string> left = affine(binary.left);
  const std::optional<std::string> right = affine(binary.right);
  if (!left || !right) {
    return std::nullopt;
  }
  if (binary.op == Operator::Add || binary.op == Operator::Sub) {
    return fmt::format("({} {} {})", *left, binary.op == Operator::Add ? '+' : '-', *right);
  }
  // isl wants the number behind the other factor, and no sign in front of it.
  const auto* by_right = std::get_if<kernel::Literal>(&kernel_.exprs[binary.right].node);
  const auto* by_left = std::get_if<kernel::Literal>(&kernel_.exprs[binary.left].node);
  if (binary.op != Operator::Mul || (by_right == nullptr && by_left == nullptr)) {
    return std::nullopt;
  }
  const auto factor = static_cast<int64_t>((by_right != nullptr ? by_right : by_left)->cell);
  const std::string& other = by_right != nullptr ? *left : *right;
  return factor < 0 ? fmt::format("(0 - {} * {})", other, 0 - static_cast<uint64_t>(factor))
                    : fmt::format("({} * {})", other, factor);
}

auto AccessFinder::affine(ExprId id) -> std::optional<std::string> {
  const kernel::Expr& expr = kernel_.exprs[id];
  if (!engine::is_integer(expr.type.element.kind) || !expr.type.extents.empty()) {
    return std::nullopt;
  }
  if (const auto* literal = std::get_if<kernel::Literal>(&expr.node)) {
    return fmt::format("({})", static_cast<int64_t>(literal->cell));
  }
  if (const auto* read = std::get_if<kernel::Read>(&expr.node)) {
    return affine(read->variable);
  }
  if (const auto* cast = std::get_if<kernel::Cast>(&expr.node)) {
    // To fewer bits it may be another number.
    const engine::ElementKind from = kernel_.exprs[cast->operand].type.element.kind;
    const bool is_wider =
        engine::is_integer(from) &&
        engine::min_integer(expr.type.element.kind) <= engine::min_integer(from) &&
        engine::max_integer(expr.type.element.kind) >= engine::max_integer(from);
    return is_wider ? affine(cast->operand) : std::nullopt;
  }
  const auto* binary = std::get_if<kernel::Binary>(&expr.node);
  return binary == nullptr ? std::nullopt : affine(*binary);
}

void AccessFinder::element(VariableId variable, const std::vector<ExprId>& indices, size_t step,
                           bool is_write) {
  Access access{
      .step = step, .is_write = is_write, .doubt = doubts_.empty() ? Doubt::None : doubts_.back()};
  const std::vector<int64_t>& extents = kernel_.variables[variable].type.extents;
  std::vector<std::string> elements;
  std::vector<std::string> conditions;
  for (size_t d = 0; d < extents.size(); ++d) {
    const std::optional<std::string> index = d < indices.size() ? affine(indices[d]) : std::nullopt;
    if (index) {
      elements.push_back(*index);
      continue;
    }
    access.doubt = d < indices.size() ? Doubt::Index : access.doubt;
    elements.push_back(fmt::format("o{}", d));
    conditions.push_back(fmt::format("0 <= o{} < {}", d, extents[d]));
  }
  access.elements = fmt::format("{}", fmt::join(elements, ", "));
  access.condition = fmt::format("{}", fmt::join(conditions, " and "));
  accesses_.of[variable].push_back(std::move(access));
}

void AccessFinder::read(ExprId id, size_t step) {
  const kernel::Expr& expr = kernel_.exprs[id];
  if (const auto* read = std::get_if<kernel::Read>(&expr.node)) {
    element(read->variable, {}, step, false);
    return;
  }
  const auto* part = std::get_if<kernel::Element>(&expr.node);
  const auto* array =
      part == nullptr ? nullptr : std::get_if<kernel::Read>(&kernel_.exprs[part->array].node);
  if (array == nullptr) {
    kernel::visit_exprs(expr, [&](ExprId inner) { read(inner, step); });
    return;
  }
  element(array->variable, part->indices, step, false);
  for (const ExprId index : part->indices) {
    read(index, step);
  }
}

void AccessFinder::add_step(const kernel::Statement& statement) {
  const size_t step = accesses_.steps.size();
  Step& added = accesses_.steps.emplace_back();
  for (const Open& open : open_) {
    added.loops.push_back(open.loop);
  }
  added.positions = positions_;
  added.domain = fmt::format("{}", fmt::join(domain_, " and "));
  added.place = statement.place;
  kernel::visit_exprs(statement, [&](ExprId expr) { read(expr, step); });
  if (const auto* store = std::get_if<kernel::StoreElement>(&statement.node)) {
    element(store->array, store->indices, step, true);
  } else if (!kernel::is_loop(statement)) {
    kernel::visit_written(statement, [&](VariableId written) { element(written, {}, step, true); });
  }
}

/// May there be fewer iterations than the bounds say, or parts of them?
auto AccessFinder::may_end_early(const kernel::Statement& loop, const Block& body) const -> bool {
  bool may = false;
  if (const auto* counted = std::get_if<kernel::For>(&loop.node)) {
    may = counted->max.has_value() || (counted->step && !std::holds_alternative<kernel::Literal>(
                                                            kernel_.exprs[*counted->step].node));
  }
  kernel::walk_statements(kernel_, body, [&](kernel::StatementId id) {
    const auto& node = kernel_.statements[id].node;
    may = may || std::holds_alternative<kernel::Break>(node) ||
          std::holds_alternative<kernel::Continue>(node) ||
          std::holds_alternative<kernel::Return>(node);
  });
  return may;
}

/// Nothing where bounds or step are not numbers.
auto AccessFinder::iterations_of(const kernel::For& loop) const -> std::optional<int64_t> {
  const auto number_of = [&](kernel::ExprId id) {
    const auto* literal = std::get_if<kernel::Literal>(&kernel_.exprs[id].node);
    return literal == nullptr ? std::nullopt : std::optional(static_cast<int64_t>(literal->cell));
  };
  const std::optional<int64_t> lower = number_of(loop.lower);
  const std::optional<int64_t> upper = number_of(loop.upper);
  const std::optional<int64_t> step = loop.step ? number_of(*loop.step) : 1;
  constexpr int64_t kMost = int64_t{1} << 40;
  if (!lower || !upper || !step || *step < 1 || std::abs(*lower) > kMost ||
      std::abs(*upper) > kMost) {
    return std::nullopt;
  }
  return *lower < *upper ? (*upper - *lower - 1) / *step + 1 : 0;
}

void AccessFinder::open(const kernel::Statement& statement, const Block& body) {
  const size_t depth = open_.size();
  const std::string counter = fmt::format("c{}", depth);
  Open open{.loop = accesses_.loops.size()};
  Loop loop{.counter = {}, .place = statement.place, .depth = depth};
  std::vector<std::string> bounds;
  // Of an outermost loop an unknown bound is one number; of an inner one it may be another number
  // each time, so that what is written there may not be.
  bool is_known = false;
  const bool ends_early = may_end_early(statement, body);
  const auto unknown = [&](std::string_view which) {
    const std::string name = fmt::format("{}{}", which, accesses_.loops.size());
    accesses_.parameters.insert(name);
    return name;
  };
  if (const auto* counted = std::get_if<kernel::For>(&statement.node)) {
    open.counter = counted->counter;
    loop.counter = kernel_.variables[counted->counter].name;
    const std::optional<std::string> lower = affine(counted->lower);
    const std::optional<std::string> upper = affine(counted->upper);
    is_known = lower && upper;
    bounds.push_back(fmt::format("{} <= {}", lower ? *lower : unknown("l"), counter));
    bounds.push_back(fmt::format("{} < {}", counter, upper ? *upper : unknown("u")));
    const auto* step =
        counted->step ? std::get_if<kernel::Literal>(&kernel_.exprs[*counted->step].node) : nullptr;
    if (step != nullptr && lower) {
      bounds.push_back(fmt::format("({} - {}) mod {} = 0", counter, *lower,
                                   std::max<int64_t>(1, static_cast<int64_t>(step->cell))));
    }
    if (!ends_early) {
      loop.n_iterations = iterations_of(*counted);
    }
  } else {
    bounds.push_back(fmt::format("0 <= {} < {}", counter, unknown("u")));
  }
  accesses_.loops.push_back(std::move(loop));
  const bool is_uncertain = (!is_known && depth > 0) || ends_early;
  if (is_uncertain) {
    doubts_.push_back(Doubt::Iterations);
  }
  const size_t n_domain = domain_.size();
  open_.push_back(open);
  domain_.insert(domain_.end(), bounds.begin(), bounds.end());
  positions_.push_back(0);
  run(body);
  positions_.pop_back();
  domain_.resize(n_domain);
  open_.pop_back();
  if (is_uncertain) {
    doubts_.pop_back();
  }
}

void AccessFinder::run(const kernel::Statement& statement) {
  add_step(statement);
  if (const auto* branch = std::get_if<kernel::If>(&statement.node)) {
    doubts_.push_back(Doubt::Branch);
    run(branch->then);
    run(branch->otherwise);
    doubts_.pop_back();
    return;
  }
  ++positions_.back();
  if (kernel::is_loop(statement)) {
    kernel::visit_blocks(statement, [&](const Block& body) { open(statement, body); });
  } else {
    kernel::visit_blocks(statement, [&](const Block& body) { run(body); });
  }
}

void AccessFinder::run(const Block& block) {
  for (const kernel::StatementId id : block) {
    run(kernel_.statements[id]);
    ++positions_.back();
  }
}

}  // namespace

auto find_accesses(const Kernel& kernel) -> Accesses {
  return AccessFinder(kernel).run();
}

}  // namespace tacet::dependences
