#include "compiler/views/mpc/item_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/find_hole.h"
#include "compiler/device/kernel/lower.h"
#include "compiler/device/oblivious/make_oblivious.h"
#include "compiler/front/names/place_reasons.h"
#include "compiler/front/names/queries.h"
#include "compiler/front/types/queries.h"
#include "compiler/mpc/lower/lower.h"
#include "compiler/spec/program/device_callees.h"
#include "compiler/spec/program/lowerable.h"
#include "engine/program/mpc/take_shares.h"
#include "engine/program/mpc/validate.h"

namespace tacet::mpc_views {

namespace {

auto is_shared(query::Context& context, names::ItemId item) -> bool {
  if (context.service<names::ItemTable>()[item].kind != names::ItemKind::Fn) {
    return false;
  }
  const auto signature = context.get<types::SignatureOf>(item);
  return signature->is_device_function && signature->is_for(names::Device::Mpc) &&
         program::can_be_lowered(context, item);
}

/// What is inlined is all at one place.
auto without_repetitions(std::vector<Diagnostic> diagnostics) -> std::vector<Diagnostic> {
  std::vector<Diagnostic> all;
  for (Diagnostic& diagnostic : diagnostics) {
    if (std::find(all.begin(), all.end(), diagnostic) == all.end()) {
      all.push_back(std::move(diagnostic));
    }
  }
  return all;
}

/// Numbers for places, from 1.
class PlaceNumbers {
 public:
  auto operator()(TextRange place) -> uint32_t {
    const auto [found, is_new] =
        numbers_.try_emplace({place.begin, place.end}, static_cast<uint32_t>(places_.size() + 1));
    if (is_new) {
      places_.push_back(place);
    }
    return found->second;
  }
  auto take() -> std::vector<TextRange> { return std::move(places_); }

 private:
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> numbers_;
  std::vector<TextRange> places_;
};

/// The line of an offset, from 0, and where lines end.
class Lines {
 public:
  explicit Lines(const std::string& text) {
    for (uint32_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n') {
        ends_.push_back(i > 0 && text[i - 1] == '\r' ? i - 1 : i);
      }
    }
    ends_.push_back(static_cast<uint32_t>(text.size()));
  }
  [[nodiscard]] auto of(uint32_t offset) const -> uint32_t {
    return static_cast<uint32_t>(std::lower_bound(ends_.begin(), ends_.end(), offset) -
                                 ends_.begin());
  }
  [[nodiscard]] auto end(uint32_t line) const -> uint32_t { return ends_[line]; }

 private:
  std::vector<uint32_t> ends_;
};

}  // namespace

auto ProgramOfItem::compute(query::Context& context, const Key& item) -> Value {
  if (!is_shared(context, item)) {
    return nullptr;
  }
  ItemProgram made;
  kernel::Lowering lowering = kernel::lower(program::FrontendSnapshot(context), item,
                                            kernel::Places::InItems, kernel::EncryptedCalls::Kept);
  const auto report = [&](FileRange place) {
    made.diagnostics.push_back(
        make_diagnostic(DiagnosticCode::T6030, place,
                        fmt::format("this does not run on secret shares: {}", made.problem)));
  };
  const names::ItemTree tree = context.get<names::SyntaxOfItem>(item);
  const FileRange head{FileId{item.index}, names::item_name_range(names::item_node(*tree))};
  if (!lowering.kernel) {
    made.problem = lowering.problem;
    const names::ItemTree& of =
        context.get<names::SyntaxOfItem>(names::ItemId{lowering.place.file.index});
    if (!syntax::has_hole_at(*of, lowering.place.range)) {  // T6042 speaks of holes
      report(lowering.place);
    }
    return std::make_shared<const ItemProgram>(std::move(made));
  }
  kernel::move_to_calls(lowering);
  const oblivious::ObliviousForm form = oblivious::make_oblivious(*lowering.kernel);
  if (!form.is_oblivious) {
    made.problem = "secret-dependent control flow";
    return std::make_shared<const ItemProgram>(std::move(made));
  }
  context.check_cancelled();
  PlaceNumbers numbers;
  mpc_lower::LowerOptions options;
  options.line_of = [&](FileRange place) { return numbers(place.range); };
  mpc_lower::Lowering program = mpc_lower::lower(form.kernel, options);
  made.diagnostics = without_repetitions(std::move(program.diagnostics));
  if (!program.program) {
    const auto error =
        std::find_if(made.diagnostics.begin(), made.diagnostics.end(),
                     [](const Diagnostic& found) { return found.severity == Severity::Error; });
    made.problem = error->message;
  } else if (const auto fault = engine::find_fault(*program.program)) {
    made.problem = fault->message;
    report(head);
  } else {
    made.program = std::move(program.program);
    made.encrypted = std::move(lowering.encrypted);
    for (const FileRange place : program.sequential_loops) {
      if (place.file.index == item.index) {
        made.sequential_loops.push_back(place.range);
      }
    }
    made.places = numbers.take();
  }
  return std::make_shared<const ItemProgram>(std::move(made));
}

/// A diagnostic of an item, by offsets in the file. What is wrong in a function of another file is
/// wrong with the one that calls it.
static auto in_file(query::Context& context, Diagnostic diagnostic, names::ItemId item, FileId file)
    -> Diagnostic {
  names::ItemId there{diagnostic.place.file.index};
  if (context.service<names::ItemTable>()[there].file != file) {
    there = item;
    const names::ItemTree tree = context.get<names::SyntaxOfItem>(item);
    diagnostic.place.range = names::item_name_range(names::item_node(*tree));
  }
  std::vector<Reason> reasons = std::exchange(diagnostic.reasons, {});
  names::place_reasons(context, reasons);
  diagnostic.place.file = file;
  Diagnostic placed = shifted(std::move(diagnostic), context.get<names::BeginOfItem>(there));
  placed.reasons = std::move(reasons);
  return placed;
}

auto NotedProgramsOfChunk::compute(query::Context& context, const Key& chunk) -> Value {
  return names::kept_of_chunk<ProgramOfItem>(
      context, chunk, [](const names::FileItem& item) { return item.kind == names::ItemKind::Fn; },
      [](const ItemProgram& program) { return !program.diagnostics.empty(); });
}

auto program_diagnostics(query::Context& context, FileId file) -> std::vector<Diagnostic> {
  std::vector<Diagnostic> all;
  const auto called = context.get<program::DeviceCalleesOfFile>(file);
  const auto add = [&](names::ItemId item, const Diagnostic& diagnostic) {
    if (diagnostic.severity != Severity::Error) {
      return;  // the linter reports it
    }
    all.push_back(in_file(context, diagnostic, item, file));
    if (called->contains(item)) {
      all.back().severity = Severity::Warning;
    }
  };
  names::for_chunks<NotedProgramsOfChunk>(
      context, file, [&](const NotedProgramsOfChunk::Value& noted) {
        for (const auto& [item, program] : *noted) {
          for (const Diagnostic& diagnostic : program->diagnostics) {
            add(item, diagnostic);
          }
        }
      });
  return all;
}

auto find_protocol(std::string_view name) -> std::optional<Protocol> {
  for (const Protocol protocol :
       {Protocol::Ref, Protocol::Semi2k, Protocol::Aby3, Protocol::Rep4, Protocol::Aby3Active}) {
    if (protocol_name(protocol) == name) {
      return protocol;
    }
  }
  return std::nullopt;
}

auto protocol_name(Protocol protocol) -> std::string_view {
  switch (protocol) {
    case Protocol::Ref:
      return "ref";
    case Protocol::Semi2k:
      return "semi2k";
    case Protocol::Aby3:
      return "aby3";
    case Protocol::Rep4:
      return "rep4";
    case Protocol::Aby3Active:
      return "aby3-active";
  }
  return "";
}

auto trust_in(Protocol protocol) -> std::string_view {
  switch (protocol) {
    case Protocol::Ref:
      return "`ref` hides nothing: every party sees all values.";
    case Protocol::Semi2k:
      return "No party sees a secret as long as all follow the protocol and one of them is honest.";
    case Protocol::Aby3:
      return "No party sees a secret as long as all follow the protocol and no two collude.";
    case Protocol::Rep4:
      return "No party sees a secret, and results are right or the run ends, even if one of the "
             "four parties does anything.";
    case Protocol::Aby3Active:
      return "No party sees a secret, and results are right or the run ends, even if one of the "
             "three parties does anything.";
  }
  return "";
}

auto parties_of(std::string_view protocol, std::optional<double> latency,
                std::optional<double> bandwidth) -> Parties {
  return {.protocol = find_protocol(protocol).value_or(Protocol::Aby3),
          .link = {.latency_milliseconds = latency.value_or(0), .megabits = bandwidth.value_or(0)}};
}

auto costs_of(Protocol protocol, const engine::MpcProgram& program)
    -> std::unique_ptr<mpc_model::ProtocolCosts> {
  const auto n_parties = static_cast<uint32_t>(std::clamp<size_t>(program.parties.size(), 2, 16));
  switch (protocol) {
    case Protocol::Ref:
      return mpc_model::ref_costs(n_parties);
    case Protocol::Semi2k:
      return mpc_model::semi2k_costs(n_parties);
    case Protocol::Rep4:
      return mpc_model::rep4_costs();
    case Protocol::Aby3Active:
      return mpc_model::aby3_active_costs();
    case Protocol::Aby3:
      break;
  }
  return mpc_model::aby3_costs();
}

/// The program with what makes numbers of shares. No cost depends on the modulus, for which the
/// largest stands.
static auto taking_shares(const ItemProgram& item, uint32_t n_parties) -> engine::MpcProgram {
  constexpr uint64_t kLargestModulus = (uint64_t{1} << 49) - 1;
  engine::MpcProgram program = *item.program;
  for (uint32_t i = 0; program.parties.size() < n_parties; ++i) {
    program.parties.push_back(fmt::format("party_{}", i));
  }
  std::vector<engine::MpcJointCall> calls;
  for (const kernel::EncryptedCall& call : item.encrypted) {
    engine::MpcJointCall& made = calls.emplace_back();
    for (const size_t result : call.results) {
      made.results.push_back({.input = static_cast<uint32_t>(result),
                              .output = call.name,
                              .modulus = kLargestModulus});
    }
  }
  return engine::take_shares(std::move(program), std::move(calls), n_parties);
}

auto CostsOfItem::compute(query::Context& context, const Key& key) -> Value {
  const auto item = context.get<ProgramOfItem>(key.item);
  if (item == nullptr || !item->program) {
    return nullptr;
  }
  const Lines lines(context.get<names::SyntaxOfItem>(key.item)->text);
  mpc_model::ProgramCostOptions options;
  options.check = [&] { context.check_cancelled(); };
  options.group_of = [&](uint32_t place) {
    return place == 0 ? 0 : lines.of(item->places[place - 1].begin);
  };
  const auto protocol = costs_of(key.protocol, *item->program);
  mpc_model::ProgramCost cost =
      item->encrypted.empty()
          ? cost_of_program(*protocol, *item->program, options)
          : cost_of_program(*protocol, taking_shares(*item, protocol->n_parties()), options);
  ItemCosts result;
  result.n_parties = protocol->n_parties();
  for (const kernel::EncryptedCall& call : item->encrypted) {
    result.encrypted.push_back(call.name);
  }
  result.total = std::move(cost.total);
  for (auto& [place, of_place] : cost.lines) {
    if (place > 0) {
      result.places.push_back({item->places[place - 1], std::move(of_place)});
    }
  }
  for (auto& [line, of_line] : cost.groups) {
    if (of_line.cost != mpc_model::Cost{}) {
      result.lines.push_back({lines.end(line), std::move(of_line)});
    }
  }
  return std::make_shared<const ItemCosts>(std::move(result));
}

auto cost_of_range(const program::FrontendSnapshot& snapshot, const CostsKey& key, TextRange range)
    -> std::optional<RangeCost> {
  const auto item = snapshot.query().get<ProgramOfItem>(key.item);
  if (item == nullptr || !item->program) {
    return std::nullopt;
  }
  mpc_model::ProgramCostOptions options;
  options.group_of = [&](uint32_t place) {
    return place > 0 && range.contains(item->places[place - 1]) ? 1U : 0U;
  };
  const auto protocol = costs_of(key.protocol, *item->program);
  mpc_model::ProgramCost cost = cost_of_program(*protocol, *item->program, options);
  return RangeCost{std::move(cost.groups[1]), std::move(cost.total), protocol->n_parties()};
}

}  // namespace tacet::mpc_views
