#pragma once

#include <utility>
#include <vector>

#include "base/check.h"

namespace tacet::query {

/// Objects that queries share and that no revision changes, such as the interner.
/// They are found by type, outlive the database and are safe to use from many threads.
class Services {
 public:
  template <class T>
  auto add(T& service) -> Services& {
    entries_.emplace_back(&kTypeKey<T>, const_cast<void*>(static_cast<const void*>(&service)));
    return *this;
  }

  template <class T>
  [[nodiscard]] auto get() const -> T& {
    for (const auto& [type_key, service] : entries_) {
      if (type_key == &kTypeKey<T>) {
        return *static_cast<T*>(service);
      }
    }
    check_failed(__FILE__, __LINE__, "service", "the database was not given this service");
  }

 private:
  /// Its address stands for the type.
  template <class T>
  static constexpr char kTypeKey = 0;

  std::vector<std::pair<const char*, void*>> entries_;
};

}  // namespace tacet::query
