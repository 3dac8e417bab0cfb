#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/ide/completion_site.h"

namespace tacet::ide {

/// Parses what may be written at one place, one candidate after the other.
class SiteTrial {
 public:
  explicit SiteTrial(const CompletionSite& site);

  /// Does `keyword` become one, with `behind` behind it?
  auto fits(std::string_view keyword, std::string_view behind) -> bool;
  /// Does `form` parse without an error, as a whole?
  auto parses(std::string_view form) -> bool;

 private:
  using Verdict = std::function<bool(const syntax::Tree& tree, uint32_t at)>;

  auto try_out(std::string_view keyword, std::string_view behind, const Verdict& fits) -> bool;
  void add_without_finished(const syntax::Tree& tree, const std::vector<syntax::Node>& path,
                            uint32_t end);
  [[nodiscard]] auto fits_in(const syntax::Tree& tree, uint32_t at, uint32_t size) const -> bool;
  [[nodiscard]] auto begins_line() const -> bool;

  syntax::Language language_;
  size_t n_before_;
  syntax::ParserMemory memory_;
  std::string text_;
  uint32_t at_ = 0;
};

}  // namespace tacet::ide
