#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "compiler/core/query/database.h"
#include "compiler/device/oblivious/secrecy.h"
#include "compiler/front/names/item.h"

namespace tacet::linter {

/// What calls that are not inlined (recursion, large functions, externs) give back, for the secrecy
/// of one function: which results are secret, given which arguments are. Each callee is looked into
/// for each such context; recursion is iterated to a fixed point. Not to be used when the query of
/// the context has ended.
class DeviceSummaries {
 public:
  explicit DeviceSummaries(query::Context& context) : context_(context) {}

  /// Of a call in `caller`. Of externs and draws: all results if an argument is secret, else what
  /// is declared.
  auto results(const kernel::Kernel& caller, const kernel::Call& call,
               const std::vector<bool>& arguments) -> std::vector<bool>;

 private:
  using Key = std::pair<names::ItemId, std::vector<bool>>;

  auto visit(const Key& key) -> std::vector<bool>;
  auto of_extern(const Key& key) const -> std::vector<bool>;

  query::Context& context_;
  std::map<Key, std::vector<bool>> done_;
  /// In the last round, and in this one.
  std::map<Key, std::vector<bool>> assumed_, found_;
  std::set<Key> open_;
};

}  // namespace tacet::linter
