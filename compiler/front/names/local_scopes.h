#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tacet::names {

/// Which local each name means right now: nested scopes, where inner declarations shadow outer
/// ones. Names are compared as text, so that no lock of the shared interner is taken. All
/// operations take constant time; leaving a scope takes as long as it has declarations.
class LocalScopes {
 public:
  static constexpr uint32_t kNone = 0xffffffff;

  LocalScopes() : table_(kFirstCapacity, kNone) {}

  void enter() { marks_.push_back(static_cast<uint32_t>(undo_.size())); }
  void leave();

  /// From now on, until the scope ends, `name` means `local`. The text must outlive this object.
  void declare(std::string_view name, uint32_t local);

  /// What `name` means, or `kNone`.
  [[nodiscard]] auto find(std::string_view name) const -> uint32_t;

  /// Has `name` been declared in the innermost scope?
  [[nodiscard]] auto is_declared_here(std::string_view name) const -> bool;

  /// All names that mean something, for suggestions.
  [[nodiscard]] auto visible() const -> std::vector<std::string_view>;

 private:
  static constexpr uint32_t kFirstCapacity = 32;

  struct Symbol {
    std::string_view text;
    uint32_t hash = 0;
    uint32_t local = kNone;
    uint32_t depth = 0;
  };
  struct Change {
    uint32_t symbol;
    uint32_t local;
    uint32_t depth;
  };

  [[nodiscard]] auto slot_of(std::string_view name, uint32_t hash) const -> uint32_t;
  void grow();

  /// Open addressing: indices of `symbols_`.
  std::vector<uint32_t> table_;
  std::vector<Symbol> symbols_;
  std::vector<Change> undo_;
  std::vector<uint32_t> marks_;
};

}  // namespace tacet::names
