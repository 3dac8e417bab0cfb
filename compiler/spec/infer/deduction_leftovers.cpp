#include <algorithm>

#include "compiler/spec/infer/deduction.h"

// What nothing was found out about, once all else is known.

namespace tacet::infer {

/// By thing: false for what is wrong, what goes into it and what it goes into.
auto Deduction::without_wrong() const -> std::vector<bool> {
  std::vector<bool> result(things_.size(), true);
  if (!has_failed_) {
    return result;
  }
  std::vector<ThingId> below;
  std::vector<ThingId> above;
  for (uint32_t i = 0; i < things_.size(); ++i) {
    if (things_[ThingId{i}].is_wrong || things_[ThingId{i}].has_wrong_child) {
      below.push_back({i});
      above.push_back({i});
    }
  }
  auto spread = [&](std::vector<ThingId>& from, auto next) {
    std::vector<bool> is_seen(things_.size());
    while (!from.empty()) {
      const ThingId thing = from.back();
      from.pop_back();
      if (!thing.has_value() || is_seen[thing.index]) {
        continue;
      }
      is_seen[thing.index] = true;
      result[thing.index] = false;
      const std::vector<ThingId>& further = next(things_[thing]);
      from.insert(from.end(), further.begin(), further.end());
    }
  };
  spread(below, [](const Thing& thing) -> const std::vector<ThingId>& { return thing.children; });
  spread(above, [](const Thing& thing) -> const std::vector<ThingId>& { return thing.users; });
  return result;
}

/// What the function does and nothing in the specification asks for, or too many nodes do. Of
/// nested computations the outermost is told.
void Deduction::leftovers() {
  auto is_left = [&](ThingId thing) {
    const Thing& data = things_[thing];
    return data.is_needed && !data.is_none && !data.node.has_value();
  };
  // What goes into something that is not compared is not compared either.
  auto is_explained = [&](ThingId user) { return is_left(user) || things_[user].is_opaque; };
  const std::vector<bool> is_apart = without_wrong();
  for (uint32_t i = 0; i < things_.size(); ++i) {
    const Thing& data = things_[ThingId{i}];
    if (data.is_opaque) {
      not_compared({i});
    }
    if (!is_apart[i] || !is_left({i}) ||
        std::any_of(data.users.begin(), data.users.end(), is_explained)) {
      continue;
    }
    // What only goes where the specification does not look needs no node either. What an `if`
    // leaves in a field that nobody looks at is no choice.
    const auto is_none = [&](ThingId user) { return things_[user].is_none; };
    if ((!data.users.empty() || (data.is_phi && data.is_left_out)) &&
        std::all_of(data.users.begin(), data.users.end(), is_none)) {
      continue;
    }
    Problem problem;
    problem.candidates = candidates({i}, 8);
    if (!problem.candidates.empty() && (has_failed_ || result_.has_holes)) {
      continue;  // what it is would have been found out, or what fills the hole may say it
    }
    problem.kind =
        problem.candidates.empty() ? Problem::Kind::NotMentioned : Problem::Kind::Ambiguous;
    problem.value = data.value;
    problem.node = data.value.has_value() ? function_.values[data.value].node
                                          : function_.instructions[data.call].node;
    result_.problems.push_back(std::move(problem));
  }
}

/// Says once of a piece of text that it is not compared.
void Deduction::not_compared(ThingId thing) {
  Problem problem;
  problem.kind = Problem::Kind::NotCompared;
  problem.value = things_[thing].value;
  problem.node = function_.values[problem.value].node;
  const bool is_told = std::any_of(result_.problems.begin(), result_.problems.end(),
                                   [&](const Problem& told) { return told.node == problem.node; });
  if (!is_told) {
    result_.problems.push_back(std::move(problem));
  }
}

}  // namespace tacet::infer
