#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/core/diagnostics/diagnostic.h"

namespace tacet {

/// The page of a diagnostic (Markdown), as in docs/diagnostics/: what it means, a
/// program that has it (a block fenced "```tacet fail") and one that does not
/// ("```tacet ok"). Empty only if the page is missing, which a test forbids.
auto explanation(DiagnosticCode code) -> std::string_view;

enum class Expectation : uint8_t { Fails, Passes };

/// A program printed on a page.
struct PageProgram {
  Expectation expectation = Expectation::Passes;
  uint32_t line = 0;  ///< of the program's first line in the page, from one
  std::string text;
};

/// `text` with `\xNN` replaced by that byte and `\{N:text}` by `text` N times: how
/// programs that cannot be printed are written down.
auto expand_escapes(std::string_view text) -> std::string;

/// The programs of a page, in order, for the test that runs them. In blocks fenced
/// "```tacet fail escapes" escapes are expanded.
auto page_programs(std::string_view page) -> std::vector<PageProgram>;

}  // namespace tacet
