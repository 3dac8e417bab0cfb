#include <fmt/format.h>

#include "compiler/front/types/queries.h"
#include "compiler/spec/infer/annotations.h"

namespace tacet::infer {

/// `val.a`, `val.(a, b)`, or `val` where a name is missing.
static auto reference_text(std::string_view dimension, const DimensionTag& tag,
                           const NodeNames& names) -> std::string {
  const bool is_output = tag.kind == DimensionTag::Kind::Output;
  std::vector<std::string_view> parts;
  if (is_output) {
    parts.push_back(names.of_output[tag.output]);
  }
  for (SpecNodeId node : tag.nodes) {
    if (!is_output) {
      parts.push_back(names.of_node[node.index]);
    }
  }
  std::string list;
  for (std::string_view part : parts) {
    if (part.empty()) {
      return std::string(dimension);
    }
    list += fmt::format("{}{}", list.empty() ? "" : ", ", part);
  }
  return parts.size() > 1 ? fmt::format("{}.({})", dimension, list)
                          : fmt::format("{}.{}", dimension, list);
}

static auto tag_text(std::string_view dimension, const DimensionTag& tag, const NodeNames& names)
    -> std::string {
  const std::string flow = tag.flow ? fmt::format("-{}", flow::flow_text(*tag.flow)) : "";
  switch (tag.kind) {
    case DimensionTag::Kind::Deduced:
      return fmt::format("node({}){}", dimension, flow);
    case DimensionTag::Kind::None:
      return fmt::format("none({}){}", dimension, flow);
    case DimensionTag::Kind::Input:
      return fmt::format("input({}){}", reference_text(dimension, tag, names), flow);
    case DimensionTag::Kind::Node:
    case DimensionTag::Kind::Output:
      return fmt::format("node({}){}", reference_text(dimension, tag, names), flow);
  }
  return {};
}

auto tags_text(const Annotation& annotation, const NodeNames& val, const NodeNames& tmln)
    -> std::string {
  const TagTriple& tags = annotation.tags;
  const std::string of_val = tag_text("val", tags.val, val);
  const std::string of_tmln = tag_text("tmln", tags.tmln, tmln);
  const std::string of_sptl = tag_text("sptl", tags.sptl, {});
  return annotation.is_operation() ? fmt::format("[{}, {}, {}]", of_val, of_sptl, of_tmln)
                                   : fmt::format("[{}, {}, {}]", of_val, of_tmln, of_sptl);
}

auto written_names(query::Context& context, const SpecGraph& spec) -> NodeNames {
  const auto& interner = context.service<Interner>();
  auto text = [&](Name name) {
    return name.has_value() ? std::string(interner.text(name)) : std::string();
  };
  NodeNames names;
  for (const SpecNode& node : spec.nodes.values()) {
    names.of_node.push_back(text(node.name));
  }
  const auto signature = context.get<types::SignatureOf>(spec.item);
  for (const types::SignatureResult& result : signature->results) {
    names.of_output.push_back(text(result.name));
  }
  return names;
}

}  // namespace tacet::infer
