#pragma once

#include <array>
#include <span>
#include <vector>

#include "compiler/core/egraph/ids.h"

namespace tacet::egraph {

/// Storage for `n` classes, on the stack if they are few.
class FewClasses {
 public:
  explicit FewClasses(size_t n) : many_(n > kFew ? n : 0), n_(n) {}
  FewClasses(const FewClasses&) = delete;
  auto operator=(const FewClasses&) -> FewClasses& = delete;
  ~FewClasses() = default;

  auto operator[](size_t i) -> ClassId& { return data()[i]; }
  [[nodiscard]] auto span() -> std::span<const ClassId> { return {data(), n_}; }

 private:
  static constexpr size_t kFew = 8;

  auto data() -> ClassId* { return n_ > kFew ? many_.data() : few_.data(); }

  std::array<ClassId, kFew> few_;
  std::vector<ClassId> many_;
  size_t n_;
};

}  // namespace tacet::egraph
