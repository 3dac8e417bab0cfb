#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compiler/core/query/database.h"
#include "compiler/front/names/file_items.h"

/// What is known of all items of a large file is collected chunk by chunk, so that after an edit
/// only the chunks are visited that it reached.
namespace tacet::names {

/// A dozen or so consecutive items of a file, by the first of them. Where a chunk begins depends on
/// its first item alone: items that come and go leave the other chunks as they are.
struct ItemChunk {
  FileId file;
  ItemId first;

  friend auto operator==(const ItemChunk&, const ItemChunk&) -> bool = default;
};

/// Query: the first items of the chunks of a file, in the order of the text.
struct ChunksOfFile {
  static constexpr std::string_view kName = "chunks_of_file";
  using Key = FileId;
  using Value = std::shared_ptr<const std::vector<ItemId>>;
  static auto compute(query::Context& context, const Key& file) -> Value;
};

/// Query: the items of a chunk in the order of the text, without their units.
struct ItemsOfChunk {
  static constexpr std::string_view kName = "items_of_chunk";
  using Key = ItemChunk;
  using Value = std::shared_ptr<const std::vector<FileItem>>;
  static auto compute(query::Context& context, const Key& chunk) -> Value;
  static auto key_text(const Key& chunk) -> std::string;
};

/// Does a chunk begin with `item`, be it not the first of its file?
auto begins_chunk(ItemId item) -> bool;

/// Calls `use(value)` with what `Q`, a query about chunks, says of each chunk of a file.
template <class Q, class Use>
void for_chunks(query::Context& context, FileId file, const Use& use) {
  for (const ItemId first : *context.get<ChunksOfFile>(file)) {
    use(context.get<Q>({file, first}));
  }
}

/// What `Q`, a query about items with shared values, says of the items of a chunk of which
/// `is_asked(item)` holds, in the order of the text: where that is something, and `is_kept(value)`.
template <class Q, class IsAsked, class IsKept>
auto kept_of_chunk(query::Context& context, const ItemChunk& chunk, const IsAsked& is_asked,
                   const IsKept& is_kept) {
  using Found = std::pair<ItemId, typename Q::Value>;
  std::vector<Found> kept;
  for (const FileItem& item : *context.get<ItemsOfChunk>(chunk)) {
    if (!is_asked(item)) {
      continue;
    }
    auto value = context.get<Q>(item.id);
    if (value != nullptr && is_kept(*value)) {
      kept.emplace_back(item.id, std::move(value));
    }
  }
  return std::make_shared<const std::vector<Found>>(std::move(kept));
}

}  // namespace tacet::names

template <>
struct std::hash<tacet::names::ItemChunk> {
  auto operator()(const tacet::names::ItemChunk& key) const noexcept -> size_t {
    return tacet::hash_combine(key.file.index, key.first.index);
  }
};
