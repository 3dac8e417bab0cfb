#include "compiler/spec/fill/whole_bodies.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/front/names/queries.h"
#include "compiler/front/types/queries.h"
#include "compiler/spec/fill/step_plan.h"
#include "compiler/spec/infer/interface.h"
#include "compiler/spec/infer/timeline.h"
#include "compiler/spec/infer/timeline_order.h"

namespace tacet::fill {

using infer::AtHand;
using infer::PortQuotient;
using infer::SpecGraph;
using infer::SpecGraphPtr;
using infer::SpecNodeId;
using infer::Synthesis;
using infer::TermKind;

namespace {

auto graph_of(query::Context& context, names::ItemId specification) -> SpecGraphPtr {
  if (!specification.has_value()) {
    return nullptr;
  }
  const auto& found = context.get<infer::SpecificationOf>(specification);
  return found ? found->graph : SpecGraphPtr();
}

/// The inputs of a device function, by position.
auto inputs_of_device(query::Context& context, const types::Signature& signature,
                      const SpecGraph& values) -> AtHand {
  AtHand inputs;
  for (size_t i = 0; i < signature.parameters.size() && i < values.inputs.size(); ++i) {
    inputs.emplace(values.inputs[i],
                   std::string(context.service<Interner>().text(signature.parameters[i].name)));
  }
  return inputs;
}

/// The inputs of a coordinator function, as its head says.
auto inputs_of_coordinator(query::Context& context, names::ItemId function,
                           const types::Signature& signature, const SpecGraph& values) -> AtHand {
  AtHand inputs;
  const auto& interface = context.get<infer::InterfaceOf>(function);
  const auto& types = context.service<types::TypeStore>();
  if (!interface || interface->parameter_quotients.size() != signature.parameters.size()) {
    return inputs;
  }
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    const PortQuotient& port = interface->parameter_quotients[i];
    const SpecNodeId node =
        port.kind == PortQuotient::Kind::Ordinal && port.number < values.inputs.size()
            ? values.inputs[port.number]
        : port.kind == PortQuotient::Kind::Named ? values.find(port.name)
                                                 : SpecNodeId();
    if (node.has_value()) {
      const bool is_reference =
          types[signature.parameters[i].type].kind == types::TypeKind::Reference;
      const std::string_view name = context.service<Interner>().text(signature.parameters[i].name);
      inputs.emplace(node, fmt::format("{}{}", is_reference ? "*" : "", name));
    }
  }
  for (uint32_t i = 0; i < values.nodes.size(); ++i) {
    const infer::Term& term = values.nodes[SpecNodeId{i}].term;
    if (term.kind == TermKind::Dimension) {
      inputs.emplace(SpecNodeId{i}, fmt::format("_dim{}", term.number));
    }
  }
  return inputs;
}

void add(std::vector<Form>& forms, Form form) {
  const bool is_there = std::any_of(forms.begin(), forms.end(),
                                    [&](const Form& other) { return other.text == form.text; });
  if (!is_there) {
    forms.push_back(std::move(form));
  }
}

/// With each member of each class that is called.
void write_values(query::Context& context, names::ItemId function, const SpecGraph& values,
                  const AtHand& inputs, const std::string& indent, WholeBodies& result) {
  const names::ItemTree tree = context.get<names::SyntaxOfItem>(function);
  const auto attempt = [&](Synthesis& synthesis) {
    if (const auto text = synthesis.block(values.outputs, inputs, indent)) {
      const size_t begin = text->find_first_not_of(' ');
      add(result.forms, {text->substr(begin, text->size() - begin - 1), synthesis.cost()});
    } else {
      result.problem = synthesis.problem();
    }
  };
  Synthesis first(context, function, *tree, values);
  attempt(first);
  for (const auto& [of_class, members] : first.classes()) {
    for (size_t i = 1; i < members.size(); ++i) {
      Synthesis other(context, function, *tree, values);
      other.choose(of_class, i);
      attempt(other);
    }
  }
}

void write_steps(query::Context& context, names::ItemId function, const SpecGraph& values,
                 const SpecGraph& timeline, const AtHand& inputs, const std::string& indent,
                 WholeBodies& result) {
  const std::vector<SpecNodeId> steps = infer::order_of(timeline).steps;
  const auto n_encodings =
      static_cast<size_t>(std::count_if(steps.begin(), steps.end(), [&](SpecNodeId step) {
        return timeline.nodes[step].term.kind == TermKind::EncodeEvent;
      }));
  const FileId file = context.service<names::ItemTable>()[function].file;
  const std::vector<KernelCall> calls = kernel_calls(context, file, values);
  if (calls.empty()) {
    result.problem = "the timeline has steps, but no kernel computes what the specification calls";
    return;
  }
  uint32_t rank = 0;
  for (const StepPlan& plan : step_plans(calls, n_encodings)) {
    std::string problem;
    auto form =
        write_plan(context, function, values, timeline, inputs, calls, plan, indent, problem);
    if (form) {
      form->cost += rank++;
      add(result.forms, std::move(*form));
    } else if (result.problem.empty()) {
      result.problem = problem;
    }
  }
}

auto bodies(query::Context& context, names::ItemId function, const std::string& indent)
    -> WholeBodies {
  WholeBodies result;
  const auto signature = context.get<types::SignatureOf>(function);
  const SpecGraphPtr values = signature ? graph_of(context, signature->val) : SpecGraphPtr();
  if (!values) {
    result.problem = "the function implements no value specification; name one behind `impls`";
    return result;
  }
  if (signature->is_device_function) {
    write_values(context, function, *values, inputs_of_device(context, *signature, *values), indent,
                 result);
  } else {
    const AtHand inputs = inputs_of_coordinator(context, function, *signature, *values);
    const SpecGraphPtr timeline = graph_of(context, signature->tmln);
    if (timeline && !infer::is_trivial(*timeline)) {
      write_steps(context, function, *values, *timeline, inputs, indent, result);
    } else {
      write_values(context, function, *values, inputs, indent, result);
    }
  }
  std::stable_sort(result.forms.begin(), result.forms.end(),
                   [](const Form& a, const Form& b) { return a.cost < b.cost; });
  if (!result.forms.empty()) {
    result.problem.clear();
  }
  return result;
}

}  // namespace

auto whole_bodies(const program::FrontendSnapshot& snapshot, names::ItemId function,
                  const std::string& indent) -> WholeBodies {
  return snapshot.query().run(
      [&](query::Context& context) { return bodies(context, function, indent); });
}

}  // namespace tacet::fill
