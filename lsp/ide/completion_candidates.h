#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/front/names/scope.h"
#include "compiler/spec/program/frontend.h"
#include "lsp/ide/callable_here.h"
#include "lsp/ide/completion_rank.h"
#include "lsp/ide/completion_site.h"
#include "lsp/ide/results.h"
#include "lsp/ide/site_types.h"

namespace tacet::ide {

/// What documents a completion: nothing, a built-in function, a keyword, or an item in one of the
/// namespaces. Written down as `builtin sum`, `keyword let`, `class rec_sum`, and
/// `class rec_sum library` for one that has to be imported.
class Documented {
 public:
  static constexpr auto nothing() -> Documented { return Documented(kNothing); }
  static constexpr auto builtin() -> Documented { return Documented(kBuiltin); }
  static constexpr auto keyword() -> Documented { return Documented(kKeyword); }
  static constexpr auto in(names::Namespace space) -> Documented {
    return Documented(static_cast<uint32_t>(space));
  }

  [[nodiscard]] auto text(std::string_view name, std::string_view module = {}) const -> std::string;
  /// What `text` wrote, read back, with the names; `nothing` for what it did not write.
  static auto parse(std::string_view text, std::string_view& name, std::string_view& module)
      -> Documented;

  [[nodiscard]] auto is_builtin() const -> bool { return value_ == kBuiltin; }
  [[nodiscard]] auto is_keyword() const -> bool { return value_ == kKeyword; }
  /// Nothing for what is no item.
  [[nodiscard]] auto space() const -> std::optional<names::Namespace>;

 private:
  static constexpr uint32_t kBuiltin = names::kNamespaces;
  static constexpr uint32_t kKeyword = names::kNamespaces + 1;
  static constexpr uint32_t kNothing = names::kNamespaces + 2;

  explicit constexpr Documented(uint32_t value) : value_(value) {}

  uint32_t value_;
};

/// The completions of one site while they are gathered. What does not continue the typed letters
/// is dropped at once. Names are not copied: they are of the site, of the interner, or constant.
class CompletionCandidates {
 public:
  CompletionCandidates(const program::FrontendSnapshot& snapshot, std::string_view typed,
                       Expected expected)
      : snapshot_(snapshot), typed_(typed), expected_(expected) {}

  /// Leaves out the functions that cannot be called here, and offers calls of the others with their
  /// parameters as places.
  void call_from(CallableHere here) { calls_ = here; }

  /// Is a function called here that can be `callee`?
  [[nodiscard]] auto may_call(names::ItemId callee) const -> bool {
    return calls_ && callee.has_value() && calls_->has(snapshot_, callee);
  }

  /// Does `name` continue what was typed?
  [[nodiscard]] auto is_meant(std::string_view name) const -> bool {
    return match(typed_, name).has_value();
  }

  /// `detail` is constant.
  void add(std::string_view label, CompletionKind kind, Nearness nearness,
           std::string_view detail = {}, Documented documented = Documented::nothing());
  /// A variable or field; those added first are the nearest.
  void add_local(std::string_view name, CompletionKind kind, types::TypeId type);
  /// Its detail and type are looked up when they are needed.
  void add_item(names::ItemId item, std::string_view name, Nearness nearness,
                Documented documented);
  /// The same of one whose place in the list is known: among those that fit so, by `distance`.
  void add_ranked_item(names::ItemId item, std::string_view name, Documented documented, Fit fit,
                       uint32_t distance);
  void add_keyword(std::string_view keyword, Fit fit);
  /// A form behind an expression: `removed` is that and the dot, in the file.
  void add_postfix(std::string_view keyword, std::string_view shape, std::string text,
                   TextRange removed);

  /// Text with places to fill in, shown as `shape`, offered for `keyword`. The names are
  /// constant.
  void add_snippet(std::string_view keyword, std::string_view shape, std::string text);
  /// What `module` declares and the file does not see.
  void add_unimported(std::string_view name, names::ItemKind kind, std::string_view module,
                      Documented documented);
  /// How many there are.
  [[nodiscard]] auto size() const -> size_t { return candidates_.size(); }

  /// Sorted, each name once.
  auto take(const CompletionSite& site) -> Completions;

 private:
  struct Candidate {
    Rank rank;
    std::string_view label;
    CompletionKind kind = CompletionKind::Keyword;
    Documented documented = Documented::nothing();
    std::string_view detail = {};
    /// Of locals and fields.
    types::TypeId type = types::TypeStore::kError;
    /// None for what is no item.
    names::ItemId item = {};
    std::string snippet = {};
    std::string_view module = {};  ///< to be imported
    TextRange removed = {};
  };

  [[nodiscard]] auto fit_of(types::TypeId type) const -> Fit;
  [[nodiscard]] auto is_callable(const Candidate& candidate) const -> bool;
  [[nodiscard]] auto call_of(const Candidate& candidate) const -> std::string;
  [[nodiscard]] auto completion_of(const Candidate& candidate) const -> Completion;
  [[nodiscard]] auto type_of(names::ItemId item) const -> types::TypeId;
  [[nodiscard]] auto detail_of(const Candidate& candidate) const -> std::string;
  [[nodiscard]] auto detail_of(names::ItemId item) const -> std::string;
  void compare_types();

  const program::FrontendSnapshot& snapshot_;
  std::string_view typed_;
  Expected expected_;
  /// Where functions are called; nothing where names stand for something else.
  std::optional<CallableHere> calls_;
  uint32_t n_locals_ = 0;
  std::vector<Candidate> candidates_;
};

}  // namespace tacet::ide
