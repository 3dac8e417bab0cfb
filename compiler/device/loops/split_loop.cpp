#include "compiler/device/loops/split_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>

#include "compiler/device/kernel/walk.h"
#include "compiler/device/loops/copy_statement.h"
#include "compiler/device/loops/iteration_tree.h"
#include "compiler/device/loops/loop_body.h"
#include "compiler/device/oblivious/ranges.h"

namespace tacet::loops {

using kernel::Block;
using kernel::Builder;
using kernel::ExprId;
using kernel::Kernel;
using kernel::StatementId;
using kernel::VariableId;

namespace {

constexpr size_t kLargestGroup = 4;
/// Products of matrices, in numbers.
constexpr int64_t kMostJoined = int64_t{1} << 22;

using Variables = std::set<VariableId>;

auto reads_one_of(const Kernel& kernel, ExprId expr, const Variables& variables) -> bool {
  const Variables read = kernel::variables_read(kernel, expr);
  return std::any_of(read.begin(), read.end(),
                     [&](VariableId variable) { return variables.contains(variable); });
}

/// Tries a tree for one group of carried variables.
class Splitting {
 public:
  Splitting(Builder& make, const CountedLoop& loop, const LoopBody& body, const Variables& secrets,
            std::vector<VariableId> group)
      : make_(make),
        kernel_(make.kernel()),
        loop_(loop),
        body_(body),
        secrets_(secrets),
        group_(std::move(group)) {}

  auto run() -> std::optional<Block> {
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

 private:
  /// What statements of the first loop leave for later ones: which one read it first, and where it
  /// is.
  struct Passed {
    size_t at = 0;
    VariableId row{};
  };

  auto are_scalars() const -> bool {
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

  [[nodiscard]] auto statement(size_t i) const -> const kernel::Statement& {
    return kernel_.statements[body_.statements[i]];
  }

  /// Statements that wait for the group, and what they write. Are they apart from all others?
  auto find_waiting() -> bool {
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

  /// Arrays that pass from statements in front to those that wait: only elements of the iteration
  /// itself.
  auto arrays_are_apart() const -> bool {
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

  auto has_own_elements(VariableId array) const -> bool {
    size_t n_uses = 0;
    size_t n_own = 0;
    const auto is_counter = [&](const std::vector<ExprId>& indices) {
      const auto* read = indices.empty()
                             ? nullptr
                             : std::get_if<kernel::Read>(&kernel_.exprs[indices.front()].node);
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

  // ---- forms ----

  void start_first() {
    make_.set_place(loop_.place);
    first_.clear();
  }

  auto type_of(VariableId variable) const -> kernel::Type {
    return kernel_.variables[variable].type;
  }

  /// Something small that stays the same throughout an iteration.
  auto is_fixed(ExprId value) const -> bool {
    constexpr size_t kSmall = 4;
    return !reads_one_of(kernel_, value, body_.written) &&
           kernel::tree_size(kernel_, value, kSmall + 1) <= kSmall;
  }

  /// A value as of a statement of the first loop.
  auto held(ExprId value, VariableId of, const char* name) -> ExprId {
    if (is_fixed(value)) {
      return value;
    }
    const VariableId variable = make_.variable(
        fmt::format("{}_{}", name, kernel_.variables[of].name), kernel_.exprs[value].type);
    if (reads_one_of(kernel_, value, secrets_) || reads_one_of(kernel_, value, own_secrets_)) {
      own_secrets_.insert(variable);
    }
    first_.emplace_back(make_.assign(variable, value));
    return make_.read(variable);
  }

  /// Follows the statements; `read` gives the form of an assignment's value.
  template <class Form, class Read>
  auto follow(std::map<VariableId, Form>& forms, const Read& read) -> bool {
    Variables unknown = waiting_;
    for (const VariableId variable : group_) {
      unknown.erase(variable);
    }
    for (size_t i = 0; i < body_.statements.size(); ++i) {
      if (!waits_[i]) {
        first_.emplace_back(i);
        continue;
      }
      const kernel::Statement each = statement(i);
      const auto* assign = std::get_if<kernel::Assign>(&each.node);
      std::optional<Form> form;
      if (assign != nullptr && !tabulates(assign->value)) {
        form = read(forms, unknown, *assign);
      }
      for (const VariableId variable : body_.writes[i]) {
        forms.erase(variable);
        unknown.insert(variable);
      }
      if (form) {
        forms[assign->variable] = std::move(*form);
        unknown.erase(assign->variable);
      }
      first_.emplace_back(Waiting{i});
    }
    return std::all_of(group_.begin(), group_.end(),
                       [&](VariableId variable) { return forms.contains(variable); });
  }

  auto tabulates(ExprId value) const -> bool {
    bool is_found = false;
    kernel::walk_exprs(kernel_, value, [&](ExprId expr) {
      is_found = is_found || std::holds_alternative<kernel::Tabulate>(kernel_.exprs[expr].node);
    });
    return is_found;
  }

  auto is_secret(ExprId expr) const -> bool {
    return reads_one_of(kernel_, expr, secrets_) || reads_one_of(kernel_, expr, own_secrets_);
  }

  auto linear_tree() -> std::unique_ptr<IterationTree> {
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

  /// Does nothing but its only assignment read the variable?
  auto is_reduction() const -> bool { return std::count(waits_.begin(), waits_.end(), true) == 1; }

  /// Is the variable compared to select others with it?
  auto selects_others() const -> bool {
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

  auto clamp_tree() -> std::unique_ptr<IterationTree> {
    const VariableId variable = group_.front();
    const engine::ElementType element = type_of(variable).element;
    const bool is_signed =
        element.kind == engine::ElementKind::Fxp ||
        (engine::is_integer(element.kind) && oblivious::range_of_type(element).lower < 0);
    if (group_.size() != 1 || !is_signed || !secrets_.contains(variable)) {
      return nullptr;
    }
    std::map<VariableId, ClampForm> forms{{variable, ClampForm()}};
    // Not to be taken for any bound of the text that is small enough; they are set below.
    const oblivious::Range all = oblivious::range_of_type(element);
    const auto cell = [&](__int128 value) {
      return engine::wrapped(element.kind, static_cast<uint64_t>(static_cast<int64_t>(value)));
    };
    const ExprId lowest = make_.literal(element, cell(all.lower));
    const ExprId highest = make_.literal(element, cell(all.upper));
    oblivious::Ranges ranges(kernel_);
    Magnitudes sizes;
    const auto read = [&](const auto& known, const Variables& unknown,
                          const kernel::Assign& assign) -> std::optional<ClampForm> {
      ClampReader reader{
          .make = make_, .forms = known, .unknown = unknown, .lowest = lowest, .highest = highest};
      std::optional<ClampForm> form =
          type_of(assign.variable).element == element ? reader.read(assign.value) : std::nullopt;
      if (!form) {
        return form;
      }
      for (const ExprId shift : reader.shifts) {
        sizes.shift += size_of(ranges, shift);
      }
      for (const ExprId bound : reader.bounds) {
        sizes.bound = std::max(sizes.bound, size_of(ranges, bound));
      }
      sizes.has_filled = sizes.has_filled || reader.has_filled;
      const auto hold = [&](std::optional<ExprId>& part, const char* name) {
        part = part && *part != lowest && *part != highest
                   ? std::optional(held(*part, assign.variable, name))
                   : part;
      };
      hold(form->shift, "shift");
      hold(form->lower, "lower");
      hold(form->upper, "upper");
      return form;
    };
    if (!follow(forms, read)) {
      return nullptr;
    }
    const ClampForm& form = forms.at(variable);
    const bool is_extremum = !form.shift && (is_reduction() || selects_others());
    const bool is_sum = !form.lower && !form.upper;
    const auto limits = is_extremum || is_sum ? std::nullopt : fitting(ranges, form, sizes);
    if (!limits) {
      is_refused_ = true;
      return nullptr;
    }
    kernel_.exprs[lowest].node = kernel::Literal{cell(-limits->reach)};
    kernel_.exprs[highest].node = kernel::Literal{cell(limits->reach)};
    return std::make_unique<ClampTree>(make_, variable, form, loop_.n, limits->shift);
  }

  struct Magnitudes {
    __int128 shift = 0;  ///< of all that an iteration adds
    __int128 bound = 0;
    bool has_filled = false;
  };
  struct Limits {
    int64_t reach = 0;               ///< no value of the variable is further from 0
    std::optional<int64_t> shift{};  ///< to which sums of shifts are cut
  };

  static auto size_of(oblivious::Ranges& ranges, ExprId expr) -> __int128 {
    const oblivious::Range range = ranges.of(expr);
    return std::max(range.upper, -range.lower);
  }

  /// What the variable may hold in front of the loop, by its other assignments.
  auto size_before(oblivious::Ranges& ranges) const -> std::optional<__int128> {
    const VariableId variable = group_.front();
    if (kernel_.variables[variable].kind != kernel::VariableKind::Local) {
      return std::nullopt;
    }
    std::set<StatementId> inside;
    kernel::walk_statements(kernel_, body_.statements, [&](StatementId id) { inside.insert(id); });
    __int128 size = 0;
    bool is_known = true;
    kernel::walk_statements(kernel_, kernel_.body, [&](StatementId id) {
      const kernel::Statement& each = kernel_.statements[id];
      if (inside.contains(id)) {
        return;
      }
      kernel::visit_written(each, [&](VariableId written) {
        const auto* assign = std::get_if<kernel::Assign>(&each.node);
        if (written == variable) {
          is_known = is_known && assign != nullptr;
          size = assign == nullptr ? size : std::max(size, size_of(ranges, assign->value));
        }
      });
    });
    return is_known ? std::optional(size) : std::nullopt;
  }

  /// Whether neither the loop nor the tree overflows.
  auto fitting(oblivious::Ranges& ranges, const ClampForm& form, const Magnitudes& sizes) const
      -> std::optional<Limits> {
    const auto before = size_before(ranges);
    const __int128 most = oblivious::range_of_type(type_of(group_.front()).element).upper;
    if (!before) {
      return std::nullopt;
    }
    const __int128 base = std::max(*before, sizes.bound);
    const bool is_limited = form.lower && form.upper && !sizes.has_filled;
    const __int128 n_runs = is_limited ? 1 : loop_.n_runs.value_or(0);
    if (n_runs == 0 || sizes.shift > most || base > most) {
      return std::nullopt;
    }
    const __int128 shifts = sizes.shift * loop_.n * n_runs;
    if (2 * (base + shifts) <= most) {
      return Limits{.reach = static_cast<int64_t>(base + shifts)};
    }
    const __int128 limit = std::max(sizes.shift, 2 * base);
    if (is_limited && base + 2 * limit <= most) {
      return Limits{.reach = static_cast<int64_t>(base), .shift = static_cast<int64_t>(2 * base)};
    }
    return std::nullopt;
  }

  // ---- the loops ----

  auto iteration(VariableId counter) -> ExprId {
    const ExprId read = make_.cast(make_.read(counter), engine::kI64);
    return loop_.first == 0 ? read
                            : make_.binary(types::Operator::Sub, read, make_.integer(loop_.first));
  }

  /// What a waiting statement reads of those in front.
  void pass(size_t at, Block& before, Block& body) {
    for (const VariableId variable : body_.reads[at]) {
      if (waiting_.contains(variable) || !body_.written.contains(variable) ||
          !type_of(variable).extents.empty()) {
        continue;
      }
      size_t n_writers = 0;
      for (size_t i = 0; i < at; ++i) {
        n_writers += !waits_[i] && body_.writes[i].contains(variable) ? 1 : 0;
      }
      const auto key = std::pair(variable, n_writers);
      if (!passed_.contains(key)) {
        const kernel::Type type{type_of(variable).element, {loop_.n}};
        const VariableId row =
            make_.mutable_variable(fmt::format("all_{}", kernel_.variables[variable].name), type);
        kernel_.variables[row].visibility = kernel_.variables[variable].visibility;
        before.push_back(make_.assign(row, make_.zero(type)));
        const ExprId index = iteration(loop_.node.counter);
        const ExprId value = make_.read(variable);
        body.push_back(make_.statement(kernel::StoreElement{row, {index}, value}));
        passed_[key] = row;
      }
      reads_passed_[at][variable] = passed_[key];
    }
  }

  /// By statement: whether anything but the tree needs it.
  auto needed() const -> std::vector<bool> {
    const size_t n = body_.statements.size();
    std::vector<bool> is_needed(n);
    Variables read;
    for (bool is_changed = true; is_changed;) {
      is_changed = false;
      for (size_t i = 0; i < n; ++i) {
        if (!waits_[i] || is_needed[i]) {
          continue;
        }
        const auto* assign = std::get_if<kernel::Assign>(&statement(i).node);
        const bool is_of_group = assign != nullptr && std::find(group_.begin(), group_.end(),
                                                                assign->variable) != group_.end();
        is_needed[i] = assign == nullptr || read.contains(assign->variable) ||
                       (!is_of_group && loop_.used_outside.contains(assign->variable));
        if (is_needed[i]) {
          is_changed = true;
          // What the tree gives is read from it.
          if (!is_last_of_group(i)) {
            read.insert(body_.reads[i].begin(), body_.reads[i].end());
          }
        }
      }
    }
    return is_needed;
  }

  auto is_last_of_group(size_t at) const -> bool {
    const auto* assign = std::get_if<kernel::Assign>(&statement(at).node);
    if (assign == nullptr ||
        std::find(group_.begin(), group_.end(), assign->variable) == group_.end()) {
      return false;
    }
    for (size_t i = at + 1; i < body_.statements.size(); ++i) {
      if (body_.writes[i].contains(assign->variable)) {
        return false;
      }
    }
    return true;
  }

  auto for_all(VariableId counter, Block body) -> StatementId {
    kernel::For node = loop_.node;
    node.counter = counter;
    node.body = std::move(body);
    return make_.statement(std::move(node));
  }

  auto written(IterationTree& tree) -> Block {
    const std::vector<bool> is_needed = needed();
    Block result;
    Block first;
    for (const First& each : first_) {
      if (const auto* at = std::get_if<size_t>(&each)) {
        first.push_back(body_.statements[*at]);
      } else if (const auto* id = std::get_if<StatementId>(&each)) {
        first.push_back(*id);
      } else if (const size_t waiting = std::get<Waiting>(each).at;
                 is_needed[waiting] && !is_last_of_group(waiting)) {
        pass(waiting, result, first);
      }
    }
    tree.start(result, first, iteration(loop_.node.counter));
    result.push_back(for_all(loop_.node.counter, std::move(first)));
    if (std::none_of(is_needed.begin(), is_needed.end(), [](bool each) { return each; })) {
      tree.fold(result);
    } else {
      add_second(tree, is_needed, result);
    }
    for (const VariableId variable : group_) {
      kernel_.variables[variable].is_mutable = true;
    }
    return result;
  }

  void add_second(IterationTree& tree, const std::vector<bool>& is_needed, Block& result) {
    const std::map<VariableId, VariableId> rows = tree.prefixes(result);
    const kernel::Variable old = kernel_.variables[loop_.node.counter];
    const VariableId counter = make_.variable(old.name, old.type, kernel::VariableKind::Counter);
    Block second;
    const auto element = [&](VariableId row, int64_t behind) {
      const ExprId at = iteration(counter);
      return make_.element(
          make_.read(row),
          {behind == 0 ? at : make_.binary(types::Operator::Add, at, make_.integer(behind))});
    };
    for (const VariableId variable : group_) {
      second.push_back(make_.assign(variable, element(rows.at(variable), 0)));
    }
    for (size_t i = 0; i < body_.statements.size(); ++i) {
      if (!is_needed[i]) {
        continue;
      }
      if (is_last_of_group(i)) {
        const VariableId variable = std::get<kernel::Assign>(statement(i).node).variable;
        second.push_back(make_.assign(variable, element(rows.at(variable), 1)));
        continue;
      }
      std::map<VariableId, ExprId> by{{loop_.node.counter, make_.read(counter)}};
      for (const auto& [variable, row] : reads_passed_[i]) {
        by[variable] = element(row, 0);
      }
      second.push_back(copied_with(make_, body_.statements[i], by));
    }
    result.push_back(for_all(counter, std::move(second)));
    for (const VariableId variable : group_) {
      const ExprId last = make_.integer(loop_.n);
      result.push_back(
          make_.assign(variable, make_.element(make_.read(rows.at(variable)), {last})));
    }
  }

  struct Waiting {
    size_t at = 0;
  };
  /// A statement of the text by its place, one that was added, or where one waits.
  using First = std::variant<size_t, StatementId, Waiting>;

  Builder& make_;
  Kernel& kernel_;
  const CountedLoop& loop_;
  const LoopBody& body_;
  const Variables& secrets_;
  std::vector<VariableId> group_;
  std::vector<bool> waits_;
  Variables waiting_;
  std::vector<First> first_;
  Variables own_secrets_;  ///< what was added
  std::map<std::pair<VariableId, size_t>, VariableId> passed_;
  std::map<size_t, std::map<VariableId, VariableId>> reads_passed_;
  bool is_refused_ = false;  ///< it has a form, and gains nothing or might overflow
};

}  // namespace

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
