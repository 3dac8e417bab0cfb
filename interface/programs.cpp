#include "interface/programs.h"

#include <fmt/format.h>

#include "cli/run/predicted_costs.h"
#include "cli/values/cggi_values.h"
#include "cli/values/he_values.h"
#include "compiler/views/mpc/item_costs.h"
#include "engine/cggi_format/text.h"
#include "engine/he_runtime/hide_results.h"
#include "interface/errors.h"
#include "interface/options.h"
#include "lsp/ide/stage_text.h"

namespace tacet::interface {

namespace {

constexpr std::string_view kCompileOptions[] = {
    "scheme",   "security", "costs",        "relinearise", "sums",       "within",       "link",
    "unhidden", "range",    "threads",      "failure",     "call",       "layout",       "size",
    "pipeline", "seed",     "memory-limit", "protocol",    "truncation", "correlations", "connect",
    "silence",  "patience", "party",        "key",         "stats"};

auto is_device(std::string_view name) -> bool {
  return name == "ref" || name == "he" || name == "mpc";
}

/// A compiled program that was read.
template <class Encrypted>
auto program_of(Encrypted encrypted) -> Result<std::shared_ptr<Program>> {
  auto program = std::make_shared<Program>();
  Result<std::vector<interpret::EntryParameter>> parameters = cli::parameters_of(encrypted);
  Result<std::vector<interpret::EntryResult>> results = cli::results_of(encrypted);
  if (!parameters || !results) {
    return parameters ? results.error() : parameters.error();
  }
  program->name = encrypted.name;
  program->device = "he";
  program->options.device = cli::RunDevice::He;
  program->executable.parameters = std::move(*parameters);
  program->executable.results = std::move(*results);
  program->encrypted = std::move(encrypted);
  describe_encrypted(*program);
  return program;
}

auto read_program(const std::string& text) -> Result<std::shared_ptr<Program>> {
  if (engine::is_cggi_program(text)) {
    Result<engine::CggiProgram> circuit = engine::parse_cggi_program(text);
    return circuit ? program_of(std::move(*circuit))
                   : Result<std::shared_ptr<Program>>(circuit.error());
  }
  if (!engine::is_bundle(text)) {
    return Error{"this is no compiled program of Tacet"};
  }
  Result<engine::HeBundle> bundle = engine::parse_bundle(text);
  return bundle ? program_of(std::move(*bundle)) : Result<std::shared_ptr<Program>>(bundle.error());
}

auto protocol_of(cli::RunProtocol protocol) -> mpc_views::Protocol {
  switch (protocol) {
    case cli::RunProtocol::Ref:
      return mpc_views::Protocol::Ref;
    case cli::RunProtocol::Semi2k:
      return mpc_views::Protocol::Semi2k;
    case cli::RunProtocol::Aby3:
      return mpc_views::Protocol::Aby3;
    case cli::RunProtocol::Rep4:
      return mpc_views::Protocol::Rep4;
    case cli::RunProtocol::Aby3Active:
      return mpc_views::Protocol::Aby3Active;
  }
  return mpc_views::Protocol::Aby3;
}

/// What parties are predicted to send, if it can be said.
auto parties_costs(const Program& program) -> std::vector<cli::CostRow> {
  const auto protocol = protocol_of(program.options.protocol);
  const auto lock = locked(*program.sources);
  const program::FrontendSnapshot snapshot = program.sources->frontend.snapshot();
  const auto costs =
      snapshot.get<mpc_views::CostsOfItem>({.item = program.item, .protocol = protocol});
  if (costs == nullptr || !costs->encrypted.empty()) {
    return {};  // here all of it runs on shares
  }
  const auto number = [](std::string name, uint64_t value) {
    return cli::CostRow{std::move(name), fmt::format("{}", value), fmt::format("{}", value)};
  };
  const std::string word(mpc_views::protocol_name(protocol));
  return {{"protocol", word, fmt::format("\"{}\"", word)},
          number("parties", costs->n_parties),
          number("rounds", static_cast<uint64_t>(costs->total.cost.rounds)),
          number("bytes of a party",
                 (costs->total.cost.bytes + costs->n_parties - 1) / costs->n_parties)};
}

auto predicted_rows(const Program& program) -> std::vector<cli::CostRow> {
  if (program.encrypted) {
    return std::visit([](const auto& encrypted) { return cli::predicted_costs(encrypted); },
                      *program.encrypted);
  }
  return program.parties && program.sources ? parties_costs(program) : std::vector<cli::CostRow>();
}

/// The picture as the editors' stage of that name.
auto picture_of(const Program& program, std::string_view stage) -> ide::StageText {
  Sources& sources = *program.sources;
  const auto lock = locked(sources);
  std::vector<ide::BackgroundTask> tasks;
  sources.plans.set_background([&](ide::BackgroundTask task) { tasks.push_back(std::move(task)); });
  const program::FrontendSnapshot snapshot = sources.frontend.snapshot();
  const uint32_t offset = snapshot.item_begin(program.item) +
                          names::item_node(*snapshot.tree(program.item)).range().begin;
  const auto draw = [&] {
    return ide::stage_text(snapshot, sources.program.file, stage, offset, {}, sources.plans);
  };
  ide::StageText text = draw();
  for (ide::BackgroundTask& task : tasks) {
    task.run([](std::string_view /*phase*/) {});
  }
  if (!tasks.empty()) {
    text = draw();
  }
  sources.plans.set_background({});
  return text;
}

auto find_field(const std::vector<Field>& fields, size_t number, tacet_field* field) -> int {
  if (number >= fields.size()) {
    return 0;
  }
  const Field& of = fields[number];
  const tacet_field found{.struct_size = sizeof(tacet_field),
                          .name = of.name.c_str(),
                          .type = of.type.c_str(),
                          .owner = of.owner.c_str(),
                          .bound = of.bound.c_str(),
                          .element = static_cast<uint32_t>(of.element.kind),
                          .fraction_bits = of.element.fraction_bits,
                          .is_secret = of.is_secret ? 1U : 0U,
                          .n_dimensions = static_cast<uint32_t>(of.shape.size()),
                          .shape = of.shape.data(),
                          .error = of.error};
  return copy_known(found, field) ? 1 : 0;
}

}  // namespace

}  // namespace tacet::interface

using namespace tacet;
using namespace tacet::interface;

tacet_error* tacet_compile(const tacet_sources* sources, const char* function, const char* device,
                           const tacet_options* options, const tacet_control* control,
                           tacet_program** program) {
  return guarded(control, [&](const Listener& listener) -> tacet_error* {
    const std::string device_name = device == nullptr ? "" : device;
    if (!device_name.empty() && !is_device(device_name)) {
      return error_of(TACET_USAGE,
                      fmt::format("no device `{}`; there are `ref`, `he` and `mpc`", device_name));
    }
    Result<cli::RunOptions> run = run_options_of(options, kCompileOptions);
    if (!run) {
      return error_of(TACET_USAGE, run.error());
    }
    if (function != nullptr) {
      run->target.function = function;
    }
    std::shared_ptr<const Program> compiled;
    if (tacet_error* error =
            compile(sources->sources, device_name, std::move(*run), listener, compiled)) {
      return error;
    }
    stop_if_cancelled();
    *program = new tacet_program{std::move(compiled)};
    return nullptr;
  });
}

tacet_error* tacet_program_read(const void* bytes, size_t size, tacet_program** program) {
  return guarded([&]() -> tacet_error* {
    Result<std::shared_ptr<Program>> read =
        read_program(std::string(static_cast<const char*>(bytes), size));
    if (!read) {
      return error_of(TACET_USAGE, read.error());
    }
    *program = new tacet_program{std::move(*read)};
    return nullptr;
  });
}

tacet_error* tacet_program_write(const tacet_program* program, tacet_bytes** bytes) {
  return guarded([&]() -> tacet_error* {
    const Program& of = *program->program;
    if (!of.encrypted) {
      return error_of(TACET_USAGE,
                      fmt::format("`{}` is compiled for `{}`; programs for `he` can be stored",
                                  of.name, of.device));
    }
    return std::visit(
        [&](const auto& encrypted) -> tacet_error* {
          if (Status hidden = engine::check_hiding(encrypted); !hidden) {
            return error_of(TACET_REJECTED, hidden.error());
          }
          *bytes = bytes_of(to_text(encrypted));
          return nullptr;
        },
        *of.encrypted);
  });
}

const char* tacet_program_name(const tacet_program* program) {
  return program->program->name.c_str();
}

const char* tacet_program_device(const tacet_program* program) {
  return program->program->device.c_str();
}

const char* tacet_program_notes(const tacet_program* program) {
  return program->program->notes.c_str();
}

size_t tacet_program_parameter_count(const tacet_program* program) {
  return program->program->parameters.size();
}

size_t tacet_program_result_count(const tacet_program* program) {
  return program->program->results.size();
}

int tacet_program_parameter(const tacet_program* program, size_t number, tacet_field* field) {
  return find_field(program->program->parameters, number, field);
}

int tacet_program_result(const tacet_program* program, size_t number, tacet_field* field) {
  return find_field(program->program->results, number, field);
}

tacet_error* tacet_program_costs(const tacet_program* program, const tacet_control* control,
                                 tacet_bytes** json) {
  return guarded(control, [&](const Listener& /*listener*/) -> tacet_error* {
    *json = bytes_of(cli::cost_json(predicted_rows(*program->program)));
    return nullptr;
  });
}

tacet_error* tacet_program_explain(const tacet_program* program, const tacet_control* control,
                                   tacet_bytes** text) {
  return guarded(control, [&](const Listener& /*listener*/) -> tacet_error* {
    *text = bytes_of(cli::cost_table(predicted_rows(*program->program)));
    return nullptr;
  });
}

tacet_error* tacet_program_picture(const tacet_program* program, const char* kind,
                                   const tacet_control* control, tacet_bytes** svg) {
  return guarded(control, [&](const Listener& /*listener*/) -> tacet_error* {
    const std::string_view word = kind;
    if (word != "circuit" && word != "layout" && word != "approximations") {
      return error_of(TACET_USAGE, fmt::format("no picture `{}`; there are `circuit`, `layout` and "
                                               "`approximations`",
                                               word));
    }
    const Program& of = *program->program;
    if (!of.encrypted || !std::holds_alternative<engine::HeBundle>(*of.encrypted) || !of.sources) {
      return error_of(TACET_USAGE, fmt::format("`{}` has no picture: there are some of functions "
                                               "compiled here for BFV, BGV or CKKS",
                                               of.name));
    }
    ide::StageText text = picture_of(of, fmt::format("{}-svg", word));
    if (!text.problem.empty()) {
      return error_of(TACET_FAILED, text.problem);
    }
    *svg = bytes_of(std::move(text.text));
    return nullptr;
  });
}
