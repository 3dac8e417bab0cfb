#include "compiler/front/names/local_scopes.h"

namespace tacet::names {

/// Names are short: a byte at a time is as fast as anything.
static auto hash_text(std::string_view text) -> uint32_t {
  uint32_t hash = 2166136261U;
  for (char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  }
  return hash ^ (hash >> 15);
}

auto LocalScopes::slot_of(std::string_view name, uint32_t hash) const -> uint32_t {
  const auto mask = static_cast<uint32_t>(table_.size()) - 1;
  uint32_t slot = hash & mask;
  while (table_[slot] != kNone) {
    const Symbol& symbol = symbols_[table_[slot]];
    if (symbol.hash == hash && symbol.text == name) {
      break;
    }
    slot = (slot + 1) & mask;
  }
  return slot;
}

void LocalScopes::grow() {
  const auto mask = static_cast<uint32_t>(table_.size() * 2) - 1;
  table_.assign(table_.size() * 2, kNone);
  for (uint32_t i = 0; i < symbols_.size(); ++i) {
    uint32_t slot = symbols_[i].hash & mask;
    while (table_[slot] != kNone) {
      slot = (slot + 1) & mask;
    }
    table_[slot] = i;
  }
}

void LocalScopes::declare(std::string_view name, uint32_t local) {
  const uint32_t hash = hash_text(name);
  uint32_t slot = slot_of(name, hash);
  if (table_[slot] == kNone) {
    if (symbols_.size() * 2 >= table_.size()) {
      grow();
      slot = slot_of(name, hash);
    }
    table_[slot] = static_cast<uint32_t>(symbols_.size());
    symbols_.push_back({name, hash});
  }
  Symbol& symbol = symbols_[table_[slot]];
  undo_.push_back({table_[slot], symbol.local, symbol.depth});
  symbol.local = local;
  symbol.depth = static_cast<uint32_t>(marks_.size());
}

void LocalScopes::leave() {
  while (undo_.size() > marks_.back()) {
    const Change& change = undo_.back();
    symbols_[change.symbol].local = change.local;
    symbols_[change.symbol].depth = change.depth;
    undo_.pop_back();
  }
  marks_.pop_back();
}

auto LocalScopes::find(std::string_view name) const -> uint32_t {
  const uint32_t slot = slot_of(name, hash_text(name));
  return table_[slot] == kNone ? kNone : symbols_[table_[slot]].local;
}

auto LocalScopes::is_declared_here(std::string_view name) const -> bool {
  const uint32_t slot = slot_of(name, hash_text(name));
  if (table_[slot] == kNone) {
    return false;
  }
  const Symbol& symbol = symbols_[table_[slot]];
  return symbol.local != kNone && symbol.depth == marks_.size();
}

auto LocalScopes::visible() const -> std::vector<std::string_view> {
  std::vector<std::string_view> names;
  for (const Symbol& symbol : symbols_) {
    if (symbol.local != kNone) {
      names.push_back(symbol.text);
    }
  }
  return names;
}

}  // namespace tacet::names
