#include "importer/onnx/read_model.h"

#include <fmt/format.h>

#include "importer/onnx/wire.h"

namespace tacet::importer {

namespace {

auto malformed(std::string_view what) -> Error {
  return Error{fmt::format("not an ONNX model: {} is malformed", what)};
}

auto read_attribute(std::string_view bytes, const ReadBeside& read_beside, bool& has_subgraph)
    -> Result<Attribute> {
  Attribute attribute;
  WireReader reader(bytes);
  bool is_valid = true;
  std::vector<double> number;
  while (const auto field = reader.next()) {
    switch (field->number) {
      case 1:
        attribute.name = field->bytes;
        break;
      case 2:
        is_valid = is_valid && append_floats(*field, number);
        break;
      case 3:
        attribute.integer = static_cast<int64_t>(field->value);
        break;
      case 4:
        attribute.text = field->bytes;
        break;
      case 5: {
        Result<NamedTensor> tensor = read_tensor(field->bytes, read_beside);
        if (!tensor) {
          return tensor.error();
        }
        attribute.tensor = std::move(tensor->tensor);
        break;
      }
      case 6:
      case 11:
        has_subgraph = true;
        break;
      case 7:
        is_valid = is_valid && append_floats(*field, attribute.numbers);
        break;
      case 8:
        is_valid = is_valid && append_integers(*field, attribute.integers);
        break;
      case 9:
        attribute.texts.emplace_back(field->bytes);
        break;
      default:
        break;
    }
  }
  if (!is_valid || !reader.is_valid()) {
    return malformed(fmt::format("attribute `{}`", attribute.name));
  }
  attribute.number = number.empty() ? 0 : number.back();
  return attribute;
}

auto read_node(std::string_view bytes, const ReadBeside& read_beside) -> Result<Node> {
  Node node;
  WireReader reader(bytes);
  while (const auto field = reader.next()) {
    switch (field->number) {
      case 1:
        node.inputs.emplace_back(field->bytes);
        break;
      case 2:
        node.outputs.emplace_back(field->bytes);
        break;
      case 3:
        node.name = field->bytes;
        break;
      case 4:
        node.op = field->bytes;
        break;
      case 5: {
        Result<Attribute> attribute = read_attribute(field->bytes, read_beside, node.has_subgraph);
        if (!attribute) {
          return attribute.error();
        }
        node.attributes.push_back(std::move(*attribute));
        break;
      }
      case 7:
        node.domain = field->bytes == "ai.onnx" ? std::string_view() : field->bytes;
        break;
      default:
        break;
    }
  }
  return reader.is_valid() ? Result<Node>(std::move(node)) : malformed("a node");
}

/// The shape that the type of an input has, which is three messages deep.
auto read_input_type(std::string_view type, GraphInput& input) -> bool {
  WireReader types(type);
  while (const auto tensor = types.next()) {
    WireReader parts(tensor->number == 1 ? tensor->bytes : std::string_view());
    while (const auto part = parts.next()) {
      if (part->number != 2) {
        continue;
      }
      input.has_shape = true;
      WireReader dims(part->bytes);
      while (const auto dim = dims.next()) {
        WireReader sizes(dim->bytes);
        input.shape.emplace_back();
        while (const auto size = sizes.next()) {
          if (size->number == 1 && static_cast<int64_t>(size->value) > 0) {
            input.shape.back() = static_cast<int64_t>(size->value);
          }
        }
        if (!sizes.is_valid()) {
          return false;
        }
      }
      if (!dims.is_valid()) {
        return false;
      }
    }
    if (!parts.is_valid()) {
      return false;
    }
  }
  return types.is_valid();
}

auto read_input(std::string_view bytes) -> Result<GraphInput> {
  GraphInput input;
  WireReader reader(bytes);
  bool is_valid = true;
  while (const auto field = reader.next()) {
    if (field->number == 1) {
      input.name = field->bytes;
    } else if (field->number == 2) {
      is_valid = is_valid && read_input_type(field->bytes, input);
    }
  }
  return is_valid && reader.is_valid() ? Result<GraphInput>(std::move(input))
                                       : malformed("an input");
}

auto read_graph(std::string_view bytes, const ReadBeside& read_beside, Model& model) -> Status {
  WireReader reader(bytes);
  std::vector<GraphInput> inputs;
  while (const auto field = reader.next()) {
    if (field->number == 1) {
      Result<Node> node = read_node(field->bytes, read_beside);
      if (!node) {
        return node.error();
      }
      model.nodes.push_back(std::move(*node));
    } else if (field->number == 5) {
      Result<NamedTensor> tensor = read_tensor(field->bytes, read_beside);
      if (!tensor) {
        return tensor.error();
      }
      model.initialisers[tensor->name] = std::move(tensor->tensor);
    } else if (field->number == 11 || field->number == 12) {
      Result<GraphInput> input = read_input(field->bytes);
      if (!input) {
        return input.error();
      }
      if (field->number == 11) {
        inputs.push_back(std::move(*input));
      } else {
        model.outputs.push_back(input->name);
      }
    } else if (field->number == 15) {
      return Error{"the model has sparse initialisers; export it with dense ones"};
    }
  }
  for (GraphInput& input : inputs) {
    if (!model.initialisers.contains(input.name)) {
      model.inputs.push_back(std::move(input));
    }
  }
  return reader.is_valid() ? Status(std::monostate{}) : malformed("the graph");
}

/// The version of ONNX's own operators; others say nothing of it.
auto read_opset(std::string_view bytes, Model& model) -> Status {
  WireReader reader(bytes);
  std::string_view domain;
  int64_t version = 0;
  while (const auto field = reader.next()) {
    if (field->number == 1) {
      domain = field->bytes;
    } else if (field->number == 2) {
      version = static_cast<int64_t>(field->value);
    }
  }
  if (domain.empty() || domain == "ai.onnx") {
    model.opset = version;
  }
  return reader.is_valid() ? Status(std::monostate{}) : malformed("a set of operators");
}

}  // namespace

auto read_model(std::string_view bytes, const ReadBeside& read_beside) -> Result<Model> {
  Model model;
  WireReader reader(bytes);
  bool has_graph = false;
  while (const auto field = reader.next()) {
    Status read = std::monostate{};
    if (field->number == 2) {
      model.producer = field->bytes;
    } else if (field->number == 7 && field->kind == WireKind::Bytes) {
      has_graph = true;
      read = read_graph(field->bytes, read_beside, model);
    } else if (field->number == 8) {
      read = read_opset(field->bytes, model);
    } else if (field->number == 25) {
      return Error{"the model has functions of its own; export it with them inlined"};
    }
    if (!read) {
      return read.error();
    }
  }
  if (!reader.is_valid() || !has_graph) {
    return Error{"not an ONNX model"};
  }
  constexpr int64_t kOldestOpset = 7;
  constexpr int64_t kNewestOpset = 21;
  if (model.opset == 0) {
    model.opset = kOldestOpset;  // of a model with operators of `ai.onnx.ml` alone
  }
  if (model.opset < kOldestOpset || model.opset > kNewestOpset) {
    return Error{
        fmt::format("the model uses version {} of the operators; versions {} to {} are "
                    "supported",
                    model.opset, kOldestOpset, kNewestOpset)};
  }
  return model;
}

}  // namespace tacet::importer
