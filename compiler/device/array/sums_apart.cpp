#include "compiler/device/array/sums_apart.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "compiler/device/array/expression_pool.h"
#include "compiler/device/array/operands.h"
#include "compiler/device/array/shorten.h"
#include "compiler/device/array/unique_names.h"

namespace tacet::array {
namespace {

/// What a computed array holds: an expression whose dimensions are numbered in the order in which
/// they are met, so that it is the same for all names of dimensions.
using Key = std::vector<int64_t>;

/// Shared operands are written each time, so keys may be much longer than the program. Longer ones
/// than this are not compared.
constexpr size_t kLongestKey = 1024;

/// The key of an expression, and its free dimensions in the order of the key.
class KeyWriter {
 public:
  explicit KeyWriter(const Statement& statement) : statement_(statement) {}

  /// Nothing if it is too long.
  auto run(ExprId root) -> std::optional<Key> {
    write(root);
    return key_.size() < kLongestKey ? std::optional(std::move(key_)) : std::nullopt;
  }

  [[nodiscard]] auto free_dims() const -> const std::vector<DimId>& { return free_; }

 private:
  /// Free dimensions count from 0, with their extents; bound ones down from -1, by nesting.
  void write_dim(DimId dim) {
    if (const auto bound = bound_.find(dim); bound != bound_.end()) {
      key_.push_back(bound->second);
      return;
    }
    const auto found = std::find(free_.begin(), free_.end(), dim);
    key_.push_back(found - free_.begin());
    if (found == free_.end()) {
      free_.push_back(dim);
      key_.push_back(statement_.dims[dim].extent);
    }
  }

  void write(ExprId id) {
    if (key_.size() >= kLongestKey) {
      return;
    }
    const Expr& expr = statement_.exprs[id];
    if (const auto* site = std::get_if<Site>(&expr.node)) {
      key_.insert(key_.end(), {-1, site->array.index});
      for (const ArrayIndex& index : site->indices) {
        key_.insert(key_.end(), {index.offset, static_cast<int64_t>(index.terms.size())});
        for (const IndexTerm& term : index.terms) {
          key_.insert(key_.end(), {term.stride, term.is_cyclic ? 1 : 0, term.shift});
          write_dim(term.dim);
        }
      }
    } else if (const auto* reduction = std::get_if<Reduction>(&expr.node)) {
      key_.insert(key_.end(), {-2, static_cast<int64_t>(reduction->op),
                               statement_.dims[reduction->dim].extent});
      bound_[reduction->dim] = -1 - static_cast<int64_t>(bound_.size());
      write(reduction->body);
      bound_.erase(reduction->dim);
    } else if (const auto* operation = std::get_if<Operation>(&expr.node)) {
      key_.insert(key_.end(), {-3, static_cast<int64_t>(operation->op)});
      write(operation->left);
      write(operation->right);
    } else if (const auto* function = std::get_if<Function>(&expr.node)) {
      key_.insert(key_.end(), {-4, static_cast<int64_t>(function->kind), function->width.bits,
                               function->width.is_signed ? 1 : 0});
      for (const ExprId operand : function->operands) {
        write(operand);
      }
    } else {
      key_.insert(key_.end(), {-5, std::get<Literal>(expr.node).value});
    }
  }

  const Statement& statement_;
  Key key_;
  std::vector<DimId> free_;
  std::map<DimId, int64_t> bound_;
};

/// An array with the values of an expression: the dimension that the array has at a place is the
/// expression's free dimension of that number.
struct Named {
  ArrayId array;
  std::vector<size_t> order;
};

/// What is known of an expression without looking into it.
struct Contents {
  std::set<DimId> free_dims;
  bool has_reduction = false;
  bool is_in_reduction = false;
};

auto contents_of(const Statement& statement) -> std::vector<Contents> {
  std::vector<Contents> contents(statement.exprs.size());
  for (uint32_t i = 0; i < statement.exprs.size(); ++i) {
    const Expr& expr = statement.exprs[ExprId{i}];
    Contents& of = contents[i];
    if (const auto* site = std::get_if<Site>(&expr.node)) {
      for (const ArrayIndex& index : site->indices) {
        for (const IndexTerm& term : index.terms) {
          of.free_dims.insert(term.dim);
        }
      }
    }
    for (const ExprId operand : operands_of(expr)) {
      const Contents& inner = contents[operand.index];
      of.free_dims.insert(inner.free_dims.begin(), inner.free_dims.end());
      of.has_reduction |= inner.has_reduction;
    }
    if (const auto* reduction = std::get_if<Reduction>(&expr.node)) {
      of.free_dims.erase(reduction->dim);
      of.has_reduction = true;
    }
  }
  for (uint32_t i = static_cast<uint32_t>(statement.exprs.size()); i-- > 0;) {
    const Expr& expr = statement.exprs[ExprId{i}];
    const bool is_inside =
        contents[i].is_in_reduction || std::holds_alternative<Reduction>(expr.node);
    for (const ExprId operand : operands_of(expr)) {
      contents[operand.index].is_in_reduction |= is_inside;
    }
  }
  return contents;
}

/// The first expression, operands first, that becomes a statement.
auto operand_to_name(const Statement& statement) -> std::optional<ExprId> {
  const std::vector<Contents> contents = contents_of(statement);
  for (uint32_t i = 0; i < statement.exprs.size(); ++i) {
    const Expr& expr = statement.exprs[ExprId{i}];
    if (!contents[i].is_in_reduction || std::holds_alternative<Reduction>(expr.node)) {
      continue;
    }
    for (const ExprId operand : operands_of(expr)) {
      const Contents& inner = contents[operand.index];
      if (inner.has_reduction && inner.free_dims.size() < contents[i].free_dims.size()) {
        return operand;
      }
    }
  }
  return std::nullopt;
}

/// A statement with some expressions replaced by elements of named arrays.
class Replacer {
 public:
  Replacer(const Program& program, const Statement& statement, const std::map<Key, Named>& named)
      : statement_(statement),
        named_(named),
        contents_(contents_of(statement)),
        pool_(program.arrays) {
    for (const Dim& dim : statement.dims.values()) {
      pool_.new_dim(dim.name, dim.extent);
    }
  }

  auto run() -> Statement {
    return pool_.finish(statement_.result, replaced(statement_.root), statement_.shape);
  }

  /// A statement that computes that expression alone, along its free dimensions.
  auto run(ExprId root, ArrayId result, const std::vector<DimId>& shape) -> Statement {
    return pool_.finish(result, replaced(root), shape);
  }

 private:
  auto replaced(ExprId id) -> ExprId {
    if (const auto found = done_.find(id); found != done_.end()) {
      return found->second;
    }
    const Expr& expr = statement_.exprs[id];
    ExprId result{};
    if (const std::optional<Site> element = named_element(id)) {
      result = pool_.site(*element, expr.place);
    } else if (const auto* site = std::get_if<Site>(&expr.node)) {
      result = pool_.site(*site, expr.place);
    } else if (const auto* reduction = std::get_if<Reduction>(&expr.node)) {
      result =
          pool_.reduction(reduction->op, reduction->dim, replaced(reduction->body), expr.place);
    } else if (const auto* operation = std::get_if<Operation>(&expr.node)) {
      const ExprId left = replaced(operation->left);
      result = pool_.operation(operation->op, left, replaced(operation->right), expr.place);
    } else if (const auto* function = std::get_if<Function>(&expr.node)) {
      std::vector<ExprId> operands;
      for (const ExprId operand : function->operands) {
        operands.push_back(replaced(operand));
      }
      result = pool_.function(function->kind, function->width, std::move(operands), expr.place);
    } else {
      result = pool_.literal(std::get<Literal>(expr.node).value, expr.place);
    }
    done_.emplace(id, result);
    return result;
  }

  auto named_element(ExprId id) -> std::optional<Site> {
    if (named_.empty() || !contents_[id.index].has_reduction) {
      return std::nullopt;
    }
    KeyWriter writer(statement_);
    const std::optional<Key> key = writer.run(id);
    const auto found = key ? named_.find(*key) : named_.end();
    if (found == named_.end()) {
      return std::nullopt;
    }
    Site site{found->second.array, {}};
    for (const size_t number : found->second.order) {
      site.indices.push_back({0, {{.dim = writer.free_dims()[number]}}});
    }
    return site;
  }

  const Statement& statement_;
  const std::map<Key, Named>& named_;
  std::vector<Contents> contents_;
  ExpressionPool pool_;
  std::unordered_map<ExprId, ExprId> done_;
};

/// Statements that compute what an earlier one has computed, within them or as a whole, read it.
void reuse_results(Program& program) {
  std::map<Key, Named> named;
  for (size_t i = 0; i < program.statements.size(); ++i) {
    const Statement statement = program.statements[i];
    if (i + 1 < program.statements.size() || !named.empty()) {
      program.statements[i] = Replacer(program, statement, named).run();
    }
    KeyWriter writer(statement);
    std::optional<Key> key = writer.run(statement.root);
    Named result{statement.result, {}};
    for (const DimId dim : statement.shape) {
      const auto& free = writer.free_dims();
      const auto found = std::find(free.begin(), free.end(), dim);
      if (found != free.end()) {
        result.order.push_back(static_cast<size_t>(found - free.begin()));
      }
    }
    const bool is_whole = result.order.size() == writer.free_dims().size() &&
                          result.order.size() == statement.shape.size();
    if (key && is_whole && contents_of(statement)[statement.root.index].has_reduction) {
      named.emplace(std::move(*key), std::move(result));
    }
  }
}

/// More are not worth the search for where each of them is.
constexpr size_t kMostNamed = 32;

}  // namespace

auto with_sums_apart(const Program& program) -> Program {
  Program result = program;
  reuse_results(result);
  UniqueNames names;
  for (const Array& array : result.arrays.values()) {
    names.add(array.name);
  }
  size_t n_named = 0;
  for (size_t i = 0; i < result.statements.size() && n_named < kMostNamed;) {
    const Statement statement = result.statements[i];
    const std::optional<ExprId> operand = operand_to_name(statement);
    if (!operand) {
      ++i;
      continue;
    }
    KeyWriter writer(statement);
    const std::optional<Key> key = writer.run(*operand);
    if (!key) {
      ++i;
      continue;
    }
    Array array{.name = names.add("parts"),
                .extents = {},
                .owner = Owner::Computed,
                .range = {},
                .place = result.arrays[statement.result].place};
    for (const DimId dim : writer.free_dims()) {
      array.extents.push_back(statement.dims[dim].extent);
    }
    Named named{result.arrays.add(std::move(array)), {}};
    for (size_t number = 0; number < writer.free_dims().size(); ++number) {
      named.order.push_back(number);
    }
    ++n_named;
    const Statement part =
        Replacer(result, statement, {}).run(*operand, named.array, writer.free_dims());
    for (size_t other = i; other < result.statements.size(); ++other) {
      const Statement before = result.statements[other];
      result.statements[other] = Replacer(result, before, {{*key, named}}).run();
    }
    result.statements.insert(result.statements.begin() + static_cast<std::ptrdiff_t>(i), part);
    // Results are in the order of their statements. The new one has sums within sums no more than
    // the first operand that has any.
    result = with_last_array_at(result, statement.result);
  }
  return result;
}

}  // namespace tacet::array
