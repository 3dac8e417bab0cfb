#include "playground/run_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

namespace tacet::playground {

using nlohmann::json;

namespace {

constexpr size_t kMostInputs = 64;

auto is_word(std::string_view text) -> bool {
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

auto is_file_name(std::string_view name) -> bool {
  const size_t dot = name.rfind('.');
  return dot != std::string_view::npos && is_word(name.substr(0, dot)) &&
         (name.substr(dot) == ".tacet" || name.substr(dot) == ".tlhe");
}

/// A text of `json`, which may be missing; nothing if it is something else.
auto text_of_field(const json& from, const char* member) -> std::optional<std::string> {
  const auto found = from.find(member);
  if (found == from.end() || found->is_null()) {
    return std::string();
  }
  return found->is_string() ? std::optional(found->get<std::string>()) : std::nullopt;
}

/// Blanks in front would not keep `@` from naming a file.
auto names_file(std::string_view value) -> bool {
  const size_t begin = value.find_first_not_of(" \t\r\n");
  return begin != std::string_view::npos && value[begin] == '@' && value != "@random";
}

auto check(const RunRequest& request) -> Status {
  if (!is_file_name(request.name)) {
    return Error{"`name` must be a word followed by `.tacet` or `.tlhe`"};
  }
  if (request.device != "ref" && request.device != "he" && request.device != "mpc") {
    return Error{"`device` must be `ref`, `he` or `mpc`"};
  }
  if (!request.protocol.empty() && !is_word(request.protocol)) {
    return Error{"`protocol` must be a word"};
  }
  if (!request.seed.empty() && !is_word(request.seed)) {
    return Error{"`seed` must be a hexadecimal number"};
  }
  for (const std::string& name : {request.pipeline, request.function}) {
    if (!name.empty() && !is_word(name)) {
      return Error{"`fn` and `pipeline` must be names"};
    }
  }
  for (const auto& [name, value] : request.inputs) {
    if (!is_word(name)) {
      return Error{"`inputs` contains an invalid name"};
    }
    if (names_file(value)) {
      return Error{fmt::format(
          "`{}`: the playground does not read files; enter the value or `@random`", name)};
    }
  }
  return std::monostate{};
}

auto read_inputs(const json& from, RunRequest& request) -> bool {
  const auto inputs = from.find("inputs");
  if (inputs == from.end()) {
    return true;
  }
  if (!inputs->is_object() || inputs->size() > kMostInputs) {
    return false;
  }
  for (const auto& [name, value] : inputs->items()) {
    if (!value.is_string()) {
      return false;
    }
    request.inputs.emplace_back(name, value.get<std::string>());
  }
  return true;
}

auto read_ranges(const json& from, RunRequest& request) -> bool {
  const auto ranges = from.find("ranges");
  if (ranges == from.end()) {
    return true;
  }
  if (!ranges->is_array() || ranges->size() > kMostInputs) {
    return false;
  }
  for (const json& range : *ranges) {
    if (!range.is_string() || range.get_ref<const std::string&>().starts_with('-')) {
      return false;
    }
    request.ranges.push_back(range.get<std::string>());
  }
  return true;
}

}  // namespace

auto decode_run_request(std::string_view text) -> Result<RunRequest> {
  const json from = json::parse(text, nullptr, false);
  if (!from.is_object()) {
    return Error{"the request must be a JSON object"};
  }
  RunRequest request;
  const std::pair<const char*, std::string RunRequest::*> members[] = {
      {"name", &RunRequest::name},     {"text", &RunRequest::text},
      {"device", &RunRequest::device}, {"pipeline", &RunRequest::pipeline},
      {"fn", &RunRequest::function},   {"protocol", &RunRequest::protocol},
      {"seed", &RunRequest::seed},
  };
  for (const auto& [name, member] : members) {
    auto value = text_of_field(from, name);
    if (!value) {
      return Error{fmt::format("`{}` must be a string", name)};
    }
    request.*member = std::move(*value);
  }
  if (!read_inputs(from, request)) {
    return Error{"`inputs` must be an object of strings"};
  }
  if (!read_ranges(from, request)) {
    return Error{"`ranges` must be a list of strings NAME=LO..HI"};
  }
  if (Status good = check(request); !good) {
    return good.error();
  }
  return request;
}

auto input_file(const RunRequest& request, size_t input) -> std::string {
  return request.inputs[input].second.starts_with('@') ? std::string()
                                                       : fmt::format("input-{}.json", input);
}

auto run_arguments(const RunRequest& request, uint64_t memory_mib, const std::string& trace)
    -> std::vector<std::string> {
  std::vector<std::string> all = {"run",          request.name,     "--device",
                                  request.device, "--stats",        "--format",
                                  "json",         "--memory-limit", std::to_string(memory_mib)};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) {
      all.insert(all.end(), {option, value});
    }
  };
  add("--pipeline", request.pipeline);
  add("--fn", request.function);
  add("--seed", request.seed);
  if (request.device == "mpc") {
    all.emplace_back("--in-process");
    add("--protocol", request.protocol);
    add("--trace", trace);
  }
  for (size_t i = 0; i < request.inputs.size(); ++i) {
    const auto& [name, value] = request.inputs[i];
    const std::string file = input_file(request, i);
    all.insert(all.end(),
               {"--input", fmt::format("{}={}", name, file.empty() ? value : "@" + file)});
  }
  for (const std::string& range : request.ranges) {
    all.insert(all.end(), {"--range", range});
  }
  if (request.device == "he") {
    // The requester has given all numbers to this machine already.
    all.emplace_back("--range-from-data");
  }
  return all;
}

}  // namespace tacet::playground
