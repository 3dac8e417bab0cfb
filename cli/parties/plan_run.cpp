#include "cli/parties/plan_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/find_files.h"
#include "cli/memory_limit.h"
#include "cli/parties/consents.h"
#include "cli/parties/plan_report.h"
#include "cli/parties/run_identity.h"
#include "cli/run/link_times_file.h"
#include "cli/run/party_plan.h"
#include "cli/values/given_values.h"
#include "cli/values/record_values.h"

namespace tacet::cli {

namespace {

using interpret::EntryParameter;
using interpret::Value;

/// Public values are long sometimes.
constexpr size_t kLongestShown = 60;

auto shown_value(const Value& value) -> std::string {
  const std::string text = interpret::value_text(value);
  return text.size() <= kLongestShown ? text : text.substr(0, kLongestShown) + " ...";
}

class RunPlanner {
 public:
  RunPlanner(const PlannedProgram& planned, const RunOptions& options, Invocation& invocation)
      : planned_(planned), program_(planned.program), options_(options), invocation_(invocation) {}

  auto run(const std::function<engine::PublicRandomKey()>& key) -> ExitCode {
    Result<MpcSeat> seat = options_.party.empty() ? seats_here(program_, options_)
                                                  : find_seat(program_, options_, SeatKey::None);
    if (!seat) {
      return fails(seat.error(), ExitCode::Usage);
    }
    seat_ = std::move(*seat);
    Result<std::optional<project::Workspace>> workspace = workspace_around(options_);
    if (!workspace) {
      return fails(workspace.error(), ExitCode::Failed);
    }
    workspace_ = std::move(*workspace);
    if (Status read = read_public_inputs(key); !read) {
      return fails(read.error(), ExitCode::Usage);
    }
    if (Status known = identify(); !known) {
      return fails(known.error(), ExitCode::Failed);
    }
    describe_program();
    if (Status costs = find_costs(); !costs) {
      return fails(costs.error(), ExitCode::Failed);
    }
    predict_times();
    invocation_.out.write(options_.format == RunFormat::Json ? plan_as_json(plan_)
                                                             : plan_as_text(plan_));
    return options_.purpose == RunPurpose::Allow ? allow() : ExitCode::Done;
  }

 private:
  auto fails(const Error& error, ExitCode code) -> ExitCode {
    invocation_.error(error.message);
    return code;
  }

  [[nodiscard]] auto type_of(size_t input) const -> const engine::MpcType& {
    return program_.registers[program_.inputs[input].reg].type;
  }
  [[nodiscard]] auto is_secret(size_t input) const -> bool { return type_of(input).is_secret(); }
  [[nodiscard]] auto name_of(net::Rank rank) const -> const std::string& {
    return seat_.plan.parties[rank].name;
  }
  [[nodiscard]] auto n_computing() const -> size_t {
    return seat_.plan.parties.size() - (seat_.has_dealer ? 1 : 0);
  }

  /// Whether an input of the command line is for a secret, which nobody reads here.
  [[nodiscard]] auto names_secret(const std::string& input) const -> bool {
    const std::string name = input.substr(0, input.find('='));
    for (size_t i = 0; i < planned_.parameters.size(); ++i) {
      const EntryParameter& parameter = planned_.parameters[i];
      if (is_secret(i) && !name.empty() && name.front() != '@' &&
          (parameter.name == name || parameter.path == name ||
           parameter.path.starts_with(name + "."))) {
        return true;
      }
    }
    return false;
  }

  /// Values in order are those of a run if there are as many; else they are those of public inputs.
  [[nodiscard]] auto public_values() const -> std::vector<std::string> {
    std::vector<EntryParameter> own;
    std::vector<bool> are_secret;
    for (size_t i = 0; i < planned_.parameters.size(); ++i) {
      if (options_.party.empty() || is_given_by(seat_, program_, i)) {
        own.push_back(planned_.parameters[i]);
        own.back().is_secret = is_secret(i);
      }
    }
    for (const ParameterGroup& group : groups_of(own)) {
      const auto is_of_group = [&](const EntryParameter& parameter) {
        return parameter.name == group.columns.front().name;
      };
      const bool is_named = std::any_of(
          options_.inputs.begin(), options_.inputs.end(),
          [&](const auto& input) { return input.substr(0, input.find('=')) == group.name; });
      if (!is_named) {
        are_secret.push_back(std::find_if(own.begin(), own.end(), is_of_group)->is_secret);
      }
    }
    if (are_secret.size() != options_.values.size()) {
      return options_.values;
    }
    std::vector<std::string> values;
    for (size_t i = 0; i < are_secret.size(); ++i) {
      if (!are_secret[i]) {
        values.push_back(options_.values[i]);
      }
    }
    return values;
  }

  /// Values of public inputs as they are given, and one for each secret, within its bounds.
  auto read_public_inputs(const std::function<engine::PublicRandomKey()>& key) -> Status {
    std::vector<EntryParameter> known;
    for (size_t i = 0; i < planned_.parameters.size(); ++i) {
      if (!is_secret(i)) {
        known.push_back(planned_.parameters[i]);
      }
    }
    std::vector<std::string> named = options_.inputs;
    std::erase_if(named, [&](const std::string& input) { return names_secret(input); });
    Result<std::vector<Value>> values =
        known.empty()
            ? Result<std::vector<Value>>(std::vector<Value>())
            : given_values(known, public_values(), named, key, Secrets::OfNobody, invocation_);
    if (!values) {
      return Error{"a plan needs the public inputs: " + values.error().message};
    }
    auto next = values->begin();
    for (size_t i = 0; i < planned_.parameters.size(); ++i) {
      known_.push_back(is_secret(i) ? std::optional<Value>() : std::optional(std::move(*next++)));
      cells_.push_back(known_.back() ? known_.back()->cells : rehearsed(i));
    }
    return std::monostate{};
  }

  /// Small positive numbers, the first of them 1, as far as they are within the bounds: they are
  /// seldom equal, and fewer programs fail with them than with zeros.
  [[nodiscard]] auto rehearsed(size_t input) const -> engine::MpcCells {
    constexpr int64_t kSmall = 1000;
    constexpr uint64_t kStep = 7919;  // a prime: places in no order
    const engine::MpcType& type = type_of(input);
    const bool is_bool = type.element.kind == engine::ElementKind::Bool;
    const bool is_fixed = type.element.kind == engine::ElementKind::Fxp;
    const int64_t unit = is_fixed ? int64_t{1} << type.element.fraction_bits : 1;
    int64_t first = unit;
    int64_t last = is_bool ? 1 : engine::bit_width(type.element.kind) == 8 ? 100 : unit * kSmall;
    if (const auto& bound = planned_.parameters[input].bound) {
      const auto low = static_cast<int64_t>(bound->lower);
      const auto high = static_cast<int64_t>(bound->upper - 1);
      first = std::clamp(first, low, high);
      last = std::clamp(last, first, high);
    }
    const auto n_values = static_cast<uint64_t>((last - first) / unit + 1);
    engine::MpcCells cells(static_cast<size_t>(engine::n_elements(type)));
    for (size_t i = 0; i < cells.size(); ++i) {
      const auto above = static_cast<int64_t>(i * kStep % n_values) * unit;
      cells[i] = static_cast<engine::MpcCells::value_type>(first + above);
    }
    return cells;
  }

  auto identify() -> Status {
    if (options_.party.empty()) {
      return std::monostate{};
    }
    std::vector<std::optional<engine::MpcCells>> inputs(cells_.begin(), cells_.end());
    Result<RunIdentity> identity = identity_of(program_, seat_, options_, inputs);
    if (!identity) {
      return identity.error();
    }
    const RunDigests digests = digests_of(*identity);
    plan_.run_digest = digests.of_run;
    plan_.program_digest = digests.of_program;
    return std::monostate{};
  }

  void describe_program() {
    plan_.program = fmt::format("{} of {}", planned_.name, options_.file);
    plan_.protocol = protocol_word(seat_.protocol);
    plan_.truncation = truncation_word(options_);
    if (seat_.protocol == RunProtocol::Semi2k) {
      plan_.correlations =
          seat_.has_dealer ? "correlations of a dealer" : "correlations by encryption (bfv)";
    }
    plan_.self = options_.party;
    for (net::Rank rank = 0; rank < n_computing(); ++rank) {
      plan_.parties.push_back(name_of(rank));
    }
    plan_.dealer = seat_.has_dealer ? seat_.plan.parties.back().name : "";
    const auto receiver_of = [&](engine::MpcPartyId party) {
      return party.has_value() ? name_of(seat_.ranks[party.index]) : std::string();
    };
    for (size_t i = 0; i < planned_.parameters.size(); ++i) {
      const EntryParameter& parameter = planned_.parameters[i];
      RunPlan::Input input{parameter.shown(), interpret::type_text(parameter.type, parameter.shape),
                           "", ""};
      if (is_secret(i)) {
        const engine::MpcPartyId owner = program_.inputs[i].owner;
        input.supplier = owner.has_value() ? receiver_of(owner) : name_of(0);
      } else {
        input.value = shown_value(*known_[i]);
      }
      plan_.inputs.push_back(std::move(input));
    }
    for (size_t i = 0; i < program_.outputs.size(); ++i) {
      const interpret::EntryResult& result = planned_.results[i];
      plan_.results.push_back({result.name, interpret::type_text(result.type, result.shape),
                               receiver_of(program_.outputs[i].receiver)});
    }
    describe_reveals(receiver_of);
  }

  template <class ReceiverOf>
  void describe_reveals(const ReceiverOf& receiver_of) {
    std::set<std::tuple<unsigned, std::string, std::string>> found;
    for (const engine::MpcInstruction& instruction : program_.code) {
      if (instruction.op == engine::MpcOpcode::Reveal) {
        const engine::MpcType& type = program_.registers[instruction.result].type;
        found.insert(
            {instruction.line,
             interpret::type_text(type.element, {type.extents.begin(), type.extents.end()}),
             receiver_of(instruction.party)});
      }
    }
    for (const auto& [line, type, receiver] : found) {
      plan_.reveals.push_back({line, type, receiver});
    }
  }

  auto find_costs() -> Status {
    const uint64_t before = peak_memory_bytes();
    PhaseLine line(invocation_);
    Result<MpcRehearsal> rehearsal = rehearse(program_, seat_, cells_, options_, line);
    if (!rehearsal) {
      return rehearsal.error();
    }
    if (!rehearsal->fault.empty()) {
      return Error{fmt::format(
          "the rehearsal, with small positive numbers for secrets, ends with `{}`: what a run "
          "takes "
          "depends on values that the program reveals; bounds of its inputs (`in LO..HI`) that "
          "exclude this make a plan possible",
          rehearsal->fault)};
    }
    const uint64_t n_bytes = peak_memory_bytes() - before;
    plan_.memory_bytes = before + n_bytes / seat_.plan.parties.size();
    plan_.rounds = rehearsal->costs.rounds;
    plan_.bytes_sent = rehearsal->costs.bytes_sent;
    plan_.n_instructions = rehearsal->costs.n_instructions;
    plan_.compute_seconds = rehearsal->costs.seconds;
    if (const std::optional<mpc::HandOverCosts>& encrypted = rehearsal->costs.encrypted) {
      EncryptedPlan& part = plan_.encrypted.emplace();
      for (const engine::MpcHandOver& hand_over : program_.hand_overs) {
        part.names.push_back(hand_over.name);
      }
      part.rounds = encrypted->rounds;
      part.bytes_sent = encrypted->bytes_sent;
      part.key_bytes_sent = encrypted->key_bytes_sent;
      part.seconds = encrypted->seconds;
      plan_.compute_seconds += part.seconds;
    }
    plan_.is_certain = rehearsal->is_certain;
    for (size_t a = 0; a < rehearsal->links.size(); ++a) {
      for (size_t b = a + 1; b < rehearsal->links.size(); ++b) {
        plan_.links.push_back(
            {name_of(static_cast<net::Rank>(a)), name_of(static_cast<net::Rank>(b)),
             rehearsal->links[a][b].bytes_sent, rehearsal->links[b][a].bytes_sent});
      }
    }
    return std::monostate{};
  }

  /// Latencies and bandwidths as they are stated, or else measured.
  void predict_times() {
    const project::MpcSettings settings =
        workspace_ ? workspace_->manifest.mpc : project::MpcSettings{};
    const bool is_given = options_.latency || options_.bandwidth;
    const bool is_written = settings.latency || settings.bandwidth;
    const std::vector<net::LinkTime> measured = is_given || is_written || !workspace_
                                                    ? std::vector<net::LinkTime>()
                                                    : measured_link_times(*workspace_);
    if (!is_given && !is_written && measured.empty()) {
      return;
    }
    plan_.link_source = is_given     ? "as given"
                        : is_written ? "as tacet.toml states"
                                     : "as `tacet party measure` found";
    size_t at = 0;
    for (size_t a = 0; a < seat_.plan.parties.size(); ++a) {
      for (size_t b = a + 1; b < seat_.plan.parties.size(); ++b) {
        RunPlan::Link& link = plan_.links[at++];
        link.latency_milliseconds = (is_given ? options_.latency : settings.latency).value_or(0);
        link.megabits = (is_given ? options_.bandwidth : settings.bandwidth).value_or(0);
        for (const net::LinkTime& time : measured) {
          if (time.from == a && time.to == b) {
            link.latency_milliseconds = time.latency_milliseconds;
            link.megabits = time.megabits;
          }
        }
        link.seconds = seconds_of(link);
        plan_.seconds = std::max(plan_.seconds, link.seconds);
      }
    }
    plan_.seconds += plan_.compute_seconds;
  }

  /// Every round crosses the link, and both directions are used at once.
  [[nodiscard]] auto seconds_of(const RunPlan::Link& link) const -> double {
    const auto bytes = static_cast<double>(std::max(link.bytes_there, link.bytes_back));
    const uint64_t n_rounds = plan_.rounds + (plan_.encrypted ? plan_.encrypted->rounds : 0);
    return static_cast<double>(n_rounds) * link.latency_milliseconds / 1e3 +
           (link.megabits > 0 ? 8 * bytes / (link.megabits * 1e6) : 0);
  }

  auto allow() -> ExitCode {
    Result<std::string> path = consents_path(*workspace_, options_.party, options_.party_key);
    if (!path) {
      return fails(path.error(), ExitCode::Failed);
    }
    const bool covers_any = options_.allows_any_public && plan_.has_public_inputs();
    Consent consent{.digest = covers_any ? plan_.program_digest : plan_.run_digest,
                    .covers_any_inputs = covers_any,
                    .date = utc_now(),
                    .function = planned_.name,
                    .file = options_.file,
                    .note = options_.note};
    const std::string digest = consent.digest;
    if (Status added = add_consent(*path, std::move(consent)); !added) {
      return fails(added.error(), ExitCode::Failed);
    }
    invocation_.out.flush();
    invocation_.err.write(
        fmt::format("tacet: `{}` allows {} ({})\n", options_.party, digest, path_from_here(*path)));
    return ExitCode::Done;
  }

  const PlannedProgram& planned_;
  const engine::MpcProgram& program_;
  const RunOptions& options_;
  Invocation& invocation_;
  MpcSeat seat_;
  std::optional<project::Workspace> workspace_;
  std::vector<std::optional<Value>> known_;
  std::vector<engine::MpcCells> cells_;
  RunPlan plan_;
};

}  // namespace

auto plan_run(const PlannedProgram& planned, const RunOptions& options,
              const std::function<engine::PublicRandomKey()>& key, Invocation& invocation)
    -> ExitCode {
  return RunPlanner(planned, options, invocation).run(key);
}

}  // namespace tacet::cli
