#include "tests/fill/removals.h"

#include <algorithm>
#include <array>
#include <set>

#include "compiler/core/diagnostics/apply_edits.h"
#include "compiler/core/syntax/bare.h"
#include "compiler/core/syntax/block_tail.h"
#include "tests/harness/files.h"
#include "tests/syntax/corpus.h"

namespace tacet::testing {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

namespace {

constexpr std::array kValues = {
    std::pair(NodeKind::SubmitExpression, "submit"),
    std::pair(NodeKind::AwaitExpression, "await"),
    std::pair(NodeKind::EncodeBeginExpression, "encode-begin"),
    std::pair(NodeKind::CallExpression, "call"),
    std::pair(NodeKind::IfExpression, "block"),
    std::pair(NodeKind::Block, "block"),
};

constexpr std::array kStatements = {
    std::pair(NodeKind::AssignmentStatement, "assignment"),
    std::pair(NodeKind::CallStatement, "call"),
    std::pair(NodeKind::IfExpression, "if"),
    std::pair(NodeKind::Block, "block"),
    std::pair(NodeKind::ReturnStatement, "return"),
    std::pair(NodeKind::AnnotationStatement, "annotation"),
};

template <class Table>
auto named(const Table& table, Node node, std::string_view otherwise) -> std::string {
  for (const auto& [kind, name] : table) {
    if (node.is(kind)) {
      return name;
    }
  }
  return std::string(otherwise);
}

/// What is bound: `submit`, `call`.
auto kind_of_value(Node value) -> std::string {
  const Node bare = syntax::bare(value);
  if (!bare) {
    return "nothing";
  }
  const bool is_field = bare.is(NodeKind::FieldExpression);
  return named(kValues, is_field ? syntax::bare(bare.child(Field::Record)) : bare, "value");
}

/// The kind of a statement, or of the value of a block; empty if it is none that is removed.
auto kind_of(Node node, bool is_value) -> std::string {
  if (is_value) {
    return "value of a block";
  }
  if (node.is(NodeKind::LetStatement)) {
    return "let of " + kind_of_value(node.child(Field::Value));
  }
  if (node.is(NodeKind::VarStatement)) {
    return "var of " + kind_of_value(node.child(Field::Value));
  }
  if (node.is(NodeKind::EncodeStatement)) {
    return "encode " + std::string(node.child(Field::Method).text());
  }
  return named(kStatements, node, "");
}

void collect(Node block, const check::Body& body,
             std::vector<std::pair<Node, std::string>>& found) {
  std::vector<Node> blocks = {block};
  for (uint32_t i = block.index() + 1; i < block.subtree_end(); ++i) {
    const Node inner(block.tree(), i);
    if (inner.is(NodeKind::Block)) {
      blocks.push_back(inner);
    }
  }
  for (const Node outer : blocks) {
    for (const Node child : outer.children()) {
      const bool is_value =
          child.field() == Field::Result ||
          (child == syntax::tail_of(outer) && body.type(child) != types::TypeStore::kError);
      if (std::string kind =
              syntax::is_named(child.kind()) ? kind_of(child, is_value) : std::string();
          !kind.empty()) {
        found.emplace_back(child, std::move(kind));
      }
    }
  }
}

auto has_errors(const std::vector<Diagnostic>& diagnostics) -> bool {
  return std::any_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& diagnostic) {
    return diagnostic.severity == Severity::Error;
  });
}

}  // namespace

auto removals(const program::FrontendSnapshot& snapshot, FileId file, const std::string& text)
    -> std::vector<Removal> {
  std::vector<Removal> result;
  for (const names::FileItem& item : snapshot.items(file)->items) {
    const names::ItemTree tree = snapshot.tree(item.id);
    const Node function = names::item_node(*tree);
    const Node body = function.child(Field::Body);
    if (item.kind != names::ItemKind::Fn || !body ||
        snapshot.signature(item.id)->is_device_function) {
      continue;
    }
    std::vector<std::pair<Node, std::string>> found;
    collect(body, *snapshot.body(item.id), found);
    const uint32_t begin = snapshot.item_begin(item.id);
    for (const auto& [node, kind] : found) {
      const TextRange range = {node.range().begin + begin, node.range().end + begin};
      const std::string hole = kind == "value of a block" ? "???" : "???;";
      result.push_back({kind, std::string(function.child(Field::Name).text()),
                        std::string(node.text()),
                        apply_edits(text, std::vector<TextEdit>{{range, hole}})});
    }
  }
  return result;
}

auto accepted_programs() -> std::vector<AcceptedProgram> {
  std::vector<AcceptedProgram> all;
  std::set<std::string> seen;
  const auto add = [&](const std::string& path, const std::string& text) {
    if (text.find("impls") == std::string::npos || text.find("\n//- ") != std::string::npos ||
        !seen.insert(text).second) {
      return;
    }
    program::Frontend frontend;
    const FileId file = frontend.set_file("program.tacet", text);
    const program::FrontendSnapshot snapshot = frontend.snapshot();
    const bool has_holes = text.find('?') != std::string::npos;
    if (!has_errors(snapshot.diagnostics(file)) && !has_holes &&
        !removals(snapshot, file, text).empty()) {
      all.push_back({path, text});
    }
  };
  for (const CorpusFile& file : corpus()) {
    add(file.path, file.text);
  }
  for (const char* folder : {"tests/check", "tests/run", "tests/annotate"}) {
    for (const std::filesystem::path& path : harness::find_files({.folder = folder,
                                             .endings = {".tacet"},
                                             .least = 1,
                                             .depth = harness::Depth::Below})) {
      add(path.string(), harness::read_file(path));
    }
  }
  return all;
}

}  // namespace tacet::testing
