#pragma once

#include <vector>

#include "linter/suppressions.h"

namespace tacet::linter {

/// The suppressions of a file by offsets in it, and which ones were used.
class SuppressionsInUse {
 public:
  void read(query::Context& context, FileId file);

  [[nodiscard]] auto is_empty() const -> bool { return all_.empty(); }
  /// Could one make a finding an error?
  [[nodiscard]] auto may_deny() const -> bool;

  /// The level of the last one about a finding at offset `at`, or `otherwise`. Those that have
  /// expired do nothing.
  auto level(DiagnosticCode code, uint32_t at, Level otherwise, Date today) -> Level;

  /// Nothing is known of what the suppressions in this item are about.
  void excuse(query::Context& context, names::ItemId item);

  /// What is to be said of the comments: those that cannot be read, have expired or do nothing.
  /// What does nothing in all of the file is known only if all of it `is_right`.
  [[nodiscard]] auto report(FileId file, Date today, bool is_right) const
      -> std::vector<Diagnostic>;

 private:
  struct Entry {
    Suppression suppression;
    names::ItemId item{};         ///< none: about all of the file
    std::vector<bool> is_used{};  ///< by word
    bool is_excused = false;
  };

  void add(const Suppression& suppression, names::ItemId item, uint32_t begin);

  std::vector<Entry> all_;
};

}  // namespace tacet::linter
