#include "compiler/device/array/polynomial_range.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "compiler/device/array/interval_arithmetic.h"
#include "compiler/front/types/value_bound.h"

namespace tacet::array {

namespace {

using types::Wide;

constexpr size_t kMaxOperands = 8;
constexpr size_t kMaxNodes = 48;

/// Where the expression is cut into operands.
enum class Cut : uint8_t { AtSites, AlsoAtBits };

class Polynomial {
 public:
  Polynomial(const Statement& statement, const std::vector<Interval>& ranges, Cut cut)
      : statement_(statement), ranges_(ranges), cut_(cut) {}

  auto range(ExprId root) -> std::optional<Interval> {
    read_operation(root);
    if (is_too_large_ || !is_linear()) {
      return std::nullopt;
    }
    std::optional<Interval> result;
    for (uint32_t ends = 0; ends < 1U << operands_.size(); ++ends) {
      std::optional<int64_t> value = value_at(ends);
      if (!value) {
        return std::nullopt;
      }
      Interval point{*value, *value};
      result = result ? joined(*result, point) : point;
    }
    return result;
  }

 private:
  /// A literal, an operand, or an operation on nodes before it.
  struct Node {
    enum class Kind : uint8_t { Literal, Operand, Operation } kind = Kind::Literal;
    int64_t literal = 0;
    size_t operand = 0;
    Operator op = Operator::Add;
    size_t left = 0;
    size_t right = 0;
    std::array<uint32_t, kMaxOperands> degrees = {};  ///< by operand, as it is written
  };

  auto read(ExprId id) -> size_t {
    if (auto found = node_of_.find(id); found != node_of_.end()) {
      return found->second;
    }
    // Counted before its operands are, so that a long row of operations is not walked to its end.
    is_too_large_ |= ++n_read_ > kMaxNodes;
    if (is_too_large_) {
      return 0;
    }
    const Interval& range = ranges_[id.index];
    bool is_bit = range.low >= 0 && range.high <= 1;
    const auto& node = statement_.exprs[id].node;
    if (std::holds_alternative<Operation>(node) && !(is_bit && cut_ == Cut::AlsoAtBits)) {
      return read_operation(id);
    }
    Node leaf;
    if (const auto* literal = std::get_if<Literal>(&node)) {
      leaf.literal = literal->value;
    } else {
      leaf.kind = Node::Kind::Operand;
      leaf.operand = operands_.size();
      is_too_large_ |= operands_.size() == kMaxOperands || !is_bounded(range);
      if (!is_too_large_) {
        operands_.push_back(range);
        leaf.degrees[leaf.operand] = 1;
      }
    }
    return add(id, leaf);
  }

  auto read_operation(ExprId id) -> size_t {
    const auto* operation = std::get_if<Operation>(&statement_.exprs[id].node);
    is_too_large_ |= operation == nullptr;
    if (is_too_large_) {
      return 0;
    }
    Node node;
    node.kind = Node::Kind::Operation;
    node.op = operation->op;
    node.left = read(operation->left);
    node.right = read(operation->right);
    if (is_too_large_) {
      return 0;
    }
    for (size_t i = 0; i < kMaxOperands; ++i) {
      uint32_t left = nodes_[node.left].degrees[i];
      uint32_t right = nodes_[node.right].degrees[i];
      // Repeated squaring would keep doubling it.
      node.degrees[i] =
          std::min(2U, node.op == Operator::Multiply ? left + right : std::max(left, right));
    }
    return add(id, node);
  }

  auto add(ExprId id, const Node& node) -> size_t {
    nodes_.push_back(node);
    node_of_.emplace(id, nodes_.size() - 1);
    return nodes_.size() - 1;
  }

  [[nodiscard]] auto is_linear() const -> bool {
    for (size_t i = 0; i < operands_.size(); ++i) {
      bool has_two_values = Wide{operands_[i].high} - operands_[i].low <= 1;
      if (!has_two_values && nodes_.back().degrees[i] > 1) {
        return false;
      }
    }
    return true;
  }

  /// Nothing if an intermediate number, or the result, is too large.
  [[nodiscard]] auto value_at(uint32_t ends) const -> std::optional<int64_t> {
    std::vector<Wide> values;
    for (const Node& node : nodes_) {
      Wide value = node.literal;
      bool overflows = false;
      if (node.kind == Node::Kind::Operand) {
        const Interval& range = operands_[node.operand];
        value = (ends >> node.operand & 1U) != 0 ? range.high : range.low;
      } else if (node.kind == Node::Kind::Operation) {
        Wide left = values[node.left];
        Wide right = values[node.right];
        overflows = node.op == Operator::Add        ? __builtin_add_overflow(left, right, &value)
                    : node.op == Operator::Subtract ? __builtin_sub_overflow(left, right, &value)
                                                    : __builtin_mul_overflow(left, right, &value);
      }
      if (overflows) {
        return std::nullopt;
      }
      values.push_back(value);
    }
    bool fits = values.back() > INT64_MIN && values.back() < INT64_MAX;
    return fits ? std::optional(static_cast<int64_t>(values.back())) : std::nullopt;
  }

  const Statement& statement_;
  const std::vector<Interval>& ranges_;
  Cut cut_;
  std::vector<Node> nodes_;
  std::vector<Interval> operands_;
  std::unordered_map<ExprId, size_t> node_of_;
  size_t n_read_ = 0;
  bool is_too_large_ = false;
};

}  // namespace

auto polynomial_range(const Statement& statement, ExprId expr, const std::vector<Interval>& ranges)
    -> std::optional<Interval> {
  std::optional<Interval> range = Polynomial(statement, ranges, Cut::AtSites).range(expr);
  return range ? range : Polynomial(statement, ranges, Cut::AlsoAtBits).range(expr);
}

}  // namespace tacet::array
