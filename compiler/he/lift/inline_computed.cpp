#include "compiler/he/lift/inline_computed.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace tacet::lift {

namespace {

class Inliner {
 public:
  Inliner(Terms& terms, std::vector<Computed> computed)
      : terms_(terms), computed_(std::move(computed)), is_unread_(computed_.size(), false) {}

  auto run() -> std::vector<Computed> {
    for (size_t i = computed_.size() - 1; i-- > 0;) {
      inline_one(i);
    }
    return kept();
  }

 private:
  void inline_one(size_t which) {
    std::set<TermId> reads;
    for (size_t user = which + 1; user < computed_.size(); ++user) {
      if (!is_unread_[user]) {
        find_reads(computed_[user].value, which, reads);
      }
    }
    const bool is_copy = terms_[computed_[which].value].operands.empty();
    if (reads.empty() || (reads.size() > 1 && !is_copy) || computed_[which].is_truth) {
      return;
    }
    if (terms_.is_costly(computed_[which].value) && !is_copy && is_read_apart(which)) {
      return;
    }
    for (TermId read : reads) {
      if (!can_replace(read, which)) {
        return;
      }
    }
    for (size_t user = which + 1; user < computed_.size(); ++user) {
      computed_[user].value =
          rewritten(terms_, computed_[user].value, [&](TermId id) -> std::optional<TermId> {
            return reads.count(id) != 0 ? value_at(id, which) : std::nullopt;
          });
    }
    is_unread_[which] = true;
  }

  void find_reads(TermId root, size_t which, std::set<TermId>& reads) {
    std::set<TermId> seen;
    const std::function<void(TermId)> visit = [&](TermId id) {
      if (!seen.insert(id).second) {
        return;
      }
      const Term& term = terms_[id];
      if (term.kind == TermKind::Element && term.array == computed_[which].array) {
        reads.insert(id);
      }
      std::for_each(term.operands.begin(), term.operands.end(), visit);
    };
    visit(root);
  }

  /// Whether an array is read in sums over different dimensions, or by several others: there it
  /// would be computed for each, though the reads may be one term.
  auto is_read_apart(size_t which) -> bool {
    using Contexts = std::set<std::vector<DimId>>;
    std::map<TermId, Contexts> known;
    const std::function<const Contexts&(TermId)> contexts_of = [&](TermId id) -> const Contexts& {
      const auto [found, is_new] = known.try_emplace(id);
      if (!is_new) {
        return found->second;
      }
      const Term& term = terms_[id];
      Contexts contexts;
      if (term.kind == TermKind::Element && term.array == computed_[which].array) {
        contexts.insert(std::vector<DimId>());
      }
      for (const TermId operand : term.operands) {
        for (std::vector<DimId> dims : contexts_of(operand)) {
          if (term.kind == TermKind::Reduce) {
            dims.push_back(term.dim);
            std::sort(dims.begin(), dims.end());
          }
          if (contexts.size() < 2) {
            contexts.insert(std::move(dims));
          }
        }
      }
      return known[id] = std::move(contexts);
    };
    size_t n = 0;
    for (size_t user = which + 1; user < computed_.size(); ++user) {
      n += is_unread_[user] ? 0 : contexts_of(computed_[user].value).size();
    }
    return n > 1;
  }

  auto value_at(TermId read, size_t which) -> std::optional<TermId> {
    const std::vector<Index> indices = terms_[read].indices;
    Substitution by;
    for (size_t i = 0; i < indices.size(); ++i) {
      by[computed_[which].dims[i]] = indices[i];
    }
    return substituted(terms_, computed_[which].value, by);
  }

  /// Inside of the array, and for no more elements than it has.
  auto can_replace(TermId read, size_t which) -> bool {
    const std::vector<Index>& indices = terms_[read].indices;
    double n_elements = 1;
    for (size_t i = 0; i < indices.size(); ++i) {
      const Interval range = range_of(indices[i], terms_.dims());
      const int64_t extent = terms_.extent(computed_[which].dims[i]);
      n_elements *= static_cast<double>(extent);
      if (range.low < 0 || range.high >= extent) {
        return false;
      }
    }
    double n_reads = 1;
    for (DimId dim : terms_.free_dims(read)) {
      n_reads *= static_cast<double>(terms_.extent(dim));
    }
    return n_reads <= n_elements && value_at(read, which);
  }

  /// What the last reads, directly or not.
  auto kept() -> std::vector<Computed> {
    std::vector<bool> is_used(computed_.size(), false);
    is_used.back() = true;
    for (size_t i = computed_.size(); i-- > 0;) {
      for (size_t which = 0; which < i && is_used[i]; ++which) {
        std::set<TermId> reads;
        find_reads(computed_[i].value, which, reads);
        is_used[which] = is_used[which] || !reads.empty();
      }
    }
    std::vector<Computed> result;
    for (size_t i = 0; i < computed_.size(); ++i) {
      if (is_used[i]) {
        result.push_back(std::move(computed_[i]));
      }
    }
    return result;
  }

  Terms& terms_;
  std::vector<Computed> computed_;
  std::vector<bool> is_unread_;  ///< what was put in place of all its reads
};

}  // namespace

auto with_single_reads_inlined(Terms& terms, std::vector<Computed> computed)
    -> std::vector<Computed> {
  return Inliner(terms, std::move(computed)).run();
}

}  // namespace tacet::lift
