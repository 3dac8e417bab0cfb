#include "engine/mpc/runner/json_values.h"
#include "engine/mpc/runner/party_run.h"

/// Work and results as CBOR. They go between processes of one machine and of one version.
namespace tacet::mpc {

using nlohmann::json;

namespace {

auto key_value(const std::optional<engine::PublicRandomKey>& key) -> json {
  return key ? json(key->words) : json();
}

auto key_of(const json& value) -> std::optional<engine::PublicRandomKey> {
  return value.is_null() ? std::nullopt
                         : std::optional(engine::PublicRandomKey{value.get<engine::Block>()});
}

auto hand_overs_value(const std::optional<HandOverCosts>& costs) -> json {
  return costs ? json({costs->rounds, costs->bytes_sent, costs->key_bytes_sent, costs->seconds})
               : json();
}

auto hand_overs_of(const json& value) -> std::optional<HandOverCosts> {
  return value.is_null()
             ? std::nullopt
             : std::optional(HandOverCosts{value.at(0).get<uint64_t>(), value.at(1).get<uint64_t>(),
                                           value.at(2).get<uint64_t>(), value.at(3).get<double>()});
}

}  // namespace

auto encode(const PartyWork& work) -> std::string {
  return bytes_of({{"protocol", static_cast<int>(work.protocol)},
                   {"program", work.program},
                   {"inputs", values_of(work.inputs)},
                   {"ranks", work.ranks},
                   {"truncation", static_cast<int>(work.truncation)},
                   {"random_key", key_value(work.random_key)},
                   {"records_events", work.records_events},
                   {"correlations", static_cast<int>(work.correlations)},
                   {"n_threads", work.n_threads}});
}

auto decode_work(std::string_view bytes) -> Result<PartyWork> {
  return decoded(bytes, "cannot read the work of a party", [](const json& value) {
    return PartyWork{
        .protocol = static_cast<ProtocolKind>(value.at("protocol").get<int>()),
        .program = value.at("program").get<std::string>(),
        .inputs = values_of(value.at("inputs")),
        .ranks = value.at("ranks").get<std::vector<Rank>>(),
        .truncation = static_cast<Truncation>(value.at("truncation").get<int>()),
        .random_key = key_of(value.at("random_key")),
        .records_events = value.at("records_events").get<bool>(),
        .correlations = static_cast<CorrelationsKind>(value.at("correlations").get<int>()),
        .n_threads = value.at("n_threads").get<unsigned>()};
  });
}

auto encode(const PartyResult& result) -> std::string {
  json traffic = json::array();
  for (const LabelTraffic& label : result.traffic) {
    traffic.push_back({label.depth, label.name, label.rounds, label.bytes});
  }
  json operations = json::array();
  for (const OperationTime& operation : result.operations) {
    operations.push_back({operation.operation, operation.n_runs, operation.seconds});
  }
  json events = json::array();
  for (const MachineEvent& event : result.events) {
    events.push_back({event.program, event.instruction, event.begin_seconds, event.end_seconds,
                      event.first_round, event.last_round});
  }
  return bytes_of({{"outputs", values_of(result.outputs)},
                   {"fault", static_cast<int>(result.fault)},
                   {"instruction", result.instruction},
                   {"n_instructions", result.n_instructions},
                   {"rounds", result.rounds},
                   {"bytes_sent", result.bytes_sent},
                   {"messages", result.messages},
                   {"seconds", result.seconds},
                   {"random_key", key_value(result.random_key)},
                   {"hand_overs", hand_overs_value(result.hand_overs)},
                   {"log_slack", result.log_slack ? json(*result.log_slack) : json()},
                   {"traffic", std::move(traffic)},
                   {"operations", std::move(operations)},
                   {"events", std::move(events)}});
}

auto decode_result(std::string_view bytes) -> Result<PartyResult> {
  return decoded(bytes, "cannot read the result of a party", [](const json& value) {
    PartyResult result{.outputs = values_of(value.at("outputs")),
                       .fault = static_cast<engine::MpcRunFault>(value.at("fault").get<int>()),
                       .instruction = value.at("instruction").get<size_t>(),
                       .n_instructions = value.at("n_instructions").get<uint64_t>(),
                       .rounds = value.at("rounds").get<uint64_t>(),
                       .bytes_sent = value.at("bytes_sent").get<uint64_t>(),
                       .messages = value.at("messages").get<uint64_t>(),
                       .seconds = value.at("seconds").get<double>(),
                       .random_key = key_of(value.at("random_key")),
                       .hand_overs = hand_overs_of(value.at("hand_overs"))};
    const json& slack = value.at("log_slack");
    result.log_slack = slack.is_null() ? std::nullopt : std::optional(slack.get<double>());
    for (const json& row : value.at("traffic")) {
      result.traffic.push_back({row.at(0).get<uint32_t>(), row.at(1).get<std::string>(),
                                row.at(2).get<uint64_t>(), row.at(3).get<uint64_t>()});
    }
    for (const json& row : value.at("operations")) {
      result.operations.push_back(
          {row.at(0).get<std::string>(), row.at(1).get<uint64_t>(), row.at(2).get<double>()});
    }
    for (const json& row : value.at("events")) {
      result.events.push_back({row.at(0).get<uint32_t>(), row.at(1).get<size_t>(),
                               row.at(2).get<double>(), row.at(3).get<double>(),
                               row.at(4).get<uint64_t>(), row.at(5).get<uint64_t>()});
    }
    return result;
  });
}

}  // namespace tacet::mpc
