#include "lsp/ide/hover.h"

#include <fmt/format.h>

#include "compiler/device/draws/elaborate.h"
#include "lsp/ide/array_programs.h"
#include "lsp/ide/shared_programs.h"

namespace tacet::ide {

/// `public · implements `c` of `min``: what is known of a value beside its type.
static auto facts_text(const program::FrontendSnapshot& snapshot, const program::HoverData& data)
    -> std::string {
  std::string text;
  if (data.visibility) {
    text = *data.visibility == types::Visibility::Secret ? "secret" : "public";
  }
  if (!data.node.empty()) {
    text += fmt::format("{}implements `{}`", text.empty() ? "" : " · ", data.node);
    const Name name = snapshot.item_key(data.node_of).name;
    if (name.has_value()) {
      text += fmt::format(" of `{}`", snapshot.interner().text(name));
    }
  }
  return text;
}

/// The place of a random draw, if that is what is called there.
static auto draw_text(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> std::string {
  const std::optional<program::Entity> entity = snapshot.entity_at(file, offset);
  if (!entity || !entity->meaning.is(names::Meaning::Builtin) ||
      !names::is_random_draw(static_cast<names::Builtin>(entity->meaning.index()))) {
    return {};
  }
  draws::Elaborator elaborator(snapshot);
  for (const draws::Draw& draw : elaborator.elaborate(entity->in_item).draws) {
    const syntax::Node call(entity->tree.get(), draw.node);
    if (call.child(syntax::Field::Function).index() == entity->node) {
      return draws::place_text(draw);
    }
  }
  return {};
}

auto hover(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset,
           PlanStore& plans, mpc_views::Protocol protocol) -> std::optional<Hover> {
  auto data = snapshot.hover(file, offset);
  if (!data) {
    return std::nullopt;
  }
  const std::string tags = data->tags.empty() ? "" : "\n    @ " + data->tags;
  std::string markdown = fmt::format("```tacet\n{}{}\n```", data->code, tags);
  std::string drawn;
  if (!data->documentation.empty()) {
    markdown += fmt::format("\n---\n{}", data->documentation);
  }
  if (const std::string draw = draw_text(snapshot, file, offset); !draw.empty()) {
    markdown += "\n---\n" + draw;
  }
  if (const std::string facts = facts_text(snapshot, *data); !facts.empty()) {
    markdown += "\n---\n" + facts;
  }
  if (const auto entity = snapshot.entity_at(file, offset)) {
    const std::string layout = layout_text(snapshot, *entity, plans, Pictures::Text);
    if (!layout.empty()) {
      drawn = markdown + "\n---\n" + layout_text(snapshot, *entity, plans, Pictures::Svg);
      markdown += "\n---\n" + layout;
    }
    if (const std::string dispatch = dispatch_text(snapshot, *entity, protocol);
        !dispatch.empty()) {
      markdown += "\n---\n" + dispatch;
    }
  }
  std::string specifications;
  for (names::ItemId specification : data->specifications) {
    if (specification.has_value()) {
      specifications += snapshot.describe(specification) + "\n";
    }
  }
  if (!specifications.empty()) {
    specifications = fmt::format("\n---\nSpecified by\n```tacet\n{}```", specifications);
  }
  markdown += specifications;
  drawn += drawn.empty() ? "" : specifications;
  return Hover{data->range, std::move(markdown), std::move(drawn)};
}

}  // namespace tacet::ide
