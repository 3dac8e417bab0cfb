#include "lsp/ide/tag_hints.h"

#include <fmt/format.h>

#include "compiler/frontend/function_tags.h"
#include "compiler/names/queries.h"

namespace tacet::ide {

using check::FunctionTags;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

namespace {

class TagHintWriter {
 public:
  TagHintWriter(const syntax::Tree& tree, uint32_t begin, const FunctionTags& tags, TextRange range)
      : tree_(tree), begin_(begin), tags_(tags), range_(range) {}

  auto run() -> std::vector<Hint> {
    for (uint32_t i = 0; i < tree_.nodes.size(); ++i) {
      const Node node(&tree_, i);
      switch (node.kind()) {
        case NodeKind::Parameter:
        case NodeKind::Binding:
        case NodeKind::EncodeDestination:
          if (is_visible(node.range().end) && !node.child(Field::Tags)) {
            add(node.range().end, tags_.of_name(node.child(Field::Name)));
          }
          break;
        case NodeKind::Result:
          if (is_visible(node.range().end) && !node.child(Field::Tags)) {
            add(node.range().end, tags_.of_result(node));
          }
          break;
        case NodeKind::IfExpression:
          choice(node);
          break;
        default:
          break;
      }
    }
    return std::move(hints_);
  }

 private:
  [[nodiscard]] auto is_visible(uint32_t offset) const -> bool {
    return range_.touches(offset + begin_);
  }

  void choice(Node node) {
    constexpr uint32_t kIf = 2;
    const uint32_t keyword = node.range().begin + kIf;
    if (is_visible(keyword) && !node.child(Field::Tags)) {
      add(keyword, tags_.of_choice(node));
    }
    const TextRange shown = node.range().shifted(begin_);
    if (shown.end < range_.begin || range_.end < shown.begin) {
      return;
    }
    std::string on_true;
    std::string on_false;
    std::string behind;
    for (const FunctionTags::Merged& merged : tags_.merged_by(node)) {
      append(on_true, merged.variable, merged.on_true);
      append(on_false, merged.variable, merged.on_false);
      append(behind, merged.variable, merged.behind);
    }
    boundary("out", end_of(node.child(Field::Consequence)), on_true);
    boundary("out", end_of(node.child(Field::Alternative)), on_false);
    boundary("in", node.range().end, behind);
  }

  static void append(std::string& list, std::string_view variable, std::string_view tags) {
    if (!tags.empty()) {
      list += fmt::format("{}{}: {}", list.empty() ? "" : ", ", variable, tags);
    }
  }

  /// Behind the last thing in a block, or nowhere.
  [[nodiscard]] auto end_of(Node block) const -> uint32_t {
    if (!block.is(NodeKind::Block) || block.range().length() < 2) {
      return kNowhere;
    }
    const size_t last = tree_.text.find_last_not_of(" \t\r\n", block.range().end - 2);
    return last == std::string::npos ? kNowhere : static_cast<uint32_t>(last + 1);
  }

  void boundary(std::string_view word, uint32_t offset, const std::string& list) {
    if (offset != kNowhere && is_visible(offset) && !list.empty()) {
      Hint& hint = hints_.emplace_back();
      hint.offset = offset + begin_;
      hint.kind = Hint::Kind::Tags;
      hint.text = fmt::format("@{} {{ {} }};", word, list);
    }
  }

  void add(uint32_t offset, const std::string& tags) {
    if (tags.empty()) {
      return;
    }
    Hint& hint = hints_.emplace_back();
    hint.offset = offset + begin_;
    hint.kind = Hint::Kind::Tags;
    hint.text = "@ " + tags;
    hint.insertion = " @ " + tags;
  }

  static constexpr uint32_t kNowhere = UINT32_MAX;

  const syntax::Tree& tree_;
  uint32_t begin_;
  const FunctionTags& tags_;
  TextRange range_;
  std::vector<Hint> hints_;
};

}  // namespace

auto tag_hints(const check::FrontendSnapshot& snapshot, names::ItemId function, TextRange range)
    -> std::vector<Hint> {
  return snapshot.query().run([&](query::Context& context) -> std::vector<Hint> {
    const auto tags = FunctionTags::find(context, function);
    if (!tags) {
      return {};
    }
    const names::ItemTree tree = context.get<names::SyntaxOfItem>(function);
    const uint32_t begin = context.get<names::BeginOfItem>(function);
    return TagHintWriter(*tree, begin, *tags, range).run();
  });
}

}  // namespace tacet::ide
