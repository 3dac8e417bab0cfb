#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/run/interpret/machine.h"

namespace tacet::cli {

using HostFunctions = std::map<std::string, interpret::HostFunction, std::less<>>;

/// The shared objects of `--extern`. They stay loaded as long as this and everything that
/// `functions` gave lives.
class ExternLibraries {
 public:
  /// Loads `path`. An error says why it cannot be loaded.
  auto load(const std::string& path) -> Status;

  /// The functions of these names that the libraries have; the first library that has one wins.
  /// What a library takes from another one does not count: an extern `abs` is not that of C.
  /// An error if a name stands for something that is no function, or if a library has none of
  /// the names.
  [[nodiscard]] auto functions(const std::vector<std::string>& names) const
      -> Result<HostFunctions>;

 private:
  struct Library {
    std::string path;
    std::shared_ptr<void> handle;
  };

  std::vector<Library> libraries_;
};

}  // namespace tacet::cli
