#include "compiler/device/oblivious/secrecy_state.h"

#include <algorithm>
#include <unordered_map>

namespace tacet::oblivious {

using kernel::VariableId;

auto SecrecyState::changes_since(size_t mark) -> Changes {
  ++stamp_;
  Changes changes;
  for (size_t i = mark; i < journal_.size(); ++i) {
    const VariableId variable = journal_[i].first;
    if (stamps_[variable.index] != stamp_) {
      stamps_[variable.index] = stamp_;
      changes.emplace_back(variable, now_[variable.index]);
    }
  }
  std::sort(changes.begin(), changes.end());
  return changes;
}

auto SecrecyState::take_back(size_t mark) -> Changes {
  Changes changes = changes_since(mark);
  while (journal_.size() > mark) {
    now_[journal_.back().first.index] = journal_.back().second;
    journal_.pop_back();
  }
  return changes;
}

/// `before(variable)` is the state in which both paths started.
template <class Before>
auto SecrecyState::join(const Changes& a, const Changes& b, Before before) const -> Changes {
  Changes joined;
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (j == b.size() || (i < a.size() && a[i].first < b[j].first)) {
      joined.emplace_back(a[i].first, shorter(before(a[i].first), a[i].second));
      ++i;
    } else if (i == a.size() || b[j].first < a[i].first) {
      joined.emplace_back(b[j].first, shorter(before(b[j].first), b[j].second));
      ++j;
    } else {
      joined.emplace_back(a[i].first, shorter(a[i].second, b[j].second));
      ++i;
      ++j;
    }
  }
  return joined;
}

auto SecrecyState::join(const Changes& a, const Changes& b) const -> Changes {
  return join(a, b, [this](VariableId variable) { return now_[variable.index]; });
}

auto SecrecyState::join_from(size_t mark, const Changes& a, const Changes& b) const -> Changes {
  std::unordered_map<uint32_t, CauseId> before;
  for (size_t i = mark; i < journal_.size(); ++i) {
    before.emplace(journal_[i].first.index, journal_[i].second);
  }
  return join(a, b, [&](VariableId variable) {
    const auto found = before.find(variable.index);
    return found != before.end() ? found->second : now_[variable.index];
  });
}

auto same_secrets(const Changes& a, const Changes& b) -> bool {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.has_value() == y.second.has_value();
  });
}

}  // namespace tacet::oblivious
