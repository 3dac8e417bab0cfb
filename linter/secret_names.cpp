#include "linter/secret_names.h"

#include <algorithm>

#include "compiler/device/kernel/walk.h"
#include "compiler/front/names/queries.h"
#include "linter/device_summaries.h"
#include "linter/item_diagnostic.h"
#include "linter/kernel_of_item.h"

namespace tacet::linter {

using kernel::ExprId;
using kernel::StatementId;
using kernel::VariableId;
using oblivious::Secrecy;

static auto sorted(std::vector<SecretNames::Entry> entries) -> std::vector<SecretNames::Entry> {
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return a.offset != b.offset ? a.offset < b.offset : a.is_secret > b.is_secret;
  });
  const auto is_same = [](const auto& a, const auto& b) { return a.offset == b.offset; };
  entries.erase(std::unique(entries.begin(), entries.end(), is_same), entries.end());
  return entries;
}

SecretNames::SecretNames(std::vector<Entry> reads, std::vector<Entry> variables)
    : reads_(sorted(std::move(reads))), variables_(sorted(std::move(variables))) {}

static auto find(const std::vector<SecretNames::Entry>& entries, uint32_t offset)
    -> std::optional<bool> {
  const auto at = std::lower_bound(
      entries.begin(), entries.end(), offset,
      [](const SecretNames::Entry& entry, uint32_t wanted) { return entry.offset < wanted; });
  return at != entries.end() && at->offset == offset ? std::optional(at->is_secret) : std::nullopt;
}

auto SecretNames::read_at(uint32_t offset) const -> std::optional<bool> {
  return find(reads_, offset);
}

auto SecretNames::declared_at(uint32_t offset) const -> std::optional<bool> {
  return find(variables_, offset);
}

namespace {

/// Goes through a kernel, whose places are in items, for the names in the text of one item.
class NameReader {
 public:
  NameReader(const kernel::Kernel& kernel, const Secrecy& secrecy, names::ItemId item)
      : kernel_(kernel), secrecy_(secrecy), item_(item), seen_(kernel.exprs.size()) {}

  auto run() -> SecretNames {
    kernel::walk_statements(kernel_, kernel_.body, [&](StatementId at) {
      if (secrecy_.is_reached(at)) {
        statement(at);
      }
    });
    return {std::move(reads_), std::move(variables_)};
  }

 private:
  void statement(StatementId at) {
    const kernel::Statement& statement = kernel_.statements[at];
    kernel::visit_exprs(statement, [&](ExprId root) { expression(at, root); });
    if (const auto* assign = std::get_if<kernel::Assign>(&statement.node)) {
      variable(assign->variable, secrecy_.is_secret(at, assign->value));
    }
  }

  /// Once for each statement: expressions are shared.
  void expression(StatementId at, ExprId id) {
    if (seen_[id.index] == at) {
      return;
    }
    seen_[id.index] = at;
    const kernel::Expr& expr = kernel_.exprs[id];
    kernel::visit_exprs(expr, [&](ExprId inner) { expression(at, inner); });
    const auto* read = std::get_if<kernel::Read>(&expr.node);
    if (read == nullptr) {
      return;
    }
    const bool is_secret = secrecy_.is_secret(at, id);
    variable(read->variable, is_secret);
    if (item_of(expr.place) == item_) {
      reads_.push_back({expr.place.range.begin, is_secret});
    }
  }

  void variable(VariableId id, bool is_secret) {
    const FileRange place = kernel_.variables[id].place;
    if (item_of(place) == item_) {
      variables_.push_back({place.range.begin, is_secret});
    }
  }

  const kernel::Kernel& kernel_;
  const Secrecy& secrecy_;
  names::ItemId item_;
  std::vector<StatementId> seen_;  ///< by expression
  std::vector<SecretNames::Entry> reads_, variables_;
};

}  // namespace

auto SecretNamesOfItem::compute(query::Context& context, const Key& item) -> Value {
  const std::optional<kernel::Kernel> kernel = kernel_of_item(context, item);
  if (!kernel) {
    return nullptr;
  }
  DeviceSummaries summaries(context);
  oblivious::SecrecyOptions options;
  options.summary = [&](const kernel::Call& call, const std::vector<bool>& arguments) {
    return summaries.results(*kernel, call, arguments);
  };
  const Secrecy secrecy = oblivious::analyse_secrecy(*kernel, options);
  return std::make_shared<const SecretNames>(NameReader(*kernel, secrecy, item).run());
}

}  // namespace tacet::linter
