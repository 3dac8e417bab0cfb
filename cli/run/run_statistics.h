#pragma once

#include <string>

#include "cli/run/run_report.h"

namespace tacet::cli {

/// A table for people, behind an empty line.
auto statistics_table(const RunStatistics& statistics) -> std::string;

/// One JSON object. The keys are those of the page of the command line.
auto statistics_as_json(const RunStatistics& statistics) -> std::string;

}  // namespace tacet::cli
