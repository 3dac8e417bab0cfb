#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "compiler/front/names/item.h"

namespace tacet::names {

/// What a name in the text of an item means.
enum class Meaning : uint8_t {
  Nothing,  ///< not a name, or a name that says nothing by itself, such as a record's field
  Unknown,  ///< a mistake that has been reported
  Local,    ///< `BodyNames::locals[index]`
  Item,     ///< `BodyNames::items[index]`
  Builtin,  ///< a `Builtin`
  Party,    ///< `client` or `server`, which exist without declaration
  Device,   ///< a `Device`
};

/// The meaning of one name, in four bytes: side tables hold one per node.
class Resolution {
 public:
  constexpr Resolution() = default;
  constexpr Resolution(Meaning meaning, uint32_t index)
      : meaning_(static_cast<uint32_t>(meaning) & 7U), index_(index & kIndexMask) {}

  [[nodiscard]] constexpr auto meaning() const -> Meaning { return static_cast<Meaning>(meaning_); }
  [[nodiscard]] constexpr auto index() const -> uint32_t { return index_; }
  [[nodiscard]] constexpr auto is(Meaning meaning) const -> bool {
    return this->meaning() == meaning;
  }

  friend constexpr auto operator==(Resolution, Resolution) -> bool = default;

 private:
  static constexpr uint32_t kIndexMask = (1U << 29) - 1;

  uint32_t meaning_ : 3 = 0;
  uint32_t index_ : 29 = 0;
};

/// Where computations run.
enum class Device : uint8_t { Cpu, Gpu, He, Mpc };

auto device_text(Device device) -> std::string_view;
/// False if no device has that name.
auto find_device(std::string_view name, Device& device) -> bool;

/// Functions that exist without declaration.
enum class Builtin : uint8_t {
#define TACET_BUILTIN(Name, text, places, documentation) Name,
#include "compiler/front/names/builtins.def"
};

/// Where a built-in function may be called.
enum class BuiltinPlace : uint8_t {
  ValSpec = 1,
  TmlnSpec = 2,
  SptlSpec = 4,
  Coordinator = 8,
  DeviceFn = 16,
};

/// How many there are.
auto n_builtins() -> uint32_t;
auto builtin_text(Builtin builtin) -> std::string_view;
/// What the function does, in Markdown, for hovers.
auto builtin_documentation(Builtin builtin) -> std::string_view;
/// A set of `BuiltinPlace`s.
auto builtin_places(Builtin builtin) -> uint8_t;
/// Is it about events: does only the language of timelines have it?
auto is_event_function(Builtin builtin) -> bool;
/// Does it draw a random number?
auto is_random_draw(Builtin builtin) -> bool;
/// Is it a function of numbers or arrays of them, an `engine::Function`?
auto is_number_function(Builtin builtin) -> bool;
/// How many numbers a function takes that may be passed to another, as `max`; 0 of others.
auto n_passed_operands(Builtin builtin) -> size_t;
/// False if there is no such function.
auto find_builtin(std::string_view name, Builtin& builtin) -> bool;

enum class LocalKind : uint8_t {
  Type,        ///< a type parameter; `ordinal`: position among them
  Function,    ///< a parameter that is a function; `ordinal`: position among them
  Size,        ///< a size parameter; `ordinal`: position among them
  Parameter,   ///< `ordinal`: position among the parameters
  Dim,         ///< `_dimK`; `ordinal`: K
  Definition,  ///< of a specification; `ordinal`: position on the left side
  Output,      ///< a named result of a specification; `ordinal`: position among the results
  Let,         ///< bound once; `ordinal`: position among the bindings
  Var,         ///< may be assigned and referred to; `ordinal`: position among the bindings
  Index,       ///< of `for i: n { … }`; checked bodies have `Element` where `n` is an array
  Loop,        ///< of `for i in a..b { … }`
  Element,  ///< of `for x, y in a, b { … }` and `for x, y: a, b { … }`; `ordinal`: which array
  Encoded,  ///< on the encoder `owner`; `ordinal`: position among the destinations
};

/// A name declared inside an item.
struct Local {
  static constexpr uint32_t kNone = 0xffffffff;

  Name name;
  LocalKind kind = LocalKind::Let;
  uint32_t ordinal = 0;
  /// The node of the declaring name; none for `_dimK` and for the inputs of an array program,
  /// which are items of their own.
  uint32_t node = kNone;
  /// The statement, definition or expression that declares it; none for parameters' likes.
  uint32_t declaration = kNone;
  /// For `Encoded`: the local that is the encoder.
  uint32_t owner = kNone;

  friend auto operator==(const Local&, const Local&) -> bool = default;
};

/// What every name in an item means.
struct BodyNames {
  /// By node index; only nodes that are names mean something.
  std::vector<Resolution> resolutions;
  std::vector<Local> locals;
  /// The other items that this one mentions, each once.
  std::vector<ItemId> items;
  /// The nodes of arguments that are functions, in order of their nodes.
  std::vector<uint32_t> function_arguments;

  [[nodiscard]] auto of(uint32_t node) const -> Resolution {
    return node < resolutions.size() ? resolutions[node] : Resolution{};
  }
  /// The local that `node` names, or null.
  [[nodiscard]] auto local(uint32_t node) const -> const Local* {
    Resolution resolution = of(node);
    return resolution.is(Meaning::Local) ? &locals[resolution.index()] : nullptr;
  }
  /// The item that `node` names, or none.
  [[nodiscard]] auto item(uint32_t node) const -> ItemId {
    Resolution resolution = of(node);
    return resolution.is(Meaning::Item) ? items[resolution.index()] : ItemId{};
  }
  /// Is the argument at `node` a function and not a value?
  [[nodiscard]] auto is_function_argument(uint32_t node) const -> bool {
    return std::binary_search(function_arguments.begin(), function_arguments.end(), node);
  }
  /// Is a name not known? It may be one of an item with a mistake, and then nothing is said of it.
  [[nodiscard]] auto has_unknown() const -> bool {
    return std::any_of(resolutions.begin(), resolutions.end(),
                       [](Resolution resolution) { return resolution.is(Meaning::Unknown); });
  }

  friend auto operator==(const BodyNames&, const BodyNames&) -> bool = default;
};

}  // namespace tacet::names
