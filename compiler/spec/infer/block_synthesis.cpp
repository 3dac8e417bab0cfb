#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/front/types/queries.h"
#include "compiler/spec/infer/synthesis.h"

// From nodes to statements: what is used more than once becomes a variable, at the first place
// where all users certainly need it; what only one branch of a choice needs is computed there.

namespace tacet::infer {

/// How many operations may be chosen between on one line.
static constexpr uint32_t kSmall = 6;

static auto is_leaf(const SpecNode& node) -> bool {
  return node.children.empty();
}

/// A name for the variable that holds `id`, like that of the node.
auto Synthesis::name_for(SpecNodeId id) -> std::string {
  const Name name = spec_.nodes[id].name;
  return fresh_name(std::string(name.has_value() ? interner_.text(name) : std::string_view("t")));
}

auto Synthesis::fresh_name(const std::string& stem) -> std::string {
  std::string result = stem;
  for (uint32_t i = 2; !taken_.insert(result).second; ++i) {
    result = fmt::format("{}{}", stem, i);
  }
  return result;
}

/// How many places use each node that is still to be computed for `id`.
void Synthesis::count_uses(SpecNodeId id, const AtHand& at_hand,
                           std::map<SpecNodeId, uint32_t>& uses) const {
  std::vector<SpecNodeId> to_do = {id};
  while (!to_do.empty()) {
    const SpecNodeId next = to_do.back();
    to_do.pop_back();
    if (at_hand.count(next) != 0 || ++uses[next] > 1) {
      continue;
    }
    for (SpecNodeId child : spec_.children(next)) {
      to_do.push_back(child);
    }
  }
}

/// The nodes that are computed whenever `id` is.
auto Synthesis::needed(SpecNodeId id, const AtHand& at_hand) -> const Nodes& {
  auto [found, is_new] = needed_.try_emplace(id);
  if (!is_new || at_hand.count(id) != 0) {
    return found->second;
  }
  Nodes result = {id};
  const SpecNode& node = spec_.nodes[id];
  const bool is_choice = node.term.kind == TermKind::Select;
  for (size_t i = 0; i < (is_choice ? 1 : node.children.size()); ++i) {
    const Nodes& of_child = needed(node.children[i], at_hand);
    result.insert(of_child.begin(), of_child.end());
  }
  if (is_choice) {
    const Nodes& on_true = needed(node.children[1], at_hand);
    const Nodes& on_false = needed(node.children[2], at_hand);
    std::set_intersection(on_true.begin(), on_true.end(), on_false.begin(), on_false.end(),
                          std::inserter(result, result.end()));
  }
  return needed_[id] = std::move(result);
}

/// Those of `nodes` that `roots` are made from, operands first, in the order of evaluation.
auto Synthesis::order(const Nodes& nodes, const std::vector<SpecNodeId>& roots,
                      const AtHand& at_hand) const -> std::vector<SpecNodeId> {
  std::vector<SpecNodeId> result;
  Nodes seen;
  struct Step {
    SpecNodeId node;
    bool is_done = false;
  };
  std::vector<Step> to_do;
  for (size_t i = roots.size(); i-- > 0;) {
    to_do.push_back({roots[i]});
  }
  while (!to_do.empty()) {
    const Step step = to_do.back();
    to_do.pop_back();
    if (step.is_done) {
      if (nodes.count(step.node) != 0) {
        result.push_back(step.node);
      }
      continue;
    }
    if (at_hand.count(step.node) != 0 || !seen.insert(step.node).second) {
      continue;
    }
    to_do.push_back({step.node, true});
    std::span<const SpecNodeId> children = spec_.children(step.node);
    for (size_t i = children.size(); i-- > 0;) {
      to_do.push_back({children[i]});
    }
  }
  return result;
}

/// Can `id` be written on one line? `room` is how many operations it may still have.
auto Synthesis::is_small(SpecNodeId id, const AtHand& at_hand, uint32_t& room) const -> bool {
  const SpecNode& node = spec_.nodes[id];
  if (at_hand.count(id) != 0 || is_leaf(node)) {
    return true;
  }
  if (room == 0 || has_several_results(id)) {
    return false;
  }
  --room;
  return std::all_of(node.children.begin(), node.children.end(),
                     [&](SpecNodeId child) { return is_small(child, at_hand, room); });
}

/// The lines of a block four columns further left, but for the first, which has none in front of
/// it, and without the last line end.
static auto without_indent(const std::string& lines, size_t indent) -> std::string {
  std::string result = lines.substr(indent + 4);
  result.pop_back();
  for (size_t at = result.find('\n'); at != std::string::npos; at = result.find('\n', at + 1)) {
    result.erase(at + 1, 4);
  }
  return result;
}

/// `if c { … } else { … }` for a choice.
auto Synthesis::conditional(SpecNodeId id, const AtHand& at_hand, const std::string& indent)
    -> std::optional<std::string> {
  const SpecNode& node = spec_.nodes[id];
  cost_ += 2;
  const auto condition = expression(node.children[0], at_hand, kAnyPrecedence);
  const auto on_true = block({node.children[1]}, at_hand, indent + "    ");
  std::optional<std::string> on_false = block({node.children[2]}, at_hand, indent + "    ");
  if (!condition || !on_true || !on_false) {
    return std::nullopt;
  }
  // A choice alone on the other branch continues in the same line: `else if`.
  const bool is_chain = on_false->rfind(indent + "    if ", 0) == 0;
  const std::string alternative = is_chain ? without_indent(*on_false, indent.size())
                                           : fmt::format("{{\n{}{}}}", *on_false, indent);
  return fmt::format("if {} {{\n{}{}}} else {}", *condition, *on_true, indent, alternative);
}

/// `let name = …;`, after which the node is at hand.
auto Synthesis::bind(const Target& target, AtHand& at_hand, const std::string& indent,
                     std::string& statements) -> bool {
  uint32_t room = kSmall;
  const SpecNodeId id = target.node;
  const bool is_choice = !device_ && spec_.nodes[id].term.kind == TermKind::Select;
  const auto value = is_choice && !is_small(id, at_hand, room)
                         ? conditional(id, at_hand, indent)
                         : expression(id, at_hand, kAnyPrecedence);
  if (!value) {
    return false;
  }
  statements +=
      fmt::format("{}{}{} = {};\n", indent, target.is_declared ? "" : "let ", target.name, *value);
  at_hand.emplace(id, target.name);
  return true;
}

/// `let a, b = f(x);`.
auto Synthesis::bind_call(SpecNodeId id, AtHand& at_hand, const std::string& indent,
                          std::string& statements) -> bool {
  const auto signature = context_.get<types::SignatureOf>(spec_.nodes[id].term.item);
  const auto text = call(id, at_hand);
  if (!text) {
    return false;
  }
  std::vector<std::string> bound(signature->results.size(), "_");
  for (SpecNodeId extract : spec_.parents[id.index]) {
    const uint32_t number = spec_.nodes[extract].term.number;
    if (number < bound.size() && at_hand.count(extract) == 0) {
      bound[number] = name_for(extract);
      at_hand[extract] = bound[number];
    }
  }
  statements += fmt::format("{}let {} = {};\n", indent, fmt::join(bound, ", "), *text);
  return true;
}

/// A single target without a name may be an `if` that is the value of its block.
static auto yields_choice(const std::vector<Synthesis::Target>& targets) -> bool {
  return targets.size() == 1 && targets[0].name.empty();
}

/// Binds the nodes that `targets` need and that get a name, each behind those that it needs.
auto Synthesis::bind_needed(const std::vector<Target>& targets, AtHand& at_hand,
                            const std::string& indent, std::string& statements) -> bool {
  std::map<SpecNodeId, uint32_t> uses;
  std::vector<SpecNodeId> roots;
  Nodes surely;
  needed_.clear();
  for (const Target& target : targets) {
    roots.push_back(target.node);
    count_uses(target.node, at_hand, uses);
    const Nodes& of_target = needed(target.node, at_hand);
    surely.insert(of_target.begin(), of_target.end());
  }
  needed_.clear();
  for (SpecNodeId id : order(surely, roots, at_hand)) {
    const SpecNode& node = spec_.nodes[id];
    if (at_hand.count(id) != 0) {
      continue;
    }
    if (node.term.kind == TermKind::Call) {
      const std::vector<SpecNodeId>& parents = spec_.parents[id.index];
      if (device_ && member(node.term.item) == nullptr) {
        continue;
      }
      if (!parents.empty() && has_several_results(parents[0]) &&
          !bind_call(id, at_hand, indent, statements)) {
        return false;
      }
      continue;
    }
    const auto target = std::find_if(targets.begin(), targets.end(), [&](const Target& requested) {
      return requested.node == id && !requested.name.empty();
    });
    uint32_t room = kSmall;
    const bool is_long_choice = !device_ && node.term.kind == TermKind::Select &&
                                !(yields_choice(targets) && id == roots[0]) &&
                                !is_small(id, at_hand, room);
    const bool is_shared = !is_leaf(node) && uses[id] > 1;
    const bool is_bound = target != targets.end() || is_shared || is_long_choice;
    if (is_bound && !bind(target != targets.end() ? *target : Target{id, name_for(id)}, at_hand,
                          indent, statements)) {
      return false;
    }
  }
  return true;
}

auto Synthesis::lines(const std::vector<Target>& targets, AtHand at_hand, const std::string& indent)
    -> std::optional<Lines> {
  Lines result;
  if (!bind_needed(targets, at_hand, indent, result.statements)) {
    return std::nullopt;
  }
  for (const Target& target : targets) {
    const auto held = at_hand.find(target.node);
    const bool is_there = held != at_hand.end();
    if (is_there && !target.name.empty() && held->second != target.name &&
        !bind(target, at_hand, indent, result.statements)) {
      return std::nullopt;  // another variable that holds what is at hand
    }
    uint32_t room = kSmall;
    const bool is_choice = !device_ && yields_choice(targets) && !is_there &&
                           spec_.nodes[target.node].term.kind == TermKind::Select &&
                           !is_small(target.node, at_hand, room);
    const auto text = is_choice ? conditional(target.node, at_hand, indent)
                                : expression(target.node, at_hand, kAnyPrecedence);
    if (!text) {
      return std::nullopt;
    }
    result.results.push_back(*text);
  }
  return result;
}

auto Synthesis::block(const std::vector<SpecNodeId>& nodes, const AtHand& at_hand,
                      const std::string& indent) -> std::optional<std::string> {
  std::vector<Target> targets;
  for (SpecNodeId node : nodes) {
    targets.push_back({node});
  }
  const std::optional<Lines> lines = this->lines(targets, at_hand, indent);
  if (!lines) {
    return std::nullopt;
  }
  const std::string value = lines->results.size() == 1
                                ? lines->results[0]
                                : fmt::format("({})", fmt::join(lines->results, ", "));
  return fmt::format("{}{}{}\n", lines->statements, indent, value);
}

}  // namespace tacet::infer
