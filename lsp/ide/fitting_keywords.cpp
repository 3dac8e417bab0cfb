#include "lsp/ide/fitting_keywords.h"

#include <algorithm>

#include "lsp/ide/site_trial.h"

namespace tacet::ide {

namespace {

/// A keyword, and text behind it without which the parser takes it for a name.
struct Candidate {
  std::string_view keyword;
  std::string_view behind = {};
};

constexpr Candidate kCandidates[] = {
#define TACET_PUNCTUATION(Name, text)
#define TACET_NODE(Name, text)
#define TACET_RESERVED_WORD(Name, text) {text},
#define TACET_CONTEXTUAL_WORD(Name, text) {text},
#include "compiler/core/syntax/node_kinds.def"
    {"#version 0.1.0"}, {"break", ";"}, {"continue", ";"}, {"do", " {"},
    {"for", " i in"},   {"for", " i:"}, {"party", " p"},   {"schedule", " {"},
    {"test", " \"t\""}, {"to", " p"},   {"while", " c"},
};

}  // namespace

auto fitting_keywords(const CompletionSite& site,
                      const std::function<bool(std::string_view)>& is_wanted)
    -> std::vector<std::string_view> {
  SiteTrial trial(site);
  std::vector<std::string_view> found;
  for (const Candidate& candidate : kCandidates) {
    if (is_wanted(candidate.keyword) && trial.fits(candidate.keyword, candidate.behind)) {
      found.push_back(candidate.keyword);
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace tacet::ide
