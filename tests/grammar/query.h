#pragma once

#include <tree_sitter/api.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_range.h"
#include "tests/grammar/grammar_parser.h"

namespace tacet::testing {

struct Capture {
  std::string name;
  TextRange range;
  /// The node, as one number for as long as its tree lives.
  const void* node = nullptr;
};

/// A tree-sitter query, with the predicates that editors evaluate themselves.
class Query {
 public:
  /// Reads grammar/queries/`name`.scm.
  explicit Query(std::string_view name);

  /// Why libtree-sitter rejects the query, with the place; empty if it does not.
  [[nodiscard]] auto error() const -> const std::string& { return error_; }
  /// The names that the query captures by.
  [[nodiscard]] auto names() const -> std::vector<std::string>;
  /// The captures in `tree`, which was read from `text`, by where they begin, outer nodes first.
  [[nodiscard]] auto captures(const TSTree* tree, std::string_view text) const
      -> std::vector<Capture>;

 private:
  struct Delete {
    void operator()(TSQuery* query) const { ts_query_delete(query); }
    void operator()(TSQueryCursor* cursor) const { ts_query_cursor_delete(cursor); }
  };

  [[nodiscard]] auto string(uint32_t id) const -> std::string_view;
  [[nodiscard]] auto holds(const TSQueryMatch& match, std::string_view text) const -> bool;
  [[nodiscard]] auto holds(const TSQueryMatch& match, const TSQueryPredicateStep* steps,
                           std::string_view text) const -> bool;

  std::unique_ptr<TSQuery, Delete> query_;
  std::string error_;
};

/// The lines of `text`, each followed by a line of `^` and a name for each capture that begins
/// there.
auto annotate(std::string_view text, const std::vector<Capture>& captures) -> std::string;

}  // namespace tacet::testing
