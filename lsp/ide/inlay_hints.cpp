#include "lsp/ide/inlay_hints.h"

#include <algorithm>

#include "compiler/device/draws/elaborate.h"
#include "compiler/front/names/queries.h"
#include "lsp/ide/name_secrecy.h"
#include "lsp/ide/shared_programs.h"
#include "lsp/ide/tag_hints.h"

namespace tacet::ide {

using names::ItemKind;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;
using types::TypeId;
using types::TypeKind;
using types::TypeStore;

namespace {

/// The hints of one item.
class HintWriter {
 public:
  HintWriter(const program::FrontendSnapshot& snapshot, names::ItemId item, TextRange range,
             std::vector<Hint>& out)
      : snapshot_(snapshot),
        tree_(snapshot.tree(item)),
        begin_(snapshot.item_begin(item)),
        range_(range),
        out_(out),
        item_(item) {}

  void types() {
    for (uint32_t i = 0; i < tree_->nodes.size(); ++i) {
      const syntax::NodeData& data = tree_->nodes[i];
      const bool is_binding = data.kind == NodeKind::Binding || data.kind == NodeKind::SpecBinding;
      if (is_binding && is_visible(data.end)) {
        type_of({tree_.get(), i});
      }
    }
  }

 private:
  [[nodiscard]] auto is_visible(uint32_t offset) const -> bool {
    return range_.touches(offset + begin_);
  }

  void type_of(Node binding) {
    const Node name = binding.child(Field::Name);
    if (!name || binding.child(Field::Type)) {
      return;
    }
    if (!secrecy_) {
      secrecy_.emplace(snapshot_, item_);
    }
    const names::Resolution meaning = secrecy_->body().names.of(name.index());
    if (!meaning.is(names::Meaning::Local)) {
      return;
    }
    const TypeId type = secrecy_->type_of(meaning.index());
    if (is_known(type)) {
      const std::string text =
          ": " + types::type_text(snapshot_.types(), snapshot_.interner(), type);
      out_.push_back({name.range().end + begin_, Hint::Kind::Type, text,
                      can_be_written(type) ? text : std::string()});
    }
  }

  [[nodiscard]] auto is_known(TypeId type) const -> bool { return type != TypeStore::kError; }

  /// Writing down the type of a record would fix what is found out from its uses.
  [[nodiscard]] auto can_be_written(TypeId type) const -> bool {
    const TypeStore& types = snapshot_.types();
    const types::Type& data = types[type];
    const types::Type& inner = data.kind == TypeKind::Reference ? types[data.element] : data;
    return inner.kind == TypeKind::Value;
  }

  const program::FrontendSnapshot& snapshot_;
  names::ItemTree tree_;
  uint32_t begin_;
  TextRange range_;
  std::vector<Hint>& out_;
  names::ItemId item_;
  std::optional<NameSecrecy> secrecy_;
};

}  // namespace

/// Would the name of its parameter say nothing about an argument? It is one letter, or the
/// argument has it in its own name.
static auto tells_nothing(std::string_view parameter, std::string_view argument) -> bool {
  const bool is_name = argument.find_first_not_of(
                           "abcdefghijklmnopqrstuvwxyz"
                           "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") == std::string_view::npos;
  return parameter.size() < 2 || (is_name && argument.find(parameter) != std::string_view::npos);
}

/// In front of every argument of a call with several, the name of its parameter.
static void parameter_hints(const program::FrontendSnapshot& snapshot, names::ItemId item,
                            TextRange range, std::vector<Hint>& hints) {
  const names::ItemTree tree = snapshot.tree(item);
  const uint32_t begin = snapshot.item_begin(item);
  const check::BodyPtr body = snapshot.body(item);
  for (uint32_t i = 0; i < tree->nodes.size(); ++i) {
    const Node call(tree.get(), i);
    const TextRange place = call.range().shifted(begin);
    if (!call.is(NodeKind::CallExpression) || place.end < range.begin || range.end < place.begin) {
      continue;
    }
    Node function = call.child(Field::Function);
    function = function.is(NodeKind::TaggedExpression) ? function.child(Field::Value) : function;
    const names::ItemId callee = function ? body->names.item(function.index()) : names::ItemId();
    if (!callee.has_value()) {
      continue;
    }
    const auto signature = snapshot.signature(callee);
    std::vector<Node> arguments;
    for (const Node argument : call.child(Field::Arguments).children()) {
      if (!argument.is(NodeKind::Comma) && !argument.is(NodeKind::LeftParen) &&
          !argument.is(NodeKind::RightParen) &&
          !body->names.is_function_argument(argument.index())) {
        arguments.push_back(argument);
      }
    }
    if (arguments.size() < 2 || arguments.size() != signature->parameters.size()) {
      continue;
    }
    for (size_t n = 0; n < arguments.size(); ++n) {
      const Name name = signature->parameters[n].name;
      const uint32_t at = arguments[n].range().begin + begin;
      if (name.has_value() && range.touches(at) &&
          !tells_nothing(snapshot.interner().text(name), arguments[n].text())) {
        hints.push_back(
            {at, Hint::Kind::Parameter, std::string(snapshot.interner().text(name)) + ":", {}});
      }
    }
  }
}

/// Behind every draw, its place.
static void draw_hints(const program::FrontendSnapshot& snapshot, draws::Elaborator& elaborator,
                       const names::FileItem& item, TextRange range, std::vector<Hint>& hints) {
  if (item.kind != ItemKind::Fn && item.kind != ItemKind::Program) {
    return;
  }
  const names::ItemTree tree = snapshot.tree(item.id);
  for (const draws::Draw& draw : elaborator.elaborate(item.id).draws) {
    const uint32_t end = Node(tree.get(), draw.node).range().end + snapshot.item_begin(item.id);
    if (range.touches(end)) {
      hints.push_back({end, Hint::Kind::Place, draws::place_text(draw), {}});
    }
  }
}

auto inlay_hints(const program::FrontendSnapshot& snapshot, FileId file, TextRange range,
                 HintOptions options, const mpc_views::Parties& parties) -> std::vector<Hint> {
  std::vector<Hint> hints;
  const auto syntax = snapshot.query().get<syntax::ParseFile>(file);
  if (syntax->units.empty()) {
    return hints;
  }
  const auto first = static_cast<uint32_t>(syntax->unit_at(range.begin));
  const auto last = static_cast<uint32_t>(syntax->unit_at(range.end));
  const auto items = snapshot.items(file);
  draws::Elaborator elaborator(snapshot);
  for (const names::FileItem& item : items->items) {
    if (item.unit < first || item.unit > last || item.kind == ItemKind::Feq) {
      continue;
    }
    HintWriter writer(snapshot, item.id, range, hints);
    if (options.types) {
      writer.types();
    }
    if (options.parameters) {
      parameter_hints(snapshot, item.id, range, hints);
    }
    if (options.draws) {
      draw_hints(snapshot, elaborator, item, range, hints);
    }
    if (options.costs && is_shared_function(snapshot, item.id)) {
      for (Hint& hint : shared_cost_hints(snapshot, item.id, range, parties)) {
        hints.push_back(std::move(hint));
      }
    }
    if (options.tags && item.kind == ItemKind::Fn) {
      for (Hint& hint : tag_hints(snapshot, item.id, range)) {
        hints.push_back(std::move(hint));
      }
    }
  }
  std::stable_sort(hints.begin(), hints.end(),
                   [](const Hint& a, const Hint& b) { return a.offset < b.offset; });
  return hints;
}

}  // namespace tacet::ide
