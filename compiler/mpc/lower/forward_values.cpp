#include "compiler/mpc/lower/forward_values.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "compiler/device/kernel/verify.h"
#include "compiler/device/kernel/walk.h"

namespace tacet::mpc_lower {

using kernel::Block;
using kernel::ExprId;
using kernel::Kernel;
using kernel::StatementId;
using kernel::VariableId;

namespace {

constexpr size_t kLargest = 24;

class Forwarding {
 public:
  explicit Forwarding(Kernel& kernel) : kernel_(kernel) {}

  void run(const Block& block) {
    for (const StatementId id : block) {
      run(id);
    }
  }

 private:
  /// What a variable holds, and what that is made of.
  struct Held {
    ExprId value;
    std::set<VariableId> made_of{};
  };

  void run(StatementId id) {
    const bool is_loop = kernel::is_loop(kernel_.statements[id]);
    const std::set<VariableId> written = kernel::variables_written(kernel_, Block{id});
    if (is_loop) {
      // Its bounds and condition are read in each iteration.
      forget(written);
    }
    kernel::Statement statement = kernel_.statements[id];
    std::map<ExprId, ExprId> done;
    kernel::visit_exprs(statement, [&](ExprId& expr) { expr = replaced(expr, done); });
    if (auto* region = std::get_if<kernel::SecretRegion>(&statement.node)) {
      held_.clear();
      run(region->body);
      held_.clear();
      return;
    }
    kernel_.statements[id] = statement;
    const std::map<VariableId, Held> before = held_;
    kernel::visit_blocks(statement, [&](const Block& inner) {
      held_ = before;
      run(inner);
    });
    held_ = before;
    forget(written);
    if (const auto* assign = std::get_if<kernel::Assign>(&statement.node)) {
      remember(*assign);
    }
  }

  void forget(const std::set<VariableId>& written) {
    for (auto it = held_.begin(); it != held_.end();) {
      const bool is_stale =
          written.contains(it->first) ||
          std::any_of(it->second.made_of.begin(), it->second.made_of.end(),
                      [&](VariableId variable) { return written.contains(variable); });
      it = is_stale ? held_.erase(it) : std::next(it);
    }
  }

  void remember(const kernel::Assign& assign) {
    if (kernel::can_fault(kernel_, assign.value) || kernel::draws_secretly(kernel_, assign.value) ||
        kernel::tree_size(kernel_, assign.value, kLargest) >= kLargest) {
      return;
    }
    std::set<VariableId> made_of = kernel::variables_read(kernel_, assign.value);
    bool has_index = false;
    kernel::walk_exprs(kernel_, assign.value, [&](ExprId inner) {
      has_index = has_index || std::holds_alternative<kernel::Tabulate>(kernel_.exprs[inner].node);
    });
    if (!has_index && !made_of.contains(assign.variable)) {
      held_[assign.variable] = {assign.value, std::move(made_of)};
    }
  }

  /// A copy of the expression with values in place of variables; itself where there are none.
  auto replaced(ExprId expr, std::map<ExprId, ExprId>& done) -> ExprId {
    if (const auto found = done.find(expr); found != done.end()) {
      return found->second;
    }
    ExprId result = expr;
    if (const auto* read = std::get_if<kernel::Read>(&kernel_.exprs[expr].node)) {
      const auto found = held_.find(read->variable);
      result = found == held_.end() ? expr : found->second.value;
    } else {
      kernel::Expr copy = kernel_.exprs[expr];
      bool is_changed = false;
      // An array whose elements are read stays a variable: its elements are looked up in it.
      const auto* element = std::get_if<kernel::Element>(&copy.node);
      const ExprId array = element == nullptr ? ExprId{} : element->array;
      kernel::visit_exprs(copy, [&](ExprId& part) {
        const bool stays = part == array &&
                           std::holds_alternative<kernel::Read>(kernel_.exprs[part].node) &&
                           !is_copy(part);
        const ExprId other = stays ? part : replaced(part, done);
        is_changed = is_changed || other != part;
        part = other;
      });
      result = is_changed ? kernel_.exprs.add(std::move(copy)) : expr;
    }
    done.emplace(expr, result);
    return result;
  }

  /// Reads a variable that holds what another one holds.
  auto is_copy(ExprId read) const -> bool {
    const auto found = held_.find(std::get<kernel::Read>(kernel_.exprs[read].node).variable);
    return found != held_.end() &&
           std::holds_alternative<kernel::Read>(kernel_.exprs[found->second.value].node);
  }

  Kernel& kernel_;
  std::map<VariableId, Held> held_;
};

/// Assignments to what is never read go, as long as there are any.
void remove_unread(Kernel& kernel) {
  const auto remove = [&](Block& block, const auto& is_unread, const auto& again) -> bool {
    const size_t n = block.size();
    block.erase(std::remove_if(block.begin(), block.end(), is_unread), block.end());
    bool changed = block.size() != n;
    for (const StatementId id : block) {
      kernel::visit_blocks(kernel.statements[id], [&](Block& inner) {
        changed = again(inner, is_unread, again) || changed;
      });
    }
    return changed;
  };
  for (bool changed = true; changed;) {
    std::set<VariableId> read = kernel::variables_read(kernel, kernel.body);
    kernel::walk_statements(kernel, kernel.body, [&](StatementId id) {
      if (const auto* region = std::get_if<kernel::SecretRegion>(&kernel.statements[id].node)) {
        for (const auto& port : region->inputs) {
          read.insert(port.outer);
        }
        for (const auto& port : region->outputs) {
          read.insert(port.inner);
        }
      }
    });
    const auto is_unread = [&](StatementId id) {
      const auto* assign = std::get_if<kernel::Assign>(&kernel.statements[id].node);
      return assign != nullptr && !read.contains(assign->variable) &&
             !kernel::can_fault(kernel, assign->value);
    };
    changed = remove(kernel.body, is_unread, remove);
  }
}

}  // namespace

auto forward_values(Kernel kernel) -> Kernel {
  Forwarding(kernel).run(Block(kernel.body));
  remove_unread(kernel);
  kernel::expect_verified(kernel, "forwarding values");
  return kernel;
}

}  // namespace tacet::mpc_lower
