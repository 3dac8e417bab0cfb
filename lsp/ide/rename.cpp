#include "lsp/ide/rename.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/syntax/lexer.h"
#include "compiler/front/check/queries.h"
#include "compiler/front/names/queries.h"
#include "compiler/spec/program/references.h"

namespace tacet::ide {

using names::ItemKind;
using names::LocalKind;
using program::Entity;
using program::Reference;
using program::ReferenceTarget;

/// What the name at `entity` stands for, if that is declared in one place that can be renamed.
static auto renamed_target(query::Context& context, const Entity& entity) -> ReferenceTarget {
  const ReferenceTarget target = program::reference_target(context, entity);
  if (!target.has_value()) {
    return {};
  }
  const auto workspace = context.get<names::WorkspaceInput>({});
  if (names::is_library_path(
          workspace->path(context.service<names::ItemTable>()[target.item].file))) {
    return {};
  }
  if (target.local == names::Local::kNone) {
    const ItemKind kind = context.service<names::ItemTable>()[target.item].kind;
    const bool is_module = kind == ItemKind::Import || kind == ItemKind::Program;
    return is_module ? ReferenceTarget{} : target;
  }
  const names::Local& local = context.get<check::BodyOf>(target.item)->names.locals[target.local];
  const bool is_of_program = context.service<names::ItemTable>()[target.item].kind ==
                             ItemKind::Input;  // or several inputs
  const bool is_own = !is_of_program && local.node != names::Local::kNone &&
                      local.kind != LocalKind::Encoded && local.kind != LocalKind::Dim;
  return is_own ? target : ReferenceTarget{};
}

static auto is_name(std::string_view text) -> bool {
  syntax::Lexer lexer(text);
  const syntax::Token token = lexer.next(nullptr);
  return syntax::is_name(token.kind) && token.begin == 0 && token.end == text.size();
}

/// True if the item declares or mentions something of that name already.
static auto is_taken_in(query::Context& context, names::ItemId item, Name name) -> bool {
  const check::BodyPtr body = context.get<check::BodyOf>(item);
  const auto& table = context.service<names::ItemTable>();
  return body != nullptr &&
         (std::any_of(body->names.locals.begin(), body->names.locals.end(),
                      [&](const names::Local& local) { return local.name == name; }) ||
          std::any_of(body->names.items.begin(), body->names.items.end(),
                      [&](names::ItemId other) { return table[other].name == name; }));
}

/// Why the target cannot have that name; empty if it can.
static auto conflict(query::Context& context, ReferenceTarget target,
                     const std::vector<Reference>& places, std::string_view new_name)
    -> std::string {
  const Name name = context.service<Interner>().intern(new_name);
  if (target.local != names::Local::kNone) {
    return is_taken_in(context, target.item, name)
               ? fmt::format("`{}` already has another meaning here", new_name)
               : std::string();
  }
  std::vector<FileId> files;
  for (const Reference& place : places) {
    if (files.empty() || files.back() != place.place.file) {
      files.push_back(place.place.file);
    }
  }
  for (FileId file : files) {
    if (!context.get<names::ModuleScopeOfFile>(file)->find_all(name).empty()) {
      return fmt::format("`{}` already exists", new_name);
    }
    for (const names::FileItem& item : context.get<names::ItemsOfFile>(file)->items) {
      const auto tree = context.get<names::SyntaxOfItem>(item.id);
      if (tree->text.find(new_name) != std::string::npos && is_taken_in(context, item.id, name)) {
        return fmt::format("`{}` already has another meaning at one of the references", new_name);
      }
    }
  }
  return {};
}

auto rename(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset,
            std::string_view new_name) -> Renaming {
  const auto entity = snapshot.entity_at(file, offset);
  if (!entity) {
    return {"no name at this position", {}};
  }
  return snapshot.query().run([&](query::Context& context) -> Renaming {
    const ReferenceTarget target = renamed_target(context, *entity);
    if (!target.has_value()) {
      return {"this cannot be renamed", {}};
    }
    if (!is_name(new_name)) {
      return {fmt::format("`{}` is not a valid name", new_name), {}};
    }
    const std::vector<Reference> places =
        program::references_to(context, target, program::ReferenceScope::AllFiles, file);
    Renaming result{conflict(context, target, places, new_name), {}};
    for (const Reference& place : places) {
      if (result.problem.empty()) {
        result.places.push_back(place.place);
      }
    }
    return result;
  });
}

auto renamed_name(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> std::optional<TextRange> {
  const auto entity = snapshot.entity_at(file, offset);
  if (!entity) {
    return std::nullopt;
  }
  return snapshot.query().run([&](query::Context& context) {
    return renamed_target(context, *entity).has_value() ? std::optional(entity->range)
                                                        : std::nullopt;
  });
}

}  // namespace tacet::ide
