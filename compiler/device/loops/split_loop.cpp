#include "compiler/device/loops/split_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>

#include "compiler/device/kernel/walk.h"
#include "compiler/device/loops/splitting.h"

namespace tacet::loops {

constexpr size_t kLargestGroup = 4;
/// Products of matrices, in numbers.
constexpr int64_t kMostJoined = int64_t{1} << 22;

static auto reads_one_of(const Kernel& kernel, ExprId expr, const Variables& variables) -> bool {
  const Variables read = kernel::variables_read(kernel, expr);
  return std::any_of(read.begin(), read.end(),
                     [&](VariableId variable) { return variables.contains(variable); });
}

auto Splitting::run() -> std::optional<Block> {
  if (!are_scalars() || !find_waiting()) {
    return std::nullopt;
  }
  start_first();
  std::unique_ptr<IterationTree> tree = linear_tree();
  if (tree == nullptr && !is_refused_) {
    start_first();
    tree = clamp_tree();
  }
  return tree == nullptr || is_refused_ ? std::nullopt : std::optional(written(*tree));
}

auto Splitting::are_scalars() const -> bool {
  if (group_.size() > kLargestGroup) {
    return false;
  }
  const kernel::Type type = kernel_.variables[group_.front()].type;
  const bool is_same = std::all_of(group_.begin(), group_.end(), [&](VariableId variable) {
    return kernel_.variables[variable].type == type;
  });
  bool is_assigned = true;
  for (size_t i = 0; i < body_.statements.size(); ++i) {
    const bool writes = std::any_of(group_.begin(), group_.end(), [&](VariableId variable) {
      return body_.writes[i].contains(variable);
    });
    is_assigned =
        is_assigned && (!writes || std::holds_alternative<kernel::Assign>(statement(i).node));
  }
  return is_same && type.extents.empty() && is_assigned;
}

auto Splitting::statement(size_t i) const -> const kernel::Statement& {
  return kernel_.statements[body_.statements[i]];
}

auto Splitting::find_waiting() -> bool {
  const size_t n = body_.statements.size();
  waits_.assign(n, false);
  waiting_.insert(group_.begin(), group_.end());
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (size_t i = 0; i < n; ++i) {
      const auto is_waiting = [&](VariableId variable) { return waiting_.contains(variable); };
      const bool waits = std::any_of(body_.reads[i].begin(), body_.reads[i].end(), is_waiting) ||
                         std::any_of(body_.writes[i].begin(), body_.writes[i].end(), is_waiting);
      if (waits && !waits_[i]) {
        waits_[i] = true;
        is_changed = true;
        waiting_.insert(body_.writes[i].begin(), body_.writes[i].end());
      }
    }
  }
  for (size_t i = 0; i < n; ++i) {
    const auto* assign = std::get_if<kernel::Assign>(&statement(i).node);
    if (waits_[i] && assign != nullptr && kernel::draws_secretly(kernel_, assign->value)) {
      return false;
    }
  }
  return arrays_are_apart();
}

auto Splitting::arrays_are_apart() const -> bool {
  Variables first_written;
  Variables read_later;
  for (size_t i = 0; i < body_.statements.size(); ++i) {
    (waits_[i] ? read_later : first_written)
        .insert(waits_[i] ? body_.reads[i].begin() : body_.writes[i].begin(),
                waits_[i] ? body_.reads[i].end() : body_.writes[i].end());
  }
  return std::all_of(first_written.begin(), first_written.end(), [&](VariableId variable) {
    return kernel_.variables[variable].type.extents.empty() || !read_later.contains(variable) ||
           (body_.exposed.contains(variable) && has_own_elements(variable));
  });
}

auto Splitting::has_own_elements(VariableId array) const -> bool {
  size_t n_uses = 0;
  size_t n_own = 0;
  const auto is_counter = [&](const std::vector<ExprId>& indices) {
    const auto* read =
        indices.empty() ? nullptr : std::get_if<kernel::Read>(&kernel_.exprs[indices.front()].node);
    return read != nullptr && read->variable == loop_.node.counter;
  };
  kernel::walk_statements(kernel_, body_.statements, [&](StatementId id) {
    const kernel::Statement& each = kernel_.statements[id];
    if (const auto* store = std::get_if<kernel::StoreElement>(&each.node);
        store != nullptr && store->array == array) {
      ++n_uses;
      n_own += is_counter(store->indices) ? 1 : 0;
    } else {
      kernel::visit_written(each, [&](VariableId written) { n_uses += written == array; });
    }
    kernel::visit_exprs(each, [&](ExprId root) {
      kernel::walk_exprs(kernel_, root, [&](ExprId expr) {
        const kernel::Expr& node = kernel_.exprs[expr];
        if (const auto* read = std::get_if<kernel::Read>(&node.node)) {
          n_uses += read->variable == array ? 1 : 0;
        } else if (const auto* element = std::get_if<kernel::Element>(&node.node)) {
          const auto* of = std::get_if<kernel::Read>(&kernel_.exprs[element->array].node);
          n_own += of != nullptr && of->variable == array && is_counter(element->indices);
        }
      });
    });
  });
  return n_uses == n_own;
}

void Splitting::start_first() {
  make_.set_place(loop_.place);
  first_.clear();
}

auto Splitting::type_of(VariableId variable) const -> kernel::Type {
  return kernel_.variables[variable].type;
}

auto Splitting::is_fixed(ExprId value) const -> bool {
  constexpr size_t kSmall = 4;
  return !reads_one_of(kernel_, value, body_.written) &&
         kernel::tree_size(kernel_, value, kSmall + 1) <= kSmall;
}

auto Splitting::held(ExprId value, VariableId of, const char* name) -> ExprId {
  if (is_fixed(value)) {
    return value;
  }
  const VariableId variable = make_.variable(fmt::format("{}_{}", name, kernel_.variables[of].name),
                                             kernel_.exprs[value].type);
  if (reads_one_of(kernel_, value, secrets_) || reads_one_of(kernel_, value, own_secrets_)) {
    own_secrets_.insert(variable);
  }
  first_.emplace_back(make_.assign(variable, value));
  return make_.read(variable);
}

auto Splitting::tabulates(ExprId value) const -> bool {
  bool is_found = false;
  kernel::walk_exprs(kernel_, value, [&](ExprId expr) {
    is_found = is_found || std::holds_alternative<kernel::Tabulate>(kernel_.exprs[expr].node);
  });
  return is_found;
}

auto Splitting::is_secret(ExprId expr) const -> bool {
  return reads_one_of(kernel_, expr, secrets_) || reads_one_of(kernel_, expr, own_secrets_);
}

auto Splitting::linear_tree() -> std::unique_ptr<IterationTree> {
  std::map<VariableId, LinearForm> forms;
  Field field(make_, type_of(group_.front()).element);
  for (const VariableId variable : group_) {
    forms[variable].factors[variable] = field.one();
  }
  const auto read = [&](const auto& known, const Variables& unknown,
                        const kernel::Assign& assign) -> std::optional<LinearForm> {
    std::optional<LinearForm> form = linear_form(make_, known, unknown, assign.value);
    if (!form) {
      return form;
    }
    for (auto& [_, factor] : form->factors) {
      factor = held(factor, assign.variable, "factor");
    }
    if (form->constant) {
      form->constant = held(*form->constant, assign.variable, "term");
    }
    return form;
  };
  if (!follow(forms, read)) {
    return nullptr;
  }
  bool waits_for_messages = false;
  bool adds = false;
  for (const VariableId variable : group_) {
    for (const auto& [_, factor] : forms[variable].factors) {
      waits_for_messages = waits_for_messages || is_secret(factor);
    }
    adds = adds || forms[variable].constant.has_value();
  }
  const auto k = static_cast<int64_t>(group_.size());
  const auto depth = static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(loop_.n)));
  const int64_t n_joined = loop_.n * depth * k * k;
  const bool is_product = k == 1 && !adds && is_reduction();
  if (!waits_for_messages || is_product || n_joined > kMostJoined) {
    is_refused_ = true;
    return nullptr;
  }
  return std::make_unique<LinearTree>(make_, group_, forms, loop_.n);
}

auto Splitting::selects_others() const -> bool {
  for (size_t i = 0; i < body_.statements.size(); ++i) {
    const auto* assign = std::get_if<kernel::Assign>(&statement(i).node);
    if (!waits_[i] || assign == nullptr || assign->variable == group_.front()) {
      continue;
    }
    const auto* select = std::get_if<kernel::Select>(&kernel_.exprs[assign->value].node);
    const auto keeps = [&](ExprId arm) {
      const auto* read = std::get_if<kernel::Read>(&kernel_.exprs[arm].node);
      return read != nullptr && read->variable == assign->variable;
    };
    if (select != nullptr && (keeps(select->then) || keeps(select->otherwise))) {
      return true;
    }
  }
  return false;
}

auto split_loop(Builder& make, const CountedLoop& loop, const Variables& secrets)
    -> std::optional<Block> {
  const LoopBody body(make.kernel(), loop.node.body);
  for (const std::vector<VariableId>& group : body.cycles(make.kernel())) {
    if (auto result = Splitting(make, loop, body, secrets, group).run()) {
      return result;
    }
  }
  return std::nullopt;
}

}  // namespace tacet::loops
