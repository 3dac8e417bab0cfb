#include "debugger/session/evaluator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/run/interpret/failure_diagnostic.h"
#include "compiler/run/interpret/type_layout.h"

namespace tacet::debugger {

/// Expressions take no longer than this many instructions: a second or so.
static constexpr uint64_t kMostInstructions = 50'000'000;
/// Of compiled expressions; with more, all are compiled anew.
static constexpr size_t kMostCompiled = 256;

static constexpr std::string_view kFunction = "debugger_expression";
static constexpr std::string_view kResult = "debugger_result";

static auto is_word(char c) -> bool {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static auto mentions(std::string_view expression, std::string_view name) -> bool {
  for (size_t at = 0; (at = expression.find(name, at)) != std::string_view::npos; ++at) {
    const size_t end = at + name.size();
    if ((at == 0 || !is_word(expression[at - 1])) &&
        (end == expression.size() || !is_word(expression[end]))) {
      return true;
    }
  }
  return false;
}

/// What a reference refers to is passed instead of it.
static auto passed_value(const VisibleVariable& variable, const Values& values) -> ValueNode {
  const bool is_reference = values.types()[variable.value.type].kind == types::TypeKind::Reference;
  return is_reference && !variable.value.kept ? values.fields(variable.value).front().value
                                              : variable.value;
}

auto Evaluator::compile(const std::string& text, FileId file, const std::string& item) -> Compiled {
  Compiled result;
  program::Frontend& frontend = *debuggee_.frontend;
  auto [original, is_new] = texts_.try_emplace(file.index);
  if (is_new) {
    original->second = frontend.text(file);
  }
  const auto begin = static_cast<uint32_t>(original->second->size());
  const std::string path = frontend.path(file);
  frontend.set_file(path, *original->second + text);
  {
    const program::FrontendSnapshot snapshot = frontend.snapshot();
    for (const Diagnostic& found : snapshot.diagnostics(file, program::Until::Types)) {
      if (found.severity == Severity::Error && found.place.range.begin >= begin &&
          found.code != DiagnosticCode::T1011) {
        result.problem = found.message;
        break;
      }
    }
    const names::ItemId found = snapshot.find(file, names::Namespace::Callable, item);
    if (result.problem.empty() && !found.has_value()) {
      result.problem = "it is not an expression";
    }
    if (result.problem.empty()) {
      std::set<std::string, std::less<>> externs;
      for (const auto& [name, function] : debuggee_.options.externs) {
        externs.insert(name);
      }
      result.compilation = interpret::compile_for_debugger(snapshot, found, externs);
      result.problem = result.compilation.problem;
    }
  }
  frontend.set_file(path, *original->second);
  return result;
}

auto Evaluator::run(const Compiled& compiled, const std::vector<const VisibleVariable*>& arguments,
                    const Values& values) -> Result<ValueNode> {
  const interpret::DebugInfo& debug = compiled.compilation.debug;
  const interpret::Program& program = compiled.compilation.executable->program;
  KeptCells cells;
  for (const VisibleVariable* argument : arguments) {
    const KeptCells more = values.columns_of(passed_value(*argument, values));
    cells.cells.insert(cells.cells.end(), more.cells.begin(), more.cells.end());
    cells.origins.insert(cells.origins.end(), more.origins.begin(), more.origins.end());
  }
  if (cells.cells.size() != program.functions[0].n_parameter_cells) {
    return Error{"its variables cannot be passed"};
  }
  const auto function = std::find_if(
      debug.functions.begin(), debug.functions.end(),
      [](const interpret::DebugFunction& candidate) { return candidate.name == kFunction; });
  const auto variable = function == debug.functions.end()
                            ? std::vector<interpret::DebugVariable>::const_iterator()
                            : std::find_if(function->variables.begin(), function->variables.end(),
                                           [](const interpret::DebugVariable& candidate) {
                                             return candidate.name == kResult;
                                           });
  if (function == debug.functions.end() || variable == function->variables.end()) {
    return Error{"it has no value"};
  }
  // The end of the function's block.
  std::vector<uint8_t> stops(debug.marks.size());
  const auto number = static_cast<uint32_t>(function - debug.functions.begin());
  for (size_t i = 0; i < debug.marks.size(); ++i) {
    stops[i] = debug.marks[i].function == number && debug.marks[i].instruction >= variable->begin;
  }
  interpret::MachineOptions options = debuggee_.options;
  interpret::TracedMachine machine(program, debug, cells.cells, cells.origins, std::move(options));
  const interpret::TracedStop stop = machine.run({.clock = kMostInstructions, .marks = stops});
  if (stop == interpret::TracedStop::Failed) {
    const Diagnostic failure = failure_diagnostic(
        interpret::failure_story(program, machine.failure()), debuggee_.options.memory_limit_bytes);
    const bool is_secret = (machine.failure_origins() & values.secret_inputs()) != 0;
    return Error{is_secret && values.hides() ? "it fails" : failure.message};
  }
  if (stop != interpret::TracedStop::Mark) {
    return Error{"it takes too long"};
  }
  uint64_t n_frames = 0;
  const interpret::TracedFrame frame = machine.frames(0, 1, n_frames).front();
  auto kept = std::make_shared<KeptCells>();
  const uint64_t n = interpret::n_cells(values.types(), variable->type).value_or(0);
  for (uint64_t i = 0; i < n; ++i) {
    kept->cells.push_back(machine.cell(frame.base + variable->slot + i));
    kept->origins.push_back(machine.origin(frame.base + variable->slot + i));
  }
  return ValueNode{.type = variable->type, .kept = std::move(kept)};
}

auto Evaluator::evaluate(const std::string& expression, const EvaluationSite& site,
                         const Values& values) -> Result<ValueNode> {
  if (expression.size() > 10'000) {
    return Error{"it is too long"};
  }
  std::vector<const VisibleVariable*> arguments;
  std::vector<std::string> parameters;
  for (const VisibleVariable& variable : site.variables) {
    if (variable.name == expression && variable.is_available) {
      return variable.value;
    }
    if (!mentions(expression, variable.name)) {
      continue;
    }
    if (!variable.is_available) {
      return Error{fmt::format("`{}` is not evaluated yet", variable.name)};
    }
    arguments.push_back(&variable);
    parameters.push_back(fmt::format(
        "{}: {}", variable.name,
        types::type_text(values.types(), values.names(), passed_value(variable, values).type)));
  }
  const std::string device = site.device == names::Device::Cpu
                                 ? "fn"
                                 : fmt::format("fn({})", names::device_text(site.device));
  const std::string text = fmt::format("\n{} {}({}) {{ let {} = {}\n; }}\n", device, kFunction,
                                       fmt::join(parameters, ", "), kResult, expression);
  const bool is_own =
      std::find(debuggee_.files.begin(), debuggee_.files.end(), site.file) != debuggee_.files.end();
  const FileId file = is_own ? site.file : debuggee_.file;
  if (compiled_.size() >= kMostCompiled) {
    compiled_.clear();
  }
  const auto [at, is_new] = compiled_.try_emplace(fmt::format("{} {}", file.index, text));
  if (is_new) {
    at->second = compile(text, file, std::string(kFunction));
  }
  if (!at->second.problem.empty()) {
    return Error{at->second.problem};
  }
  return run(at->second, arguments, values);
}

}  // namespace tacet::debugger
