#pragma once

#include <set>
#include <string>
#include <string_view>

namespace tacet::backends {

/// Names that differ from each other and from the words of a language.
class Names {
 public:
  explicit Names(std::set<std::string> taken) : taken_(std::move(taken)) {}

  /// The name itself where it is free, else with underscores or numbers behind it.
  auto unique(std::string_view wanted) -> std::string;

 private:
  std::set<std::string> taken_;
};

}  // namespace tacet::backends
