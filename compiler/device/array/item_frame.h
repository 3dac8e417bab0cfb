#pragma once

#include <compare>
#include <vector>

#include "compiler/device/array/item_lets.h"

/// Private to this folder.
namespace tacet::array {

/// An item while its text is lowered: the item itself, a function where it is called in one place,
/// or a constant.
struct ItemFrame {
  ItemFrame(const program::FrontendSnapshot& snapshot, names::ItemId item, uint32_t number,
            ItemFrame* called_by, syntax::Node called_at, std::optional<FileRange> stands_at)
      : id(number),
        caller(called_by),
        call(called_at),
        n_callers(called_by == nullptr ? 0 : called_by->n_callers + 1),
        arguments(called_by == nullptr ? std::vector<syntax::Node>()
                                       : arguments_of(called_by->text, called_at)),
        text(ItemText::of(snapshot, item, stands_at)),
        lets(snapshot, text, [this](uint32_t ordinal) { return known_parameter(ordinal); }) {}
  ItemFrame(const ItemFrame&) = delete;
  auto operator=(const ItemFrame&) -> ItemFrame& = delete;

  uint32_t id;        ///< higher than that of its caller
  ItemFrame* caller;  ///< in whose text the arguments stand; none of what is not called
  syntax::Node call;
  uint32_t n_callers;
  std::vector<syntax::Node> arguments;  ///< by ordinal of the parameter
  ItemText text;
  ItemLets lets;

 private:
  [[nodiscard]] auto known_parameter(uint32_t ordinal) const -> std::optional<int64_t> {
    return ordinal < arguments.size() ? caller->lets.constant(arguments[ordinal]) : std::nullopt;
  }
};

/// A variable of a `for`: a local of a frame.
struct Variable {
  uint32_t frame = 0;
  uint32_t local = 0;

  friend auto operator<=>(const Variable&, const Variable&) = default;
};

}  // namespace tacet::array
