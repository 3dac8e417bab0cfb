#include "compiler/device/oblivious/exits_to_flags.h"

#include <algorithm>

#include "compiler/device/oblivious/may_apply.h"
#include "compiler/device/oblivious/occurrences.h"
#include "compiler/device/oblivious/secrecy.h"
#include "compiler/device/oblivious/transform_expr.h"
#include "compiler/device/oblivious/writer.h"

namespace tacet::oblivious {

using namespace kernel;
using types::Operator;

namespace {

enum class ExitKind : uint8_t { Continue, Break, Return };

/// Which exits become flags: by the loop that they leave or continue, and all `return`s or none.
struct SecretExits {
  std::vector<StatementId> continues;
  std::vector<StatementId> breaks;
  bool returns = false;
  std::vector<FileRange> places{};  ///< of those exits about which a secret decides

  [[nodiscard]] auto is_empty() const -> bool {
    return continues.empty() && breaks.empty() && !returns;
  }
};

/// Finds the exits that a secret decides about.
class ExitSearch {
 public:
  ExitSearch(const Rewriting& rewriting, const Secrecy& secrecy)
      : kernel_(rewriting.kernel), wanted_(rewriting.wanted), secrecy_(secrecy) {}

  auto run() -> SecretExits {
    block(kernel_.body, {});
    return std::move(found_);
  }

 private:
  struct Around {
    StatementId loop{};
    bool secret_in_loop = false;
    bool secret_at_all = false;
  };

  void block(const Block& block, const Around& around) {
    for (StatementId id : block) {
      statement(id, around);
    }
  }

  auto is_secret(StatementId id, const Statement& statement) const -> bool {
    bool is_secret = false;
    visit_exprs(statement, [&](ExprId expr) { is_secret |= secrecy_.is_secret(id, expr); });
    return is_secret;
  }

  void statement(StatementId id, Around around) {
    const Statement& statement = kernel_.statements[id];
    if (std::holds_alternative<Break>(statement.node)) {
      leave(around.secret_in_loop, statement.place, around.loop, found_.breaks);
    } else if (std::holds_alternative<Continue>(statement.node)) {
      leave(around.secret_in_loop, statement.place, around.loop, found_.continues);
    } else if (std::holds_alternative<Return>(statement.node)) {
      if (around.secret_at_all && wanted_(statement.place)) {
        found_.returns = true;
        found_.places.push_back(statement.place);
      }
    } else if (std::holds_alternative<If>(statement.node)) {
      const bool decides = is_secret(id, statement);
      around.secret_in_loop |= decides;
      around.secret_at_all |= decides;
    } else if (std::holds_alternative<For>(statement.node) ||
               std::holds_alternative<While>(statement.node)) {
      const bool decides = is_secret(id, statement);
      around.loop = id;
      around.secret_in_loop = decides;
      around.secret_at_all |= decides;
    }
    visit_blocks(statement, [&](const Block& inner) { block(inner, around); });
  }

  void leave(bool is_secret, FileRange place, StatementId loop, std::vector<StatementId>& loops) {
    if (!is_secret || !wanted_(place)) {
      return;
    }
    found_.places.push_back(place);
    if (std::find(loops.begin(), loops.end(), loop) == loops.end()) {
      loops.push_back(loop);
    }
  }

  const Kernel& kernel_;
  const Wanted& wanted_;
  const Secrecy& secrecy_;
  SecretExits found_;
};

class ExitsToFlags {
 public:
  ExitsToFlags(Kernel& kernel, const SecretExits& exits)
      : kernel_(kernel), writer_(kernel), exits_(exits) {}

  void run() {
    kernel_.body = loops_in(kernel_.body);
    if (exits_.returns) {
      returns_at_end();
    }
  }

 private:
  /// One kind of exit that becomes a flag.
  struct Unit {
    ExitKind kind;
    VariableId flag{};
    std::vector<VariableId> results{};  ///< of a `return`
    bool sets_flag = false;
  };

  static auto contains(const std::vector<StatementId>& loops, StatementId id) -> bool {
    return std::find(loops.begin(), loops.end(), id) != loops.end();
  }

  /// The block with the flags of its loops, from the inside out.
  auto loops_in(const Block& block) -> Block {
    Block out;
    for (StatementId id : block) {
      replace_blocks(kernel_, id, [&](const Block& inner) { return loops_in(inner); });
      if (contains(exits_.continues, id)) {
        skip_rest(id);
      }
      if (contains(exits_.breaks, id)) {
        stop(id, out);
      }
      out.push_back(id);
    }
    return out;
  }

  auto flag(std::string_view name, ExitKind kind) -> Unit {
    return {kind, writer_.mutable_variable(name, {engine::kBool, {}}), {}};
  }

  auto clear(const Unit& unit) -> StatementId {
    return writer_.assign(unit.flag, writer_.truth(false));
  }

  void skip_rest(StatementId loop) {
    writer_.set_place(kernel_.statements[loop].place);
    Unit unit = flag("skip", ExitKind::Continue);
    replace_blocks(kernel_, loop, [&](const Block& body) {
      Block out = without_exits(body, Followed::No, unit);
      if (unit.sets_flag) {
        out.insert(out.begin(), clear(unit));
      }
      return out;
    });
  }

  void stop(StatementId loop, Block& before) {
    writer_.set_place(kernel_.statements[loop].place);
    Unit unit = flag("stop", ExitKind::Break);
    before.push_back(clear(unit));
    leave_loop(loop, unit);
  }

  /// The loop ends, or does nothing any more, once the flag of `unit` is set.
  void leave_loop(StatementId loop, Unit& unit) {
    replace_blocks(kernel_, loop,
                   [&](const Block& body) { return without_exits(body, Followed::Yes, unit); });
    Statement copy = kernel_.statements[loop];
    writer_.set_place(copy.place);
    const ExprId continues = writer_.negation(writer_.read(unit.flag));
    if (auto* counted = std::get_if<For>(&copy.node)) {
      counted->body = {writer_.branch(continues, std::move(counted->body))};
    } else if (auto* tested = std::get_if<While>(&copy.node)) {
      tested->condition =
          writer_.binary(Operator::Land, continues, tested->condition, Obliviousness::MayBranch);
    }
    kernel_.statements[loop] = std::move(copy);
  }

  void returns_at_end() {
    if (!kernel_.body.empty()) {
      writer_.set_place(kernel_.statements[kernel_.body.back()].place);
    }
    Unit unit = flag("done", ExitKind::Return);
    Block start;
    for (const kernel::Result& result : std::vector<kernel::Result>(kernel_.results)) {
      const VariableId variable = writer_.mutable_variable("result", result.type);
      start.push_back(writer_.assign(variable, writer_.zero(result.type)));
      unit.results.push_back(variable);
    }
    Block body = without_exits(kernel_.body, Followed::No, unit);
    if (unit.sets_flag) {
      start.push_back(clear(unit));
    }
    start.insert(start.end(), body.begin(), body.end());
    std::vector<ExprId> values;
    for (VariableId result : unit.results) {
      values.push_back(writer_.read(result));
    }
    start.push_back(writer_.statement(Return{std::move(values)}));
    kernel_.body = std::move(start);
  }

  // ---- one kind of exit in one block ----

  /// Whether something comes behind a block that an exit in it has to skip.
  enum class Followed : uint8_t { No, Yes };

  static auto is_exit(const Statement& statement, const Unit& unit) -> bool {
    switch (unit.kind) {
      case ExitKind::Continue:
        return std::holds_alternative<Continue>(statement.node);
      case ExitKind::Break:
        return std::holds_alternative<Break>(statement.node);
      case ExitKind::Return:
        return std::holds_alternative<Return>(statement.node);
    }
    return false;
  }

  /// May `statement` meet an exit of `unit`?
  auto may_exit(const Statement& statement, const Unit& unit) const -> bool {
    if (is_exit(statement, unit)) {
      return true;
    }
    if (is_loop(statement) && unit.kind != ExitKind::Return) {
      return false;  // its exits are its own
    }
    bool may = false;
    const auto visit = [&](StatementId id) { may |= is_exit(kernel_.statements[id], unit); };
    visit_blocks(statement, [&](const Block& block) {
      if (unit.kind == ExitKind::Return) {
        walk_statements(kernel_, block, visit);
      } else {
        walk_statements_of_loop(kernel_, block, visit);
      }
    });
    return may;
  }

  auto without_exits(const Block& block, Followed followed, Unit& unit) -> Block {
    Block out;
    for (size_t i = 0; i < block.size(); ++i) {
      const StatementId id = block[i];
      const Statement statement = kernel_.statements[id];
      if (is_exit(statement, unit)) {
        exit(statement, followed, unit, out);
        return out;
      }
      if (!may_exit(statement, unit)) {
        out.push_back(id);
        continue;
      }
      const Block rest(block.begin() + static_cast<std::ptrdiff_t>(i) + 1, block.end());
      out.push_back(id);
      const bool is_done =
          is_loop(statement) ? in_loop(id, unit) : in_arms(id, rest, followed, unit);
      if (!is_done && !rest.empty()) {
        writer_.set_place(statement.place);
        const ExprId continues = writer_.negation(writer_.read(unit.flag));
        out.push_back(writer_.branch(continues, without_exits(rest, followed, unit)));
      }
      return out;
    }
    return out;
  }

  void exit(const Statement& statement, Followed followed, Unit& unit, Block& out) {
    writer_.set_place(statement.place);
    if (const auto* returned = std::get_if<Return>(&statement.node)) {
      for (size_t i = 0; i < unit.results.size(); ++i) {
        out.push_back(writer_.assign(unit.results[i], returned->values[i]));
      }
    }
    if (followed == Followed::Yes) {
      unit.sets_flag = true;
      out.push_back(writer_.assign(unit.flag, writer_.truth(true)));
    }
  }

  auto in_loop(StatementId id, Unit& unit) -> bool {
    leave_loop(id, unit);
    return false;
  }

  /// The arms of the `if` without exits. True if what follows it in its block moved into an arm.
  auto in_arms(StatementId id, const Block& rest, Followed followed, Unit& unit) -> bool {
    Statement copy = kernel_.statements[id];
    If& branch = std::get<If>(copy.node);
    const bool then_leaves = leaves(kernel_, branch.then);
    const bool other_leaves = leaves(kernel_, branch.otherwise);
    const bool moves = rest.empty() || then_leaves || other_leaves;
    if (moves && !(then_leaves && other_leaves)) {
      Block& other = then_leaves ? branch.otherwise : branch.then;
      other.insert(other.end(), rest.begin(), rest.end());
    }
    const Followed behind = moves ? followed : Followed::Yes;
    branch.then = without_exits(branch.then, behind, unit);
    branch.otherwise = without_exits(branch.otherwise, behind, unit);
    kernel_.statements[id] = std::move(copy);
    return moves;
  }

  Kernel& kernel_;
  Writer writer_;
  const SecretExits& exits_;
};

}  // namespace

auto exits_to_flags(Rewriting& rewriting) -> bool {
  bool is_changed = false;
  while (may_have_exits(rewriting)) {
    SecretExits exits;
    {
      const Secrecy secrecy = analyse_secrecy(rewriting.kernel);
      exits = ExitSearch(rewriting, secrecy).run();
    }
    if (exits.is_empty()) {
      break;
    }
    ExitsToFlags(rewriting.kernel, exits).run();
    for (FileRange place : exits.places) {
      rewriting.rewrites.push_back(
          {RewriteKind::Exit, place, "a flag instead of an early exit", {}});
    }
    is_changed = true;
  }
  return is_changed;
}

}  // namespace tacet::oblivious
