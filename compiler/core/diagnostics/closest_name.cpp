#include "compiler/core/diagnostics/closest_name.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace tacet {

/// Longer words are not compared: nobody misspells them by hand.
static constexpr size_t kMaxLength = 128;

auto edit_distance(std::string_view a, std::string_view b, size_t limit) -> size_t {
  // What both begin or end with is no matter.
  while (!a.empty() && !b.empty() && a.front() == b.front()) {
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.remove_suffix(1);
    b.remove_suffix(1);
  }
  const size_t far = limit + 1;
  const size_t longer = std::max(a.size(), b.size());
  if (longer - std::min(a.size(), b.size()) > limit) {
    return far;
  }
  // Rows of distances, of which only those near the diagonal are within the limit (Ukkonen,
  // "Algorithms for approximate string matching", 1985).
  const size_t n = b.size() + 2;
  std::array<size_t, 3 * (kMaxLength + 2)> few;
  std::vector<size_t> many(3 * n > few.size() ? 3 * n : 0);
  size_t* const memory = many.empty() ? few.data() : many.data();
  size_t* before_last = memory;
  size_t* last = memory + n;
  size_t* row = memory + 2 * n;
  std::fill_n(memory, 3 * n, far);
  for (size_t j = 0; j <= std::min(b.size(), limit); ++j) {
    row[j] = j;
  }
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t* const oldest = before_last;
    before_last = last;
    last = row;
    row = oldest;
    const size_t begin = i > limit ? i - limit : 1;
    const size_t end = std::min(b.size(), i + limit);
    row[begin - 1] = begin == 1 ? std::min(i, far) : far;
    size_t best = row[begin - 1];
    for (size_t j = begin; j <= end; ++j) {
      const size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swap) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
      best = std::min(best, row[j]);
    }
    row[end + 1] = far;
    // A swap reaches two rows back, so one row over the limit is not enough to stop.
    if (best > far) {
      return far;
    }
  }
  return std::min(row[b.size()], far);
}

static auto lower_case(std::string_view word) -> std::string {
  std::string lower(word);
  for (char& c : lower) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return lower;
}

/// The words between underscores, sorted.
static auto sorted_words(std::string_view name) -> std::vector<std::string_view> {
  std::vector<std::string_view> words;
  while (!name.empty()) {
    size_t end = std::min(name.find('_'), name.size());
    words.push_back(name.substr(0, end));
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  std::sort(words.begin(), words.end());
  return words;
}

auto closest_name(std::string_view word, std::span<const std::string_view> candidates)
    -> std::optional<std::string_view> {
  if (word.empty() || word.size() > kMaxLength) {
    return std::nullopt;
  }
  std::string lower = lower_case(word);
  size_t limit = std::max<size_t>(word.size(), 3) / 3;
  std::optional<std::string_view> best;
  size_t best_distance = limit + 1;
  auto offer = [&](std::string_view candidate, size_t distance) {
    bool is_better =
        distance < best_distance || (best && distance == best_distance && candidate < *best);
    if (distance <= limit && is_better) {
      best = candidate;
      best_distance = distance;
    }
  };
  for (std::string_view candidate : candidates) {
    if (candidate.empty() || candidate == word || candidate.size() > kMaxLength) {
      continue;
    }
    if (candidate.size() == word.size() && lower_case(candidate) == lower) {
      offer(candidate, 0);
      continue;
    }
    // Those that are farther than the best so far are no better.
    size_t distance = edit_distance(word, candidate, std::min(limit, best_distance));
    // A one-letter name has nothing in common with another one.
    offer(candidate, distance >= std::min(word.size(), candidate.size()) ? limit + 1 : distance);
  }
  if (best || word.find('_') == std::string_view::npos) {
    return best;
  }
  std::vector<std::string_view> words = sorted_words(word);
  for (std::string_view candidate : candidates) {
    bool is_reordered =
        candidate.size() == word.size() && candidate != word && sorted_words(candidate) == words;
    if (is_reordered && (!best || candidate < *best)) {
      best = candidate;
    }
  }
  return best;
}

}  // namespace tacet
