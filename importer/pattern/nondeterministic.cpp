#include "importer/pattern/nondeterministic.h"

#include <fmt/format.h>

#include <algorithm>

namespace tacet::importer::pattern {

namespace {

/// Builds from the end of the text to its start: each part knows the state that follows it.
class ThompsonBuilder {
 public:
  ThompsonBuilder(Question question, NondeterministicAutomaton& result)
      : is_reversed_(question == Question::Starts), question_(question), result_(result) {}

  auto run(const PatternNode& root) -> std::optional<Fault> {
    uint32_t at = add({});
    if (question_ == Question::Contains) {
      at = any_text(at);
    }
    at = build(root, at);
    if (question_ != Question::Whole) {
      at = any_text(at);
    }
    result_.start = at;
    return fault_;
  }

 private:
  auto add(State state) -> uint32_t {
    result_.states.push_back(std::move(state));
    return static_cast<uint32_t>(result_.states.size() - 1);
  }

  auto set_id(const ByteSet& bytes) -> uint32_t {
    const auto found = std::find(result_.sets.begin(), result_.sets.end(), bytes);
    if (found == result_.sets.end()) {
      result_.sets.push_back(bytes);
      return static_cast<uint32_t>(result_.sets.size() - 1);
    }
    return static_cast<uint32_t>(found - result_.sets.begin());
  }

  auto any_text(uint32_t then) -> uint32_t {
    const uint32_t fork = add({StateKind::Fork, 0, {then}});
    const uint32_t read = add({StateKind::Read, set_id(ByteSet().set()), {fork}});
    result_.states[fork].following.push_back(read);
    return fork;
  }

  auto build(const PatternNode& node, uint32_t then) -> uint32_t {
    switch (node.kind) {
      case PatternKind::Empty:
        return then;
      case PatternKind::Byte:
        return add({StateKind::Read, set_id(node.bytes), {then}});
      case PatternKind::Sequence:
        return build_sequence(node, then);
      case PatternKind::Alternative: {
        State fork{StateKind::Fork, 0, {}};
        for (const PatternNode& child : node.children) {
          fork.following.push_back(build(child, then));
        }
        return add(std::move(fork));
      }
      case PatternKind::Repeat:
        return build_repeat(node, then);
      case PatternKind::TextStart:
      case PatternKind::TextEnd: {
        const bool is_first = (node.kind == PatternKind::TextStart) != is_reversed_;
        return add({is_first ? StateKind::AtStart : StateKind::AtEnd, 0, {then}});
      }
    }
    return then;
  }

  auto build_sequence(const PatternNode& node, uint32_t then) -> uint32_t {
    const size_t n = node.children.size();
    for (size_t i = 0; i < n; ++i) {
      then = build(node.children[is_reversed_ ? i : n - 1 - i], then);
    }
    return then;
  }

  /// What is optional comes behind what is not, and each optional part may skip all others.
  auto build_repeat(const PatternNode& node, uint32_t then) -> uint32_t {
    const PatternNode& child = node.children.front();
    uint32_t at = then;
    if (!node.most) {
      at = add({StateKind::Fork, 0, {then}});
      const uint32_t again = build(child, at);
      result_.states[at].following.push_back(again);
    }
    for (uint32_t i = node.least; node.most && i < *node.most && !is_too_large(node); ++i) {
      const uint32_t once = build(child, at);
      at = add({StateKind::Fork, 0, {then, once}});
    }
    for (uint32_t i = 0; i < node.least && !is_too_large(node); ++i) {
      at = build(child, at);
    }
    return at;
  }

  auto is_too_large(const PatternNode& node) -> bool {
    ++n_copies_;
    if (!fault_ && std::max(result_.states.size(), n_copies_) > kMostNondeterministicStates) {
      fault_ = Fault{fmt::format("written out, the repetitions have more than {} states",
                                 kMostNondeterministicStates),
                     node.place};
    }
    return fault_.has_value();
  }

  bool is_reversed_;
  Question question_;
  NondeterministicAutomaton& result_;
  std::optional<Fault> fault_;
  size_t n_copies_ = 0;  ///< of repeated parts, empty ones included
};

}  // namespace

auto build_nondeterministic(const PatternNode& root, Question question,
                            NondeterministicAutomaton& result) -> std::optional<Fault> {
  return ThompsonBuilder(question, result).run(root);
}

}  // namespace tacet::importer::pattern
