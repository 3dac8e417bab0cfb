#include "compiler/he/gates/table_forms.h"

#include <algorithm>
#include <bit>

#include "compiler/device/kernel/build.h"
#include "compiler/device/kernel/print.h"
#include "compiler/device/kernel/walk.h"
#include "compiler/he/gates/evaluate.h"
#include "compiler/he/gates/lower.h"
#include "compiler/he/gates/optimise.h"

namespace tacet::gates {

using engine::Cell;
using engine::ElementType;
using kernel::ExprId;
using types::Operator;

namespace {

/// Larger tables take too long to look at while somebody waits, and are rarely anything else.
constexpr size_t kMostValues = 1024;

/// value = factor * x + offset, modulo the width of the type.
struct Linear {
  Cell factor = 0;
  Cell offset = 0;
};

/// A function of one parameter, the index.
class FormKernel {
 public:
  FormKernel(const TableRead& read, std::string index) : read_(read), builder_(kernel_) {
    kernel::Variable variable{.name = std::move(index),
                              .type = {read.index_type},
                              .kind = kernel::VariableKind::Parameter,
                              .visibility = types::Visibility::Secret};
    variable.bound = kernel::Bound{static_cast<types::Wide>(read.first),
                                   static_cast<types::Wide>(read.first + read.values.size())};
    kernel_.name = "form";
    kernel_.device = names::Device::He;
    index_ = kernel_.variables.add(std::move(variable));
    kernel_.parameters.push_back(index_);
    kernel_.results.push_back({.type = {read.type}, .visibility = types::Visibility::Secret});
  }

  auto index() -> ExprId { return builder_.read(index_); }
  /// In the type of the elements.
  auto as_value(ExprId expr) -> ExprId { return builder_.cast(expr, read_.type); }
  auto number(Cell cell) -> ExprId { return builder_.literal(read_.type, cell); }
  auto index_number(uint64_t value) -> ExprId { return builder_.literal(read_.index_type, value); }
  auto binary(Operator op, ExprId left, ExprId right) -> ExprId {
    return builder_.binary(op, left, right);
  }
  auto select(ExprId condition, ExprId then, ExprId otherwise) -> ExprId {
    return builder_.select(condition, then, otherwise, kernel::Obliviousness::Oblivious);
  }

  /// factor * x + offset, without what changes nothing.
  auto linear(ExprId x, const Linear& function) -> ExprId {
    const bool is_signed = engine::is_signed_integer(read_.type.kind);
    const auto is_negative = [&](Cell cell) {
      const size_t width = engine::bit_width(read_.type.kind);
      return (cell >> (width - 1) & 1U) != 0;
    };
    const auto minus = [&](Cell cell) { return wrapped(Cell{0} - cell); };
    if (function.factor == 0) {
      return number(function.offset);
    }
    const bool subtracts = is_negative(function.factor) && (function.offset != 0 || !is_signed);
    const Cell factor = subtracts ? minus(function.factor) : function.factor;
    const ExprId product = factor == 1 ? x : binary(Operator::Mul, x, number(factor));
    if (subtracts) {
      return binary(Operator::Sub, number(function.offset), product);
    }
    if (function.offset == 0) {
      return product;
    }
    return is_negative(function.offset)
               ? binary(Operator::Sub, product, number(minus(function.offset)))
               : binary(Operator::Add, product, number(function.offset));
  }

  [[nodiscard]] auto wrapped(Cell cell) const -> Cell {
    return read_.type.kind == engine::ElementKind::Bool ? cell & 1U
                                                        : engine::wrapped(read_.type.kind, cell);
  }

  /// How many bootstraps the expression takes; nothing if it is not the table.
  auto price(ExprId expr) -> std::optional<size_t> {
    kernel_.body = {builder_.statement(kernel::Return{{expr}})};
    Lowering lowering = lower(kernel_);
    if (!lowering.graph) {
      return std::nullopt;
    }
    const Graph graph = optimise(std::move(*lowering.graph));
    for (size_t i = 0; i < read_.values.size(); ++i) {
      const uint64_t at = read_.first + i;
      if (wrapped(evaluate_words(graph, {&at, 1}).front()) != wrapped(read_.values[i])) {
        return std::nullopt;
      }
    }
    return n_bootstraps(graph);
  }

  /// The table itself.
  auto table() -> ExprId {
    std::vector<ExprId> elements(read_.first, number(0));
    for (const Cell value : read_.values) {
      elements.push_back(number(value));
    }
    return builder_.element(builder_.array(std::move(elements)), {index()});
  }

  [[nodiscard]] auto text(ExprId expr) const -> std::string {
    const std::string text = kernel::print(kernel_, expr);
    return text.find(' ') == std::string::npos ? text : "(" + text + ")";
  }

  [[nodiscard]] auto n_mentions(ExprId expr) const -> size_t {
    size_t n = 0;
    kernel::walk_exprs(kernel_, expr, [&](ExprId id) {
      n += std::holds_alternative<kernel::Read>(kernel_.exprs[id].node) ? 1 : 0;
    });
    return n;
  }

 private:
  const TableRead& read_;
  kernel::Kernel kernel_;
  kernel::Builder builder_;
  kernel::VariableId index_;
};

class FormSearch {
 public:
  FormSearch(const TableRead& read, const std::string& index)
      : read_(read), form_(read, index), n_(read.values.size()) {
    while (n_index_bits_ < 63 && (last() >> n_index_bits_) != 0) {
      ++n_index_bits_;
    }
  }

  auto run() -> std::optional<TableForm> {
    const std::optional<size_t> price = form_.price(form_.table());
    if (!price || *price == 0) {
      return std::nullopt;
    }
    best_ = *price;
    if (read_.type.kind == engine::ElementKind::Bool) {
      try_truths();
    } else {
      try_bits_of_index();
      try_square();
      try_masks();
      try_two_pieces();
      try_counts();
    }
    if (!best_form_) {
      return std::nullopt;
    }
    return TableForm{.n_bootstraps_of_table = *price,
                     .n_bootstraps = best_,
                     .n_mentions = form_.n_mentions(*best_form_),
                     .text = form_.text(*best_form_)};
  }

 private:
  [[nodiscard]] auto last() const -> uint64_t { return read_.first + n_ - 1; }
  [[nodiscard]] auto at(size_t i) const -> Cell { return form_.wrapped(read_.values[i]); }

  void attempt(ExprId expr) {
    const std::optional<size_t> price = form_.price(expr);
    if (price && *price < best_) {
      best_ = *price;
      best_form_ = expr;
    }
  }

  /// The linear function that `x` has at the indices from `begin` to `end`, if it is one.
  template <class X>
  [[nodiscard]] auto linear_of(size_t begin, size_t end, const X& x) const
      -> std::optional<Linear> {
    Linear function{0, at(begin)};
    for (size_t i = begin; i < end; ++i) {
      // Two that differ by 1 say what the factor is.
      const uint64_t step = x(i) - x(begin);
      if (step == 1) {
        function.factor = form_.wrapped(at(i) - at(begin));
        break;
      }
    }
    function.offset = form_.wrapped(at(begin) - function.factor * x(begin));
    for (size_t i = begin; i < end; ++i) {
      if (form_.wrapped(function.factor * x(i) + function.offset) != at(i)) {
        return std::nullopt;
      }
    }
    return function;
  }

  /// `(i >> k & mask) * factor + offset`.
  void try_bits_of_index() {
    for (size_t low = 0; low <= n_index_bits_; ++low) {
      for (size_t high = low; high <= n_index_bits_; ++high) {
        const uint64_t mask = (uint64_t{1} << (high - low)) - 1;
        const auto function =
            linear_of(0, n_, [&](size_t i) -> uint64_t { return (read_.first + i) >> low & mask; });
        if (!function || (function->factor == 0 && low != high)) {
          continue;
        }
        ExprId x = form_.index();
        if (low > 0 && low != high) {
          x = form_.binary(Operator::Shr, x, form_.index_number(low));
        }
        if (high < n_index_bits_ && low != high) {
          x = form_.binary(Operator::And, x, form_.index_number(mask));
        }
        attempt(form_.linear(form_.as_value(x), *function));
        return;  // the shortest
      }
    }
  }

  /// `i * i * a + i * b + c`, with differences of differences that are equal and even.
  void try_square() {
    if (n_ < 3) {
      return;
    }
    const Cell second = form_.wrapped(at(2) - 2 * at(1) + at(0));
    if (second == 0 || (second & 1U) != 0) {
      return;
    }
    const Cell a = form_.wrapped(static_cast<Cell>(static_cast<int64_t>(second) / 2));
    const Cell first = read_.first;
    // a (first + 1)^2 - a first^2 + b is the first difference.
    const Cell b = form_.wrapped(at(1) - at(0) - a * (2 * first + 1));
    const Cell c = form_.wrapped(at(0) - a * first * first - b * first);
    const auto x = [&] { return form_.as_value(form_.index()); };
    const ExprId square = form_.binary(Operator::Mul, x(), x());
    if (b == 0) {
      attempt(form_.linear(square, {a, c}));
    } else {
      const ExprId scaled = form_.linear(square, {a, 0});
      const ExprId rest = form_.linear(x(), {b, c});
      attempt(form_.binary(Operator::Add, scaled, rest));
    }
  }

  void try_masks() {
    const Cell flipped = form_.wrapped(at(0) ^ read_.first);
    Cell some = 0;
    Cell all = ~Cell{0};
    for (size_t i = 0; i < n_; ++i) {
      some |= at(i);
      all &= at(i);
    }
    const auto x = [&] { return form_.as_value(form_.index()); };
    const auto holds = [&](const auto& function) {
      for (size_t i = 0; i < n_; ++i) {
        if (form_.wrapped(function(read_.first + i)) != at(i)) {
          return false;
        }
      }
      return true;
    };
    if (holds([&](Cell i) { return i ^ flipped; })) {
      attempt(form_.binary(Operator::Xor, x(), form_.number(flipped)));
    }
    if (holds([&](Cell i) { return i & some; })) {
      attempt(form_.binary(Operator::And, x(), form_.number(form_.wrapped(some))));
    }
    if (holds([&](Cell i) { return i | all; })) {
      attempt(form_.binary(Operator::Or, x(), form_.number(form_.wrapped(all))));
    }
    if (holds([](Cell i) { return i ^ i >> 1U; })) {
      const ExprId half = form_.binary(Operator::Shr, form_.index(), form_.index_number(1));
      attempt(form_.as_value(form_.binary(Operator::Xor, form_.index(), half)));
    }
  }

  /// `f if i < k else g`, both linear: steps, clamped numbers, distances.
  void try_two_pieces() {
    const auto x = [&](size_t i) -> uint64_t { return read_.first + i; };
    size_t k = n_ > 1 ? 2 : 1;
    while (k < n_ && linear_of(0, k + 1, x)) {
      ++k;
    }
    for (const size_t cut : {size_t{1}, k - 1, k}) {
      if (cut == 0 || cut >= n_) {
        continue;
      }
      const auto left = linear_of(0, cut, x);
      const auto right = linear_of(cut, n_, x);
      if (left && right) {
        const auto behind = piece(*right);
        const auto before = piece(*left);
        attempt(form_.select(below(cut), before, behind));
      }
    }
  }

  auto piece(const Linear& function) -> ExprId {
    return form_.linear(form_.as_value(form_.index()), function);
  }
  auto below(size_t i) -> ExprId {
    return form_.binary(Operator::Lt, form_.index(), form_.index_number(read_.first + i));
  }

  auto bit(size_t k) -> ExprId {
    const ExprId moved =
        k == 0 ? form_.index() : form_.binary(Operator::Shr, form_.index(), form_.index_number(k));
    return form_.binary(Operator::And, moved, form_.index_number(1));
  }

  /// Which bits of the index decide about the lowest bit of an element as a parity, and whether it
  /// is inverted; nothing if it is no parity.
  [[nodiscard]] auto parity_of() const -> std::optional<std::pair<uint64_t, bool>> {
    // Bits whose powers are no index are not seen alone: all indices must be possible.
    if (read_.first != 0) {
      return std::nullopt;
    }
    const bool is_inverted = (at(0) & 1U) != 0;
    uint64_t mask = 0;
    for (size_t k = 0; (uint64_t{1} << k) < n_; ++k) {
      mask |= ((at(size_t{1} << k) & 1U) != 0) != is_inverted ? uint64_t{1} << k : 0;
    }
    for (size_t i = 0; i < n_; ++i) {
      const bool is_odd = (std::popcount(i & mask) & 1) != 0;
      if (((at(i) & 1U) != 0) != (is_odd != is_inverted)) {
        return std::nullopt;
      }
    }
    return std::pair(mask, is_inverted);
  }

  /// `(i ^ i >> 2 ^ …) & 1`.
  auto parity(uint64_t mask) -> ExprId {
    std::optional<ExprId> all;
    for (size_t k = 0; k < 64; ++k) {
      if ((mask >> k & 1U) != 0) {
        const ExprId moved =
            k == 0 ? form_.index()
                   : form_.binary(Operator::Shr, form_.index(), form_.index_number(k));
        all = all ? form_.binary(Operator::Xor, *all, moved) : moved;
      }
    }
    return form_.binary(Operator::And, *all, form_.index_number(1));
  }

  void try_counts() {
    if (const auto found = parity_of(); found && found->first != 0 && n_ > 2) {
      const ExprId odd = form_.as_value(parity(found->first));
      attempt(found->second ? form_.linear(odd, {form_.wrapped(~Cell{0}), 1}) : odd);
    }
    const bool is_count = std::all_of(read_.values.begin(), read_.values.end(), [&](const Cell& v) {
      const auto i = read_.first + static_cast<uint64_t>(&v - read_.values.data());
      return form_.wrapped(v) == static_cast<Cell>(std::popcount(i));
    });
    if (is_count && n_index_bits_ > 1) {
      ExprId sum = form_.as_value(bit(0));
      for (size_t k = 1; k < n_index_bits_; ++k) {
        sum = form_.binary(Operator::Add, sum, form_.as_value(bit(k)));
      }
      attempt(sum);
    }
  }

  void try_truths() {
    if (std::all_of(read_.values.begin(), read_.values.end(),
                    [&](Cell value) { return value == read_.values.front(); })) {
      attempt(form_.number(read_.values.front()));
      return;
    }
    size_t k = 1;
    while (k < n_ && at(k) == at(0)) {
      ++k;
    }
    if (at(0) != 0) {
      attempt(below(k));
    } else {
      const auto first = form_.index_number(read_.first + k);
      attempt(form_.binary(Operator::Geq, form_.index(), first));
    }
    if (const auto found = parity_of(); found && found->first != 0) {
      const auto wanted = form_.index_number(found->second ? 0 : 1);
      attempt(form_.binary(Operator::Eq, parity(found->first), wanted));
    }
  }

  const TableRead& read_;
  FormKernel form_;
  size_t n_;
  size_t n_index_bits_ = 0;
  size_t best_ = 0;
  std::optional<ExprId> best_form_;
};

}  // namespace

auto cheaper_form(const TableRead& read, const std::string& index) -> std::optional<TableForm> {
  const bool is_possible =
      !read.values.empty() && read.values.size() <= kMostValues &&
      (engine::is_integer(read.type.kind) || read.type.kind == engine::ElementKind::Bool);
  return is_possible ? FormSearch(read, index).run() : std::nullopt;
}

}  // namespace tacet::gates
