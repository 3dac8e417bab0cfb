#include "debugger/server/read_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "compiler/core/diagnostics/closest_name.h"

namespace tacet::debugger {

/// The text of a value on the command line: `@FILE` and `@random` as they are, else JSON.
static auto value_text(const Json& value) -> std::string {
  if (value.is_string() && value.get_ref<const std::string&>().starts_with('@')) {
    return value.get<std::string>();
  }
  return lsp::to_text(value);
}

/// `{"NAME": value}`, `@FILE`, `@random`, or a list of `NAME=VALUE` and `@FILE`.
static void read_inputs(const Json& given, ArgumentReader& reader, LaunchRequest& request) {
  if (given.is_null()) {
    return;
  }
  if (given.is_object()) {
    for (const auto& [name, value] : given.items()) {
      request.inputs.push_back(fmt::format("{}={}", name, value_text(value)));
    }
    return;
  }
  const Json list = given.is_array() ? given : Json::array({given});
  for (const Json& one : list) {
    if (!one.is_string()) {
      reader.fail("`inputs` must be an object, `@FILE`, `@random`, or a list of NAME=VALUE");
    } else if (one == "@random") {
      request.are_others_random = true;
    } else {
      request.inputs.push_back(one.get<std::string>());
    }
  }
}

static void read_values(const Json& given, ArgumentReader& reader, LaunchRequest& request) {
  if (given.is_object() || given.is_string()) {
    read_inputs(given, reader, request);
    return;
  }
  if (!given.is_array() && !given.is_null()) {
    reader.fail("`values` must be an array, an object, `@FILE` or `@random`");
    return;
  }
  for (const Json& value : given) {
    request.values.push_back(value_text(value));
  }
}

static auto is_known(std::string_view name) -> bool {
  static constexpr std::string_view kNames[] = {"program",
                                                "function",
                                                "pipeline",
                                                "values",
                                                "inputs",
                                                "sizes",
                                                "externs",
                                                "seed",
                                                "cwd",
                                                "memoryLimit",
                                                "noDebug",
                                                "stopOnEntry",
                                                "hideSecrets",
                                                "name",
                                                "type",
                                                "request",
                                                "trace",
                                                "restart",
                                                "console",
                                                "preLaunchTask",
                                                "postDebugTask",
                                                "internalConsoleOptions",
                                                "presentation",
                                                "debugServer",
                                                "serverReadyAction",
                                                "suppressMultipleSessionWarning",
                                                "command",
                                                "modes",
                                                "port",
                                                "host",
                                                "configuration",
                                                "timeout",
                                                "compile",
                                                "ensure",
                                                "fn",
                                                "command-cwd",
                                                "command-args"};
  return name.starts_with("_") || name.starts_with(":") ||
         std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

/// A word that is near one of ours is a mistake; others are a client's own.
static auto mistake_in(const Json& arguments) -> std::string {
  static const std::vector<std::string_view> kOwn = {
      "program", "function", "pipeline",    "values",  "inputs",      "sizes",      "externs",
      "seed",    "cwd",      "memoryLimit", "noDebug", "stopOnEntry", "hideSecrets"};
  for (const auto& [name, value] : arguments.items()) {
    if (is_known(name)) {
      continue;
    }
    if (const auto meant = closest_name(name, kOwn)) {
      return fmt::format("no launch option `{}`; did you mean `{}`?", name, *meant);
    }
  }
  return {};
}

auto read_launch(const Json& arguments) -> Result<LaunchRequest> {
  if (std::string mistake = mistake_in(arguments); !mistake.empty()) {
    return Error{std::move(mistake)};
  }
  ArgumentReader reader(arguments);
  LaunchRequest request;
  request.program = reader.text("program");
  request.folder = reader.text("cwd");
  request.function = reader.text("function");
  request.pipeline = reader.text("pipeline");
  request.seed = reader.text("seed");
  request.memory_limit_mib =
      static_cast<uint64_t>(reader.number("memoryLimit", 0, 1, int64_t{1} << 30));
  request.is_debugged = !reader.flag("noDebug", false);
  request.stops_on_entry = reader.flag("stopOnEntry", false);
  request.secrets = reader.flag("hideSecrets", false) ? SecretValues::Hidden : SecretValues::Shown;
  read_values(reader.any("values"), reader, request);
  read_inputs(reader.any("inputs"), reader, request);
  for (const auto& [name, size] : reader.object("sizes").items()) {
    request.sizes.push_back(
        fmt::format("{}={}", name, size.is_string() ? size.get<std::string>() : size.dump()));
  }
  for (const Json& library : reader.list("externs")) {
    if (!library.is_string()) {
      reader.fail("`externs` must be a list of files");
    } else {
      request.externs.push_back(library.get<std::string>());
    }
  }
  if (request.program.empty()) {
    reader.fail("`program` is missing: the file to debug");
  }
  if (!request.function.empty() && !request.pipeline.empty()) {
    reader.fail("`function` and `pipeline` exclude each other");
  }
  for (const std::vector<std::string>* given : {&request.values, &request.inputs}) {
    for (const std::string& text : *given) {
      if (text == "@-" || text.ends_with("=@-")) {
        reader.fail("`@-` is not available: standard input belongs to the protocol");
      }
    }
  }
  if (!reader.error().empty()) {
    return Error{reader.error()};
  }
  return request;
}

}  // namespace tacet::debugger
