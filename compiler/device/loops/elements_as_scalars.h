#pragma once

#include <optional>

#include "compiler/device/kernel/build.h"
#include "compiler/device/loops/counted_loop.h"

/// Private to this folder.
namespace tacet::loops {

/// A loop with what goes in front of it and behind it.
struct ScalarLoop {
  kernel::Block before{}, behind{};
  CountedLoop loop;
};

/// Holds elements of arrays in variables that an iteration leaves for later ones: those that the
/// iterations before wrote, `y[i - 1]`, and those that all iterations use, `total[k]`. Nothing if
/// there is no such array, or it is used in other ways, too.
///
/// Before:                                After:
///   for i in 1..64 {                       var last = y[0];
///     y[i] = p[i] * y[i - 1];              for i in 1..64 {
///   }                                        let now = p[i] * last;
///                                            last = now;
///                                            y[i] = last;
///                                          }
auto elements_as_scalars(kernel::Builder& make, const CountedLoop& loop)
    -> std::optional<ScalarLoop>;

}  // namespace tacet::loops
