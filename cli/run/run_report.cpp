#include "cli/run/run_report.h"

#include <fmt/format.h>

#include "cli/report.h"
#include "cli/run/run_statistics.h"
#include "cli/values/result_file.h"
#include "cli/values/value_as_json.h"

namespace tacet::cli {

using interpret::EntryResult;
using interpret::Value;

void print_run_diagnostics(std::span<const Diagnostic> diagnostics, SourceSet& sources,
                           const RunOptions& options, Invocation& invocation) {
  print_diagnostics(diagnostics, sources,
                    options.format == RunFormat::Json ? Format::Json : Format::Human,
                    invocation.err, invocation.err_terminal);
}

auto results_for_people(const std::vector<EntryResult>& results, const std::vector<Value>& values,
                        const RunStatistics* statistics) -> std::string {
  std::string text;
  for (size_t i = 0; i < values.size(); ++i) {
    text += fmt::format("{} = {}\n", results[i].name, interpret::value_text(values[i]));
  }
  return statistics == nullptr ? text : text + statistics_table(*statistics);
}

auto results_as_json(const std::vector<EntryResult>& results, const std::vector<Value>& values,
                     const RunStatistics* statistics) -> std::string {
  std::string text = R"({"results":[)";
  for (size_t i = 0; i < values.size(); ++i) {
    // Names and types are words of Tacet: nothing in them needs escaping.
    text += fmt::format(R"({}{{"name":"{}","type":"{}","value":)", i == 0 ? "" : ",",
                        results[i].name, interpret::type_text(results[i].type, results[i].shape));
    text += value_as_json(values[i]) + '}';
  }
  text += ']';
  if (statistics != nullptr) {
    text += R"(,"stats":)" + statistics_as_json(*statistics);
  }
  return text + "}\n";
}

auto deliver_results(const std::vector<EntryResult>& results, const std::vector<Value>& values,
                     const RunOptions& options, const RunStatistics& statistics,
                     Invocation& invocation) -> ExitCode {
  const RunStatistics* const shown = options.wants_statistics ? &statistics : nullptr;
  const auto text = options.format == RunFormat::Json ? results_as_json : results_for_people;
  if (options.output.empty() || results.empty()) {
    invocation.out.write(text(results, values, shown));
    return ExitCode::Done;
  }
  if (const Status written = write_result_file(options.output, results, values); !written) {
    invocation.error(written.error().message);
    return ExitCode::Failed;
  }
  invocation.err.write(fmt::format("tacet: wrote {}\n", options.output));
  if (shown != nullptr) {
    invocation.out.write(text({}, {}, shown));
  }
  return ExitCode::Done;
}

}  // namespace tacet::cli
