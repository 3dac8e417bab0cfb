#include "importer/lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "importer/names.h"

namespace tacet::importer {

auto Stored::shape() const -> Shape {
  Shape shape;
  for (const auto& parts : dims) {
    int64_t extent = 1;
    for (const Part& part : parts) {
      extent *= part.extent;
    }
    shape.push_back(extent);
  }
  return shape;
}

auto Stored::rank() const -> size_t {
  size_t n = 0;
  for (const auto& parts : dims) {
    n += parts.size();
  }
  return n;
}

auto fresh_name(Lowering& lowering, std::string_view wish) -> std::string {
  const std::string base = identifier(wish);
  std::string name = base;
  for (size_t i = 2; !lowering.names.insert(name).second; ++i) {
    name = fmt::format("{}_{}", base, i);
  }
  return name;
}

auto constant_of(const Lowering& lowering, const std::string& tensor) -> const Tensor* {
  const auto found = lowering.constants.find(tensor);
  return found == lowering.constants.end() ? nullptr : &found->second;
}

auto shape_of(const Lowering& lowering, const std::string& tensor) -> Shape {
  const Tensor* constant = constant_of(lowering, tensor);
  return constant != nullptr ? constant->shape : lowering.stored.at(tensor).shape();
}

auto elements_of(const Lowering& lowering, const std::string& tensor) -> Elements {
  const Tensor* constant = constant_of(lowering, tensor);
  return constant != nullptr ? constant->elements : lowering.stored.at(tensor).elements;
}

static auto whole_parts(const Shape& shape) -> std::vector<std::vector<int64_t>> {
  std::vector<std::vector<int64_t>> parts;
  for (const int64_t extent : shape) {
    parts.push_back(extent == 1 ? std::vector<int64_t>{} : std::vector<int64_t>{extent});
  }
  return parts;
}

auto stored_of(Lowering& lowering, const std::string& tensor) -> Stored {
  const Tensor* constant = constant_of(lowering, tensor);
  return constant == nullptr
             ? lowering.stored.at(tensor)
             : weights_of(lowering, tensor, *constant, whole_parts(constant->shape));
}

auto weights_of(Lowering& lowering, std::string_view wish, Tensor tensor,
                const std::vector<std::vector<int64_t>>& parts) -> Stored {
  Stored stored{"", tensor.elements, {}};
  Shape shape;
  for (const std::vector<int64_t>& extents : parts) {
    stored.dims.emplace_back();
    for (const int64_t extent : extents) {
      stored.dims.back().push_back({extent, shape.size()});
      shape.push_back(extent);
    }
  }
  tensor.shape = shape;
  for (const Weights& known : lowering.weights) {
    if (known.tensor.shape == tensor.shape && known.tensor.values == tensor.values &&
        known.tensor.elements == tensor.elements) {
      stored.name = known.name;
      return stored;
    }
  }
  stored.name = fresh_name(lowering, wish);
  lowering.weights.push_back({stored.name, std::move(tensor)});
  return stored;
}

auto counter(Lowering& lowering, int64_t extent) -> Counter {
  const size_t i = lowering.n_counters++;
  return {counter_name(i), extent};
}

auto counters_for(Lowering& lowering, const std::vector<std::vector<int64_t>>& parts) -> Counters {
  Counters counters;
  for (const std::vector<int64_t>& extents : parts) {
    counters.emplace_back();
    for (const int64_t extent : extents) {
      counters.back().push_back(counter(lowering, extent));
    }
  }
  return counters;
}

auto parts_of(const Stored& stored) -> std::vector<std::vector<int64_t>> {
  std::vector<std::vector<int64_t>> all;
  for (const auto& parts : stored.dims) {
    all.emplace_back();
    for (const Part& part : parts) {
      all.back().push_back(part.extent);
    }
  }
  return all;
}

/// The index that counters are for a part which they divide: `4 * i + j`.
static auto joined_index(const std::vector<Counter>& counters, size_t begin, size_t end)
    -> std::string {
  std::string text;
  for (size_t i = begin; i < end; ++i) {
    int64_t stride = 1;
    for (size_t k = i + 1; k < end; ++k) {
      stride *= counters[k].extent;
    }
    text += text.empty() ? "" : " + ";
    text += stride == 1 ? counters[i].name : fmt::format("{} * {}", stride, counters[i].name);
  }
  return text;
}

auto element(const Stored& stored, const Counters& counters) -> std::string {
  std::vector<std::string> indices(stored.rank());
  for (size_t d = 0; d < stored.dims.size(); ++d) {
    size_t at = 0;
    for (const Part& part : stored.dims[d]) {
      const size_t begin = at;
      int64_t extent = 1;
      while (extent < part.extent && at < counters[d].size()) {
        extent *= counters[d][at++].extent;
      }
      indices[part.place] = joined_index(counters[d], begin, at);
    }
  }
  std::string text = stored.name;
  for (const std::string& index : indices) {
    text += fmt::format("[{}]", index);
  }
  return text;
}

auto element_at_indices(const Stored& stored, const std::vector<std::string>& indices)
    -> std::string {
  std::vector<std::string> placed(stored.rank());
  for (size_t d = 0; d < stored.dims.size(); ++d) {
    if (!stored.dims[d].empty()) {
      placed[stored.dims[d].front().place] = indices[d];
    }
  }
  std::string text = stored.name;
  for (const std::string& index : placed) {
    text += fmt::format("[{}]", index);
  }
  return text;
}

auto loops(const Counters& counters, const std::string& inner) -> std::string {
  std::string text = inner;
  for (size_t d = counters.size(); d-- > 0;) {
    for (size_t i = counters[d].size(); i-- > 0;) {
      text = fmt::format("for {}: {} {{ {} }}", counters[d][i].name, counters[d][i].extent, text);
    }
  }
  return text;
}

auto reduced(std::string_view function, const std::vector<Counter>& counters,
             const std::string& inner) -> std::string {
  std::string text = inner;
  for (size_t i = counters.size(); i-- > 0;) {
    text = fmt::format("{}(for {}: {} {{ {} }})", function, counters[i].name, counters[i].extent,
                       text);
  }
  return text;
}

/// Where a dimension is divided: the extents of what is below each part.
static void add_boundaries(const std::vector<int64_t>& extents, std::set<int64_t>& boundaries) {
  int64_t below = 1;
  for (size_t i = extents.size(); i-- > 0;) {
    boundaries.insert(below);
    below *= extents[i];
  }
  boundaries.insert(below);
}

auto refined(const std::vector<std::vector<int64_t>>& all) -> std::vector<int64_t> {
  std::set<int64_t> boundaries;
  for (const std::vector<int64_t>& extents : all) {
    add_boundaries(extents, boundaries);
  }
  std::vector<int64_t> parts;
  int64_t below = 1;
  for (const int64_t boundary : boundaries) {
    if (boundary % below != 0) {
      return {};
    }
    if (boundary != below) {
      parts.insert(parts.begin(), boundary / below);
    }
    below = boundary;
  }
  return parts;
}

static auto comment_of(Lowering& lowering, const Node& node) -> std::string {
  std::string text;
  for (const std::string& earlier : lowering.comments) {
    text += earlier + ", ";
  }
  lowering.comments.clear();
  return text + short_description(node);
}

static auto stored_at(const std::string& name, const Counters& counters, Elements elements)
    -> Stored {
  Stored stored{name, elements, {}};
  size_t place = 0;
  for (const auto& parts : counters) {
    stored.dims.emplace_back();
    for (const Counter& part : parts) {
      stored.dims.back().push_back({part.extent, place++});
    }
  }
  return stored;
}

auto define_value(Lowering& lowering, std::string_view wish, const Counters& counters,
                  const std::string& expression, Elements elements) -> Stored {
  const std::string name = fresh_name(lowering, wish);
  lowering.statements.push_back(
      {"", fmt::format("let {} = {};", name, loops(counters, expression))});
  lowering.n_counters = 0;
  return stored_at(name, counters, elements);
}

auto define(Lowering& lowering, const Node& node, const Counters& counters,
            const std::string& expression, Elements elements, size_t output) -> Stored {
  const std::string& tensor = node.outputs[output];
  Stored stored = define_value(lowering, tensor, counters, expression, elements);
  lowering.statements.back().comment = comment_of(lowering, node);
  lowering.stored[tensor] = stored;
  return stored;
}

/// `[[0.0; 3]; 2]`
static auto filled(const Shape& shape, const std::string& value) -> std::string {
  std::string text = value;
  for (size_t i = shape.size(); i-- > 0;) {
    text = fmt::format("[{}; {}]", text, shape[i]);
  }
  return text;
}

/// Writes the elements one by one, since indices of reads have no quotients.
static auto copied(Lowering& lowering, const Stored& stored,
                   const std::vector<std::vector<int64_t>>& parts) -> Stored {
  const Counters counters = counters_for(lowering, parts_of(stored));
  const std::string name = fresh_name(lowering, stored.name);
  Shape shape;
  Counters outer;
  Stored copy{name, stored.elements, {}};
  std::string indices;
  for (size_t d = 0; d < parts.size(); ++d) {
    const bool is_merged = parts[d].size() < counters[d].size();
    copy.dims.emplace_back();
    size_t at = 0;
    for (const int64_t extent : parts[d]) {
      copy.dims.back().push_back({extent, shape.size()});
      shape.push_back(extent);
      const size_t end = is_merged ? counters[d].size() : at + 1;
      indices += fmt::format("[{}]", joined_index(counters[d], at, end));
      at = end;
    }
  }
  std::string text = fmt::format("{}{} = {};", name, indices, element(stored, counters));
  for (size_t d = counters.size(); d-- > 0;) {
    for (size_t i = counters[d].size(); i-- > 0;) {
      text =
          fmt::format("for {} in 0..{} {{ {} }}", counters[d][i].name, counters[d][i].extent, text);
    }
  }
  lowering.n_counters = 0;
  const std::string zero = stored.elements == Elements::Boolean ? "false" : "0";
  lowering.statements.push_back(
      {"", fmt::format("var {}: secret {} = {};\n{}", name, type_text(stored.elements, shape),
                       filled(shape, zero), text)});
  return copy;
}

auto with_whole_dims(Lowering& lowering, const Stored& stored, const std::vector<bool>& is_whole)
    -> Stored {
  std::vector<std::vector<int64_t>> parts = parts_of(stored);
  bool changes = false;
  const Shape shape = stored.shape();
  for (size_t d = 0; d < parts.size(); ++d) {
    if (is_whole[d] && parts[d].size() > 1) {
      parts[d] = {shape[d]};
      changes = true;
    }
  }
  return changes ? copied(lowering, stored, parts) : stored;
}

auto canonical(Lowering& lowering, const Stored& stored) -> Stored {
  Stored whole = with_whole_dims(lowering, stored, std::vector<bool>(stored.dims.size(), true));
  size_t place = 0;
  bool is_ordered = true;
  for (const auto& parts : whole.dims) {
    for (const Part& part : parts) {
      is_ordered = is_ordered && part.place == place++;
    }
  }
  if (is_ordered) {
    return whole;
  }
  const Counters counters = counters_for(lowering, parts_of(whole));
  return define_value(lowering, whole.name, counters, element(whole, counters), whole.elements);
}

auto literal(double value, Elements elements) -> std::string {
  if (elements == Elements::Boolean) {
    return value != 0 ? "true" : "false";
  }
  if (elements == Elements::Integer) {
    return value < 0 ? fmt::format("({})", as_integer(value))
                     : fmt::format("{}", as_integer(value));
  }
  const auto narrow = static_cast<float>(value);
  std::string text = static_cast<double>(narrow) == value ? decimal(fmt::format("{}", narrow))
                                                          : decimal(fmt::format("{}", value));
  return value < 0 ? fmt::format("({})", text) : text;
}

void require_parties(Lowering& lowering, const Node& node) {
  if (lowering.only_on_mpc.empty()) {
    lowering.only_on_mpc = description(node);
  }
}

auto bound_clause(const Lowering& lowering, const std::string& tensor) -> std::string {
  const auto found = lowering.ranges.find(tensor);
  return found == lowering.ranges.end() ? "" : interval_clause(with_room(found->second));
}

auto type_text(Elements elements, const Shape& shape) -> std::string {
  const std::string_view element = elements == Elements::Boolean   ? "bool"
                                   : elements == Elements::Integer ? "i64"
                                                                   : "fxp";
  std::string text(element);
  for (size_t i = 0; i < shape.size(); ++i) {
    text += fmt::format("{} {}", i == 0 ? ";" : ",", shape[i]);
  }
  return shape.empty() ? text : fmt::format("[{}]", text);
}

}  // namespace tacet::importer
