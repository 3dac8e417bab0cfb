#include "lsp/ide/runnables.h"

#include "compiler/front/names/body_names.h"
#include "compiler/front/names/queries.h"
#include "compiler/front/types/type.h"

namespace tacet::ide {

namespace {

/// The function that a pipeline names, if there is one of that name.
auto entry_of(const program::FrontendSnapshot& snapshot, names::ItemId pipeline) -> names::ItemId {
  const names::ItemTree tree = snapshot.tree(pipeline);
  const syntax::Node item = names::item_node(*tree);
  const syntax::Node entry = item ? item.child(syntax::Field::Entry) : syntax::Node();
  return entry ? snapshot.body(pipeline)->names.item(entry.index()) : names::ItemId();
}

auto text_of(const program::FrontendSnapshot& snapshot, Name name) -> std::string {
  return name.has_value() ? std::string(snapshot.interner().text(name)) : std::string();
}

void describe(const program::FrontendSnapshot& snapshot, names::ItemId called, Runnable& runnable) {
  const auto signature = snapshot.signature(called);
  if (signature->is_device_function) {
    runnable.device = names::device_text(signature->device);
  }
  for (const types::SignatureParameter& parameter : signature->parameters) {
    Runnable::Input input{
        .name = text_of(snapshot, parameter.name),
        .type = types::type_text(snapshot.types(), snapshot.interner(), parameter.type),
        .owner = text_of(snapshot, parameter.owner)};
    if (parameter.bound) {
      input.bound = types::ends_text(*parameter.bound);
    }
    runnable.inputs.push_back(std::move(input));
  }
  for (const types::SignatureResult& result : signature->results) {
    runnable.results.push_back(
        {.name = text_of(snapshot, result.name),
         .type = types::type_text(snapshot.types(), snapshot.interner(), result.type),
         .owner = text_of(snapshot, result.owner)});
  }
}

auto kind_of(names::ItemKind kind) -> std::optional<Runnable::Kind> {
  switch (kind) {
    case names::ItemKind::Pipeline:
      return Runnable::Kind::Pipeline;
    case names::ItemKind::Program:
      return Runnable::Kind::Program;
    case names::ItemKind::Fn:
      return Runnable::Kind::Function;
    case names::ItemKind::Val:
      return Runnable::Kind::Specification;
    case names::ItemKind::Tmln:
    case names::ItemKind::Sptl:
    case names::ItemKind::Extern:
    case names::ItemKind::Feq:
    case names::ItemKind::Type:
    case names::ItemKind::Const:
    case names::ItemKind::Party:
    case names::ItemKind::Import:
    case names::ItemKind::Test:
    case names::ItemKind::Input:
      break;
  }
  return std::nullopt;
}

}  // namespace

auto runnables(const program::FrontendSnapshot& snapshot, FileId file) -> std::vector<Runnable> {
  std::vector<Runnable> all;
  for (const names::FileItem& item : snapshot.items(file)->items) {
    const std::optional<Runnable::Kind> kind = kind_of(item.kind);
    const bool is_pipeline = kind == Runnable::Kind::Pipeline;
    const names::ItemId called = is_pipeline ? entry_of(snapshot, item.id) : item.id;
    if (!kind || !called.has_value()) {
      continue;
    }
    Runnable runnable{.name = text_of(snapshot, item.name), .kind = *kind};
    describe(snapshot, called, runnable);
    runnable.range = snapshot.name_place(item.id).range;
    // A missing name cannot be looked up.
    if (!runnable.name.empty() || kind == Runnable::Kind::Program) {
      all.push_back(std::move(runnable));
    }
  }
  return all;
}

}  // namespace tacet::ide
