#include "engine/mpc/runner/json_values.h"
#include "engine/mpc/runner/session.h"

/// What host and parties of a session say to each other, as CBOR.
namespace tacet::mpc {

using nlohmann::json;

namespace {

auto type_value(const engine::MpcType& type) -> json {
  return {static_cast<int>(type.visibility), static_cast<int>(type.element.kind),
          type.element.fraction_bits, type.extents};
}

auto type_of(const json& value) -> engine::MpcType {
  return {static_cast<engine::MpcVisibility>(value.at(0).get<int>()),
          {static_cast<engine::ElementKind>(value.at(1).get<int>()), value.at(2).get<uint8_t>()},
          value.at(3).get<std::vector<int64_t>>()};
}

/// One list for each step, whose first member is its kind.
auto step_value(const SessionStep& step) -> json {
  if (const auto* bring = std::get_if<BringStep>(&step)) {
    return {"bring", bring->value, type_value(bring->type), bring->owner,
            bring->cells ? json(*bring->cells) : json()};
  }
  if (const auto* run = std::get_if<RunStep>(&step)) {
    return {"run",         run->program,   run->inputs,      run->outputs,
            run->call.sum, run->call.last, run->call.n_words};
  }
  return {"show", std::get<ShowStep>(step).value};
}

auto step_of(const json& value) -> SessionStep {
  const auto kind = value.at(0).get<std::string>();
  if (kind == "bring") {
    const json& cells = value.at(4);
    return BringStep{
        .value = value.at(1).get<SessionValueId>(),
        .type = type_of(value.at(2)),
        .owner = value.at(3).get<Rank>(),
        .cells = cells.is_null() ? std::nullopt : std::optional(cells.get<engine::MpcCells>())};
  }
  if (kind == "run") {
    return RunStep{.program = value.at(1).get<uint32_t>(),
                   .inputs = value.at(2).get<std::vector<SessionValueId>>(),
                   .outputs = value.at(3).get<std::vector<SessionValueId>>(),
                   .call = {.sum = value.at(4).get<engine::Block>(),
                            .last = value.at(5).get<engine::Block>(),
                            .n_words = value.at(6).get<uint64_t>()}};
  }
  return ShowStep{value.at(1).get<SessionValueId>()};
}

}  // namespace

auto encode(const SessionWork& work) -> std::string {
  json programs = json::array();
  for (const SessionProgram& program : work.programs) {
    programs.push_back({program.text, program.ranks});
  }
  return bytes_of({{"protocol", static_cast<int>(work.protocol)},
                   {"correlations", static_cast<int>(work.correlations)},
                   {"truncation", static_cast<int>(work.truncation)},
                   {"programs", std::move(programs)},
                   {"random_key", work.random_key.words},
                   {"records_events", work.records_events}});
}

auto decode_session_work(std::string_view bytes) -> Result<SessionWork> {
  return decoded(bytes, "cannot read the work of a party", [](const json& value) {
    SessionWork work{
        .protocol = static_cast<ProtocolKind>(value.at("protocol").get<int>()),
        .correlations = static_cast<CorrelationsKind>(value.at("correlations").get<int>()),
        .truncation = static_cast<Truncation>(value.at("truncation").get<int>()),
        .random_key = {value.at("random_key").get<engine::Block>()},
        .records_events = value.at("records_events").get<bool>()};
    for (const json& program : value.at("programs")) {
      work.programs.push_back(
          {program.at(0).get<std::string>(), program.at(1).get<std::vector<Rank>>()});
    }
    return work;
  });
}

auto encode(const std::vector<SessionStep>& steps) -> std::string {
  json list = json::array();
  for (const SessionStep& step : steps) {
    list.push_back(step_value(step));
  }
  return bytes_of(list);
}

auto decode_steps(std::string_view bytes) -> Result<std::vector<SessionStep>> {
  return decoded(bytes, "cannot read the orders for a party", [](const json& value) {
    std::vector<SessionStep> steps;
    for (const json& step : value) {
      steps.push_back(step_of(step));
    }
    return steps;
  });
}

auto encode(const SessionReply& reply) -> std::string {
  return bytes_of({{"fault", static_cast<int>(reply.fault)},
                   {"step", reply.step},
                   {"instruction", reply.instruction},
                   {"shown", values_of(reply.shown)}});
}

auto decode_reply(std::string_view bytes) -> Result<SessionReply> {
  return decoded(bytes, "cannot read the reply of a party", [](const json& value) {
    return SessionReply{.fault = static_cast<engine::MpcRunFault>(value.at("fault").get<int>()),
                        .step = value.at("step").get<uint32_t>(),
                        .instruction = value.at("instruction").get<size_t>(),
                        .shown = values_of(value.at("shown"))};
  });
}

}  // namespace tacet::mpc
