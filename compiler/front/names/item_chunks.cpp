#include "compiler/front/names/item_chunks.h"

#include "compiler/front/names/queries.h"

namespace tacet::names {

auto begins_chunk(ItemId item) -> bool {
  constexpr uint32_t kScatter = 0x9e3779b1;
  constexpr uint32_t kSizeBits = 4;
  return (item.index * kScatter) >> (32 - kSizeBits) == 0;
}

auto ChunksOfFile::compute(query::Context& context, const Key& file) -> Value {
  std::vector<ItemId> firsts;
  for (const FileItem& item : context.get<ItemsOfFile>(file)->items) {
    if (firsts.empty() || begins_chunk(item.id)) {
      firsts.push_back(item.id);
    }
  }
  return std::make_shared<const std::vector<ItemId>>(std::move(firsts));
}

auto ItemsOfChunk::compute(query::Context& context, const Key& chunk) -> Value {
  const FileItems& all = *context.get<ItemsOfFile>(chunk.file);
  std::vector<FileItem> items;
  const FileItem* const first = all.find(chunk.first);
  const FileItem* const end = all.items.data() + all.items.size();
  for (const FileItem* item = first;
       item != nullptr && item != end && (item == first || !begins_chunk(item->id)); ++item) {
    items.push_back(*item);
    items.back().unit = 0;
  }
  return std::make_shared<const std::vector<FileItem>>(std::move(items));
}

auto ItemsOfChunk::key_text(const Key& chunk) -> std::string {
  return std::to_string(chunk.first.index);
}

}  // namespace tacet::names
