#include "compiler/views/emit/annotate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compiler/core/diagnostics/apply_edits.h"
#include "compiler/front/check/queries.h"
#include "compiler/spec/infer/annotations.h"
#include "compiler/spec/infer/quotients.h"
#include "compiler/spec/infer/report.h"
#include "compiler/views/emit/name_nodes.h"

namespace tacet::emit {

using infer::Annotation;
using infer::DimensionTag;
using infer::SpecNodeId;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;
using Kind = Annotation::Kind;

namespace {

/// A function that gets tags.
struct Subject {
  names::ItemId item;
  std::shared_ptr<const infer::Annotations> tags;
};

/// A specification and what tags call its nodes.
struct Named {
  infer::SpecGraphPtr spec;
  infer::NodeNames names;
  std::vector<SpecNodeId> needed = {};
  std::vector<uint32_t> outputs = {};
};

/// Writes the tags of one function.
class TagWriter {
 public:
  TagWriter(const program::FrontendSnapshot& snapshot, const syntax::Tree& tree,
            const infer::NodeNames& val, const infer::NodeNames& tmln)
      : snapshot_(snapshot), tree_(tree), val_(val), tmln_(tmln) {}

  auto run(const std::vector<Annotation>& annotations) -> std::vector<TextEdit> {
    for (uint32_t i = 0; i < tree_.nodes.size(); ++i) {
      if (tree_.nodes[i].kind == NodeKind::AnnotationStatement) {
        drop({&tree_, i});
      }
    }
    for (size_t i = 0; i < annotations.size(); ++i) {
      const Annotation& annotation = annotations[i];
      if (annotation.kind == Kind::Name) {
        continue;
      }
      if (!annotation.is_at_boundary()) {
        write(annotation);
        continue;
      }
      size_t end = i + 1;
      while (end < annotations.size() && annotations[end].kind == annotation.kind &&
             annotations[end].node == annotation.node) {
        ++end;
      }
      write_statement(std::span(annotations).subspan(i, end - i));
      i = end - 1;
    }
    return std::move(edits_);
  }

 private:
  auto tags(const Annotation& annotation) const -> std::string {
    return tags_text(annotation, val_, tmln_);
  }
  void insert(uint32_t at, std::string text) { edits_.push_back({{at, at}, std::move(text)}); }

  /// `@in` and `@out` of variables are found out anew; those of events stay, and those of fields
  /// where the body begins, which belong to the head.
  void drop(Node statement) {
    const bool is_head = is_in_front(statement);
    std::string kept;
    for (Node child : statement.children()) {
      const Node key = child.child(Field::Key);
      if (child.is(NodeKind::Annotation) &&
          (!key.child(Field::Name) || (is_head && key.child(Field::Field)))) {
        kept += fmt::format("{}{}", kept.empty() ? "" : ", ", child.text());
      }
    }
    if (!kept.empty()) {
      kept = fmt::format("@{} {{ {} }};", statement.child(Field::Place).text(), kept);
    }
    for (const syntax::Comment& comment : tree_.comments) {
      const TextRange outer = statement.range();
      if (outer.begin < comment.range.begin && comment.range.end < outer.end) {
        kept += fmt::format("\n{}\n", tree_.text.substr(comment.range.begin,
                                                        comment.range.end - comment.range.begin));
      }
    }
    edits_.push_back({kept.empty() ? with_line(statement.range()) : statement.range(), kept});
  }

  [[nodiscard]] auto is_in_front(Node annotations) const -> bool {
    if (annotations.child(Field::Place).text() != "in") {
      return false;
    }
    for (Node statement : names::item_node(tree_).child(Field::Body).children()) {
      if (statement.index() == annotations.index()) {
        return true;
      }
      if (syntax::is_named(statement.kind()) && !statement.is(NodeKind::AnnotationStatement)) {
        return false;
      }
    }
    return false;
  }

  /// `range`, and all of the line if nothing else is there.
  auto with_line(TextRange range) const -> TextRange {
    const std::string_view text = tree_.text;
    const size_t before = text.find_last_not_of(" \t", range.begin - 1);
    const size_t behind = text.find_first_not_of(" \t", range.end);
    const bool is_alone = before != std::string_view::npos && text[before] == '\n' &&
                          behind != std::string_view::npos && text[behind] == '\n';
    return is_alone
               ? TextRange{static_cast<uint32_t>(before) + 1, static_cast<uint32_t>(behind) + 1}
               : range;
  }

  void write(const Annotation& annotation) {
    Node node(&tree_, annotation.node);
    Node written = node.is(NodeKind::Tags) ? node : node.child(Field::Tags);
    std::string text;
    Node name = node.child(Field::Name);
    if (annotation.kind == Kind::Variable && annotation.type.has_value() &&
        !node.child(Field::Type)) {
      std::string type =
          ": " + types::type_text(snapshot_.types(), snapshot_.interner(), annotation.type);
      if (written) {
        insert(name.range().end, std::move(type));
      } else {
        text = std::move(type);
      }
    }
    if (written) {
      edits_.push_back({written.range(), "@ " + tags(annotation)});
    } else {
      insert(place(annotation.kind, node), fmt::format("{} @ {}", text, tags(annotation)));
    }
  }

  static auto place(Kind kind, Node node) -> uint32_t {
    constexpr uint32_t kIf = 2;
    if (kind == Kind::Branch) {
      return node.range().begin + kIf;
    }
    if (node.is(NodeKind::EncodeBeginExpression) || node.is(NodeKind::SubmitExpression) ||
        node.is(NodeKind::AwaitExpression)) {
      return (*node.children().begin()).range().end;
    }
    return node.is(NodeKind::EncodeStatement) ? node.child(NodeKind::RightBracket).range().end
                                              : node.range().end;
  }

  void write_statement(std::span<const Annotation> annotations) {
    Node node(&tree_, annotations[0].node);
    const bool is_entry = annotations[0].kind == Kind::Entry;
    std::string text = fmt::format("@{} {{ ", is_entry ? "in" : "out");
    for (const Annotation& annotation : annotations) {
      text += fmt::format("{}{}: {}", &annotation == annotations.data() ? "" : ", ", annotation.key,
                          tags(annotation));
    }
    text += " };";
    if (is_entry) {
      insert(behind_line_comment(node.range().end), "\n" + text);
      return;
    }
    const bool is_at_end = annotations[0].kind == Kind::End;
    insert(is_at_end ? node.range().end - 1 : node.range().begin, text + "\n");
  }

  /// A comment on the rest of the line belongs to what precedes it.
  auto behind_line_comment(uint32_t at) const -> uint32_t {
    for (const syntax::Comment& comment : tree_.comments) {
      if (comment.kind != syntax::CommentKind::Block && comment.range.begin >= at) {
        const std::string_view between =
            std::string_view(tree_.text).substr(at, comment.range.begin - at);
        return between.find_first_not_of(" \t") == std::string_view::npos ? comment.range.end : at;
      }
    }
    return at;
  }

  const program::FrontendSnapshot& snapshot_;
  const syntax::Tree& tree_;
  const infer::NodeNames& val_;
  const infer::NodeNames& tmln_;
  std::vector<TextEdit> edits_;
};

}  // namespace

static void append(std::vector<TextEdit>& all, std::vector<TextEdit> edits, uint32_t begin) {
  for (TextEdit& edit : edits) {
    edit.range = {edit.range.begin + begin, edit.range.end + begin};
    all.push_back(std::move(edit));
  }
}

/// The functions of a file that nothing is wrong with.
static auto subjects(const program::FrontendSnapshot& snapshot, FileId file)
    -> std::vector<Subject> {
  std::vector<Subject> found;
  for (const names::FileItem& item : snapshot.items(file)->items) {
    if (item.kind != names::ItemKind::Fn || !snapshot.tree(item.id)->errors.empty()) {
      continue;
    }
    snapshot.query().run([&](query::Context& context) {
      auto tags = context.get<infer::AnnotationsOf>(item.id);
      if (tags && !check::has_errors(context.get<infer::DiagnosticsOfFunction>(item.id).get())) {
        found.push_back({item.id, std::move(tags)});
      }
    });
  }
  return found;
}

/// Gathers which nodes the tags of `subject` speak of in one of its specifications.
static void need(const Subject& subject, DimensionTag infer::TagTriple::*dimension, Named& named) {
  for (const Annotation& annotation : subject.tags->list) {
    if (annotation.kind == Kind::Name) {
      continue;
    }
    const DimensionTag& tag = annotation.tags.*dimension;
    named.needed.insert(named.needed.end(), tag.nodes.begin(), tag.nodes.end());
    if (tag.kind == DimensionTag::Kind::Output) {
      named.outputs.push_back(tag.output);
    }
  }
}

static auto named(query::Context& context, names::ItemId item) -> Named {
  Named result;
  if (item.has_value()) {
    result.spec = context.get<infer::SpecificationOf>(item)->graph;
    result.names = infer::written_names(context, *result.spec);
  }
  return result;
}

auto annotate(const program::FrontendSnapshot& snapshot, FileId file) -> std::string {
  const std::vector<Subject> found = subjects(snapshot, file);
  std::map<names::ItemId, Named> specifications;
  auto gather = [&](const Subject& subject, names::ItemId item,
                    DimensionTag infer::TagTriple::*dimension) {
    auto [entry, is_new] = specifications.try_emplace(item);
    if (is_new) {
      entry->second =
          snapshot.query().run([&](query::Context& context) { return named(context, item); });
    }
    need(subject, dimension, entry->second);
  };
  for (const Subject& subject : found) {
    gather(subject, subject.tags->val, &infer::TagTriple::val);
    gather(subject, subject.tags->tmln, &infer::TagTriple::tmln);
  }
  std::vector<TextEdit> edits;
  for (auto& [item, named] : specifications) {
    if (named.spec && snapshot.item_key(item).file == file) {
      append(edits, name_nodes(snapshot, *named.spec, named.needed, named.outputs, named.names),
             snapshot.item_begin(item));
    }
  }
  for (const Subject& subject : found) {
    TagWriter writer(snapshot, *snapshot.tree(subject.item),
                     specifications[subject.tags->val].names,
                     specifications[subject.tags->tmln].names);
    append(edits, writer.run(subject.tags->list), snapshot.item_begin(subject.item));
  }
  const auto text = snapshot.query().get<syntax::SourceText>(file).text;
  return apply_edits(*text, sorted_edits(edits));
}

}  // namespace tacet::emit
