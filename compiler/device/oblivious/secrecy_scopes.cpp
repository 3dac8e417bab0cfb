#include "compiler/device/oblivious/secrecy_scopes.h"

#include "compiler/device/kernel/walk.h"

namespace tacet::oblivious {

using kernel::Block;
using kernel::ExprId;
using kernel::StatementId;
using kernel::VariableId;

namespace {

class ScopeFinder {
 public:
  explicit ScopeFinder(const kernel::Kernel& kernel) : kernel_(kernel) {
    homes_.resize(kernel.variables.size());
    stamps_.assign(kernel.exprs.size(), 0);
    scopes_.at_statement.resize(kernel.statements.size());
  }

  auto run() -> VariableScopes {
    block(kernel_.body, kNone);
    for (uint32_t i = 0; i < homes_.size(); ++i) {
      const Home& home = homes_[i];
      if (home.block == kNone) {
        continue;
      }
      if (home.block == home.first_block && home.first.has_value()) {
        scopes_.at_statement[home.first.index].push_back(VariableId{i});
      } else {
        scopes_.at_block[blocks_[home.block].block].push_back(VariableId{i});
      }
    }
    return std::move(scopes_);
  }

 private:
  static constexpr uint32_t kNone = 0xffffffff;

  struct BlockOfText {
    const Block* block = nullptr;
    uint32_t parent = kNone;
    uint32_t depth = 0;
  };
  struct Home {
    uint32_t block = kNone;
    uint32_t first_block = kNone;  ///< where it is first given a value
    StatementId first{};
  };

  void block(const Block& block_of_text, uint32_t parent) {
    const auto index = static_cast<uint32_t>(blocks_.size());
    blocks_.push_back({&block_of_text, parent, parent == kNone ? 0 : blocks_[parent].depth + 1});
    for (StatementId id : block_of_text) {
      const kernel::Statement& statement = kernel_.statements[id];
      ++stamp_;
      visit_exprs(statement, [&](ExprId expr) { reads(expr, index); });
      visit_written(statement, [&](VariableId variable) {
        occurs(variable, index);
        Home& home = homes_[variable.index];
        if (!home.first.has_value()) {
          home.first = id;
          home.first_block = index;
        }
      });
      if (const auto* region = std::get_if<kernel::SecretRegion>(&statement.node)) {
        for (const kernel::SecretRegion::Port& port : region->inputs) {
          occurs(port.outer, index);
          occurs(port.inner, index);
        }
        for (const kernel::SecretRegion::Port& port : region->outputs) {
          occurs(port.inner, index);
        }
      }
      visit_blocks(statement, [&](const Block& inner) { block(inner, index); });
    }
  }

  /// Expressions may be shared, so each is visited once in a statement.
  void reads(ExprId id, uint32_t in_block) {
    if (stamps_[id.index] == stamp_) {
      return;
    }
    stamps_[id.index] = stamp_;
    const kernel::Expr& expr = kernel_.exprs[id];
    if (const auto* read = std::get_if<kernel::Read>(&expr.node)) {
      occurs(read->variable, in_block);
    }
    visit_exprs(expr, [&](ExprId operand) { reads(operand, in_block); });
  }

  void occurs(VariableId variable, uint32_t in_block) {
    uint32_t& home = homes_[variable.index].block;
    home = home == kNone ? in_block : common(home, in_block);
  }

  auto common(uint32_t a, uint32_t b) const -> uint32_t {
    while (a != b) {
      uint32_t& deeper = blocks_[a].depth >= blocks_[b].depth ? a : b;
      deeper = blocks_[deeper].parent;
    }
    return a;
  }

  const kernel::Kernel& kernel_;
  std::vector<BlockOfText> blocks_;
  std::vector<Home> homes_;
  std::vector<uint32_t> stamps_;
  uint32_t stamp_ = 0;
  VariableScopes scopes_;
};

}  // namespace

auto find_scopes(const kernel::Kernel& kernel) -> VariableScopes {
  return ScopeFinder(kernel).run();
}

}  // namespace tacet::oblivious
