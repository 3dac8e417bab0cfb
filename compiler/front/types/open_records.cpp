#include "compiler/front/types/open_records.h"

#include <algorithm>

namespace tacet::types {

auto OpenRecords::add() -> uint32_t {
  fields_.emplace_back();
  parents_.push_back(static_cast<uint32_t>(parents_.size()));
  return parents_.back();
}

auto OpenRecords::root(uint32_t record) -> uint32_t {
  while (parents_[record] != record) {
    parents_[record] = parents_[parents_[record]];
    record = parents_[record];
  }
  return record;
}

auto OpenRecords::fields(uint32_t record) -> const std::vector<Field>& {
  return fields_[root(record)];
}

auto OpenRecords::field(uint32_t record, Name name) -> Field* {
  std::vector<Field>& fields = fields_[root(record)];
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const Field& field) { return field.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

void OpenRecords::add_field(uint32_t record, Field field) {
  fields_[root(record)].push_back(field);
}

auto OpenRecords::merge(uint32_t a, uint32_t b) -> std::vector<std::pair<Term, Term>> {
  a = root(a);
  b = root(b);
  if (a == b) {
    return {};
  }
  parents_[b] = a;
  std::vector<std::pair<Term, Term>> shared;
  for (const Field& moved : std::exchange(fields_[b], {})) {
    if (Field* same = field(a, moved.name)) {
      same->flags |= moved.flags;
      shared.emplace_back(same->type, moved.type);
    } else {
      add_field(a, moved);
    }
  }
  return shared;
}

}  // namespace tacet::types
