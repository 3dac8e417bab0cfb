#pragma once

namespace tacet {

/// Several function objects as one, selected by their argument types: for `std::visit`, where a
/// kind that none of them takes does not build.
template <class... Functions>
struct Overloads : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloads(Functions...) -> Overloads<Functions...>;

}  // namespace tacet
