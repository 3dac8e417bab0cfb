#include "compiler/spec/fill/step_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "compiler/front/names/queries.h"
#include "compiler/front/types/queries.h"
#include "compiler/spec/infer/timeline_order.h"

namespace tacet::fill {

using infer::AtHand;
using infer::SpecGraph;
using infer::SpecNode;
using infer::SpecNodeId;
using infer::Synthesis;
using infer::TermKind;

/// How many assignments of calls to encodings are tried.
static constexpr size_t kMostPlans = 48;
/// How many kernels of each class.
static constexpr size_t kMostKernels = 4;

/// What outputs are made from, operands first.
static auto reached(const SpecGraph& values) -> std::vector<SpecNodeId> {
  std::vector<SpecNodeId> order;
  std::set<SpecNodeId> seen;
  std::vector<std::pair<SpecNodeId, bool>> to_do;
  for (size_t i = values.outputs.size(); i-- > 0;) {
    to_do.emplace_back(values.outputs[i], false);
  }
  while (!to_do.empty()) {
    const auto [node, is_done] = to_do.back();
    to_do.pop_back();
    if (is_done) {
      order.push_back(node);
      continue;
    }
    if (!seen.insert(node).second) {
      continue;
    }
    to_do.emplace_back(node, true);
    const auto children = values.children(node);
    for (size_t i = children.size(); i-- > 0;) {
      to_do.emplace_back(children[i], false);
    }
  }
  return order;
}

static auto kernels_of(query::Context& context, FileId file, names::ItemId of_class)
    -> std::vector<KernelCall::Kernel> {
  std::vector<KernelCall::Kernel> kernels;
  const auto& scope = context.get<names::ModuleScopeOfFile>(file);
  const auto add_all = [&](const names::FileScope& names) {
    for (const names::FileScope::Entry& entry : names.entries()) {
      const auto signature = entry.space == names::Namespace::Callable
                                 ? context.get<types::SignatureOf>(entry.item)
                                 : std::shared_ptr<const types::Signature>();
      if (!signature || scope->find(names::Namespace::Callable, entry.name) != entry.item) {
        continue;
      }
      const bool is_kernel =
          signature->is_device_function ||
          (signature->kind == names::ItemKind::Extern && signature->device != names::Device::Cpu);
      const bool is_of_class =
          infer::class_of(context, entry.item) == of_class ||
          (signature->val.has_value() && infer::class_of(context, signature->val) == of_class);
      if (is_kernel && is_of_class) {
        kernels.push_back({std::string(context.service<Interner>().text(entry.name)),
                           signature->device, signature->n_dims});
      }
    }
  };
  add_all(*scope->own);
  for (const names::ImportedScope& import : scope->imports) {
    add_all(*import.scope);
  }
  std::sort(kernels.begin(), kernels.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return kernels;
}

auto kernel_calls(query::Context& context, FileId file, const SpecGraph& values)
    -> std::vector<KernelCall> {
  std::vector<KernelCall> calls;
  const std::vector<SpecNodeId> order = reached(values);
  for (const SpecNodeId node : order) {
    if (values.nodes[node].term.kind != TermKind::Call) {
      continue;
    }
    KernelCall call;
    call.call = node;
    call.kernels = kernels_of(context, file, values.nodes[node].term.item);
    const auto signature = context.get<types::SignatureOf>(values.nodes[node].term.item);
    call.results.resize(signature ? std::max<size_t>(signature->results.size(), 1) : 1);
    for (const SpecNodeId user : values.parents[node.index]) {
      const infer::Term& term = values.nodes[user].term;
      const bool is_used = std::find(order.begin(), order.end(), user) != order.end();
      if (term.kind == TermKind::Extract && term.number < call.results.size() && is_used) {
        call.results[term.number] = user;
      }
    }
    if (!call.kernels.empty()) {
      calls.push_back(std::move(call));
    }
  }
  return calls;
}

auto step_plans(const std::vector<KernelCall>& calls, size_t n_encodings) -> std::vector<StepPlan> {
  if (n_encodings == 0 || calls.empty()) {
    return {};
  }
  std::vector<StepPlan> plans;
  StepPlan even;
  for (size_t i = 0; i < calls.size(); ++i) {
    even.encoding_of.push_back(i * n_encodings / calls.size());
  }
  plans.push_back(even);
  std::vector<size_t> at(calls.size(), 0);
  for (;;) {
    if (at != even.encoding_of && plans.size() < kMostPlans) {
      plans.push_back({at, 0});
    }
    size_t place = at.size();
    while (place > 0 && ++at[place - 1] == n_encodings) {
      at[--place] = 0;
    }
    if (place == 0 || plans.size() >= kMostPlans) {
      break;
    }
  }
  size_t most_kernels = 1;
  for (const KernelCall& call : calls) {
    most_kernels = std::max(most_kernels, std::min(call.kernels.size(), kMostKernels));
  }
  const size_t n_plans = plans.size();
  for (size_t kernel = 1; kernel < most_kernels; ++kernel) {
    for (size_t i = 0; i < n_plans; ++i) {
      plans.push_back({plans[i].encoding_of, kernel});
    }
  }
  return plans;
}

namespace {

/// Writes one plan.
class PlanWriter {
 public:
  PlanWriter(query::Context& context, names::ItemId function, const syntax::Tree& tree,
             const SpecGraph& values, const SpecGraph& timeline,
             const std::vector<KernelCall>& calls, const StepPlan& plan, const std::string& indent)
      : synthesis_(context, function, tree, values),
        interner_(context.service<Interner>()),
        values_(values),
        timeline_(timeline),
        calls_(calls),
        plan_(plan),
        indent_(indent) {}

  auto run(AtHand inputs) -> std::optional<Form> {
    at_hand_ = std::move(inputs);
    for (const SpecNodeId step : infer::order_of(timeline_).steps) {
      if (!one(step)) {
        return std::nullopt;
      }
    }
    const auto value = synthesis_.block(values_.outputs, at_hand_, indent_);
    if (!value) {
      problem_ = synthesis_.problem();
      return std::nullopt;
    }
    const std::string text = lines_ + *value;
    const size_t begin = text.find_first_not_of(' ');
    return Form{text.substr(begin, text.size() - begin - 1), synthesis_.cost()};
  }

  [[nodiscard]] auto problem() const -> const std::string& { return problem_; }

 private:
  struct Encoding {
    std::string name;
    /// What is on it, and how it is called there.
    std::map<SpecNodeId, std::string> names;
    std::string future;
  };

  auto fail(std::string problem) -> bool {
    problem_ = std::move(problem);
    return false;
  }

  void line(const std::string& text) { lines_ += indent_ + text + "\n"; }

  /// The encoding that an encoder or future belongs to; null for one that comes in.
  auto encoding_of(SpecNodeId handle) -> Encoding* {
    const SpecNode& node = timeline_.nodes[handle];
    const bool is_part =
        node.term.kind == TermKind::Extract || node.term.kind == TermKind::SubmitEvent;
    const SpecNodeId from = is_part && !node.children.empty() ? node.children[0] : SpecNodeId();
    const auto found =
        encodings_.find(node.term.kind == TermKind::SubmitEvent && from.has_value() &&
                                timeline_.nodes[from].term.kind == TermKind::Extract
                            ? timeline_.nodes[from].children[0]
                            : from);
    return found == encodings_.end() ? nullptr : &found->second;
  }

  auto one(SpecNodeId step) -> bool {
    const SpecNode& node = timeline_.nodes[step];
    if (node.term.kind == TermKind::EncodeEvent) {
      return begin(step);
    }
    if (node.term.kind == TermKind::SubmitEvent) {
      Encoding* encoding = encoding_of(step);
      return encoding != nullptr ? submit(*encoding)
                                 : fail("the timeline submits an encoder that comes in");
    }
    if (node.term.kind == TermKind::SyncEvent) {
      Encoding* encoding = encoding_of(node.children[1]);
      return encoding != nullptr ? wait(*encoding)
                                 : fail("the timeline waits for a future that comes in");
    }
    return fail("the timeline calls another timeline, and no calls of parts are generated");
  }

  auto number_of(const Encoding& encoding) const -> size_t {
    size_t number = 0;
    for (const SpecNodeId step : infer::order_of(timeline_).steps) {
      if (timeline_.nodes[step].term.kind != TermKind::EncodeEvent) {
        continue;
      }
      const auto found = encodings_.find(step);
      if (found != encodings_.end() && &found->second == &encoding) {
        return number;
      }
      ++number;
    }
    return number;
  }

  auto kernel_of(size_t call) const -> const KernelCall::Kernel& {
    const auto& kernels = calls_[call].kernels;
    return kernels[std::min(plan_.kernel, kernels.size() - 1)];
  }

  auto begin(SpecNodeId step) -> bool {
    Encoding& encoding = encodings_[step];
    const size_t number = number_of(encoding);
    std::optional<names::Device> device;
    for (size_t i = 0; i < calls_.size(); ++i) {
      if (plan_.encoding_of[i] != number) {
        continue;
      }
      if (device && *device != kernel_of(i).device) {
        return fail("kernels of two devices would be on one encoder");
      }
      device = kernel_of(i).device;
    }
    encoding.name = synthesis_.fresh_name("e");
    const names::Device used = device.value_or(kernel_of(0).device);
    line(fmt::format("let {} = encode-begin {};", encoding.name, names::device_text(used)));
    return true;
  }

  auto submit(Encoding& encoding) -> bool {
    const size_t number = number_of(encoding);
    for (size_t i = 0; i < calls_.size(); ++i) {
      if (plan_.encoding_of[i] == number && !encode(encoding, i)) {
        return false;
      }
    }
    encoding.future = synthesis_.fresh_name("f");
    line(fmt::format("let {} = submit {};", encoding.future, encoding.name));
    return true;
  }

  auto encode(Encoding& encoding, size_t i) -> bool {
    const KernelCall& call = calls_[i];
    const KernelCall::Kernel& kernel = kernel_of(i);
    std::vector<std::string> dims;
    std::vector<std::string> arguments;
    const auto children = values_.children(call.call);
    for (size_t c = 0; c < children.size(); ++c) {
      const SpecNodeId child = children[c];
      if (c < kernel.n_dims) {
        const auto text =
            synthesis_.expression(child, at_hand_, infer::precedence_of(types::Operator::Add));
        if (!text) {
          return fail(synthesis_.problem());
        }
        dims.push_back(*text);
        continue;
      }
      auto found = encoding.names.find(child);
      if (found == encoding.names.end()) {
        const auto text = synthesis_.expression(child, at_hand_, infer::kAnyPrecedence);
        if (!text) {
          return fail(synthesis_.problem());
        }
        found = encoding.names.emplace(child, name_on_device(child)).first;
        line(fmt::format("encode {}.copy[{} <- {}];", encoding.name, found->second, *text));
      }
      arguments.push_back(found->second);
    }
    std::vector<std::string> slots;
    for (const SpecNodeId result : call.results) {
      slots.push_back(result.has_value() ? synthesis_.name_for(result)
                                         : synthesis_.fresh_name("unused"));
      if (result.has_value()) {
        encoding.names.emplace(result, slots.back());
      }
    }
    const std::string grid = dims.empty() ? "" : fmt::format("'<{}>", fmt::join(dims, ", "));
    line(fmt::format("encode {}.call[{} <- {}{}({})];", encoding.name, fmt::join(slots, ", "),
                     kernel.name, grid, fmt::join(arguments, ", ")));
    return true;
  }

  /// `a_d` for a copy of `a`.
  auto name_on_device(SpecNodeId node) -> std::string {
    const Name name = values_.nodes[node].name;
    return synthesis_.fresh_name(
        fmt::format("{}_d", name.has_value() ? interner_.text(name) : std::string_view("t")));
  }

  /// Is a result used by more than what is on its own encoder?
  auto is_read(const KernelCall& call, SpecNodeId result) const -> bool {
    const size_t own = encoding_number(call.call);
    const auto& outputs = values_.outputs;
    if (std::find(outputs.begin(), outputs.end(), result) != outputs.end()) {
      return true;
    }
    const auto& users = values_.parents[result.index];
    return std::any_of(users.begin(), users.end(),
                       [&](SpecNodeId user) { return encoding_number(user) != own; });
  }

  /// The encoding of a call; one that there is not for other nodes.
  auto encoding_number(SpecNodeId node) const -> size_t {
    for (size_t i = 0; i < calls_.size(); ++i) {
      if (calls_[i].call == node) {
        return plan_.encoding_of[i];
      }
    }
    return ~size_t{0};
  }

  auto wait(Encoding& encoding) -> bool {
    const size_t number = number_of(encoding);
    std::vector<SpecNodeId> results;
    for (size_t i = 0; i < calls_.size(); ++i) {
      for (const SpecNodeId result : calls_[i].results) {
        if (plan_.encoding_of[i] == number && result.has_value() && is_read(calls_[i], result)) {
          results.push_back(result);
        }
      }
    }
    if (encoding.future.empty()) {
      return fail("the timeline waits for what is not submitted");
    }
    if (results.size() == 1) {
      const std::string& field = encoding.names[results[0]];
      line(fmt::format("let {} = (await {}).{};", field, encoding.future, field));
      at_hand_.emplace(results[0], field);
      return true;
    }
    const std::string record = synthesis_.fresh_name("done");
    line(fmt::format("let {} = await {};", record, encoding.future));
    for (const SpecNodeId result : results) {
      at_hand_.emplace(result, fmt::format("{}.{}", record, encoding.names[result]));
    }
    return true;
  }

  Synthesis synthesis_;
  const Interner& interner_;
  const SpecGraph& values_;
  const SpecGraph& timeline_;
  const std::vector<KernelCall>& calls_;
  const StepPlan& plan_;
  const std::string& indent_;
  AtHand at_hand_;
  std::map<SpecNodeId, Encoding> encodings_;
  std::string lines_;
  std::string problem_;
};

}  // namespace

auto write_plan(query::Context& context, names::ItemId function, const SpecGraph& values,
                const SpecGraph& timeline, const AtHand& inputs,
                const std::vector<KernelCall>& calls, const StepPlan& plan,
                const std::string& indent, std::string& problem) -> std::optional<Form> {
  const names::ItemTree& tree = context.get<names::SyntaxOfItem>(function);
  PlanWriter writer(context, function, *tree, values, timeline, calls, plan, indent);
  std::optional<Form> form = writer.run(inputs);
  if (!form) {
    problem = writer.problem();
  }
  return form;
}

}  // namespace tacet::fill
