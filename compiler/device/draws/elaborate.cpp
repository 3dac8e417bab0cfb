#include "compiler/device/draws/elaborate.h"

#include <algorithm>
#include <set>

#include "compiler/core/syntax/bare.h"
#include "compiler/device/draws/member_that_runs.h"
#include "compiler/device/draws/secret_draws.h"

namespace tacet::draws {

using names::Builtin;
using names::ItemId;
using names::ItemKind;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

static constexpr uint64_t kCallBit = uint64_t{1} << 63;

template <class Entry>
static auto find(const std::vector<Entry>& entries, uint32_t node) -> const Entry* {
  auto found = std::lower_bound(entries.begin(), entries.end(), node,
                                [](const Entry& entry, uint32_t at) { return entry.node < at; });
  return found != entries.end() && found->node == node ? &*found : nullptr;
}

auto Elaboration::draw(uint32_t node) const -> const Draw* {
  return find(draws, node);
}

auto Elaboration::call(uint32_t node) const -> const Call* {
  return find(calls, node);
}

auto Elaboration::loop_draws(uint32_t node) const -> bool {
  return std::binary_search(loops.begin(), loops.end(), node);
}

/// The name that a call calls.
static auto callee_name(Node call) -> Node {
  return syntax::bare(call.child(Field::Function));
}

static auto drawn_by(const check::Body& body, Node call) -> std::optional<Builtin> {
  const names::Resolution meaning = body.names.of(callee_name(call).index());
  if (!meaning.is(names::Meaning::Builtin)) {
    return std::nullopt;
  }
  const auto builtin = static_cast<Builtin>(meaning.index());
  return names::is_random_draw(builtin) ? std::optional(builtin) : std::nullopt;
}

namespace {

/// One item, seen from above: who of its nodes uses randomness, then who gets which string.
class ItemWalk {
 public:
  ItemWalk(const names::ItemTree& tree, check::BodyPtr body,
           std::function<ItemId(ItemId)> drawing_callee)
      : tree_(tree), body_(std::move(body)), drawing_callee_(std::move(drawing_callee)) {}

  auto run() -> Elaboration {
    uses_.resize(tree_->nodes.size());
    const Node root{tree_.get(), 0};
    find_users(root);
    if (uses_[0]) {
      split(root, {}, 0);
    }
    std::sort(result_.draws.begin(), result_.draws.end(), by_node);
    std::sort(result_.calls.begin(), result_.calls.end(), by_node);
    std::sort(result_.loops.begin(), result_.loops.end());
    result_.loops.erase(std::unique(result_.loops.begin(), result_.loops.end()),
                        result_.loops.end());
    for (size_t i = 0; i < result_.calls.size(); ++i) {
      result_.calls[i].word = kCallBit | i;
    }
    return std::move(result_);
  }

 private:
  static constexpr auto by_node = [](const auto& a, const auto& b) { return a.node < b.node; };

  auto callee_of(Node call) const -> ItemId {
    const ItemId item = body_->names.item(callee_name(call).index());
    return item.has_value() ? drawing_callee_(item) : ItemId{};
  }

  auto draws_itself(Node node) const -> bool {
    return node.is(NodeKind::CallExpression) &&
           (drawn_by(*body_, node) || callee_of(node).has_value());
  }

  auto find_users(Node node) -> bool {
    bool uses = draws_itself(node);
    for (Node child : node.children()) {
      uses |= find_users(child);
    }
    uses_[node.index()] = uses;
    return uses;
  }

  /// Is the child evaluated anew in every iteration of the loop `node`?
  static auto is_in_iteration(Node node, Node child) -> bool {
    const bool counts = node.is(NodeKind::ForExpression) || node.is(NodeKind::ForStatement);
    const bool tests = node.is(NodeKind::WhileStatement) || node.is(NodeKind::DoStatement);
    return ((counts || tests) && child == node.child(Field::Body)) ||
           (tests && child == node.child(Field::Condition));
  }

  void split(Node node, const engine::BitString& bits, uint32_t n_iterations) {
    std::vector<Node> users;
    for (Node child : node.children()) {
      if (uses_[child.index()]) {
        users.push_back(child);
      }
    }
    const bool is_user = draws_itself(node);
    const std::vector<engine::BitString> parts =
        engine::split_bits(users.size() + (is_user ? 1 : 0));
    auto joined = [&](size_t i) {
      engine::BitString longer = bits;
      longer.append(parts[i]);
      return longer;
    };
    for (size_t i = 0; i < users.size(); ++i) {
      const bool in_iteration = is_in_iteration(node, users[i]);
      if (in_iteration) {
        result_.loops.push_back(node.index());
      }
      split(users[i], joined(i), n_iterations + (in_iteration ? 1 : 0));
    }
    if (!is_user) {
      return;
    }
    if (const std::optional<Builtin> drawn = drawn_by(*body_, node)) {
      result_.draws.push_back({.node = node.index(),
                               .function = *drawn,
                               .bits = joined(users.size()),
                               .n_iterations = n_iterations});
    } else {
      result_.calls.push_back({.node = node.index(),
                               .callee = callee_of(node),
                               .word = 0,
                               .n_iterations = n_iterations});
    }
  }

  const names::ItemTree& tree_;
  check::BodyPtr body_;
  std::function<ItemId(ItemId)> drawing_callee_;
  std::vector<bool> uses_;
  Elaboration result_;
};

auto is_function(ItemKind kind) -> bool {
  return kind == ItemKind::Fn || kind == ItemKind::Program || kind == ItemKind::Test;
}

}  // namespace

Elaborator::Elaborator(const program::FrontendSnapshot& snapshot)
    : Elaborator(snapshot, [&snapshot](ItemId item) {
        return member_that_runs(snapshot, item, [](ItemId) { return false; });
      }) {}

auto place_text(const Draw& draw) -> std::string {
  std::string text = "static " + (draw.bits.size() == 0 ? "-" : engine::bit_string_text(draw.bits));
  for (uint32_t i = 0; i < draw.n_iterations; ++i) {
    text += i == 0 ? " · iteration" : ", iteration";
  }
  return draw.is_secret ? text + " · secret" : text;
}

/// Finds out about `start` and all that it reaches and nobody asked about: who draws, and then who
/// calls somebody who does, until nothing changes.
void Elaborator::explore(ItemId start) {
  std::vector<ItemId> found{start};
  std::map<uint32_t, std::vector<uint32_t>> callers;
  std::vector<uint32_t> users;
  uses_[start.index] = false;
  for (size_t i = 0; i < found.size(); ++i) {
    const ItemId item = found[i];
    if (!is_function(snapshot_.item_key(item).kind)) {
      continue;
    }
    const check::BodyPtr body = snapshot_.body(item);
    for (const names::Resolution& meaning : body->names.resolutions) {
      if (meaning.is(names::Meaning::Builtin) &&
          names::is_random_draw(static_cast<Builtin>(meaning.index()))) {
        users.push_back(item.index);
      }
    }
    for (ItemId mentioned : body->names.items) {
      const ItemId callee = runs_for_(mentioned);
      if (!callee.has_value()) {
        continue;
      }
      callers[callee.index].push_back(item.index);
      auto [known, is_new] = uses_.try_emplace(callee.index, false);
      if (is_new) {
        found.push_back(callee);
      } else if (known->second) {
        users.push_back(item.index);
      }
    }
  }
  while (!users.empty()) {
    const uint32_t item = users.back();
    users.pop_back();
    bool& uses = uses_[item];
    if (!uses) {
      uses = true;
      users.insert(users.end(), callers[item].begin(), callers[item].end());
    }
  }
}

auto Elaborator::uses_randomness(ItemId runs) -> bool {
  if (uses_.find(runs.index) == uses_.end()) {
    explore(runs);
  }
  return uses_[runs.index];
}

auto Elaborator::elaborate(ItemId runs) -> Elaboration {
  if (!uses_randomness(runs)) {
    return {};
  }
  auto drawing_callee = [this](ItemId mentioned) {
    const ItemId callee = runs_for_(mentioned);
    return callee.has_value() && uses_randomness(callee) ? callee : ItemId{};
  };
  const names::ItemTree tree = snapshot_.tree(runs);
  Elaboration found = ItemWalk(tree, snapshot_.body(runs), drawing_callee).run();
  const std::set<uint32_t> secret = find_secret_calls(snapshot_, runs);
  for (Draw& draw : found.draws) {
    draw.is_secret = secret.contains(draw.node);
  }
  return found;
}

}  // namespace tacet::draws
