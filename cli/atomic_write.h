#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace tacet::cli {

/// Replaces what the file at `path` holds, in one step: readers see the old text or the new one,
/// whatever happens in between. Permissions stay, a symbolic link keeps pointing at the file.
auto write_atomically(const std::string& path, std::string_view text) -> Status;

/// The same for a file that need not be there: a new one is there with all its text, or not at all.
auto write_or_create(const std::string& path, std::string_view text) -> Status;

/// The same for a file that only the user may read. What was there is replaced, whatever it was.
auto write_private(const std::string& path, std::string_view text) -> Status;

/// The same for a new file, which must not be there.
auto write_new_private(const std::string& path, std::string_view text) -> Status;

/// So that a file's name is on the disk as its content is.
auto sync_folder_of(const std::string& path) -> bool;

/// A folder that only the user may enter, unless there is one already.
auto make_private_folder(const std::string& path) -> Status;

}  // namespace tacet::cli
