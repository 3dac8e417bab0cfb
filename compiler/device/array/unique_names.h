#pragma once

#include <fmt/format.h>

#include <set>
#include <string>

/// Private to this folder.
namespace tacet::array {

/// Names of one scope, to print without ambiguity.
class UniqueNames {
 public:
  /// `name`, or if it is taken `name_2`, `name_3`, …
  auto add(const std::string& name) -> std::string {
    std::string unique = name;
    for (int i = 2; !taken_.insert(unique).second; ++i) {
      unique = fmt::format("{}_{}", name, i);
    }
    return unique;
  }

 private:
  std::set<std::string> taken_;
};

}  // namespace tacet::array
