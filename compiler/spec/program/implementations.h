#pragma once

#include <memory>
#include <vector>

#include "compiler/front/names/queries.h"

/// Who implements what, over all files. Everything here depends on the heads of items alone: an
/// edit of a body changes nothing of it.
///
/// Services that the queries here use: those of `names`.
namespace tacet::program {

/// A function and one of the specifications behind its `impls`.
struct Implementation {
  names::ItemId specification;
  names::ItemId function;

  friend auto operator==(const Implementation&, const Implementation&) -> bool = default;
};

using Implementations = std::shared_ptr<const std::vector<Implementation>>;

/// Query: what the functions of a file implement, in the order of the text.
struct ImplementationsInFile {
  static constexpr std::string_view kName = "implementations_in_file";
  using Key = FileId;
  using Value = Implementations;
  static auto compute(query::Context& context, const Key& file) -> Value;
};

/// Query: which functions, of any file, implement the specifications of a file. By specification;
/// the functions of one in the order of files and texts, the file's own first.
struct ImplementationsOfFile {
  static constexpr std::string_view kName = "implementations_of_file";
  using Key = FileId;
  using Value = Implementations;
  static auto compute(query::Context& context, const Key& file) -> Value;
};

/// What can run for `item`: of a specification the functions that implement it and the externs and
/// device functions of its class; of a `feq` those of all its members; of an extern or device
/// function itself. Empty for other items.
auto implementations_of(query::Context& context, names::ItemId item) -> std::vector<names::ItemId>;

/// What says what `item` computes: the specifications that a function names; of a member of a
/// `feq` that can run by itself the value specifications of the class, or the class if it has none.
auto specifications_of(query::Context& context, names::ItemId item) -> std::vector<names::ItemId>;

/// How much of a class can run.
struct ClassCoverage {
  names::ItemId of_class;
  uint32_t n_members = 0;
  /// Externs, device functions, and the specifications that at least one function implements.
  uint32_t n_runnable = 0;
};

/// Counts the members of `of_class`.
auto coverage_of(query::Context& context, const names::EquivalenceClass& of_class) -> ClassCoverage;

}  // namespace tacet::program
