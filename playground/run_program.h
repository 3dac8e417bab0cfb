#pragma once

#include <string>

#include "base/cancellation.h"
#include "playground/limits.h"
#include "playground/run_request.h"

namespace tacet::playground {

/// Runs a program with `tacet run`, a process of its own at the path `program`, in a folder of its
/// own, within the limits, and reports in JSON how it ended:
///
/// `{"outcome": "done", "seconds": 0.12, "results": […], "stats": {…}, "remarks": "…",
///   "timeline": "<svg …"}`
///
/// `outcome` is `done`, `failed` (the program is wrong, or its inputs), `time`, `memory`, `output`,
/// `crashed` or `stopped`; all but the first have a `message` instead of results. Blocks until the
/// end; `token` kills the process.
auto run_program(const RunRequest& request, const std::string& program, const Limits& limits,
                 const CancellationToken& token) -> std::string;

}  // namespace tacet::playground
