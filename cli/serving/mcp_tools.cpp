#include "cli/serving/mcp_tools.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/check.h"
#include "include/tacet.h"
#include "lsp/server/scratch_folder.h"

namespace tacet::cli {

using nlohmann::json;

namespace {

/// A mistake in the arguments, or what the library says is wrong.
struct ToolFailure {
  std::string text;
};

template <auto kFree>
struct FreedBy {
  template <class Object>
  void operator()(Object* object) const {
    kFree(object);
  }
};
using Sources = std::unique_ptr<tacet_sources, FreedBy<tacet_sources_free>>;
using Bytes = std::unique_ptr<tacet_bytes, FreedBy<tacet_bytes_free>>;
using Diagnostics = std::unique_ptr<tacet_diagnostics, FreedBy<tacet_diagnostics_free>>;
using Options = std::unique_ptr<tacet_options, FreedBy<tacet_options_free>>;
using Program = std::unique_ptr<tacet_program, FreedBy<tacet_program_free>>;

void expect(tacet_error* error) {
  if (error != nullptr) {
    ToolFailure failure{tacet_error_message(error)};
    tacet_error_free(error);
    throw failure;
  }
}

auto taken_text(tacet_bytes* bytes) -> std::string {
  const Bytes owned(bytes);
  return {static_cast<const char*>(tacet_bytes_data(bytes)), tacet_bytes_size(bytes)};
}

/// A call, with what its tool may touch.
struct Call {
  const json& arguments;
  const McpLimits& limits;
  const CancellationToken& token;

  [[nodiscard]] auto has(const char* name) const -> bool { return arguments.contains(name); }

  [[nodiscard]] auto text(const char* name) const -> std::string {
    const auto found = arguments.find(name);
    if (found == arguments.end() || !found->is_string()) {
      throw ToolFailure{fmt::format("`{}` must be given, as a string", name)};
    }
    return found->get<std::string>();
  }

  /// Empty if it is not given.
  [[nodiscard]] auto text_or_none(const char* name) const -> std::string {
    return has(name) ? text(name) : std::string();
  }
};

/// The file that a call means, below the root.
auto path_of(const Call& call) -> std::filesystem::path {
  std::error_code failed;
  const std::filesystem::path path =
      std::filesystem::weakly_canonical(call.limits.root / call.text("path"), failed);
  const auto [root_end, ignored] =
      std::mismatch(call.limits.root.begin(), call.limits.root.end(), path.begin(), path.end());
  if (failed || root_end != call.limits.root.end()) {
    throw ToolFailure{fmt::format("`{}` is not below `{}`, which this server is for",
                                  call.text("path"), call.limits.root.string())};
  }
  return path;
}

/// The program that a call is about: `text`, or the file `path`.
auto sources_of(const Call& call) -> Sources {
  tacet_sources* sources = nullptr;
  if (call.has("text")) {
    const std::string text = call.text("text");
    const std::string path =
        (call.has("path") ? path_of(call) : call.limits.root / "text.tacet").string();
    expect(tacet_sources_from_text(text.data(), text.size(), path.c_str(), &sources));
  } else if (call.has("path")) {
    expect(tacet_sources_open(path_of(call).c_str(), &sources));
  } else {
    throw ToolFailure{"give `path`, a file, or `text`, a program"};
  }
  return Sources(sources);
}

auto options_of(const Call& call) -> Options {
  Options options(tacet_options_new());
  const json given = call.arguments.value("options", json::object());
  if (!given.is_object()) {
    throw ToolFailure{"`options` must be an object of options by their names"};
  }
  for (const auto& [name, value] : given.items()) {
    const json values = value.is_array() ? value : json::array({value});
    for (const json& one : values) {
      const std::string text = one.is_string()    ? one.get<std::string>()
                               : one.is_boolean() ? std::string()
                                                  : one.dump();
      expect(tacet_options_set(options.get(), name.c_str(), text.c_str()));
    }
  }
  return options;
}

auto dumped(const json& value) -> std::string {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// The lines of JSON that reports print.
auto as_array(const char* lines) -> json {
  json array = json::array();
  std::istringstream stream{lines};
  for (std::string line; std::getline(stream, line);) {
    array.push_back(json::parse(line));
  }
  return array;
}

auto answer_of(tacet_diagnostics* diagnostics) -> McpAnswer {
  const Diagnostics owned(diagnostics);
  const std::string text = tacet_diagnostics_text(diagnostics);
  return {.text = text.empty() ? "nothing wrong" : text,
          .data = dumped({{"diagnostics", as_array(tacet_diagnostics_json(diagnostics))}})};
}

auto check(const Call& call) -> McpAnswer {
  tacet_diagnostics* found = nullptr;
  expect(tacet_check(sources_of(call).get(), nullptr, &found));
  return answer_of(found);
}

auto lint(const Call& call) -> McpAnswer {
  tacet_diagnostics* found = nullptr;
  expect(tacet_lint(sources_of(call).get(), nullptr, nullptr, &found));
  return answer_of(found);
}

auto fix(const Call& call) -> McpAnswer {
  tacet_bytes* text = nullptr;
  expect(tacet_fix(sources_of(call).get(), nullptr, &text));
  return {.text = taken_text(text)};
}

auto format(const Call& call) -> McpAnswer {
  tacet_bytes* text = nullptr;
  expect(tacet_format(sources_of(call).get(), &text));
  return {.text = taken_text(text)};
}

auto functions(const Call& call) -> McpAnswer {
  tacet_bytes* text = nullptr;
  expect(tacet_functions(sources_of(call).get(), nullptr, &text));
  std::string array = taken_text(text);
  return {.text = array, .data = dumped({{"functions", json::parse(array)}})};
}

auto explain(const Call& call) -> McpAnswer {
  tacet_bytes* text = nullptr;
  expect(tacet_explain(call.text("code").c_str(), &text));
  return {.text = taken_text(text)};
}

auto emit(const Call& call) -> McpAnswer {
  tacet_bytes* text = nullptr;
  const Options options = options_of(call);
  if (call.has("function")) {
    expect(tacet_options_set(options.get(), "fn", call.text("function").c_str()));
  }
  expect(tacet_emit(sources_of(call).get(), call.text("stage").c_str(), options.get(), nullptr,
                    &text));
  return {.text = taken_text(text)};
}

auto costs(const Call& call) -> McpAnswer {
  const std::string function = call.text_or_none("function");
  const std::string device = call.text_or_none("device");
  tacet_program* compiled = nullptr;
  expect(tacet_compile(sources_of(call).get(), function.empty() ? nullptr : function.c_str(),
                       device.empty() ? nullptr : device.c_str(), options_of(call).get(), nullptr,
                       &compiled));
  const Program program(compiled);
  tacet_bytes* table = nullptr;
  tacet_bytes* object = nullptr;
  expect(tacet_program_explain(compiled, nullptr, &table));
  std::string text = taken_text(table);
  expect(tacet_program_costs(compiled, nullptr, &object));
  return {.text = text.empty() ? "nothing is encrypted or shared"
                               : tacet_program_notes(compiled) + text,
          .data = taken_text(object)};
}

/// A program in a file that is removed with it.
class TemporaryProgram {
 public:
  explicit TemporaryProgram(const std::string& text) {
    std::string name = (std::filesystem::temp_directory_path() / "tacet-mcp-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw ToolFailure{"cannot make a folder for the program"};
    }
    folder_ = name;
    std::ofstream(path()) << text;
  }
  TemporaryProgram(const TemporaryProgram&) = delete;
  auto operator=(const TemporaryProgram&) -> TemporaryProgram& = delete;
  ~TemporaryProgram() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  [[nodiscard]] auto path() const -> std::filesystem::path { return folder_ / "text.tacet"; }

 private:
  std::filesystem::path folder_;
};

/// The words of a run. Values are JSON, so that none of them names a file, and go by files of their
/// own in `values`, since other users of the machine see command lines.
auto run_words(const Call& call, const std::filesystem::path& path,
               const lsp::ScratchFolder& values) -> std::vector<std::string> {
  std::vector<std::string> words = {call.limits.program, "run",  path.string(),
                                    "--format",          "json", "--stats"};
  const auto add = [&](const char* option, const char* argument) {
    if (call.has(argument)) {
      words.push_back(fmt::format("{}={}", option, call.text(argument)));
    }
  };
  add("--fn", "function");
  add("--device", "device");
  add("--scheme", "scheme");
  add("--protocol", "protocol");
  const json inputs = call.arguments.value("inputs", json::object());
  const json ranges = call.arguments.value("ranges", json::object());
  if (!inputs.is_object() || !ranges.is_object()) {
    throw ToolFailure{"`inputs` and `ranges` must be objects by the names of parameters"};
  }
  size_t n_files = 0;
  for (const auto& [name, value] : inputs.items()) {
    const std::string file = fmt::format("{}.json", n_files++);
    if (!values.write(file, dumped(value))) {
      throw ToolFailure{"cannot write the values for the run"};
    }
    words.push_back(fmt::format("--input={}=@{}", name, (values.path() / file).string()));
  }
  for (const auto& [name, range] : ranges.items()) {
    words.push_back(fmt::format("--range={}={}", name,
                                range.is_string() ? range.get<std::string>() : range.dump()));
  }
  return words;
}

auto run(const Call& call) -> McpAnswer {
  std::optional<TemporaryProgram> temporary;
  std::filesystem::path path;
  if (call.has("text")) {
    path = temporary.emplace(call.text("text")).path();
  } else {
    path = path_of(call);
  }
  const lsp::ScratchFolder values("tacet-mcp");
  Result<ChildOutput> ran = run_child(run_words(call, path, values), call.limits.root.string(),
                                      call.token, call.limits.run);
  if (!ran) {
    throw ToolFailure{ran.error().message};
  }
  if (ran->is_out_of_time) {
    throw ToolFailure{fmt::format("the run took more than {} s and was ended",
                                  call.limits.run.time.count() / 1000)};
  }
  if (ran->exit_code != 0) {
    throw ToolFailure{ran->errors.empty() ? fmt::format("exit code {}", ran->exit_code)
                                          : ran->errors};
  }
  return {.text = ran->errors + ran->output, .data = ran->output};
}

/// What a tool takes besides the program.
struct Parameter {
  const char* name;
  const char* type;  ///< of JSON
  const char* description;
  bool is_required = false;
};

struct Tool {
  const char* name;
  const char* description;
  bool has_program;
  std::vector<Parameter> parameters;
  McpAnswer (*call)(const Call&);
};

const Parameter kFunction = {"function", "string", "The function; may be left out if there is one"};
const Parameter kDevice = {"device", "string",
                           "`ref` (plaintext), `he` (homomorphic encryption) or `mpc` (parties on "
                           "secret shares); without it, the one that the function is written for"};
const Parameter kOptions = {"options", "object",
                            "Options of `tacet run` by their names, such as {\"scheme\": \"bfv\", "
                            "\"range\": [\"x=0..256\"]}"};

auto all_tools() -> const std::vector<Tool>& {
  static const std::vector<Tool> tools = {
      {"check",
       "Checks a Tacet program: everything wrong with it, with positions, explanations and fixes",
       true,
       {},
       check},
      {"lint",
       "Finds where secrets steer branches, loops or addresses, and what costs time",
       true,
       {},
       lint},
      {"fix", "The program after all safe fixes of the linter; no file is changed", true, {}, fix},
      {"format", "The program as the formatter lays it out; no file is changed", true, {}, format},
      {"functions", "What can be run, and for which device it is written", true, {}, functions},
      {"explain",
       "The page of a diagnostic: what it means, with a wrong and a right program",
       false,
       {{"code", "string", "A code such as `T2001`, or the name of a rule", true}},
       explain},
      {"emit",
       "The output of a stage of the compiler, such as `oblivious`, `schedule`, `circuit`, `mpc` "
       "or "
       "`dependences`",
       true,
       {{"stage", "string", "The stage", true}, kFunction, kOptions},
       emit},
      {"costs",
       "What a function is predicted to cost under encryption (rotations, products, depth, time) "
       "or "
       "between parties (rounds, bytes)",
       true,
       {kFunction, kDevice, kOptions},
       costs},
      {"run",
       "Runs a function on values, in plaintext, under encryption or by several parties on this "
       "machine; gives results and costs",
       true,
       {kFunction,
        kDevice,
        {"inputs", "object", "The values of the parameters by name, as JSON"},
        {"ranges", "object", "Ranges of parameters without bounds, such as {\"x\": \"0..256\"}"},
        {"scheme", "string", "`bfv`, `bgv`, `ckks` or `cggi`"},
        {"protocol", "string", "`aby3`, `aby3-active`, `rep4`, `semi2k` or `ref`"}},
       run},
  };
  return tools;
}

auto schema_of(const Tool& tool) -> json {
  json properties = json::object();
  json required = json::array();
  if (tool.has_program) {
    properties["path"] = {{"type", "string"}, {"description", "A file, relative to the root"}};
    properties["text"] = {{"type", "string"},
                          {"description",
                           "A program instead of a file; with `path`, as if it were "
                           "that file's content"}};
  }
  for (const Parameter& parameter : tool.parameters) {
    properties[parameter.name] = {{"type", parameter.type}, {"description", parameter.description}};
    if (parameter.is_required) {
      required.push_back(parameter.name);
    }
  }
  return {{"type", "object"}, {"properties", properties}, {"required", required}};
}

auto find_tool(const std::string& name) -> const Tool* {
  const auto& tools = all_tools();
  const auto found =
      std::find_if(tools.begin(), tools.end(), [&](const Tool& tool) { return tool.name == name; });
  return found == tools.end() ? nullptr : &*found;
}

}  // namespace

auto mcp_tools() -> json {
  json tools = json::array();
  for (const Tool& tool : all_tools()) {
    tools.push_back({{"name", tool.name},
                     {"description", tool.description},
                     {"inputSchema", schema_of(tool)},
                     {"annotations", {{"readOnlyHint", true}, {"openWorldHint", false}}}});
  }
  return tools;
}

auto is_mcp_tool(const std::string& name) -> bool {
  return find_tool(name) != nullptr;
}

auto call_mcp_tool(const std::string& name, const json& arguments, const McpLimits& limits,
                   const CancellationToken& token) -> McpAnswer {
  const Tool* tool = find_tool(name);
  TACET_CHECK(tool != nullptr, "the name was looked up");
  const CancellationScope scope(&token);  // of calls of the library
  try {
    return tool->call({arguments, limits, token});
  } catch (const ToolFailure& failure) {
    return {.text = failure.text, .is_error = true};
  }
}

}  // namespace tacet::cli
