#include "tests/grammar/query.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "base/check.h"

namespace tacet::testing {

static auto read(const std::string& path) -> std::string {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Query::Query(std::string_view name) {
  std::string path = fmt::format("{}/grammar/queries/{}.scm", TACET_SOURCE_ROOT, name);
  std::string text = read(path);
  uint32_t offset = 0;
  TSQueryError kind = TSQueryErrorNone;
  query_.reset(ts_query_new(tree_sitter_tacet(), text.data(), static_cast<uint32_t>(text.size()),
                            &offset, &kind));
  if (!query_) {
    auto line = 1 + std::count(text.begin(), text.begin() + offset, '\n');
    error_ = fmt::format("{}:{}: error {}", path, line, static_cast<int>(kind));
  }
}

auto Query::names() const -> std::vector<std::string> {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < ts_query_capture_count(query_.get()); ++i) {
    uint32_t length = 0;
    const char* name = ts_query_capture_name_for_id(query_.get(), i, &length);
    names.emplace_back(name, length);
  }
  return names;
}

auto Query::string(uint32_t id) const -> std::string_view {
  uint32_t length = 0;
  const char* text = ts_query_string_value_for_id(query_.get(), id, &length);
  return {text, length};
}

static auto text_of(TSNode node, std::string_view text) -> std::string_view {
  return text.substr(ts_node_start_byte(node), ts_node_end_byte(node) - ts_node_start_byte(node));
}

/// `steps` is the predicate's name, the capture it speaks of, and strings up to `Done`.
auto Query::holds(const TSQueryMatch& match, const TSQueryPredicateStep* steps,
                  std::string_view text) const -> bool {
  std::string_view name = string(steps->value_id);
  if (name == "set!") {
    return true;
  }
  TACET_CHECK(name == "any-of?" || name == "not-any-of?", "a predicate that the test lacks");
  bool found = false;
  for (uint16_t i = 0; i < match.capture_count; ++i) {
    if (match.captures[i].index == steps[1].value_id) {
      for (const auto* step = steps + 2; step->type != TSQueryPredicateStepTypeDone; ++step) {
        found |= string(step->value_id) == text_of(match.captures[i].node, text);
      }
    }
  }
  return found == (name == "any-of?");
}

auto Query::holds(const TSQueryMatch& match, std::string_view text) const -> bool {
  uint32_t n_steps = 0;
  const TSQueryPredicateStep* steps =
      ts_query_predicates_for_pattern(query_.get(), match.pattern_index, &n_steps);
  bool at_name = true;
  for (uint32_t i = 0; i < n_steps; ++i) {
    if (at_name && !holds(match, steps + i, text)) {
      return false;
    }
    at_name = steps[i].type == TSQueryPredicateStepTypeDone;
  }
  return true;
}

auto Query::captures(const TSTree* tree, std::string_view text) const -> std::vector<Capture> {
  std::unique_ptr<TSQueryCursor, Delete> cursor(ts_query_cursor_new());
  ts_query_cursor_exec(cursor.get(), query_.get(), ts_tree_root_node(tree));
  std::vector<std::string> all_names = names();
  std::vector<Capture> captures;
  TSQueryMatch match;
  while (ts_query_cursor_next_match(cursor.get(), &match)) {
    if (!holds(match, text)) {
      continue;
    }
    for (uint16_t i = 0; i < match.capture_count; ++i) {
      TSNode node = match.captures[i].node;
      captures.push_back({all_names[match.captures[i].index],
                          {ts_node_start_byte(node), ts_node_end_byte(node)},
                          node.id});
    }
  }
  std::stable_sort(captures.begin(), captures.end(), [](const Capture& a, const Capture& b) {
    return a.range.begin != b.range.begin ? a.range.begin < b.range.begin
                                          : a.range.end > b.range.end;
  });
  return captures;
}

auto annotate(std::string_view text, const std::vector<Capture>& captures) -> std::string {
  std::string out;
  auto next = captures.begin();
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    out += fmt::format("{}\n", text.substr(begin, end - begin));
    for (; next != captures.end() && next->range.begin <= end; ++next) {
      size_t width = std::min<size_t>(next->range.end, end) - next->range.begin;
      const char* more = next->range.end > end ? " …" : "";
      out += fmt::format("{:{}}{} {}{}\n", "", next->range.begin - begin, std::string(width, '^'),
                         next->name, more);
    }
    begin = end + 1;
  }
  return out;
}

}  // namespace tacet::testing
