#include "compiler/device/oblivious/open_scan.h"

#include <algorithm>

namespace tacet::oblivious {

using namespace kernel;

namespace {

auto array_of(const Kernel& kernel, const Access& access) -> VariableId {
  const auto* read = std::get_if<Read>(&kernel.exprs[access.array].node);
  return read == nullptr ? VariableId{} : read->variable;
}

/// The dimension that is scanned, if it is one alone.
auto only_dimension(const Access& access) -> std::optional<size_t> {
  if (std::count(access.is_secret.begin(), access.is_secret.end(), true) != 1) {
    return std::nullopt;
  }
  return std::find(access.is_secret.begin(), access.is_secret.end(), true) -
         access.is_secret.begin();
}

auto same_access(const Kernel& kernel, const Access& a, const Access& b) -> bool {
  if (!same_expr(kernel, a.array, b.array) || a.indices.size() != b.indices.size()) {
    return false;
  }
  for (size_t k = 0; k < a.indices.size(); ++k) {
    if (!same_expr(kernel, a.indices[k], b.indices[k])) {
      return false;
    }
  }
  return true;
}

auto variables_of(const Kernel& kernel, const Access& access) -> VariableSet {
  VariableSet variables = variables_read(kernel, access.array);
  for (ExprId index : access.indices) {
    variables.merge(variables_read(kernel, index));
  }
  return variables;
}

auto share(const VariableSet& a, const VariableSet& b) -> bool {
  return std::any_of(a.begin(), a.end(), [&](VariableId id) { return b.contains(id); });
}

}  // namespace

OpenScan::OpenScan(const Kernel& kernel, const Access& access, StatementId loop, VariableId counter,
                   size_t position)
    : loop_(loop), counter_(counter), position_(position) {
  if (const std::optional<size_t> dimension = only_dimension(access)) {
    array_ = array_of(kernel, access);
    dimension_ = *dimension;
  }
  made_ = variables_written(kernel, Block{loop});
  made_.erase(array_);
}

auto OpenScan::is_free(const VariableSet& variables) const -> bool {
  return !share(variables, made_) && !share(variables, written_behind_);
}

auto OpenScan::may_join(const Kernel& kernel, const Access& access, const Block& before) const
    -> bool {
  if (!array_.has_value() || array_of(kernel, access) != array_ ||
      only_dimension(access) != dimension_) {
    return false;
  }
  const VariableSet in_front = variables_read(kernel, before);
  // What is computed in front must not see what the scan wrote, but does now.
  return is_free(variables_of(kernel, access)) && is_free(in_front) &&
         !(writes_ && in_front.contains(array_));
}

auto OpenScan::may_write(const Kernel& kernel, VariableId array, ExprId value,
                         const Block& before) const -> bool {
  const VariableSet in_value = variables_read(kernel, value);
  return is_free(in_value) && !in_value.contains(array) && !read_behind_.contains(array) &&
         !variables_read(kernel, before).contains(array);
}

void OpenScan::join(Kernel& kernel, Block& block, const Block& before, StatementId part) {
  block.insert(block.begin() + static_cast<std::ptrdiff_t>(position_), before.begin(),
               before.end());
  position_ += before.size();
  std::get<For>(kernel.statements[loop_].node).body.push_back(part);
  made_.merge(variables_written(kernel, Block{part}));
  made_.erase(array_);
}

auto OpenScan::picked(const Kernel& kernel, const Access& access) const -> VariableId {
  if (!is_free(variables_of(kernel, access))) {
    return {};
  }
  for (const Picked& picked : picked_) {
    if (same_access(kernel, picked.access, access)) {
      return picked.variable;
    }
  }
  return {};
}

void OpenScan::add_picked(const Access& access, VariableId picked) {
  picked_.push_back({access, picked});
}

void OpenScan::wrote() {
  writes_ = true;
  picked_.clear();
}

void OpenScan::pass_over(const Kernel& kernel, StatementId id) {
  written_behind_.merge(variables_written(kernel, Block{id}));
  read_behind_.merge(variables_read(kernel, Block{id}));
}

}  // namespace tacet::oblivious
