#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "cli/values/element_values.h"
#include "cli/values/given_values.h"
#include "cli/values/record_values.h"
#include "cli/values/values.h"
#include "interface/errors.h"
#include "interface/values.h"

namespace tacet::interface {

namespace {

using interpret::EntryParameter;
using interpret::Value;

auto size_of(uint32_t element) -> size_t {
  switch (element) {
    case TACET_BOOL:
    case TACET_I8:
    case TACET_U8:
      return 1;
    case TACET_I16:
    case TACET_U16:
      return 2;
    case TACET_I32:
    case TACET_U32:
    case TACET_F32:
      return 4;
    default:
      return 8;
  }
}

template <class T>
auto load(const std::byte* at) -> T {
  T value{};
  std::memcpy(&value, at, sizeof(T));
  return value;
}

auto whole(int64_t value) -> cli::OutsideNumber {
  return cli::WholeNumber{.is_negative = value < 0,
                          .magnitude = value < 0 ? uint64_t{0} - static_cast<uint64_t>(value)
                                                 : static_cast<uint64_t>(value)};
}

/// An element of an array, other than of fixed point.
auto number_at(uint32_t element, const std::byte* at) -> cli::OutsideNumber {
  switch (element) {
    case TACET_BOOL:
      return load<uint8_t>(at) != 0;
    case TACET_I8:
      return whole(load<int8_t>(at));
    case TACET_I16:
      return whole(load<int16_t>(at));
    case TACET_I32:
      return whole(load<int32_t>(at));
    case TACET_I64:
      return whole(load<int64_t>(at));
    case TACET_U8:
      return cli::WholeNumber{.magnitude = load<uint8_t>(at)};
    case TACET_U16:
      return cli::WholeNumber{.magnitude = load<uint16_t>(at)};
    case TACET_U32:
      return cli::WholeNumber{.magnitude = load<uint32_t>(at)};
    case TACET_U64:
      return cli::WholeNumber{.magnitude = load<uint64_t>(at)};
    case TACET_F32:
      return double{load<float>(at)};
    default:
      return load<double>(at);
  }
}

/// Goes through the elements of an array, row by row, wherever they are.
class ArrayWalk {
 public:
  explicit ArrayWalk(const tacet_array& array)
      : shape_(array.shape, array.shape + array.n_dimensions),
        strides_(shape_.size()),
        indices_(shape_.size(), 0),
        at_(static_cast<const std::byte*>(array.data)) {
    auto next = static_cast<int64_t>(size_of(array.element));
    for (size_t i = shape_.size(); i-- > 0;) {
      strides_[i] = array.strides == nullptr ? next : array.strides[i];
      next *= static_cast<int64_t>(shape_[i]);
    }
  }

  [[nodiscard]] auto shape() const -> const std::vector<uint64_t>& { return shape_; }
  [[nodiscard]] auto at() const -> const std::byte* { return at_; }

  void advance() {
    for (size_t i = shape_.size(); i-- > 0;) {
      at_ += strides_[i];
      if (++indices_[i] < shape_[i]) {
        return;
      }
      at_ -= strides_[i] * static_cast<int64_t>(shape_[i]);
      indices_[i] = 0;
    }
  }

 private:
  std::vector<uint64_t> shape_;
  std::vector<int64_t> strides_;
  std::vector<uint64_t> indices_;
  const std::byte* at_;
};

auto add_fixed(const tacet_array& array, const std::byte* at, cli::ElementReader& reader) -> bool {
  const engine::ElementType type{engine::ElementKind::Fxp,
                                 static_cast<uint8_t>(array.fraction_bits)};
  const std::string text = engine::element_text(type, static_cast<engine::Cell>(load<int64_t>(at)));
  return reader.add(std::string_view(text));
}

auto value_of_array(const EntryParameter& parameter, const tacet_array& array) -> Result<Value> {
  cli::ElementReader reader(parameter);
  if (array.element > TACET_F64 || array.fraction_bits > engine::kMaxFractionBits) {
    reader.fail(fmt::format("its array has elements of the unknown type {}", array.element));
    return reader.finish();
  }
  if (array.data == nullptr && interpret::n_elements(parameter.shape) != 0) {
    reader.fail("its array has no data");
    return reader.finish();
  }
  ArrayWalk walk(array);
  if (walk.shape() != parameter.shape) {
    reader.fail(fmt::format("it has the shape ({}), expected `{}`", fmt::join(walk.shape(), ", "),
                            interpret::type_text(parameter.type, parameter.shape)));
    return reader.finish();
  }
  const uint64_t n = interpret::n_elements(parameter.shape);
  reader.reserve(n);
  for (uint64_t i = 0; i < n; ++i, walk.advance()) {
    const bool is_added = array.element == TACET_FXP
                              ? add_fixed(array, walk.at(), reader)
                              : reader.add(number_at(array.element, walk.at()));
    if (!is_added) {
      break;
    }
  }
  return reader.finish();
}

auto missing(const EntryParameter& parameter) -> Error {
  return Error{fmt::format("parameter `{}` of type `{}` has no value", parameter.shown(),
                           interpret::type_text(parameter.type, parameter.shape))};
}

/// The inputs of a call by parameter: an array, or a text.
class GivenInputs {
 public:
  explicit GivenInputs(const std::vector<EntryParameter>& parameters)
      : parameters_(parameters), arrays_(parameters.size()), texts_(parameters.size()) {}

  auto take(const tacet_input* inputs, size_t n_inputs) -> Status {
    const std::byte* at = reinterpret_cast<const std::byte*>(inputs);
    cli::GivenTexts given;
    for (size_t i = 0; i < n_inputs; ++i) {
      // The caller's structures may be longer than ours.
      const auto& input = *reinterpret_cast<const tacet_input*>(at);
      if (input.struct_size < offsetof(tacet_input, array)) {
        return Error{"the structure of an input does not have its size"};
      }
      const tacet_input known = known_part(input);
      at += input.struct_size;
      if (known.name == nullptr) {
        return Error{"an input has no name"};
      }
      if (known.text != nullptr) {
        given.inputs.push_back(fmt::format("{}={}", known.name, known.text));
      } else if (Status added = add_array(known); !added) {
        return added;
      }
    }
    return add_texts(given);
  }

  auto values(const std::function<engine::PublicRandomKey()>& key) -> Result<std::vector<Value>> {
    cli::ValueReader reader(key);
    std::vector<Value> values;
    for (size_t i = 0; i < parameters_.size(); ++i) {
      EntryParameter parameter = parameters_[i];
      parameter.name = parameter.shown();
      Result<Value> value = arrays_[i]  ? value_of_array(parameter, *arrays_[i])
                            : texts_[i] ? reader.read(parameter, *texts_[i])
                                        : Result<Value>(missing(parameter));
      if (!value) {
        return value.error();
      }
      values.push_back(std::move(*value));
    }
    return values;
  }

 private:
  auto add_array(const tacet_input& input) -> Status {
    Result<size_t> found = cli::find_parameter(parameters_, input.name);
    if (!found) {
      return found.error();
    }
    if (arrays_[*found]) {
      return twice(input.name);
    }
    arrays_[*found] = input.array;
    return std::monostate{};
  }

  auto add_texts(const cli::GivenTexts& given) -> Status {
    Result<cli::GivenTexts> split = cli::split_records(given, cli::groups_of(parameters_));
    if (!split) {
      return split.error();
    }
    for (const std::string& input : split->inputs) {
      const size_t equals = input.find('=');
      const std::string name = input.substr(0, equals);
      Result<size_t> found = cli::find_parameter(parameters_, name);
      if (!found) {
        return found.error();
      }
      if (arrays_[*found] || texts_[*found]) {
        return twice(name);
      }
      texts_[*found] = input.substr(equals + 1);
    }
    return std::monostate{};
  }

  static auto twice(std::string_view name) -> Error {
    return Error{fmt::format("parameter `{}` is given twice", name)};
  }

  const std::vector<EntryParameter>& parameters_;
  std::vector<std::optional<tacet_array>> arrays_;
  std::vector<std::optional<std::string>> texts_;
};

}  // namespace

auto values_of_inputs(const std::vector<EntryParameter>& parameters, const tacet_input* inputs,
                      size_t n_inputs, const std::function<engine::PublicRandomKey()>& key)
    -> Result<std::vector<Value>> {
  GivenInputs given(parameters);
  if (Status taken = given.take(inputs, n_inputs); !taken) {
    return taken.error();
  }
  return given.values(key);
}

}  // namespace tacet::interface
