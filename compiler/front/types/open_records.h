#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/interner.h"
#include "compiler/front/types/term.h"

namespace tacet::types {

/// The records of one `Inference` that fields may still be added to. Records that were merged share
/// the fields of one of them, their root. All operations but `merge` take the time of looking at
/// the fields of one record.
class OpenRecords {
 public:
  struct Field {
    Name name;
    Term type;
    uint8_t flags = 0;
  };

  /// A record without fields.
  auto add() -> uint32_t;
  /// The record that has the fields of `record`.
  auto root(uint32_t record) -> uint32_t;
  /// In the order in which they were added.
  auto fields(uint32_t record) -> const std::vector<Field>&;
  /// The field `name`, until one is added; null if there is none.
  auto field(uint32_t record, Name name) -> Field*;
  /// The record must not have a field of this name.
  void add_field(uint32_t record, Field field);
  /// Makes two records one. Returns the types of each field that both have, which are to be
  /// unified.
  auto merge(uint32_t a, uint32_t b) -> std::vector<std::pair<Term, Term>>;

 private:
  std::vector<uint32_t> parents_;
  std::vector<std::vector<Field>> fields_;  ///< by root
};

}  // namespace tacet::types
