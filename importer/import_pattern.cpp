#include "importer/import_pattern.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/display_width.h"
#include "importer/pattern/write_automaton.h"

namespace tacet::importer {

namespace {

using pattern::Automaton;
using pattern::PatternNode;
using pattern::Question;

/// Without what a terminal or a comment would obey; as long as the pattern.
auto printable(std::string_view text) -> std::string {
  std::string result(text);
  std::replace_if(
      result.begin(), result.end(),
      [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, '?');
  return result;
}

/// The pattern with control characters as escapes, which mean the same.
auto escaped(std::string_view text) -> std::string {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    result += byte < ' ' || byte == 0x7f ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return result;
}

auto with_carets(std::string_view text, const pattern::Fault& fault) -> Error {
  const std::string shown = printable(text);
  const std::string_view view = shown;
  const size_t begin = std::min<size_t>(fault.place.begin, view.size());
  const size_t end = std::clamp<size_t>(fault.place.end, begin, view.size());
  const size_t width = std::max<size_t>(display_width(view.substr(begin, end - begin)), 1);
  return Error{fmt::format("{}\n  {}\n  {}{}", fault.message, shown,
                           std::string(display_width(view.substr(0, begin)), ' '),
                           std::string(width, '^'))};
}

auto repeats_of(const PatternNode& node) -> uint32_t {
  return node.kind == pattern::PatternKind::Repeat ? std::max(node.least, node.most.value_or(0))
                                                   : 0;
}

/// The repetition with the largest count.
auto largest_repeat(PatternNode& node) -> PatternNode* {
  PatternNode* largest = repeats_of(node) > 1 ? &node : nullptr;
  for (PatternNode& child : node.children) {
    PatternNode* found = largest_repeat(child);
    if (found != nullptr && (largest == nullptr || repeats_of(*found) > repeats_of(*largest))) {
      largest = found;
    }
  }
  return largest;
}

/// Names the repetition with the largest count, and what it may be.
auto too_large(std::string_view text, PatternNode root) -> Error {
  std::string message =
      fmt::format("the automaton of the pattern has more than {} states", pattern::kMostStates);
  PatternNode* repeat = largest_repeat(root);
  if (repeat == nullptr) {
    return with_carets(text, {message + ": import its parts as several patterns",
                              {0, static_cast<uint32_t>(text.size())}});
  }
  const PatternNode original = *repeat;
  uint32_t fits = 0;
  uint32_t too_many = repeats_of(original);
  while (fits + 1 < too_many) {
    const uint32_t middle = (fits + too_many) / 2;
    repeat->least = std::min(original.least, middle);
    repeat->most = original.most ? std::optional(std::min(*original.most, middle)) : std::nullopt;
    (pattern::automaton_of(root, Question::Whole) ? fits : too_many) = middle;
  }
  message += fits > 0 ? fmt::format("; up to {} repetitions fit here", fits)
                      : ", even without this repetition: import its parts as several patterns";
  return with_carets(text, {message, original.place});
}

}  // namespace

auto import_pattern(std::string_view text, const std::string& name) -> Result<ImportedPattern> {
  PatternNode root;
  if (const std::optional<pattern::Fault> fault = pattern::parse_pattern(text, root)) {
    return with_carets(text, *fault);
  }
  std::optional<Automaton> whole = pattern::automaton_of(root, Question::Whole);
  if (!whole) {
    return too_large(text, std::move(root));
  }
  ImportedPattern result;
  result.size = pattern::size_text(*whole);
  const pattern::PatternAutomata automata{std::move(*whole),
                                          pattern::automaton_of(root, Question::Contains),
                                          pattern::automaton_of(root, Question::Starts)};
  if (!automata.contains) {
    result.warnings.push_back(fmt::format("no `{}_occurs`: its automaton has more than {} states",
                                          name, pattern::kMostStates));
  }
  if (!automata.starts) {
    result.warnings.push_back(
        fmt::format("no `{0}_places`, `{0}_first` and `{0}_count`: their automaton has more than "
                    "{1} states",
                    name, pattern::kMostStates));
  }
  result.source = pattern::write_automata(automata, escaped(text), name);
  return result;
}

}  // namespace tacet::importer
