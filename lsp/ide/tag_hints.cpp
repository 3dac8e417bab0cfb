#include "lsp/ide/tag_hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "compiler/front/names/queries.h"
#include "compiler/spec/program/function_tags.h"

namespace tacet::ide {

using infer::Annotation;
using program::FunctionTags;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

namespace {

class TagHintWriter {
 public:
  TagHintWriter(const syntax::Tree& tree, uint32_t begin, const FunctionTags& tags, TextRange range)
      : tree_(tree), begin_(begin), tags_(tags), range_(range) {
    for (uint32_t i = 0; i < tree_.nodes.size(); ++i) {
      if (tree_.nodes[i].kind == NodeKind::AnnotationStatement) {
        annotated_.push_back(Node(&tree_, i).range());
      }
    }
  }

  auto run() -> std::vector<Hint> {
    const std::span<const Annotation> all = tags_.all();
    for (size_t i = 0; i < all.size();) {
      if (!all[i].is_at_boundary()) {
        in_place(all[i++]);
        continue;
      }
      size_t end = i + 1;
      while (end < all.size() && all[end].kind == all[i].kind && all[end].node == all[i].node) {
        ++end;
      }
      at_boundary(all.subspan(i, end - i));
      i = end;
    }
    return std::move(hints_);
  }

 private:
  [[nodiscard]] auto is_visible(uint32_t offset) const -> bool {
    return offset != kNowhere && range_.touches(offset + begin_);
  }

  /// Literals and calls within expressions have tags, too, but they would hide the expression.
  void in_place(const Annotation& annotation) {
    const Node node(&tree_, annotation.node);
    switch (annotation.kind) {
      case Annotation::Kind::Parameter:
      case Annotation::Kind::Variable:
      case Annotation::Kind::EncodeDestination:
      case Annotation::Kind::Result:
        add(node, node.range().end, annotation);
        return;
      case Annotation::Kind::Branch: {
        constexpr uint32_t kIf = 2;
        add(node, node.range().begin + kIf, annotation);
        return;
      }
      case Annotation::Kind::Value:
      case Annotation::Kind::Operation:
      case Annotation::Kind::Name:
      case Annotation::Kind::Entry:
      case Annotation::Kind::Exit:
      case Annotation::Kind::End:
        return;
    }
  }

  void add(Node node, uint32_t offset, const Annotation& annotation) {
    if (!is_visible(offset) || node.child(Field::Tags)) {
      return;
    }
    const std::string tags = tags_.text(annotation);
    Hint& hint = hints_.emplace_back();
    hint.offset = offset + begin_;
    hint.kind = Hint::Kind::Tags;
    hint.text = "@ " + tags;
    hint.insertion = " @ " + tags;
  }

  /// `@in` behind the statement, `@out` in front of it or at the end of the block.
  void at_boundary(std::span<const Annotation> annotations) {
    const Node node(&tree_, annotations[0].node);
    const bool is_entry = annotations[0].kind == Annotation::Kind::Entry;
    const bool is_end = annotations[0].kind == Annotation::Kind::End;
    const uint32_t offset = is_entry
                                ? node.range().end
                                : end_before(is_end ? node.range().end - 1 : node.range().begin);
    if (!is_visible(offset) || is_written(offset)) {
      return;
    }
    std::string list;
    for (const Annotation& annotation : annotations) {
      list +=
          fmt::format("{}{}: {}", list.empty() ? "" : ", ", annotation.key, tags_.text(annotation));
    }
    Hint& hint = hints_.emplace_back();
    hint.offset = offset + begin_;
    hint.kind = Hint::Kind::Tags;
    hint.text = fmt::format("@{} {{ {} }};", is_entry ? "in" : "out", list);
  }

  /// Behind the last thing in front of `offset`.
  [[nodiscard]] auto end_before(uint32_t offset) const -> uint32_t {
    const size_t last =
        offset == 0 ? std::string::npos : tree_.text.find_last_not_of(" \t\r\n", offset - 1);
    return last == std::string::npos ? kNowhere : static_cast<uint32_t>(last + 1);
  }

  /// Is an annotation there already?
  [[nodiscard]] auto is_written(uint32_t offset) const -> bool {
    return std::any_of(annotated_.begin(), annotated_.end(), [&](TextRange annotation) {
      return end_before(annotation.begin) == offset || annotation.end == offset;
    });
  }

  static constexpr uint32_t kNowhere = UINT32_MAX;

  const syntax::Tree& tree_;
  uint32_t begin_;
  const FunctionTags& tags_;
  TextRange range_;
  std::vector<TextRange> annotated_;  ///< where `@in` and `@out` stand
  std::vector<Hint> hints_;
};

}  // namespace

auto tag_hints(const program::FrontendSnapshot& snapshot, names::ItemId function, TextRange range)
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
