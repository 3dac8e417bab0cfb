#pragma once

#include <memory>
#include <vector>

#include "compiler/core/query/database.h"
#include "compiler/front/names/item.h"

/// Calls, and the other functions that they could as well be of, since these compute the same.
namespace tacet::program {

/// A call of a function or extern.
struct CallPoint {
  names::ItemId callee;  ///< that is called in the text
  uint32_t number = 0;   ///< which of the function's calls of `callee`, from 1
  uint32_t node = 0;     ///< the callee's name, in the function's tree
  /// The alternatives: what the function sees of the same class, on the same device and with the
  /// same types, in the order of the text.
  std::vector<names::ItemId> others;

  friend auto operator==(const CallPoint&, const CallPoint&) -> bool = default;
};

/// A function or extern as a file sees it.
struct CalleeInFile {
  FileId file;
  names::ItemId callee;

  friend auto operator==(const CalleeInFile&, const CalleeInFile&) -> bool = default;
};

/// Query: what could be called in a file instead of a function: `CallPoint::others`.
struct CallAlternatives {
  static constexpr std::string_view kName = "call_alternatives";
  using Key = CalleeInFile;
  using Value = std::vector<names::ItemId>;
  static auto compute(query::Context& context, const Key& key) -> Value;
};

/// Query: the calls of a function, in the order of the text; none for other items. Whether an
/// alternative keeps the function's specifications, its timeline above all, is not said: the
/// checker says it of the text with the other name.
struct CallPointsOf {
  static constexpr std::string_view kName = "call_points";
  using Key = names::ItemId;
  using Value = std::shared_ptr<const std::vector<CallPoint>>;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

/// Whether a device function, or one that it calls, reveals something that is not its result as it
/// stands: `return reveal(x)` does not, `let y = reveal(x);` does.
auto reveals_on_the_way(query::Context& context, names::ItemId function) -> bool;

}  // namespace tacet::program

template <>
struct std::hash<tacet::program::CalleeInFile> {
  auto operator()(const tacet::program::CalleeInFile& key) const noexcept -> size_t {
    return tacet::hash_combine(key.file.index, key.callee.index);
  }
};
