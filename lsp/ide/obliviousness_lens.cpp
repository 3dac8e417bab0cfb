#include "lsp/ide/obliviousness_lens.h"

#include <fmt/format.h>

#include "compiler/front/names/item_chunks.h"
#include "compiler/front/names/queries.h"
#include "compiler/front/types/queries.h"
#include "compiler/spec/program/shown_instance.h"
#include "linter/lint_item.h"

namespace tacet::ide {

/// Distinguished from the items of other lenses by a bit that no item has.
static constexpr uint32_t kMark = 1U << 31;

auto is_obliviousness_lens(uint32_t subject) -> bool {
  return (subject & kMark) != 0;
}

namespace {

/// Query: the device functions of a chunk that have a name.
struct DeviceFunctionsOfChunk {
  static constexpr std::string_view kName = "device_functions_of_chunk";
  static constexpr bool kFlat = true;
  using Key = names::ItemChunk;
  using Value = std::vector<names::ItemId>;
  static auto compute(query::Context& context, const Key& chunk) -> Value {
    Value functions;
    for (const names::FileItem& item : *context.get<names::ItemsOfChunk>(chunk)) {
      if (item.kind == names::ItemKind::Fn && item.name.has_value() &&
          context.get<types::SignatureOf>(item.id)->is_device_function) {
        functions.push_back(item.id);
      }
    }
    return functions;
  }
};

}  // namespace

auto obliviousness_lenses(const program::FrontendSnapshot& snapshot, FileId file)
    -> std::vector<Lens> {
  return snapshot.query().run([&](query::Context& context) {
    const program::FrontendSnapshot view(context);
    std::vector<Lens> lenses;
    names::for_chunks<DeviceFunctionsOfChunk>(
        context, file, [&](const std::vector<names::ItemId>& functions) {
          for (const names::ItemId item : functions) {
            lenses.push_back({view.name_place(item).range, item.index | kMark});
          }
        });
    return lenses;
  });
}

auto obliviousness_text(const program::FrontendSnapshot& snapshot, FileId file, uint32_t subject)
    -> std::optional<LensText> {
  const names::ItemId item{subject & ~kMark};
  if (snapshot.items(file)->find(item) == nullptr) {
    return std::nullopt;
  }
  // With size parameters: of the sizes whose cost is shown.
  const names::ItemId shown = snapshot.get<program::ShownInstanceOf>(item);
  const auto found = snapshot.query().run([&](query::Context& context) {
    return linter::obliviousness_of(context, shown.has_value() ? shown : item);
  });
  LensText text;
  text.range = snapshot.name_place(item).range;
  if (!found) {
    text.title = "obliviousness unknown";
    return text;
  }
  const uint32_t begin = snapshot.item_begin(item);
  if (!found->leaks.empty()) {
    text.title = "not oblivious";
  } else if (found->channels.empty()) {
    text.title = "oblivious";
  } else {
    const size_t n = found->channels.size();
    text.title = fmt::format("rewritten in {} place{}", n, n == 1 ? "" : "s");
  }
  for (const TextRange place : found->leaks.empty() ? found->channels : found->leaks) {
    text.places.push_back({file, place.shifted(begin)});
  }
  return text;
}

}  // namespace tacet::ide
