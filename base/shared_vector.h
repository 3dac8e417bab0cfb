#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace tacet {

/// A vector that never changes, so that copies share its elements. Thread safe. Equal vectors have
/// equal elements; comparing copies of one takes constant time.
template <typename T>
class SharedVector {
 public:
  SharedVector() = default;
  explicit SharedVector(std::vector<T> elements)
      : elements_(elements.empty() ? nullptr
                                   : std::make_shared<const std::vector<T>>(std::move(elements))) {}

  auto get() const -> const std::vector<T>& {
    static const std::vector<T> kNone;
    return elements_ ? *elements_ : kNone;
  }

  auto begin() const { return get().begin(); }
  auto end() const { return get().end(); }
  auto size() const -> size_t { return get().size(); }
  auto empty() const -> bool { return elements_ == nullptr; }

  friend auto operator==(const SharedVector& a, const SharedVector& b) -> bool {
    return a.elements_ == b.elements_ || a.get() == b.get();
  }

 private:
  std::shared_ptr<const std::vector<T>> elements_;
};

}  // namespace tacet
