#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/run/emit_stage.h"
#include "interface/errors.h"
#include "interface/options.h"
#include "interface/quiet.h"

using namespace tacet;
using namespace tacet::interface;

/// Why these words cannot be run in a program that is not `tacet`; empty if they can.
static auto refusal_of(const std::vector<std::string>& words) -> std::string {
  for (const std::string& word : words) {
    if (word == "-" || word == "@-" || word.ends_with("=@-")) {
      return fmt::format("`{}`: the library has no standard input", word);
    }
  }
  if (!words.empty() && (words.front() == "lsp" || words.front() == "playground")) {
    return fmt::format("`{}` serves until it is stopped; start the program `tacet` for it",
                       words.front());
  }
  return {};
}

tacet_error* tacet_command(const char* const* arguments, size_t n_arguments,
                           const tacet_control* control, tacet_bytes** out, tacet_bytes** err,
                           int* exit_code) {
  return guarded(control, [&](const Listener& /*listener*/) -> tacet_error* {
    const std::vector<std::string> words(arguments, arguments + n_arguments);
    if (const std::string refusal = refusal_of(words); !refusal.empty()) {
      return error_of(TACET_USAGE, refusal);
    }
    std::string out_text, err_text;
    cli::ExitCode code{};
    {
      cli::Output to_out(out_text), to_err(err_text);
      code = cli::run_command_line(words, cli::library_commands(), to_out, to_err);
    }
    stop_if_cancelled();
    *out = bytes_of(std::move(out_text));
    *err = bytes_of(std::move(err_text));
    *exit_code = static_cast<int>(code);
    return nullptr;
  });
}

tacet_error* tacet_emit(const tacet_sources* sources, const char* stage,
                        const tacet_options* options, const tacet_control* control,
                        tacet_bytes** text) {
  return guarded(control, [&](const Listener& listener) -> tacet_error* {
    static constexpr std::string_view kAllowed[] = {
        "fn",    "size",   "scheme", "security", "costs",   "relinearise", "sums",
        "range", "within", "link",   "unhidden", "threads", "failure"};
    const std::vector<std::string>& stages = cli::stage_names();
    if (std::find(stages.begin(), stages.end(), stage) == stages.end()) {
      return error_of(TACET_USAGE,
                      fmt::format("no stage `{}`; there are {}", stage, fmt::join(stages, ", ")));
    }
    Result<cli::RunOptions> run = run_options_of(options, kAllowed);
    if (!run) {
      return error_of(TACET_USAGE, run.error());
    }
    QuietInvocation quiet(listener);
    const auto lock = locked(*sources->sources);
    const cli::LoadedFile& file = sources->sources->file;
    run->file = file.shown;
    if (cli::emit_stage(stage, file, *run, quiet.get()) != cli::ExitCode::Done) {
      return error_of(TACET_REJECTED, quiet.message());
    }
    stop_if_cancelled();
    *text = bytes_of(quiet.out());
    return nullptr;
  });
}
