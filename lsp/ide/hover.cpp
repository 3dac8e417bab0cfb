#include "lsp/ide/hover.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "compiler/device/draws/elaborate.h"
#include "compiler/spec/program/variable_hover.h"
#include "lsp/ide/approximation_hover.h"
#include "lsp/ide/array_programs.h"
#include "lsp/ide/loop_hover.h"
#include "lsp/ide/name_secrecy.h"
#include "lsp/ide/shared_programs.h"

namespace tacet::ide {

/// `secret`, and of a variable that holds one elsewhere, that its value is public here.
static auto visibility_text(const program::HoverData& data, bool is_public_here) -> std::string {
  if (!data.visibility) {
    return {};
  }
  if (*data.visibility == types::Visibility::Public) {
    return "public";
  }
  return is_public_here ? "secret · public value here" : "secret";
}

/// `public · implements `c` of `min``: what is known of a value beside its type.
static auto facts_text(const program::FrontendSnapshot& snapshot, const program::HoverData& data,
                       bool is_public_here) -> std::string {
  std::string text = visibility_text(data, is_public_here);
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

/// What is at a place, and what is known of the secrecy of a variable there.
struct Subject {
  program::Entity entity;
  program::HoverData data;
  bool is_public_here = false;  ///< a variable, whose value is public there
};

static auto subject_at(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> std::optional<Subject> {
  std::optional<program::Entity> entity = snapshot.entity_at(file, offset);
  if (!entity) {
    return std::nullopt;
  }
  std::optional<program::HoverData> data;
  bool is_public_here = false;
  if (entity->local != names::Local::kNone) {
    const NameSecrecy secrecy(snapshot, entity->local_of);
    data = program::hover_on_variable(snapshot, *entity, secrecy.type_of(entity->local));
    is_public_here =
        entity->local_of == entity->in_item && !secrecy.is_secret(entity->node, entity->local);
  } else {
    data = snapshot.hover(file, offset);
  }
  return data ? std::optional(Subject{*std::move(entity), *std::move(data), is_public_here})
              : std::nullopt;
}

/// The specifications of a function, as code.
static auto specifications_text(const program::FrontendSnapshot& snapshot,
                                const program::HoverData& data) -> std::string {
  std::string text;
  for (names::ItemId specification : data.specifications) {
    if (specification.has_value()) {
      text += snapshot.describe(specification) + "\n";
    }
  }
  return text.empty() ? text : fmt::format("Specified by\n```tacet\n{}```", text);
}

/// Sections of Markdown with rules between them. Right below text a rule would make it a heading.
static auto joined(const std::vector<std::string>& sections) -> std::string {
  std::string text;
  for (const std::string& section : sections) {
    if (!section.empty()) {
      text += text.empty() ? section : "\n\n---\n" + section;
    }
  }
  return text;
}

/// The layout of an array, or what a function of reals is computed as.
static auto he_text(const program::FrontendSnapshot& snapshot, const program::Entity& entity,
                    PlanStore& plans, Pictures pictures) -> std::string {
  const std::string layout = layout_text(snapshot, entity, plans, pictures);
  return layout.empty() ? approximation_text(snapshot, entity, plans, pictures) : layout;
}

auto hover(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset,
           PlanStore& plans, const mpc_views::Parties& parties) -> std::optional<Hover> {
  const std::optional<Subject> subject = subject_at(snapshot, file, offset);
  if (!subject) {
    return std::nullopt;
  }
  const auto& [entity, data, is_public_here] = *subject;
  const std::string tags = data.tags.empty() ? "" : "\n    @ " + data.tags;
  std::vector<std::string> sections = {fmt::format("```tacet\n{}{}\n```", data.code, tags),
                                       data.documentation, draw_text(snapshot, file, offset),
                                       facts_text(snapshot, data, is_public_here)};
  const std::string layout = he_text(snapshot, entity, plans, Pictures::Text);
  const size_t picture = sections.size();
  sections.push_back(layout);
  sections.push_back(dispatch_text(snapshot, entity, parties));
  sections.push_back(gates_text(snapshot, entity));
  sections.push_back(loop_text(snapshot, file, offset, parties));
  sections.push_back(specifications_text(snapshot, data));
  std::string markdown = joined(sections);
  std::string drawn;
  if (!layout.empty()) {
    sections[picture] = he_text(snapshot, entity, plans, Pictures::Svg);
    drawn = joined(sections);
  }
  return Hover{data.range, std::move(markdown), std::move(drawn)};
}

}  // namespace tacet::ide
