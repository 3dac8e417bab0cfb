#pragma once

#include <memory>
#include <set>
#include <vector>

#include "compiler/core/query/database.h"
#include "compiler/front/names/item_chunks.h"

namespace tacet::program {

/// Query: the functions that a device function calls, but for itself, sorted; none for other items.
struct DeviceCalleesOf {
  static constexpr std::string_view kName = "device_callees";
  using Key = names::ItemId;
  using Value = std::vector<names::ItemId>;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

/// Query: the functions that device functions of a chunk call, sorted.
struct DeviceCalleesOfChunk {
  static constexpr std::string_view kName = "device_callees_of_chunk";
  static constexpr bool kFlat = true;
  using Key = names::ItemChunk;
  using Value = std::vector<names::ItemId>;
  static auto compute(query::Context& context, const Key& chunk) -> Value;
};

/// Query: the device functions that other device functions of a file call. They run as parts of
/// those, whether or not they can run alone.
struct DeviceCalleesOfFile {
  static constexpr std::string_view kName = "device_callees_of_file";
  using Key = FileId;
  using Value = std::shared_ptr<const std::set<names::ItemId>>;
  static auto compute(query::Context& context, const Key& file) -> Value;
};

}  // namespace tacet::program
