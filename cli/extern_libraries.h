#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/interpret/machine.h"

namespace tacet::cli {

/// The shared objects of `--extern`. They stay loaded as long as this and everything that
/// `functions` gave lives.
class ExternLibraries {
 public:
  /// Loads `path`. An error says why it cannot be loaded.
  auto load(const std::string& path) -> Status;

  /// The functions of these names that the libraries have; the first library that has one wins.
  [[nodiscard]] auto functions(const std::vector<std::string>& names) const
      -> std::map<std::string, interpret::HostFunction, std::less<>>;

 private:
  std::vector<std::shared_ptr<void>> libraries_;
};

}  // namespace tacet::cli
