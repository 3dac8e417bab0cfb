#include "compiler/device/loops/loop_body.h"

#include <algorithm>

#include "compiler/device/kernel/walk.h"

namespace tacet::loops {

using kernel::Block;
using kernel::Kernel;
using kernel::StatementId;
using kernel::VariableId;

namespace {

constexpr size_t kMostCarried = 64;

using Variables = std::set<VariableId>;

/// What may be read before it is assigned.
class ExposedFinder {
 public:
  explicit ExposedFinder(const Kernel& kernel) : kernel_(kernel) {}

  void run(const Block& block, Variables& assigned) {
    for (const StatementId id : block) {
      run(kernel_.statements[id], assigned);
    }
  }

  Variables exposed;

 private:
  void run(const kernel::Statement& statement, Variables& assigned) {
    kernel::visit_exprs(statement, [&](kernel::ExprId expr) {
      for (const VariableId variable : kernel::variables_read(kernel_, expr)) {
        if (!assigned.contains(variable)) {
          exposed.insert(variable);
        }
      }
    });
    if (const auto* store = std::get_if<kernel::StoreElement>(&statement.node)) {
      if (!assigned.contains(store->array)) {
        exposed.insert(store->array);
      }
      return;
    }
    std::vector<Variables> ends;
    kernel::visit_blocks(statement, [&](const Block& inner) {
      ends.push_back(assigned);
      if (const auto* loop = std::get_if<kernel::For>(&statement.node)) {
        ends.back().insert(loop->counter);
      }
      run(inner, ends.back());
    });
    if (std::holds_alternative<kernel::If>(statement.node)) {
      Variables both;
      std::set_intersection(ends[0].begin(), ends[0].end(), ends[1].begin(), ends[1].end(),
                            std::inserter(both, both.end()));
      assigned = std::move(both);
    } else if (ends.empty()) {
      kernel::visit_written(statement, [&](VariableId variable) { assigned.insert(variable); });
    }
  }

  const Kernel& kernel_;
};

}  // namespace

LoopBody::LoopBody(const Kernel& kernel, const Block& body) : statements(body) {
  for (const StatementId id : body) {
    reads.push_back(kernel::variables_read(kernel, Block{id}));
    writes.push_back(kernel::variables_written(kernel, Block{id}));
    written.insert(writes.back().begin(), writes.back().end());
  }
  ExposedFinder finder(kernel);
  Variables assigned;
  finder.run(body, assigned);
  exposed = std::move(finder.exposed);
}

auto LoopBody::cycles(const Kernel& kernel) const -> std::vector<std::vector<VariableId>> {
  std::vector<VariableId> carried;
  for (const VariableId variable : written) {
    if (exposed.contains(variable)) {
      carried.push_back(variable);
    }
  }
  const size_t n = carried.size();
  if (n > kMostCarried) {
    return {};
  }
  // What each variable is made of so far in an iteration.
  std::map<VariableId, std::vector<bool>> made_of;
  for (size_t i = 0; i < n; ++i) {
    made_of[carried[i]] = std::vector<bool>(n);
    made_of[carried[i]][i] = true;
  }
  for (size_t at = 0; at < statements.size(); ++at) {
    std::vector<bool> read(n);
    for (const VariableId variable : reads[at]) {
      const auto found = made_of.find(variable);
      for (size_t i = 0; found != made_of.end() && i < n; ++i) {
        read[i] = read[i] || found->second[i];
      }
    }
    const bool is_assignment =
        std::holds_alternative<kernel::Assign>(kernel.statements[statements[at]].node);
    for (const VariableId variable : writes[at]) {
      std::vector<bool>& own = made_of[variable];
      own.resize(n);
      for (size_t i = 0; i < n; ++i) {
        own[i] = read[i] || (own[i] && !is_assignment);
      }
    }
  }
  std::vector<std::vector<bool>> reaches;
  for (const VariableId variable : carried) {
    reaches.push_back(made_of[variable]);
  }
  for (size_t k = 0; k < n; ++k) {
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; reaches[i][k] && j < n; ++j) {
        reaches[i][j] = reaches[i][j] || reaches[k][j];
      }
    }
  }
  std::vector<std::vector<VariableId>> found;
  std::vector<bool> is_done(n);
  for (size_t i = 0; i < n; ++i) {
    if (is_done[i] || !reaches[i][i]) {
      continue;
    }
    found.emplace_back();
    for (size_t j = i; j < n; ++j) {
      if (j == i || (reaches[i][j] && reaches[j][i])) {
        is_done[j] = true;
        found.back().push_back(carried[j]);
      }
    }
  }
  return found;
}

auto variables_used(const Kernel& kernel, const Block& block) -> std::set<VariableId> {
  std::set<VariableId> used = kernel::variables_read(kernel, block);
  kernel::walk_statements(kernel, block, [&](StatementId id) {
    if (const auto* store = std::get_if<kernel::StoreElement>(&kernel.statements[id].node)) {
      used.insert(store->array);
    }
  });
  return used;
}

}  // namespace tacet::loops
