#include "compiler/device/kernel/declarations.h"

#include "compiler/device/kernel/walk.h"

namespace tacet::kernel {

namespace {

class DeclarationFinder {
 public:
  explicit DeclarationFinder(const Kernel& kernel) : kernel_(kernel) {}

  auto run() -> Declarations {
    block(kernel_.body);
    for (const auto& [variable, place] : places_) {
      declare(variable, place);
    }
    return std::move(declarations_);
  }

 private:
  struct Step {
    StatementId statement;
    uint32_t block = 0;  ///< which of its blocks is being visited

    friend auto operator==(const Step&, const Step&) -> bool = default;
  };

  /// The statements around a place, from the outside, with the place's own at the end.
  using Path = std::vector<Step>;

  struct Place {
    Path first;         ///< the first use
    size_t n_shared{};  ///< how many statements of it are around all uses
  };

  void block(const Block& statements) {
    for (const StatementId id : statements) {
      path_.push_back({id});
      const Statement& statement = kernel_.statements[id];
      visit_exprs(statement, [&](ExprId root) {
        walk_exprs(kernel_, root, [&](ExprId expr) {
          if (const auto* read = std::get_if<Read>(&kernel_.exprs[expr].node)) {
            use(read->variable);
          }
        });
      });
      visit_written(statement, [&](VariableId variable) { use(variable); });
      visit_blocks(statement, [&](const Block& inner) {
        ++path_.back().block;
        block(inner);
      });
      path_.pop_back();
    }
  }

  void use(VariableId variable) {
    if (kernel_.variables[variable].kind != VariableKind::Local) {
      return;
    }
    const auto [at, is_new] = places_.try_emplace(variable, Place{path_, path_.size() - 1});
    Place& place = at->second;
    size_t n = 0;
    while (n < place.n_shared && n + 1 < path_.size() && place.first[n] == path_[n]) {
      ++n;
    }
    place.n_shared = n;
  }

  /// Does the statement give the variable its value without looking at it?
  auto assigns(StatementId id, VariableId variable) const -> bool {
    const Statement& statement = kernel_.statements[id];
    const bool declares = std::holds_alternative<Assign>(statement.node) ||
                          std::holds_alternative<Reveal>(statement.node) ||
                          std::holds_alternative<Call>(statement.node);
    bool is_written = false;
    visit_written(statement, [&](VariableId written) { is_written |= written == variable; });
    bool is_read = false;
    visit_exprs(statement, [&](ExprId root) {
      is_read = is_read || variables_read(kernel_, root).contains(variable);
    });
    return declares && is_written && !is_read;
  }

  void declare(VariableId variable, const Place& place) {
    const StatementId first = place.first[place.n_shared].statement;
    if (assigns(first, variable)) {
      declarations_.with[first].insert(variable);
      return;
    }
    size_t at = 0;
    while (at < place.n_shared && !is_loop(kernel_.statements[place.first[at].statement])) {
      ++at;
    }
    declarations_.before[place.first[at].statement].push_back(variable);
  }

  const Kernel& kernel_;
  Path path_;
  std::map<VariableId, Place> places_;
  Declarations declarations_;
};

}  // namespace

auto find_declarations(const Kernel& kernel) -> Declarations {
  return DeclarationFinder(kernel).run();
}

}  // namespace tacet::kernel
