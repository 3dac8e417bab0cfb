#include "compiler/device/loops/elements_as_scalars.h"

#include <algorithm>
#include <functional>

#include "compiler/device/kernel/walk.h"
#include "compiler/device/loops/loop_body.h"
#include "compiler/device/loops/recurrence_form.h"

namespace tacet::loops {

using kernel::Block;
using kernel::Builder;
using kernel::ExprId;
using kernel::Kernel;
using kernel::StatementId;
using kernel::VariableId;
using types::Operator;

namespace {

constexpr int64_t kFurthest = 4;

/// The place of an element: along one dimension counter + offset, or in all of them the same in all
/// iterations.
struct Place {
  std::vector<ExprId> indices{};
  std::optional<size_t> dimension{};
  int64_t offset = 0;
};

/// Exchanges expressions, by what `exchange` gives for them.
auto exchanged(Kernel& kernel, ExprId id,
               const std::function<std::optional<ExprId>(ExprId)>& exchange) -> ExprId {
  if (const auto other = exchange(id)) {
    return *other;
  }
  kernel::Expr expr = kernel.exprs[id];
  bool is_other = false;
  kernel::visit_exprs(expr, [&](ExprId& part) {
    const ExprId other = exchanged(kernel, part, exchange);
    is_other = is_other || other != part;
    part = other;
  });
  return is_other ? kernel.exprs.add(std::move(expr)) : id;
}

/// Of one array.
class Elements {
 public:
  Elements(Builder& make, const CountedLoop& loop, const LoopBody& body, VariableId array)
      : make_(make), kernel_(make.kernel()), loop_(loop), body_(body), array_(array) {}

  /// Replaces the statements of the loop's body.
  auto run(ScalarLoop& result) -> bool {
    if (!find_store() || !find_reads()) {
      return false;
    }
    make_.set_place(loop_.place);
    if (store_place_.dimension) {
      hold_last(result);
    } else {
      hold_one(result);
    }
    return true;
  }

 private:
  [[nodiscard]] auto statement(size_t i) const -> const kernel::Statement& {
    return kernel_.statements[body_.statements[i]];
  }

  auto find_store() -> bool {
    std::optional<size_t> at;
    for (size_t i = 0; i < body_.statements.size(); ++i) {
      if (body_.writes[i].contains(array_)) {
        const auto* store = std::get_if<kernel::StoreElement>(&statement(i).node);
        if (at || store == nullptr || store->lenient != 0) {
          return false;
        }
        at = i;
      }
    }
    if (!at) {
      return false;
    }
    at_store_ = *at;
    const auto place = place_of(std::get<kernel::StoreElement>(statement(at_store_).node).indices);
    store_place_ = place.value_or(Place());
    return place.has_value();
  }

  auto place_of(const std::vector<ExprId>& indices) const -> std::optional<Place> {
    Place place{.indices = indices};
    if (indices.size() != kernel_.variables[array_].type.extents.size()) {
      return std::nullopt;
    }
    for (size_t d = 0; d < indices.size(); ++d) {
      if (const auto offset = offset_of(indices[d])) {
        if (place.dimension) {
          return std::nullopt;
        }
        place.dimension = d;
        place.offset = *offset;
        continue;
      }
      for (const VariableId read : kernel::variables_read(kernel_, indices[d])) {
        if (read == loop_.node.counter || body_.written.contains(read)) {
          return std::nullopt;
        }
      }
    }
    return place;
  }

  /// Of counter + offset.
  auto offset_of(ExprId index) const -> std::optional<int64_t> {
    const kernel::Expr& expr = kernel_.exprs[index];
    if (const auto* read = std::get_if<kernel::Read>(&expr.node)) {
      return read->variable == loop_.node.counter ? std::optional<int64_t>(0) : std::nullopt;
    }
    const auto* binary = std::get_if<kernel::Binary>(&expr.node);
    if (binary == nullptr || (binary->op != Operator::Add && binary->op != Operator::Sub)) {
      return std::nullopt;
    }
    const auto number = [&](ExprId of) -> std::optional<int64_t> {
      const auto* literal = std::get_if<kernel::Literal>(&kernel_.exprs[of].node);
      return literal == nullptr ? std::nullopt : std::optional(static_cast<int64_t>(literal->cell));
    };
    constexpr int64_t kMost = int64_t{1} << 24;
    const bool is_sum = binary->op == Operator::Add;
    const auto right = number(binary->right);
    const auto left = is_sum ? number(binary->left) : std::nullopt;
    const auto rest = right ? offset_of(binary->left) : left ? offset_of(binary->right) : right;
    const std::optional<int64_t> by = right ? right : left;
    if (!rest || !by || *by > kMost || *by < -kMost) {
      return std::nullopt;
    }
    return is_sum ? *rest + *by : *rest - *by;
  }

  /// All reads are of elements at such places.
  auto find_reads() -> bool {
    bool fits = true;
    reads_.resize(body_.statements.size());
    for (size_t i = 0; i < body_.statements.size(); ++i) {
      kernel::walk_statements(kernel_, Block{body_.statements[i]}, [&](StatementId id) {
        kernel::visit_exprs(kernel_.statements[id],
                            [&](ExprId root) { fits = fits && find_reads(i, root); });
      });
    }
    if (!fits) {
      return false;
    }
    for (size_t i = 0; i < reads_.size(); ++i) {
      for (const auto& [_, apart] : reads_[i]) {
        carries_ = carries_ || !store_place_.dimension || apart > 0;
        n_last_ = std::max(n_last_, i > at_store_ ? apart + 1 : apart);
      }
    }
    return carries_ && n_last_ <= kFurthest;
  }

  auto find_reads(size_t i, ExprId id) -> bool {
    const kernel::Expr& expr = kernel_.exprs[id];
    const auto is_array = [&](ExprId of) {
      const auto* read = std::get_if<kernel::Read>(&kernel_.exprs[of].node);
      return read != nullptr && read->variable == array_;
    };
    if (is_array(id)) {
      return false;
    }
    const auto* element = std::get_if<kernel::Element>(&expr.node);
    if (element == nullptr || !is_array(element->array)) {
      bool fits = true;
      kernel::visit_exprs(expr, [&](ExprId part) { fits = fits && find_reads(i, part); });
      return fits;
    }
    const auto place = place_of(element->indices);
    if (!place || place->dimension != store_place_.dimension) {
      return false;
    }
    for (size_t d = 0; d < place->indices.size(); ++d) {
      if (d != place->dimension &&
          !is_same_value(kernel_, place->indices[d], store_place_.indices[d])) {
        return false;
      }
    }
    reads_[i][id] = store_place_.offset - place->offset;
    return true;
  }

  auto copied(size_t i, const std::function<std::optional<ExprId>(ExprId)>& exchange)
      -> StatementId {
    return copied(body_.statements[i], exchange);
  }
  auto copied(StatementId id, const std::function<std::optional<ExprId>(ExprId)>& exchange)
      -> StatementId {
    kernel::Statement copy = kernel_.statements[id];
    kernel::visit_exprs(copy, [&](ExprId& expr) { expr = exchanged(kernel_, expr, exchange); });
    kernel::visit_blocks(copy, [&](Block& block) {
      for (StatementId& inner : block) {
        inner = copied(inner, exchange);
      }
    });
    return kernel_.statements.add(std::move(copy));
  }

  auto new_scalar() -> VariableId {
    const kernel::Variable array = kernel_.variables[array_];
    const VariableId scalar =
        make_.mutable_variable("last_" + array.name, kernel::Type{array.type.element, {}});
    kernel_.variables[scalar].visibility = array.visibility;
    return scalar;
  }

  /// The same element in all iterations.
  void hold_one(ScalarLoop& result) {
    const VariableId scalar = new_scalar();
    const auto store = std::get<kernel::StoreElement>(statement(at_store_).node);
    result.before.push_back(make_.assign(scalar, make_.element(make_.read(array_), store.indices)));
    Block body;
    for (size_t i = 0; i < body_.statements.size(); ++i) {
      const auto exchange = [&](ExprId id) {
        return reads_[i].contains(id) ? std::optional(make_.read(scalar)) : std::nullopt;
      };
      if (i == at_store_) {
        body.push_back(make_.assign(scalar, exchanged(kernel_, store.value, exchange)));
      } else {
        body.push_back(copied(i, exchange));
      }
    }
    result.behind.push_back(make_.statement(
        kernel::StoreElement{array_, store.indices, make_.read(scalar), store.lenient}));
    result.loop.node.body = std::move(body);
  }

  /// Elements of the iterations before.
  void hold_last(ScalarLoop& result) {
    const kernel::Variable array = kernel_.variables[array_];
    const auto store = std::get<kernel::StoreElement>(statement(at_store_).node);
    const size_t d = *store_place_.dimension;
    std::vector<VariableId> last;
    for (int64_t k = 1; k <= n_last_; ++k) {
      last.push_back(new_scalar());
      const int64_t at = loop_.first + store_place_.offset - k;
      std::vector<ExprId> indices = store.indices;
      indices[d] = make_.integer(at);
      const bool is_inside = at >= 0 && at < array.type.extents[d];
      result.before.push_back(
          make_.assign(last.back(), is_inside ? make_.element(make_.read(array_), indices)
                                              : make_.literal(array.type.element, 0)));
    }
    const VariableId old = make_.variable(array.name, array.type);
    kernel_.variables[old].visibility = array.visibility;
    result.before.push_back(make_.assign(old, make_.read(array_)));
    Block body;
    for (size_t i = 0; i < body_.statements.size(); ++i) {
      const auto exchange = [&](ExprId id) -> std::optional<ExprId> {
        const auto found = reads_[i].find(id);
        if (found == reads_[i].end()) {
          return std::nullopt;
        }
        const int64_t apart = found->second + (i > at_store_ ? 1 : 0);
        if (apart > 0) {
          return make_.read(last[static_cast<size_t>(apart) - 1]);
        }
        // What no iteration has written yet.
        const kernel::Element element = std::get<kernel::Element>(kernel_.exprs[id].node);
        return make_.element(make_.read(old), element.indices);
      };
      if (i != at_store_) {
        body.push_back(copied(i, exchange));
        continue;
      }
      const VariableId now =
          make_.variable("now_" + array.name, kernel::Type{array.type.element, {}});
      body.push_back(make_.assign(now, exchanged(kernel_, store.value, exchange)));
      for (size_t k = last.size(); k-- > 1;) {
        body.push_back(make_.assign(last[k], make_.read(last[k - 1])));
      }
      body.push_back(make_.assign(last[0], make_.read(now)));
      body.push_back(make_.statement(
          kernel::StoreElement{array_, store.indices, make_.read(last[0]), store.lenient}));
    }
    result.loop.node.body = std::move(body);
  }

  Builder& make_;
  Kernel& kernel_;
  const CountedLoop& loop_;
  const LoopBody& body_;
  VariableId array_;
  size_t at_store_ = 0;
  Place store_place_;
  std::vector<std::map<ExprId, int64_t>> reads_;  ///< by statement: how many iterations before
  bool carries_ = false;
  int64_t n_last_ = 0;
};

}  // namespace

auto elements_as_scalars(Builder& make, const CountedLoop& loop) -> std::optional<ScalarLoop> {
  ScalarLoop result{.loop = loop};
  bool is_any = false;
  const LoopBody arrays(make.kernel(), loop.node.body);
  for (const VariableId variable : arrays.written) {
    if (make.kernel().variables[variable].type.extents.empty()) {
      continue;
    }
    const CountedLoop current = result.loop;
    const LoopBody body(make.kernel(), current.node.body);
    is_any = Elements(make, current, body, variable).run(result) || is_any;
  }
  return is_any ? std::optional(std::move(result)) : std::nullopt;
}

}  // namespace tacet::loops
