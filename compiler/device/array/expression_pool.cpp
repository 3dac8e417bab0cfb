#include "compiler/device/array/expression_pool.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "compiler/device/array/checked.h"
#include "compiler/device/array/unique_names.h"

namespace tacet::array {

static auto folded(Operator op, int64_t left, int64_t right) -> std::optional<int64_t> {
  const Wrapped result = apply(op, left, right);
  return result.has_wrapped ? std::nullopt : std::optional<int64_t>(result.number);
}

auto ExpressionPool::Hash::operator()(const Expr& expr) const -> size_t {
  uint64_t hash = expr.node.index();
  auto mix = [&](uint64_t value) { hash = hash_combine(hash, value); };
  if (const auto* literal = std::get_if<Literal>(&expr.node)) {
    mix(static_cast<uint64_t>(literal->value));
  } else if (const auto* operation = std::get_if<Operation>(&expr.node)) {
    mix(static_cast<uint64_t>(operation->op));
    mix(operation->left.index);
    mix(operation->right.index);
  } else if (const auto* reduction = std::get_if<Reduction>(&expr.node)) {
    mix(static_cast<uint64_t>(reduction->op));
    mix(reduction->dim.index);
    mix(reduction->body.index);
  } else if (const auto* function = std::get_if<Function>(&expr.node)) {
    mix(static_cast<uint64_t>(function->kind));
    mix(function->width.bits);
    mix(function->width.is_signed ? 1 : 0);
    for (ExprId operand : function->operands) {
      mix(operand.index);
    }
  } else if (const auto* site = std::get_if<Site>(&expr.node)) {
    mix(site->array.index);
    for (const ArrayIndex& index : site->indices) {
      mix(static_cast<uint64_t>(index.offset));
      for (const IndexTerm& term : index.terms) {
        mix(term.dim.index);
        mix(static_cast<uint64_t>(term.stride));
        mix(static_cast<uint64_t>(term.shift));
      }
    }
  }
  return static_cast<size_t>(hash);
}

auto ExpressionPool::new_dim(std::string_view name, int64_t extent) -> DimId {
  return dims_.add({std::string(name), extent});
}

auto ExpressionPool::bound_dim(int64_t extent, uint32_t height) -> DimId {
  auto [at, is_new] = bound_dims_.try_emplace({extent, height});
  if (is_new) {
    at->second = dims_.add({"", extent});
  }
  return at->second;
}

auto ExpressionPool::is_free(DimId dim, ExprId expr) const -> bool {
  const std::vector<DimId>& dims = nodes_[expr].free_dims;
  return std::binary_search(dims.begin(), dims.end(), dim);
}

static auto united(const std::vector<DimId>& a, const std::vector<DimId>& b) -> std::vector<DimId> {
  std::vector<DimId> result;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

/// Finds out what depends on the operands.
void ExpressionPool::describe(Node& node) const {
  if (const auto* site = std::get_if<Site>(&node.expr.node)) {
    for (const ArrayIndex& index : site->indices) {
      for (const IndexTerm& term : index.terms) {
        node.free_dims = united(node.free_dims, {term.dim});
      }
    }
  } else if (const auto* operation = std::get_if<Operation>(&node.expr.node)) {
    const Node& left = nodes_[operation->left];
    const Node& right = nodes_[operation->right];
    node.free_dims = united(left.free_dims, right.free_dims);
    node.height = std::max(left.height, right.height);
  } else if (const auto* function = std::get_if<Function>(&node.expr.node)) {
    for (ExprId operand : function->operands) {
      node.free_dims = united(node.free_dims, nodes_[operand].free_dims);
      node.height = std::max(node.height, nodes_[operand].height);
    }
  } else if (const auto* reduction = std::get_if<Reduction>(&node.expr.node)) {
    const Node& body = nodes_[reduction->body];
    std::copy_if(body.free_dims.begin(), body.free_dims.end(), std::back_inserter(node.free_dims),
                 [&](DimId dim) { return dim != reduction->dim; });
    node.height = body.height + 1;
  }
}

auto ExpressionPool::intern(Expr expr) -> ExprId {
  ++n_made_;
  auto found = ids_.find(expr);
  if (found != ids_.end()) {
    return found->second;
  }
  Node node{.expr = expr, .free_dims = {}, .height = 0, .name = {}};
  describe(node);
  ExprId id = nodes_.add(std::move(node));
  ids_.emplace(std::move(expr), id);
  return id;
}

auto ExpressionPool::literal(int64_t value, FileRange place) -> ExprId {
  return intern({Literal{value}, place});
}

auto ExpressionPool::site(Site site, FileRange place) -> ExprId {
  const std::vector<int64_t>& extents = arrays_[site.array].extents;
  for (size_t i = 0; i < site.indices.size(); ++i) {
    std::optional<Interval> range = range_of(site.indices[i], dims_);
    if (range && (range->high < 0 || range->low >= extents[i])) {
      return literal(0, place);
    }
  }
  if (std::optional<int64_t> number = known_element(site)) {
    return literal(*number, place);
  }
  return intern({std::move(site), place});
}

auto ExpressionPool::known_element(const Site& site) const -> std::optional<int64_t> {
  const Array& array = arrays_[site.array];
  if (array.owner != Owner::Constant) {
    return std::nullopt;
  }
  size_t at = 0;
  for (size_t i = 0; i < site.indices.size(); ++i) {
    if (!site.indices[i].terms.empty()) {
      return std::nullopt;
    }
    at = at * static_cast<size_t>(array.extents[i]) + static_cast<size_t>(site.indices[i].offset);
  }
  const int64_t element = array.elements[at];
  const int64_t unit = int64_t{1} << array.fraction_bits;
  return element % unit == 0 ? std::optional(element / unit) : std::nullopt;
}

auto ExpressionPool::literal_of(ExprId expr) const -> std::optional<int64_t> {
  const auto* literal = std::get_if<Literal>(&nodes_[expr].expr.node);
  return literal == nullptr ? std::nullopt : std::optional<int64_t>(literal->value);
}

auto ExpressionPool::operation(Operator op, ExprId left, ExprId right, FileRange place) -> ExprId {
  std::optional<int64_t> a = literal_of(left);
  std::optional<int64_t> b = literal_of(right);
  if (a && b) {
    if (std::optional<int64_t> value = folded(op, *a, *b)) {
      return literal(*value, place);
    }
  }
  bool is_product = op == Operator::Multiply;
  if (is_product && (a == 0 || b == 0)) {
    return literal(0, place);
  }
  int64_t neutral = is_product ? 1 : 0;
  if (b == neutral) {
    return left;
  }
  if (a == neutral && op != Operator::Subtract) {
    return right;
  }
  return intern({Operation{op, left, right}, place});
}

auto ExpressionPool::function(FunctionKind kind, Width width, std::vector<ExprId> operands,
                              FileRange place) -> ExprId {
  const std::optional<int64_t> first = literal_of(operands.at(0));
  if (kind == FunctionKind::Select) {
    if (first || operands.at(1) == operands.at(2)) {
      return operands.at(first && *first == 0 ? 2 : 1);
    }
    if (literal_of(operands[1]) == 1 && literal_of(operands[2]) == 0) {
      return operands[0];
    }
  } else if (!is_real_function(kind)) {
    const std::optional<int64_t> second = literal_of(operands.at(1));
    const bool is_same = operands[0] == operands[1];
    if (is_same && kind == FunctionKind::Equal) {
      return literal(1, place);
    }
    if (is_same && kind == FunctionKind::Less) {
      return literal(0, place);
    }
    if (first && second) {
      if (const Wrapped value = apply(kind, width, *first, *second); !value.has_wrapped) {
        return literal(value.number, place);
      }
    }
  }
  return intern({Function{kind, std::move(operands), width}, place});
}

auto ExpressionPool::power(Operator op, ExprId base, int64_t exponent, FileRange place) -> ExprId {
  if (op == Operator::Add) {
    return operation(Operator::Multiply, literal(exponent, place), base, place);
  }
  if (powers_ == Powers::InOrder) {
    ExprId result = base;
    for (int64_t i = 1; i < exponent && !is_full(); ++i) {
      result = operation(op, result, base, place);
    }
    return result;
  }
  std::optional<ExprId> result;
  for (ExprId square = base;; square = operation(op, square, square, place)) {
    if (exponent % 2 != 0) {
      result = result ? operation(op, *result, square, place) : square;
    }
    exponent /= 2;
    if (exponent == 0) {
      return *result;
    }
  }
}

auto ExpressionPool::renamed(ExprId id, DimId from, DimId to,
                             std::unordered_map<ExprId, ExprId>& done) -> ExprId {
  if (!is_free(from, id)) {
    return id;
  }
  if (auto found = done.find(id); found != done.end()) {
    return found->second;
  }
  Expr expr = nodes_[id].expr;
  std::string name = nodes_[id].name;
  if (auto* site = std::get_if<Site>(&expr.node)) {
    for (ArrayIndex& index : site->indices) {
      for (IndexTerm& term : index.terms) {
        term.dim = term.dim == from ? to : term.dim;
      }
      std::sort(index.terms.begin(), index.terms.end(),
                [](const IndexTerm& a, const IndexTerm& b) { return a.dim < b.dim; });
    }
  } else if (auto* operation = std::get_if<Operation>(&expr.node)) {
    operation->left = renamed(operation->left, from, to, done);
    operation->right = renamed(operation->right, from, to, done);
  } else if (auto* function = std::get_if<Function>(&expr.node)) {
    for (ExprId& operand : function->operands) {
      operand = renamed(operand, from, to, done);
    }
  } else if (auto* reduction = std::get_if<Reduction>(&expr.node)) {
    reduction->body = renamed(reduction->body, from, to, done);
  }
  ExprId result = intern(std::move(expr));
  if (nodes_[result].name.empty()) {
    nodes_[result].name = std::move(name);
  }
  done.emplace(id, result);
  return result;
}

auto ExpressionPool::reduction(Operator op, DimId dim, ExprId body, FileRange place) -> ExprId {
  int64_t extent = dims_[dim].extent;
  if (!is_free(dim, body)) {
    return power(op, body, extent, place);
  }
  DimId bound = bound_dim(extent, nodes_[body].height + 1);
  std::unordered_map<ExprId, ExprId> done;
  ExprId result = intern({Reduction{op, bound, renamed(body, dim, bound, done)}, place});
  if (nodes_[result].name.empty()) {
    nodes_[result].name = dims_[dim].name;
  }
  return result;
}

/// Writes a statement: each expression once for what the dimensions free in it stand for there.
class ExpressionPool::Finisher {
 public:
  explicit Finisher(const ExpressionPool& pool) : pool_(pool) {
    for (const Array& array : pool.arrays_.values()) {
      names_.add(array.name);
    }
  }

  auto run(ArrayId result, ExprId root, const std::vector<DimId>& shape) -> Statement {
    statement_.result = result;
    for (DimId dim : shape) {
      const Dim& old = pool_.dims_[dim];
      statement_.shape.push_back(add_dim(old.name, old.extent));
      meaning_[dim] = statement_.shape.back();
    }
    statement_.root = write(root);
    return std::move(statement_);
  }

 private:
  auto add_dim(const std::string& name, int64_t extent) -> DimId {
    return statement_.dims.add({names_.add(name.empty() ? "d" : name), extent});
  }

  auto write(ExprId id) -> ExprId {
    const Node& node = pool_.nodes_[id];
    std::vector<uint32_t> key = {id.index};
    for (DimId dim : node.free_dims) {
      key.push_back(meaning_.at(dim).index);
    }
    if (auto found = done_.find(key); found != done_.end()) {
      return found->second;
    }
    Expr expr = node.expr;
    if (auto* site = std::get_if<Site>(&expr.node)) {
      for (ArrayIndex& index : site->indices) {
        for (IndexTerm& term : index.terms) {
          term.dim = meaning_.at(term.dim);
        }
        std::sort(index.terms.begin(), index.terms.end(),
                  [](const IndexTerm& a, const IndexTerm& b) { return a.dim < b.dim; });
      }
    } else if (auto* operation = std::get_if<Operation>(&expr.node)) {
      operation->left = write(operation->left);
      operation->right = write(operation->right);
    } else if (auto* function = std::get_if<Function>(&expr.node)) {
      for (ExprId& operand : function->operands) {
        operand = write(operand);
      }
    } else if (auto* reduction = std::get_if<Reduction>(&expr.node)) {
      DimId bound = reduction->dim;
      reduction->dim = add_dim(node.name, pool_.dims_[bound].extent);
      meaning_[bound] = reduction->dim;
      reduction->body = write(reduction->body);
      meaning_.erase(bound);  // what contains this reduction has another height
    }
    ExprId result = statement_.exprs.add(std::move(expr));
    done_.emplace(std::move(key), result);
    return result;
  }

  const ExpressionPool& pool_;
  Statement statement_;
  UniqueNames names_;
  std::unordered_map<DimId, DimId> meaning_;  ///< of those that are in scope
  std::map<std::vector<uint32_t>, ExprId> done_;
};

auto ExpressionPool::finish(ArrayId result, ExprId root, const std::vector<DimId>& shape) const
    -> Statement {
  return Finisher(*this).run(result, root, shape);
}

}  // namespace tacet::array
