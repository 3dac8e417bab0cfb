#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/choice_option.h"
#include "cli/commands/commands.h"
#include "cli/input_paths.h"
#include "cli/report.h"
#include "cli/run/core_dumps.h"
#include "cli/run/extern_libraries.h"
#include "cli/run/run_target.h"
#include "cli/run/run_test_item.h"
#include "cli/thread_executor.h"
#include "cli/workspace_defaults.h"

namespace tacet::cli {

namespace {

enum class Devices : uint8_t { All, Ref, He, Mpc };

struct TestOptions {
  std::vector<std::string> paths;
  std::string filter;
  Devices devices = Devices::All;
  RunFormat format = RunFormat::Human;
  std::vector<std::string> extern_libraries;
  RunOptions run;
};

/// Everything that `tacet test` does, from file to file.
struct TestSession {
  const TestOptions& options;
  const ExternLibraries& libraries;
  engine::PublicRandomKey random_key;
  Invocation& invocation;
  size_t n_passed = 0;
  size_t n_failed = 0;
  size_t n_broken = 0;  ///< files with tests that cannot run
};

/// A file with its tests, ready to run.
struct TestFile {
  program::Frontend frontend{};
  SourceSet sources{};
  LoadedProgram program{};
};

}  // namespace

static auto devices_of(Devices devices) -> std::vector<TestDevice> {
  switch (devices) {
    case Devices::All:
      return {TestDevice::Ref, TestDevice::He, TestDevice::Mpc};
    case Devices::Ref:
      return {TestDevice::Ref};
    case Devices::He:
      return {TestDevice::He};
    case Devices::Mpc:
      return {TestDevice::Mpc};
  }
  return {};
}

/// The name of a test without its quotes.
static auto name_of(const program::FrontendSnapshot& snapshot, names::ItemId test) -> std::string {
  const std::string_view text = snapshot.interner().text(snapshot.item_key(test).name);
  const bool is_quoted = text.size() > 1 && text.front() == '"' && text.back() == '"';
  return std::string(is_quoted ? text.substr(1, text.size() - 2) : text);
}

/// The tests of the file whose names have the text of `--filter`.
static auto tests_of(const program::FrontendSnapshot& snapshot, FileId file,
                     const std::string& filter) -> std::vector<names::ItemId> {
  std::vector<names::ItemId> tests;
  for (const names::FileItem& item : snapshot.items(file)->items) {
    if (item.kind == names::ItemKind::Test &&
        name_of(snapshot, item.id).find(filter) != std::string::npos) {
      tests.push_back(item.id);
    }
  }
  return tests;
}

static auto json_position(const SourceView& view, uint32_t offset) -> nlohmann::ordered_json {
  const LineColumn at = view.lines->position(view.text, offset, PositionEncoding::Utf16);
  return {{"line", at.line}, {"character", at.column}};
}

static void print_json(const TestOutcome& outcome, const SourceView& view, TextRange range,
                       const std::string& name, TestDevice device, Invocation& invocation) {
  std::string message = outcome.message;
  for (const Diagnostic& diagnostic : outcome.diagnostics) {
    message += (message.empty() ? "" : "\n") + diagnostic.message;
  }
  nlohmann::ordered_json json = {
      {"file", view.path},
      {"test", name},
      {"device", device_name(device)},
      {"outcome", outcome.is_passed ? "passed" : "failed"},
      {"range",
       {{"start", json_position(view, range.begin)}, {"end", json_position(view, range.end)}}},
      {"seconds", outcome.seconds}};
  if (!outcome.is_passed) {
    json["message"] = message;
  }
  invocation.out.write(json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
                       "\n");
}

static void print_for_people(const TestOutcome& outcome, TestFile& file, FileRange place,
                             const std::string& name, TestDevice device, Invocation& invocation) {
  const bool has_colour = invocation.out_terminal.colour == Colour::Always;
  std::string word = outcome.is_passed ? "passed" : "FAILED";
  if (has_colour) {
    word = fmt::format("\x1b[1;{}m{}\x1b[0m", outcome.is_passed ? "32" : "31", word);
  }
  std::string text = fmt::format("{}  {:<3}  {}: {}\n", word, device_name(device),
                                 file.sources.position_text(place), name);
  std::string_view message = outcome.message;
  while (!message.empty()) {
    const size_t end = std::min(message.find('\n'), message.size());
    text += fmt::format("        {}\n", message.substr(0, end));
    message.remove_prefix(std::min(end + 1, message.size()));
  }
  invocation.out.write(text);
  print_diagnostics(outcome.diagnostics, file.sources, Format::Human, invocation.out,
                    invocation.out_terminal);
  invocation.out.flush();
}

static void run_tests(TestSession& session, TestFile& file,
                      const program::FrontendSnapshot& snapshot,
                      const std::vector<names::ItemId>& tests, const TestSetting& setting) {
  for (const names::ItemId test : tests) {
    const FileRange place = snapshot.name_place(test);
    const std::string name = name_of(snapshot, test);
    for (const TestDevice device : devices_of(session.options.devices)) {
      const std::optional<TestOutcome> outcome = run_test(snapshot, test, device, setting);
      if (!outcome) {
        continue;
      }
      ++(outcome->is_passed ? session.n_passed : session.n_failed);
      if (session.options.format == RunFormat::Json) {
        print_json(*outcome, file.sources.view(place.file), place.range, name, device,
                   session.invocation);
      } else {
        print_for_people(*outcome, file, place, name, device, session.invocation);
      }
    }
  }
}

/// An error is one of the file or of what surrounds it.
static auto test_file(TestSession& session, const LoadedFile& loaded) -> Status {
  TestFile file;
  Result<LoadedProgram> program = load_program(loaded, file.frontend, file.sources);
  if (!program) {
    return program.error();
  }
  const program::FrontendSnapshot snapshot = file.frontend.snapshot();
  const std::vector<names::ItemId> tests =
      tests_of(snapshot, program->file, session.options.filter);
  if (tests.empty()) {
    return std::monostate();
  }
  const auto print = [&](std::span<const Diagnostic> found) {
    print_diagnostics(found, file.sources,
                      session.options.format == RunFormat::Json ? Format::Json : Format::Human,
                      session.invocation.err, session.invocation.err_terminal);
  };
  if (!check_program(snapshot, *program, print)) {
    ++session.n_broken;
    return std::monostate();
  }
  Result<HostFunctions> externs =
      session.libraries.functions(extern_names(snapshot, program->files));
  if (!externs) {
    return externs.error();
  }
  RunOptions options = session.options.run;
  options.file = loaded.absolute;
  Result<RunOptions> completed = with_workspace_defaults(options);
  if (!completed) {
    return completed.error();
  }
  run_tests(session, file, snapshot, tests,
            {.sources = file.sources,
             .options = *completed,
             .externs = *externs,
             .random_key = session.random_key,
             .invocation = session.invocation});
  return std::monostate();
}

static void print_test_summary(const TestSession& session) {
  if (session.options.format == RunFormat::Json) {
    return;
  }
  std::string text = session.n_passed + session.n_failed + session.n_broken == 0
                         ? "no tests"
                         : fmt::format("{} passed, {} failed", session.n_passed, session.n_failed);
  if (session.n_broken > 0) {
    text += fmt::format("; {} not run because of errors", counted(session.n_broken, "file"));
  }
  session.invocation.out.flush();
  session.invocation.err.write(text + "\n");
}

static auto test(const TestOptions& options, Invocation& invocation) -> ExitCode {
  ExternLibraries libraries;
  for (const std::string& path : options.extern_libraries) {
    if (Status loaded = libraries.load(path); !loaded) {
      invocation.error(loaded.error().message);
      return ExitCode::Usage;
    }
  }
  // Tests draw the same numbers in every run.
  const std::optional<engine::PublicRandomKey> key =
      options.run.seed.empty() ? engine::PublicRandomKey{}
                               : engine::parse_random_key(options.run.seed);
  if (!key) {
    invocation.error(fmt::format("`--seed {}`: expected a hexadecimal number of at most 64 digits",
                                 options.run.seed));
    return ExitCode::Usage;
  }
  Result<std::vector<std::string>> paths = input_paths(options.paths, invocation);
  if (!paths) {
    invocation.error(paths.error().message);
    return ExitCode::Failed;
  }
  ThreadExecutor threads(thread_count(0));
  const LoadedFiles loaded = load_paths(*paths, {}, threads);
  report_unread(loaded, invocation);
  TestSession session{
      .options = options, .libraries = libraries, .random_key = *key, .invocation = invocation};
  bool is_wrong = !loaded.errors.empty();
  for (const LoadedFile& file : loaded.files) {
    if (Status done = test_file(session, file); !done) {
      invocation.error(fmt::format("{}: {}", file.shown, done.error().message));
      is_wrong = true;
    }
  }
  print_test_summary(session);
  is_wrong |= session.n_failed + session.n_broken > 0;
  return is_wrong ? ExitCode::Failed : ExitCode::Done;
}

static auto declare_test(CLI::App& app) -> Action {
  auto options = std::make_shared<TestOptions>();
  app.add_option("paths", options->paths,
                 "Files or folders (default: the workspace that contains the current folder)")
      ->type_name("PATH");
  add_choice(app, "--device", {"all", "ref", "he", "mpc"},
             "Where to run tests: ref in plaintext, he under homomorphic encryption, mpc by "
             "several parties; all runs each test wherever it can",
             &options->devices);
  app.add_option("--filter", options->filter, "Run only the tests whose names contain this text")
      ->type_name("TEXT");
  app.add_option("--extern", options->extern_libraries, "A shared object with extern functions")
      ->type_name("LIB.so")
      ->allow_extra_args(false);
  app.add_option("--seed", options->run.seed,
                 "The key of the random draws, up to 64 hexadecimal digits (default: 0)")
      ->type_name("HEX");
  add_choice(app, "--scheme", {"auto", "bfv", "bgv", "ckks", "cggi"}, "The encryption scheme of he",
             &options->run.scheme);
  add_choice(app, "--protocol", {"ref", "semi2k", "aby3", "rep4", "aby3-active"},
             "The protocol of mpc (default: from tacet.toml, or aby3)", [options](size_t protocol) {
               options->run.protocol = static_cast<RunProtocol>(protocol);
               options->run.names_protocol = true;
             });
  add_choice(app, "--format", {"human", "json"}, "How to print results and diagnostics",
             &options->format);
  return [options](Invocation& invocation) {
    forbid_core_dumps();
    return test(*options, invocation);
  };
}

auto test_command() -> Command {
  Command command;
  command.name = "test";
  command.summary = "run the tests of files, folders or the workspace";
  command.examples =
      "tacet test                          the workspace around the current folder\n"
      "tacet test examples/tests.tacet     a file, on each device that its tests use\n"
      "tacet test --device ref --filter sum";
  command.details =
      "A test is an item `test \"name\" { … }`. It passes if its block yields `true`, or true for "
      "every element, or yields nothing and runs to its end. Every test runs in plaintext; on he "
      "and mpc, it runs there the functions of that device that it calls, and the first function "
      "on that device of each class and specification that it calls. With --format json, each "
      "line is an object with `file`, `test`, `device`, `outcome` (`passed` or `failed`), "
      "`range`, `seconds` and, of a failure, `message`. The exit code is 1 if a test fails or a "
      "file with tests has errors.";
  command.declare = declare_test;
  return command;
}

}  // namespace tacet::cli
