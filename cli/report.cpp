#include "cli/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/choice_option.h"
#include "cli/version_info.h"
#include "compiler/core/diagnostics/render.h"

namespace tacet::cli {

void add_format_option(CLI::App& app, Format* format) {
  add_choice(app, "--format", {"human", "short", "json", "sarif", "github"},
             "How to print diagnostics: with source excerpts; one per line; one JSON object per "
             "line, with LSP positions; SARIF 2.1.0; GitHub workflow commands",
             format);
}

static auto render_one(const Diagnostic& diagnostic, const SourceLookup& lookup, Format format,
                       const HumanOptions& options) -> std::string {
  switch (format) {
    case Format::Human:
      return render_human(diagnostic, lookup, options) + "\n";
    case Format::Short:
      return render_short(diagnostic, lookup);
    case Format::Json:
      return render_json(diagnostic, lookup);
    case Format::Github:
      return render_github(diagnostic, lookup);
    case Format::Sarif:
      return "";
  }
  return "";
}

/// How many reports are held in memory until they are written.
static constexpr size_t kBatch = 4096;
/// How many one thread renders in a row.
static constexpr size_t kPiece = 64;

void print_diagnostics(std::span<const Diagnostic> diagnostics, SourceSet& sources, Format format,
                       Output& out, const Terminal& terminal, Executor& executor) {
  SourceLookup lookup = sources.lookup();
  if (format == Format::Sarif) {
    out.write(render_sarif(diagnostics, lookup, {"tacet", kVersion}));
    return;
  }
  sources.count_lines(diagnostics);
  const HumanOptions options = {terminal.colour, terminal.width};
  while (!diagnostics.empty() && out.error() == 0) {
    const auto batch = diagnostics.first(std::min(diagnostics.size(), kBatch));
    diagnostics = diagnostics.subspan(batch.size());
    std::vector<std::string> texts((batch.size() + kPiece - 1) / kPiece);
    executor.for_each(texts.size(), [&](size_t i) {
      const size_t begin = i * kPiece;
      for (const Diagnostic& diagnostic :
           batch.subspan(begin, std::min(kPiece, batch.size() - begin))) {
        texts[i] += render_one(diagnostic, lookup, format, options);
      }
    });
    for (const std::string& text : texts) {
      out.write(text);
    }
  }
}

void print_diagnostics(std::span<const Diagnostic> diagnostics, SourceSet& sources, Format format,
                       Output& out, const Terminal& terminal) {
  SequentialExecutor executor;
  print_diagnostics(diagnostics, sources, format, out, terminal, executor);
}

void report_unread(const LoadedFiles& loaded, Invocation& invocation) {
  for (const std::string& remark : loaded.remarks) {
    invocation.warning(remark);
  }
  for (const std::string& error : loaded.errors) {
    invocation.error(error);
  }
}

auto load_or_report(const std::string& path, const std::string& stdin_filepath,
                    Invocation& invocation) -> std::optional<LoadedFile> {
  LoadedFiles loaded = load_file(path, stdin_filepath);
  report_unread(loaded, invocation);
  return loaded.files.empty() ? std::nullopt : std::optional(std::move(loaded.files.front()));
}

void Tally::add(std::span<const Diagnostic> diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics) {
    switch (diagnostic.severity) {
      case Severity::Error:
        ++n_errors;
        break;
      case Severity::Warning:
        ++n_warnings;
        break;
      case Severity::Information:
      case Severity::Hint:
        ++n_others;
        break;
    }
  }
}

auto counted(size_t n, std::string_view noun) -> std::string {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

auto tally_text(const Tally& tally) -> std::string {
  std::string text;
  auto add = [&](size_t n, std::string_view noun) {
    if (n > 0) {
      text += (text.empty() ? "" : ", ") + counted(n, noun);
    }
  };
  add(tally.n_errors, "error");
  add(tally.n_warnings, "warning");
  add(tally.n_others, "remark");
  return text.empty() ? "no problems found" : text;
}

}  // namespace tacet::cli
