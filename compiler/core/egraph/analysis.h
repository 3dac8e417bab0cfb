#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "compiler/core/egraph/ids.h"

namespace tacet::egraph {

class EGraph;
struct ENode;

/// What a merge of two classes' facts did to each of them.
struct DidMerge {
  bool changed_into = false;  ///< the result says more than `into` did
  bool changed_from = false;  ///< the result says more than `from` did
};

/// The untyped face of an analysis, which the e-graph calls. Clients write a domain (below).
class AnalysisHooks {
 public:
  AnalysisHooks() = default;
  AnalysisHooks(const AnalysisHooks&) = default;
  auto operator=(const AnalysisHooks&) -> AnalysisHooks& = delete;
  virtual ~AnalysisHooks() = default;

  [[nodiscard]] virtual auto clone() const -> std::unique_ptr<AnalysisHooks> = 0;
  /// Class `id` was founded by `node`.
  virtual void make(const EGraph& graph, ClassId id, const ENode& node) = 0;
  /// An id that never gets to be a class of its own.
  virtual void make_nothing() = 0;
  /// Joins what `node` says now into the class; true if the class learnt something.
  virtual auto remake(const EGraph& graph, ClassId id, const ENode& node) -> bool = 0;
  virtual auto merge(ClassId into, ClassId from) -> DidMerge = 0;
  /// Lets the domain change the graph after the facts of a class changed.
  virtual void modify(EGraph& graph, ClassId id) = 0;
  [[nodiscard]] virtual auto wants_modify() const -> bool = 0;
};

/// E-class analyses (egg, section 4): a fact per class, from a join semilattice, kept up to date.
///
/// A domain is a copyable type with
///
///     using Fact = …;                                         // default constructible
///     auto make(const EGraph&, const ENode&, const ClassFacts<Domain>&) const -> Fact;
///     auto merge(Fact& into, const Fact& from) -> DidMerge;   // join
///     void modify(EGraph&, ClassId, const Fact&);             // optional; idempotent
///
/// `make` gives the fact of a node, from the facts of its children (`of`).
/// `make` is monotone in the facts of the children and `merge` is a join, or rebuilding may not
/// end. `modify` runs while the graph is rebuilt, after facts of the class changed; it may add
/// nodes, merge and prune, which ends the life of the fact that it was given: it takes what it
/// needs first.
template <class Domain>
class ClassFacts final : public AnalysisHooks {
 public:
  using Fact = typename Domain::Fact;

  explicit ClassFacts(Domain domain) : domain_(std::move(domain)) {}

  /// The fact of the class that `id` belongs to.
  [[nodiscard]] auto of(const EGraph& graph, ClassId id) const -> const Fact&;
  [[nodiscard]] auto domain() const -> const Domain& { return domain_; }

  [[nodiscard]] auto clone() const -> std::unique_ptr<AnalysisHooks> override {
    return std::make_unique<ClassFacts>(*this);
  }
  void make(const EGraph& graph, ClassId, const ENode& node) override {
    facts_.push_back(domain_.make(graph, node, *this));
  }
  void make_nothing() override { facts_.emplace_back(); }
  auto remake(const EGraph& graph, ClassId id, const ENode& node) -> bool override {
    return domain_.merge(facts_[id.index], domain_.make(graph, node, *this)).changed_into;
  }
  auto merge(ClassId into, ClassId from) -> DidMerge override {
    return domain_.merge(facts_[into.index], facts_[from.index]);
  }
  void modify(EGraph& graph, ClassId id) override {
    if constexpr (kModifies) {
      domain_.modify(graph, id, facts_[id.index]);
    }
  }
  [[nodiscard]] auto wants_modify() const -> bool override { return kModifies; }

 private:
  static constexpr bool kModifies = requires(Domain domain, EGraph& graph, const Fact& fact) {
    domain.modify(graph, ClassId{}, fact);
  };

  Domain domain_;
  std::vector<Fact> facts_;  // by class id; those of absorbed classes are stale
};

/// The analyses of a graph; copies with it.
class AnalysisList {
 public:
  AnalysisList() = default;
  AnalysisList(const AnalysisList& other) {
    for (const auto& hooks : other.hooks_) {
      hooks_.push_back(hooks->clone());
    }
  }
  auto operator=(const AnalysisList& other) -> AnalysisList& {
    AnalysisList copy(other);
    hooks_ = std::move(copy.hooks_);
    return *this;
  }
  AnalysisList(AnalysisList&&) noexcept = default;
  auto operator=(AnalysisList&&) noexcept -> AnalysisList& = default;
  ~AnalysisList() = default;

  auto add(std::unique_ptr<AnalysisHooks> hooks) -> uint32_t {
    hooks_.push_back(std::move(hooks));
    return static_cast<uint32_t>(hooks_.size() - 1);
  }
  [[nodiscard]] auto operator[](uint32_t slot) const -> const AnalysisHooks& {
    return *hooks_[slot];
  }
  [[nodiscard]] auto begin() const { return hooks_.begin(); }
  [[nodiscard]] auto end() const { return hooks_.end(); }

 private:
  std::vector<std::unique_ptr<AnalysisHooks>> hooks_;
};

/// Names an analysis attached to an e-graph; good for every copy of that graph.
template <class Domain>
struct AnalysisKey {
  uint32_t slot = 0;
};

}  // namespace tacet::egraph
