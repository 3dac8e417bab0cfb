#include "compiler/he/diagonals/write_diagonals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "compiler/device/array/print.h"
#include "compiler/he/diagonals/matrix.h"
#include "compiler/he/schedule/write_program.h"

namespace tacet::diagonals {
namespace {

using array::ArrayId;
using array::ExprId;
using circuit::NodeId;
using circuit::NodeKind;

/// Diagonals of one map: more take longer than layouts that a search finds.
constexpr int64_t kMostDiagonals = 512;

class Writer {
 public:
  Writer(const array::Program& program, uint32_t n_columns)
      : program_(program),
        n_columns_(n_columns),
        forms_(program),
        writer_(network_.circuit),
        numbers_(program.arrays.size()),
        statement_of_(program.arrays.size()),
        uses_(program.arrays.size()),
        row_uses_(program.arrays.size()),
        is_uneven_(program.arrays.size()),
        vectors_(program.arrays.size()) {
    network_.circuit = schedule::empty_circuit(program, n_columns);
    uint32_t n = 0;
    for (uint32_t i = 0; i < program.arrays.size(); ++i) {
      numbers_[i] = program.arrays[ArrayId{i}].owner == array::Owner::Computed ? 0 : n++;
    }
    for (uint32_t i = 0; i < program.statements.size(); ++i) {
      statement_of_[program.statements[i].result.index] = i;
    }
  }

  auto run() -> Result<Network> {
    const array::Statement& last = program_.statements.back();
    (void)vector_of(last.result);
    if (!problem_.empty()) {
      return Error{problem_};
    }
    for (uint32_t i = 0; i < program_.arrays.size(); ++i) {
      const array::Array& array = program_.arrays[ArrayId{i}];
      if (row_uses_[i] > 0 && row_uses_[i] == uses_[i]) {
        network_.weight_parts[array.name] = part_of(array);
      }
    }
    add_output(last);
    return std::move(network_);
  }

 private:
  /// A statement while it is written.
  struct Open {
    uint32_t number = 0;
    Target target;
    std::vector<std::optional<NodeId>> nodes;  ///< by expression
  };

  /// Weights that are all as large as the norm of a row allows. Where all numbers of an array have
  /// errors alike, the sum of the squares of weights is what counts, whatever they are. The margin
  /// is for what differs between slots: rounding, and numbers that are public.
  static auto part_of(const array::Array& array) -> double {
    constexpr double kMargin = 1.4143;
    int64_t n_row = 1;
    for (size_t d = array.extents.size() > 1 ? 1 : 0; d < array.extents.size(); ++d) {
      n_row *= array.extents[d];
    }
    const auto norm = static_cast<double>(*array.norm);
    const auto most =
        static_cast<double>(std::max(std::abs(array.range->low), std::abs(array.range->high)));
    return std::min(1.0, kMargin * norm / (std::sqrt(static_cast<double>(n_row)) * most));
  }

  /// Counts the uses of arrays, and of those with norms the ones where all of a row is in each sum
  /// of a map, each number equally often, and meets numbers whose errors are alike.
  void count_uses(const Open& open, const Term& term, bool is_mapped) {
    const bool is_cut = is_mapped && !is_inside(term, program_, open.target.statement);
    const bool is_even = !term.secret || !is_uneven_[term.secret->array.index];
    if (is_cut || !is_even) {
      is_uneven_[open.target.statement.result.index] = true;
    }
    const bool is_regular = is_mapped && !is_cut && is_even;
    for (const Element& factor : term.factors) {
      ++uses_[factor.array.index];
      const array::Array& array = program_.arrays[factor.array];
      if (!array.norm || !array.range || !is_regular) {
        continue;
      }
      std::set<Variable> seen;
      bool is_row = true;
      for (size_t d = 0; d < factor.indices.size() && is_row; ++d) {
        const Affine& index = factor.indices[d];
        const auto is_bound = [&](const auto& of) { return of.first >= kFirstBound; };
        if (d == 0 && factor.indices.size() > 1) {
          is_row = std::none_of(index.factors.begin(), index.factors.end(), is_bound);
          continue;
        }
        is_row = index.constant == 0 && index.factors.size() == 1 &&
                 is_bound(*index.factors.begin()) && index.factors.begin()->second == 1 &&
                 term.bound.at(index.factors.begin()->first) == array.extents[d] &&
                 seen.insert(index.factors.begin()->first).second;
      }
      const bool is_alone =
          std::all_of(term.factors.begin(), term.factors.end(), [&](const Element& other) {
            return &other == &factor || program_.arrays[other.array].extents.empty();
          });
      row_uses_[factor.array.index] += is_row && is_alone ? 1 : 0;
    }
  }

  auto fail(std::string problem) -> NodeId {
    problem_ = problem_.empty() ? std::move(problem) : problem_;
    return writer_.constant(0);
  }

  auto placing(ArrayId array) -> Placing {
    Placing result = placing_of(program_.arrays[array].extents);
    if (result.period > n_columns_) {
      fail(fmt::format("`{}` has more elements than a vector", program_.arrays[array].name));
    }
    return result;
  }

  /// Of what is computed: its vector, which is written when it is first needed.
  auto vector_of(ArrayId array) -> NodeId {
    std::optional<NodeId>& known = vectors_[array.index];
    if (known || !problem_.empty()) {
      return known.value_or(writer_.constant(0));
    }
    const uint32_t number = statement_of_[array.index];
    const array::Statement& statement = program_.statements[number];
    Open open{.number = number,
              .target = {program_, statement, placing(array)},
              .nodes = std::vector<std::optional<NodeId>>(statement.exprs.size())};
    if (!problem_.empty()) {
      return writer_.constant(0);
    }
    const NodeId root = node_of(open, statement.root);
    written_ = writer_.statement(
        {.name = program_.arrays[array].name, .loops = {}, .root = root, .bound = 0});
    known = writer_.result(written_, {});
    return *known;
  }

  auto node_of(Open& open, ExprId expr) -> NodeId {
    std::optional<NodeId>& known = open.nodes[expr.index];
    if (!known && problem_.empty()) {
      const NodeId node = compute(open, expr);
      open.nodes[expr.index] = node;
    }
    return open.nodes[expr.index].value_or(writer_.constant(0));
  }

  auto compute(Open& open, ExprId expr) -> NodeId {
    const auto& node = open.target.statement.exprs[expr].node;
    if (const auto* literal = std::get_if<array::Literal>(&node)) {
      return writer_.constant(literal->value);
    }
    if (std::optional<LinearForm> form = forms_.form_of(open.number, expr)) {
      const bool moves = std::any_of(form->begin(), form->end(), [&](const Term& term) {
        return term.secret && !is_in_place(open, term);
      });
      return linear(
          open, moves ? forms_.folded(std::move(*form), open.target.statement) : std::move(*form));
    }
    network_.ends_with_map = false;
    if (const auto* operation = std::get_if<array::Operation>(&node)) {
      const NodeId left = node_of(open, operation->left);
      const NodeId right = node_of(open, operation->right);
      network_.ends_with_map = false;
      return writer_.operation(kind_of(operation->op), left, right);
    }
    const auto* function = std::get_if<array::Function>(&node);
    if (function != nullptr && function->kind == array::FunctionKind::Masked) {
      return masked(open, *function);
    }
    return fail(fmt::format("`{}` is no linear map and no function of elements",
                            array::excerpt(program_, open.target.statement, expr)));
  }

  static auto kind_of(array::Operator op) -> NodeKind {
    switch (op) {
      case array::Operator::Add:
        return NodeKind::Add;
      case array::Operator::Subtract:
        return NodeKind::Subtract;
      case array::Operator::Multiply:
        return NodeKind::Multiply;
    }
    return NodeKind::Add;
  }

  /// The sum of its public terms, and of those of each secret array.
  auto linear(const Open& open, const LinearForm& form) -> NodeId {
    std::vector<Term> known;
    std::vector<std::pair<ArrayId, std::vector<Term>>> groups;
    for (const Term& term : form) {
      if (!term.secret) {
        known.push_back(term);
        continue;
      }
      const auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& other) {
        return other.first == term.secret->array;
      });
      if (group == groups.end()) {
        groups.push_back({term.secret->array, {term}});
      } else {
        group->second.push_back(term);
      }
    }
    std::optional<NodeId> sum;
    Padding padding = Padding::Any;
    for (const auto& [array, terms] : groups) {
      const NodeId node = of_array(open, array, terms);
      padding = is_mapped_ ? Padding::Zero : padding;  // as maps leave it (`ends_with_map`)
      sum = sum ? writer_.operation(NodeKind::Add, *sum, node) : node;
    }
    network_.ends_with_map = groups.size() == 1 && is_mapped_;
    for (const Term& term : known) {
      count_uses(open, term, false);
    }
    if (!known.empty()) {
      const NodeId node = public_vector(open.target, known, padding, numbers_, writer_);
      sum = sum ? writer_.operation(NodeKind::Add, *sum, node) : node;
    }
    return sum.value_or(writer_.constant(0));
  }

  /// Whether a term reads the element that it computes.
  auto is_in_place(const Open& open, const Term& term) const -> bool {
    const array::Statement& statement = open.target.statement;
    const std::vector<int64_t>& extents = program_.arrays[term.secret->array].extents;
    if (extents.empty()) {
      return term.bound.empty();  // the same in all slots
    }
    if (!term.bound.empty() || extents != open.target.placing.extents) {
      return false;
    }
    for (size_t d = 0; d < extents.size(); ++d) {
      Affine itself;
      itself.factors[statement.shape[d].index] = 1;
      if (term.secret->indices[d] != itself) {
        return false;
      }
    }
    return true;
  }

  auto of_array(const Open& open, ArrayId array, const std::vector<Term>& terms) -> NodeId {
    const Placing input = placing(array);
    if (!problem_.empty()) {
      return writer_.constant(0);
    }
    const bool is_client = program_.arrays[array].owner == array::Owner::Client;
    if (std::all_of(terms.begin(), terms.end(),
                    [&](const Term& term) { return is_in_place(open, term); })) {
      const Product once{.n_diagonals = 1, .segment = input.period, .n_copies = 1};
      is_mapped_ = false;
      const NodeId x = is_client ? input_vector(program_, array, input, once, numbers_, writer_)
                                 : vector_of(array);
      for (const Term& term : terms) {
        count_uses(open, term, false);
      }
      return in_place(open, terms, x);
    }
    const Product product = product_of(input, open.target.placing, n_columns_, is_client);
    if (product.n_diagonals > kMostDiagonals) {
      return fail(fmt::format("a map of `{}` has too many diagonals", program_.arrays[array].name));
    }
    const NodeId x = is_client ? input_vector(program_, array, input, product, numbers_, writer_)
                               : vector_of(array);
    is_mapped_ = true;
    for (const Term& term : terms) {
      count_uses(open, term, true);
    }
    ++network_.n_maps;
    network_.n_diagonals += product.n_diagonals;
    return mapped(open.target, terms, x, input, product, numbers_, writer_);
  }

  auto in_place(const Open& open, const std::vector<Term>& terms, NodeId x) -> NodeId {
    std::optional<NodeId> sum;
    for (Term term : terms) {
      term.secret.reset();
      const NodeId factor = term.factors.empty() ? writer_.constant(term.literal)
                                                 : public_vector(open.target, {term}, Padding::Any,
                                                                 numbers_, writer_);
      const NodeId node = writer_.operation(NodeKind::Multiply, x, factor);
      sum = sum ? writer_.operation(NodeKind::Add, *sum, node) : node;
    }
    return *sum;
  }

  /// A statement of its own, as `schedule::write_statement` makes one of it.
  auto masked(Open& open, const array::Function& function) -> NodeId {
    NodeId node = node_of(open, function.operands.at(0));
    if (writer_.circuit().nodes[node].kind != NodeKind::Result) {
      // What the mask bounds is the whole sum, not those of its first terms.
      const uint32_t sum =
          writer_.statement({.name = "sum", .loops = {}, .root = node, .bound = 0});
      node = writer_.result(sum, {});
    }
    const auto public_term = [&](ExprId id) -> std::optional<Term> {
      std::optional<LinearForm> form = forms_.form_of(open.number, id);
      return form && form->size() == 1 && !form->front().secret ? std::optional(form->front())
                                                                : std::nullopt;
    };
    const std::optional<Term> scale = public_term(function.operands.at(1));
    const std::optional<Term> shift = public_term(function.operands.at(2));
    if (!scale || !shift) {
      return fail("a mask must be a number");
    }
    if (scale->literal != 1 || !scale->factors.empty()) {
      node =
          writer_.operation(NodeKind::Multiply, node,
                            public_vector(open.target, {*scale}, Padding::Zero, numbers_, writer_));
    }
    if (shift->literal != 0) {
      node =
          writer_.operation(NodeKind::Add, node,
                            public_vector(open.target, {*shift}, Padding::Zero, numbers_, writer_));
    }
    network_.ends_with_map = false;
    const uint32_t statement =
        writer_.statement({.name = "masked",
                           .loops = {},
                           .root = node,
                           .bound = number_of(open.target.statement, function.operands.at(3))});
    return writer_.result(statement, {});
  }

  auto number_of(const array::Statement& statement, ExprId id) const -> double {
    const auto& node = statement.exprs[id].node;
    if (const auto* literal = std::get_if<array::Literal>(&node)) {
      return static_cast<double>(literal->value);
    }
    const array::Array& constant = program_.arrays[std::get<array::Site>(node).array];
    return array::real_of(constant.elements.at(0), constant.fraction_bits);
  }

  void add_output(const array::Statement& statement) {
    const array::Array& array = program_.arrays[statement.result];
    circuit::Output output;
    output.name = array.name;
    output.extents = array.extents;
    output.statement = written_;
    int64_t stride = 1;
    std::vector<engine::HeTerm> column;
    for (size_t d = array.extents.size(); d-- > 0;) {
      column.insert(column.begin(), {static_cast<uint32_t>(d), stride});
      stride *= array.extents[d];
    }
    for (uint32_t d = 0; d < array.extents.size(); ++d) {
      output.dimensions.push_back({statement.dims[statement.shape[d]].name, array.extents[d]});
      output.target.push_back({.constant = 0, .terms = {{d, 1}}});
    }
    output.column = {.constant = 0, .terms = std::move(column)};
    network_.circuit.outputs.push_back(std::move(output));
  }

  const array::Program& program_;
  int64_t n_columns_;
  LinearForms forms_;
  Network network_;
  schedule::CircuitWriter writer_;
  ArrayNumbers numbers_;
  std::vector<uint32_t> statement_of_;   ///< by array
  std::vector<size_t> uses_, row_uses_;  ///< by array
  /// By array, whether some of its elements are sums of fewer terms than others, with smaller
  /// errors: at an edge that is padded, or computed from such an array.
  std::vector<bool> is_uneven_;
  std::vector<std::optional<NodeId>> vectors_;  ///< by array
  bool is_mapped_ = false;                      ///< the last terms
  uint32_t written_ = 0;                        ///< the last statement
  std::string problem_;
};

}  // namespace

auto write_by_diagonals(const array::Program& program, uint32_t n_columns) -> Result<Network> {
  return Writer(program, n_columns).run();
}

}  // namespace tacet::diagonals
