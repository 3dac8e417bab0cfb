#pragma once

#include <string>
#include <vector>

#include "cli/explore/candidates.h"
#include "cli/explore/trials.h"
#include "project/explore_file.h"

/// What `tacet explore` says of candidates and measurements.
namespace tacet::cli {

/// Of measurements on a terminal this many are printed, the fastest ones.
inline constexpr size_t kMostShown = 24;

/// What is chosen, `sums` or `pipeline main`, with its parameters.
auto head_text(const Candidates& found) -> std::string;

/// All candidates, and what is none, and why.
auto list_text(const Candidates& found) -> std::string;

/// What was measured, the fastest first.
auto trials_text(const Candidates& found, const std::vector<Trial>& trials) -> std::string;

/// The same, or without trials the candidates, as a JSON object on one line.
auto report_json(const Candidates& found, const std::vector<Trial>& trials) -> std::string;

/// What was chosen before, and from what.
auto explanation_text(const program::ExploredChoice& choice) -> Result<std::string>;

/// `best` of `trials` as a file has it that is committed: without any value.
auto choice_of(const Candidates& found, const std::vector<Trial>& trials, const Trial& best,
               const std::string& file, const Links& links) -> program::ExploredChoice;

/// Time against bytes, as SVG: what was measured, with the front.
auto front_picture_of(const Candidates& found, const std::vector<Trial>& trials) -> std::string;

}  // namespace tacet::cli
