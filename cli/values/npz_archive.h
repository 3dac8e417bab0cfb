#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tacet::cli {

/// An array of an `.npz` file, which is a ZIP archive of `.npy` files.
struct NpzMember {
  std::string name;  ///< without `.npy`
  uint64_t method = 0;
  uint64_t crc = 0;
  uint64_t n_compressed = 0;
  uint64_t n_bytes = 0;  ///< of the array's file, as the archive says
  uint64_t header_begin = 0;
};

/// The arrays in the archive, in its order.
auto npz_members(std::string_view archive) -> Result<std::vector<NpzMember>>;

/// Their names.
auto npz_names(std::string_view archive) -> Result<std::vector<std::string>>;

/// The one called `name`, or the only one.
auto selected_npz_member(std::string_view archive, const std::optional<std::string>& name)
    -> Result<NpzMember>;

/// The first `most` bytes of the member's file. If those are all, they match its checksum. Memory
/// is taken for what is really there, not for what the archive promises.
auto npz_bytes(std::string_view archive, const NpzMember& member, uint64_t most)
    -> Result<std::string>;

}  // namespace tacet::cli
