#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/cancellation.h"
#include "base/child_process.h"

namespace tacet::cli {

/// What the tools may touch.
struct McpLimits {
  std::filesystem::path root;  ///< files are read below it alone; canonical
  std::string program;         ///< the path of `tacet`, which runs what is to run
  ChildLimits run;             ///< of a run
};

/// What a tool answers: a text for the reader, and the same as data if there is any.
struct McpAnswer {
  std::string text;
  std::string data{};  ///< empty, or an object in JSON
  bool is_error = false;
};

/// The tools and what they take: `tools` of `tools/list`.
auto mcp_tools() -> nlohmann::json;

/// Whether there is a tool of this name.
auto is_mcp_tool(const std::string& name) -> bool;

/// Calls a tool. What is wrong with the arguments or the program is an answer, too.
auto call_mcp_tool(const std::string& name, const nlohmann::json& arguments,
                   const McpLimits& limits, const CancellationToken& token) -> McpAnswer;

}  // namespace tacet::cli
