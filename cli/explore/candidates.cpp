#include "cli/explore/candidates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "compiler/front/types/columns.h"
#include "compiler/run/interpret/interpret.h"
#include "compiler/spec/program/implementations.h"

namespace tacet::cli {

namespace {

using names::ItemId;
using names::ItemKind;

/// Of a function with `schedule ?`.
constexpr size_t kLayoutsOfOpen = 4;

/// Those of encryption, in the order in which they are tried.
constexpr const char* kSchemes[] = {"bfv", "bgv", "ckks", "cggi"};

auto function_name(const program::FrontendSnapshot& snapshot, ItemId item) -> std::string {
  return std::string(snapshot.interner().text(snapshot.item_key(item).name));
}

auto parameter_text(const interpret::EntryParameter& parameter) -> std::string {
  std::string type = engine::element_type_name(parameter.type);
  for (size_t i = parameter.shape.size(); i-- > 0;) {
    type = fmt::format("[{}; {}]", type, parameter.shape[i]);
  }
  return fmt::format("{}: {}", parameter.name, type);
}

/// The value specification that a function implements, or a specification itself.
auto specification_of(query::Context& context, ItemId item) -> ItemId {
  for (const ItemId specification : program::specifications_of(context, item)) {
    if (context.service<names::ItemTable>()[specification].kind == ItemKind::Val ||
        context.service<names::ItemTable>()[specification].kind == ItemKind::Feq) {
      return specification;
    }
  }
  return item;
}

/// `, with `g` for `f` in `main``, calls of one function together.
auto calls_text(const std::vector<program::CallSwap>& calls) -> std::string {
  std::string text;
  for (size_t i = 0; i < calls.size();) {
    const program::CallSwap& first = calls[i];
    std::vector<uint32_t> numbers;
    for (; i < calls.size() && calls[i].function_text() == first.function_text() &&
           calls[i].callee == first.callee && calls[i].other == first.other;
         ++i) {
      numbers.push_back(calls[i].number);
    }
    const std::string which = first.number == 0
                                  ? ""
                                  : fmt::format(" ({} {})", numbers.size() == 1 ? "call" : "calls",
                                                fmt::join(numbers, ", "));
    text += fmt::format("{}`{}` for `{}`{} in `{}`", text.empty() ? ", with " : ", ", first.other,
                        first.callee, which, first.function_text());
  }
  return text;
}

class Search {
 public:
  Search(const program::FrontendSnapshot& snapshot, const CandidateFilter& filter)
      : snapshot_(snapshot), filter_(filter) {}

  auto run(ItemId item) -> Result<Candidates> {
    item_ = item;
    const ItemId target = snapshot_.query().run(
        [&](query::Context& context) { return specification_of(context, item); });
    std::vector<ItemId> functions = snapshot_.query().run(
        [&](query::Context& context) { return program::implementations_of(context, target); });
    std::erase_if(functions, [&](ItemId function) {
      return snapshot_.item_key(function).kind != ItemKind::Fn;
    });
    if (functions.empty() && snapshot_.item_key(item).kind == ItemKind::Fn) {
      functions.push_back(item);
    }
    found_.target = function_name(snapshot_, item);
    if (functions.empty()) {
      return Error{fmt::format("no function implements `{}`", found_.target)};
    }
    // The requested signature says what is secret, and a specification nothing.
    requested_ = snapshot_.signature(item);
    const interpret::Compilation requested = interpret::compile(snapshot_, item, {});
    found_.reference = function_name(snapshot_, item);
    if (requested.executable) {
      parameters_ = requested.executable->parameters;
    } else {
      const interpret::Compilation first = interpret::compile(snapshot_, functions.front(), {});
      if (!first.executable) {
        return Error{fmt::format("cannot run `{}`: {}", function_name(snapshot_, functions.front()),
                                 first.problem)};
      }
      parameters_ = first.executable->parameters;
      found_.reference = function_name(snapshot_, functions.front());
    }
    std::vector<std::string> texts;
    std::transform(parameters_.begin(), parameters_.end(), std::back_inserter(texts),
                   parameter_text);
    found_.signature = fmt::format("{}", fmt::join(texts, ", "));
    for (const ItemId function : functions) {
      add(function);
    }
    return std::move(found_);
  }

 private:
  void add(ItemId function) {
    const std::string name = function_name(snapshot_, function);
    const auto signature = snapshot_.signature(function);
    const interpret::Compilation compilation = interpret::compile(snapshot_, function, {});
    if (!compilation.executable) {
      exclude({name, "", "", ""}, compilation.problem);
      return;
    }
    const std::vector<interpret::EntryParameter>& own = compilation.executable->parameters;
    if (!has_parameters(own)) {
      exclude({name, "", "", ""},
              fmt::format("it has other parameters than `{}`", found_.reference));
      return;
    }
    const bool is_device = signature && signature->is_device_function;
    if (function != item_ && reveals(function) && !reveals(item_)) {
      exclude({name, "", "", ""}, "it reveals intermediate values");
      return;
    }
    if (const std::string why = disclosure_of(*signature, own); !why.empty()) {
      exclude({name, "", "", ""}, why);
      return;
    }
    const bool is_secret = has_secrets(own) || has_secrets(parameters_);
    if (is_secret) {
      exclude({name, "local", "", ""}, "it shows what is secret");
    } else {
      offer({name, "local", "", ""});
    }
    if (!is_device) {
      return;
    }
    if (signature->is_for(names::Device::He)) {
      if (!is_allowed(names::Device::He)) {
        exclude({name, "he", "", ""}, other_device());
      } else {
        for (const char* scheme : kSchemes) {
          offer({name, "he", scheme, ""});
        }
      }
    }
    if (signature->is_for(names::Device::Mpc)) {
      if (is_allowed(names::Device::Mpc)) {
        offer_to_parties(name);
      } else {
        exclude({name, "mpc", "", ""}, other_device());
      }
    }
  }

  /// Whether who computes on the device is trusted: a device function says it, or `--device`.
  [[nodiscard]] auto is_allowed(names::Device device) const -> bool {
    return !filter_.device.empty() || !requested_ || !requested_->is_device_function ||
           requested_->is_for(device);
  }

  [[nodiscard]] auto other_device() const -> std::string {
    return fmt::format("it is computed by others than `{}`; `--device` allows it",
                       found_.reference);
  }

  /// What a function shows that the requested signature keeps secret, or shows others; or
  /// that others must be trusted than there. Empty if there is nothing of that kind.
  [[nodiscard]] auto disclosure_of(const types::Signature& own,
                                   const std::vector<interpret::EntryParameter>& parameters) const
      -> std::string {
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (parameters_[i].is_secret && !parameters[i].is_secret) {
        return fmt::format("it shows `{}`, which is secret in `{}`", parameters[i].shown(),
                           found_.reference);
      }
    }
    if (!requested_ || !requested_->is_device_function) {
      return {};
    }
    const auto is_for_allowed = [&](names::Device device) {
      return own.is_for(device) && is_allowed(device);
    };
    if (!is_for_allowed(names::Device::He) && !is_for_allowed(names::Device::Mpc)) {
      return other_device();
    }
    const auto shows_more = [&](types::TypeId before, types::TypeId after) {
      const std::vector<bool> secret = types::secret_columns(snapshot_.types(), before);
      const std::vector<bool> still = types::secret_columns(snapshot_.types(), after);
      for (size_t i = 0; i < secret.size(); ++i) {
        if (secret[i] && (i >= still.size() || !still[i])) {
          return true;
        }
      }
      return false;
    };
    for (size_t i = 0; i < std::min(own.results.size(), requested_->results.size()); ++i) {
      const types::SignatureResult& before = requested_->results[i];
      if (shows_more(before.type, own.results[i].type)) {
        return fmt::format("it shows its result, which is secret in `{}`", found_.reference);
      }
      if (before.owner.has_value() && before.owner != own.results[i].owner) {
        return fmt::format("its result goes to others than that of `{}`", found_.reference);
      }
    }
    for (size_t i = 0; i < std::min(own.parameters.size(), requested_->parameters.size()); ++i) {
      if (requested_->parameters[i].owner.has_value() &&
          requested_->parameters[i].owner != own.parameters[i].owner) {
        return fmt::format("`{}` comes from others than in `{}`",
                           snapshot_.interner().text(requested_->parameters[i].name),
                           found_.reference);
      }
    }
    return {};
  }

  [[nodiscard]] auto reveals(ItemId function) const -> bool {
    return snapshot_.query().run(
        [&](query::Context& context) { return program::reveals_on_the_way(context, function); });
  }

  /// With the protocol that is requested. One that finds liars is never compared with one that does
  /// not, as they trust parties differently.
  void offer_to_parties(const std::string& name) {
    if (filter_.protocol != kActiveProtocols) {
      offer({name, "mpc", "", filter_.protocol});
      return;
    }
    for (const auto& [protocol, n_parties] :
         {std::pair("aby3-active", 3U), std::pair("rep4", 4U)}) {
      if (filter_.n_parties == 0 || filter_.n_parties == n_parties) {
        offer({name, "mpc", "", protocol});
      } else {
        exclude({name, "mpc", "", protocol},
                fmt::format("it requires {} parties, but tacet.toml lists {}", n_parties,
                            filter_.n_parties));
      }
    }
  }

  void exclude(Candidate candidate, std::string why) {
    found_.exclusions.push_back({std::move(candidate), std::move(why)});
  }

  void offer(Candidate candidate) {
    if (!filter_.device.empty() && candidate.device != filter_.device) {
      exclude(std::move(candidate), fmt::format("`--device {}`", filter_.device));
    } else {
      found_.candidates.push_back(std::move(candidate));
    }
  }

  static auto has_secrets(const std::vector<interpret::EntryParameter>& parameters) -> bool {
    return std::any_of(parameters.begin(), parameters.end(),
                       [](const auto& parameter) { return parameter.is_secret; });
  }

  /// Values are given by place or by name, so both must be the same.
  [[nodiscard]] auto has_parameters(const std::vector<interpret::EntryParameter>& own) const
      -> bool {
    return std::equal(own.begin(), own.end(), parameters_.begin(), parameters_.end(),
                      [](const auto& a, const auto& b) {
                        return a.name == b.name && a.type == b.type && a.shape == b.shape;
                      });
  }

  const program::FrontendSnapshot& snapshot_;
  const CandidateFilter& filter_;
  ItemId item_;
  std::shared_ptr<const types::Signature> requested_;
  std::vector<interpret::EntryParameter> parameters_;
  Candidates found_;
};

}  // namespace

auto tolerates_a_liar(std::string_view protocol) -> bool {
  return protocol == "aby3-active" || protocol == "rep4";
}

auto Candidate::arguments() const -> std::vector<std::string> {
  std::vector<std::string> result = {"--fn", implementation, "--device",
                                     device == "local" ? "auto" : device};
  if (!scheme.empty()) {
    result.insert(result.end(), {"--scheme", scheme});
  }
  if (!protocol.empty()) {
    result.insert(result.end(), {"--protocol", protocol});
  }
  for (const program::CallSwap& call : calls) {
    result.insert(result.end(), {"--call", call.text()});
  }
  if (!layout.empty()) {
    result.insert(result.end(), {"--layout", layout});
  }
  if (threads != 0) {
    result.insert(result.end(), {"--threads", std::to_string(threads)});
  }
  return result;
}

auto Candidate::outline() const -> Candidate {
  return {implementation, device, scheme, protocol};
}

auto Candidate::text() const -> std::string {
  const std::string where = !scheme.empty()  ? "under " + scheme
                            : device == "he" ? std::string("under encryption")
                            : device == "mpc"
                                ? "by parties" + (protocol.empty() ? "" : ", " + protocol)
                                : std::string("in plaintext");
  if (device.empty()) {
    return fmt::format("`{}`", implementation);
  }
  const std::string how = layout.empty() ? "" : fmt::format(", `{}`", layout);
  const std::string on = threads == 0   ? ""
                         : threads == 1 ? ", 1 thread"
                                        : fmt::format(", {} threads", threads);
  return fmt::format("`{}` {}{}{}{}", implementation, where, calls_text(calls), how, on);
}

void add_layouts(
    Candidates& candidates,
    const std::function<std::vector<std::string>(const Candidate&, size_t n)>& layouts_of,
    const std::function<bool(const Candidate&)>& is_open, size_t n) {
  std::vector<Candidate> expanded;
  for (const Candidate& candidate : candidates.candidates) {
    expanded.push_back(candidate);
    const size_t n_wanted = n != 0 ? n : is_open(candidate) ? kLayoutsOfOpen : 1;
    if (candidate.device != "he" || candidate.scheme == "cggi" || !candidate.calls.empty() ||
        n_wanted == 1) {
      continue;
    }
    const std::vector<std::string> layouts = layouts_of(candidate, n_wanted);
    for (size_t i = 1; i < layouts.size(); ++i) {
      expanded.push_back(candidate);
      expanded.back().layout = layouts[i];
    }
  }
  candidates.candidates = std::move(expanded);
}

void add_threads(Candidates& candidates, const std::vector<unsigned>& threads) {
  std::vector<Candidate> expanded;
  for (const Candidate& candidate : candidates.candidates) {
    if (threads.empty() || candidate.device == "local") {
      expanded.push_back(candidate);
      continue;
    }
    for (const unsigned n : threads) {
      expanded.push_back(candidate);
      expanded.back().threads = n;
    }
  }
  candidates.candidates = std::move(expanded);
}

void add_calls(Candidates& candidates, const CallSpace& space, size_t limit) {
  std::vector<Candidate> expanded;
  const size_t each =
      std::max<size_t>(1, limit / std::max<size_t>(1, candidates.candidates.size()));
  for (const Candidate& candidate : candidates.candidates) {
    for (std::vector<program::CallSwap>& calls :
         space.choices_of(candidate.implementation, each, candidates.is_cut)) {
      expanded.push_back(candidate);
      expanded.back().calls = std::move(calls);
    }
  }
  candidates.candidates = std::move(expanded);
  candidates.call_exclusions = space.exclusions();
}

auto candidate_of(const program::ExploredWay& way) -> Result<Candidate> {
  Candidate candidate{way.implementation, way.device, way.scheme, way.protocol};
  for (const std::string& text : way.calls) {
    Result<program::CallSwap> call = program::parse_call_swap(text);
    if (!call) {
      return call.error();
    }
    candidate.calls.push_back(std::move(*call));
  }
  candidate.layout = way.layout;
  candidate.threads = way.threads;
  return candidate;
}

auto find_candidates(const program::FrontendSnapshot& snapshot, ItemId item,
                     const CandidateFilter& filter) -> Result<Candidates> {
  return Search(snapshot, filter).run(item);
}

}  // namespace tacet::cli
