#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "compiler/device/array/program.h"
#include "compiler/he/lift/index.h"

/// Private to this folder.
namespace tacet::lift {

using TermId = Id<struct TermTag>;
class Cases;

enum class TermKind : uint8_t {
  Number,
  Position,   ///< the value of an index
  Element,    ///< of an array of the program, at indices; 0 outside
  Drawn,      ///< made of random draws alone, at indices; 0 outside of an array
  Fraction,   ///< likewise, of fixed-point numbers, as they are stored: it is no known number
  Carried,    ///< what a variable holds, or holds at indices, when an iteration of a loop begins
  Operation,  ///< `op`
  Function,   ///< `function`
  Reduce,     ///< by `op`, over `dim`
};

/// The value of a scalar or of an element, for all values of the dimensions in it.
struct Term {
  TermKind kind = TermKind::Number;
  int64_t number = 0;
  Index index{};
  uint32_t array = 0;  ///< of an element; of `Carried`, `Drawn` and `Fraction` its number
  std::vector<Index> indices{};
  array::Operator op = array::Operator::Add;
  array::FunctionKind function = array::FunctionKind::Equal;
  array::Width width{};  ///< of a function's operands
  std::vector<TermId> operands{};
  DimId dim{};

  friend auto operator==(const Term&, const Term&) -> bool = default;
};

/// Terms, each once, simplified as they are made.
class Terms {
 public:
  Terms();
  ~Terms();
  Terms(const Terms&) = delete;
  auto operator=(const Terms&) -> Terms& = delete;

  auto new_dim(std::string name, int64_t extent) -> DimId;
  [[nodiscard]] auto dims() const -> const Dims& { return dims_; }
  [[nodiscard]] auto extent(DimId dim) const -> int64_t { return dims_[dim].extent; }

  [[nodiscard]] auto operator[](TermId id) const -> const Term& { return nodes_[id].term; }
  [[nodiscard]] auto place(TermId id) const -> FileRange { return nodes_[id].place; }
  [[nodiscard]] auto size() const -> size_t { return nodes_.size(); }
  /// The text that the terms which come are made for.
  void set_place(FileRange place) { place_ = place; }

  /// The term that is `term`, with what its operands give it known.
  auto intern(Term term) -> TermId;

  auto number(int64_t value) -> TermId;
  auto position(Index index) -> TermId;
  auto element(uint32_t array, std::vector<Index> indices) -> TermId;
  using Drawing = std::function<int64_t(uint32_t number, const std::vector<int64_t>& indices)>;
  void set_drawing(Drawing drawing) { drawing_ = std::move(drawing); }
  auto operation(array::Operator op, TermId left, TermId right) -> TermId;
  auto function(array::FunctionKind function, std::vector<TermId> operands, array::Width width = {})
      -> TermId;
  auto reduce(array::Operator op, DimId dim, TermId body) -> TermId;

  [[nodiscard]] auto as_number(TermId id) const -> std::optional<int64_t>;
  /// Whether it is known without any array.
  [[nodiscard]] auto is_known(TermId id) const -> bool { return nodes_[id].is_known; }
  [[nodiscard]] auto has_carried(TermId id) const -> bool { return nodes_[id].has_carried; }
  /// An interval that holds all its values; an end at the least or greatest number stands for
  /// everything beyond it.
  [[nodiscard]] auto range(TermId id) const -> Interval { return nodes_[id].range; }
  /// What the elements of an array are in.
  void set_range(uint32_t array, Interval range, std::vector<int64_t> extents) {
    ranges_of_array_[array] = {range, std::move(extents)};
  }
  /// Products of secrets that follow each other in it, at least: one for each comparison, quotient
  /// or choice between what is not known. What depends on one other term alone may be a single
  /// polynomial in that.
  [[nodiscard]] auto least_levels(TermId id) const -> uint32_t { return nodes_[id].levels; }
  /// Whether secrets are compared, divided or the like in it.
  [[nodiscard]] auto has_functions(TermId id) const -> bool { return nodes_[id].has_functions; }
  /// Whether functions of reals are in it, which become polynomials, or sums or products over
  /// products; or arrays with such.
  [[nodiscard]] auto is_costly(TermId id) const -> bool { return nodes_[id].is_costly; }
  /// What is known of terms that are one of a few values each.
  auto cases() -> Cases& { return *cases_; }
  /// Whether it is worth asking `cases`.
  [[nodiscard]] auto may_have_cases(TermId id) const -> bool {
    return nodes_[id].height <= kMostHeight;
  }
  void set_has_cases(TermId id) { nodes_[id].height = 0; }
  /// That an array is computed as `value` along some dimensions: it has the levels and range of
  /// that.
  void set_computed(uint32_t array, TermId value, const std::vector<DimId>& dims);
  /// The dimensions that it depends on, in order.
  [[nodiscard]] auto free_dims(TermId id) const -> const std::vector<DimId>& {
    return nodes_[id].free_dims;
  }

  /// The element at `indices` of an array that is drawn, or of stored fractions.
  [[nodiscard]] auto drawn_at(uint32_t array, const std::vector<int64_t>& indices) const
      -> int64_t {
    return drawing_(array, indices);
  }

 private:
  struct Node {
    Term term;
    FileRange place;
    bool is_known = false;
    bool has_carried = false;
    std::vector<DimId> free_dims;
    bool has_functions = false;
    bool is_costly = false;
    uint32_t levels = 0;
    std::optional<TermId> source{};  ///< the nearest term by which all its values come
    uint32_t n_sources = 0;          ///< that one, its own, and so on
    uint32_t height = 0;             ///< over what has cases by itself
    Interval range{INT64_MIN, INT64_MAX};
  };
  struct Hash {
    auto operator()(const Term& term) const -> size_t;
  };

  struct ArrayRange {
    Interval elements;
    std::vector<int64_t> extents;
  };

  void find_levels(Node& node) const;
  [[nodiscard]] auto range_of_node(const Term& term) const -> Interval;
  [[nodiscard]] auto height_of(const Node& node) const -> uint32_t;
  [[nodiscard]] auto common_source(std::optional<TermId> a, std::optional<TermId> b) const
      -> std::optional<TermId>;
  Dims dims_;
  Store<TermId, Node> nodes_;
  std::unordered_map<Term, TermId, Hash> ids_;
  std::unordered_map<uint32_t, uint32_t> levels_of_array_;  ///< 0 of others
  std::set<uint32_t> costly_arrays_;                        ///< that are computed
  std::unordered_map<uint32_t, ArrayRange> ranges_of_array_;
  FileRange place_{};
  Drawing drawing_;
  std::unique_ptr<Cases> cases_;

  /// What is larger has too many cases.
  static constexpr uint32_t kMostHeight = 512;
};

auto carried_value(Terms& terms, uint32_t number, std::vector<Index> indices) -> TermId;
/// What is drawn is known: it is `Drawing`'s to say.
auto drawn_integer(Terms& terms, uint32_t number, std::vector<Index> indices) -> TermId;
auto drawn_fraction(Terms& terms, uint32_t number, std::vector<Index> indices) -> TermId;
/// The integer that a type holds in place of one that sums and products may have left it with.
auto wrapped(Terms& terms, TermId id, array::Width width) -> TermId;
/// The term with other operands.
auto with_operands(Terms& terms, const Term& term, std::vector<TermId> operands) -> TermId;
/// 1 where the index is at least 0 and less than `extent`.
auto is_within(Terms& terms, const Index& index, int64_t extent) -> TermId;
/// 1 where two indices have the same value.
auto is_same(Terms& terms, const Index& left, const Index& right) -> TermId;
auto as_index(const Terms& terms, TermId id) -> std::optional<Index>;
auto depends(const Terms& terms, TermId id, DimId dim) -> bool;
/// With other indices in place of dimensions; nothing if an index would be none.
auto substituted(Terms& terms, TermId id, const Substitution& by) -> std::optional<TermId>;
/// With what `replace` gives in place of the terms that it gives something for; inside of others
/// it is asked on.
auto rewritten(Terms& terms, TermId id, const std::function<std::optional<TermId>(TermId)>& replace)
    -> TermId;
/// With other terms in place of what is carried.
auto with_carried(Terms& terms, TermId id, const std::function<TermId(TermId)>& replace) -> TermId;
/// Calls `visit` for each different carried term in it.
void visit_carried(const Terms& terms, TermId id, const std::function<void(TermId)>& visit);

inline auto sum(Terms& terms, TermId left, TermId right) -> TermId {
  return terms.operation(array::Operator::Add, left, right);
}

inline auto product(Terms& terms, TermId left, TermId right) -> TermId {
  return terms.operation(array::Operator::Multiply, left, right);
}

inline auto selected(Terms& terms, TermId condition, TermId then, TermId otherwise) -> TermId {
  return terms.function(array::FunctionKind::Select, {condition, then, otherwise});
}

inline auto negation(Terms& terms, TermId truth) -> TermId {
  return terms.operation(array::Operator::Subtract, terms.number(1), truth);
}

}  // namespace tacet::lift
