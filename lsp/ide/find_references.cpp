#include "lsp/ide/find_references.h"

#include "compiler/spec/program/references.h"

namespace tacet::ide {

using program::Reference;
using program::ReferenceScope;

static auto references_at(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset,
                          ReferenceScope scope) -> std::vector<Reference> {
  const auto entity = snapshot.entity_at(file, offset);
  if (!entity) {
    return {};
  }
  return snapshot.query().run([&](query::Context& context) -> std::vector<Reference> {
    const program::ReferenceTarget target = program::reference_target(context, *entity);
    return target.has_value() ? program::references_to(context, target, scope, file)
                              : std::vector<Reference>();
  });
}

auto find_references(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset,
                     Declarations declarations) -> std::vector<FileRange> {
  std::vector<FileRange> places;
  for (const Reference& reference :
       references_at(snapshot, file, offset, ReferenceScope::AllFiles)) {
    if (declarations == Declarations::Included || reference.kind != Reference::Kind::Declaration) {
      places.push_back(reference.place);
    }
  }
  return places;
}

auto highlights(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> std::vector<Highlight> {
  std::vector<Highlight> found;
  for (const Reference& reference :
       references_at(snapshot, file, offset, ReferenceScope::OneFile)) {
    const bool is_read = reference.kind == Reference::Kind::Read;
    found.push_back(
        {reference.place.range, is_read ? Highlight::Kind::Read : Highlight::Kind::Write});
  }
  return found;
}

auto linked_ranges(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> std::vector<TextRange> {
  using names::LocalKind;
  std::vector<TextRange> ranges;
  const auto entity = snapshot.entity_at(file, offset);
  if (!entity || entity->local == names::Local::kNone || entity->local_of != entity->in_item) {
    return ranges;
  }
  const check::BodyPtr body = snapshot.body(entity->local_of);
  const LocalKind kind = body->names.locals[entity->local].kind;
  const bool is_of_function =
      snapshot.item_key(entity->local_of).kind == names::ItemKind::Fn &&
      (kind == LocalKind::Parameter || kind == LocalKind::Let || kind == LocalKind::Var);
  if (!is_of_function && kind != LocalKind::Index && kind != LocalKind::Loop &&
      kind != LocalKind::Element) {
    return ranges;
  }
  for (const Highlight& highlight : highlights(snapshot, file, offset)) {
    ranges.push_back(highlight.range);
  }
  return ranges;
}

}  // namespace tacet::ide
