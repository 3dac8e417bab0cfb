#include "cli/run/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/values/given_values.h"
#include "cli/values/value_shape.h"
#include "cli/values/values.h"
#include "compiler/front/names/file_items.h"
#include "compiler/front/types/value_bound.h"
#include "compiler/run/interpret/interpret.h"

namespace tacet::cli {
namespace {

using interpret::EntryParameter;
using interpret::Value;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

/// Beyond what the samples have.
constexpr double kRoom = 1.05;
constexpr double kRoomOfNorm = 1.1;
/// A norm that says no more than this part of what the ends say is left out.
constexpr double kLeastGain = 0.7;

/// The least number of two digits, or whole number, that is not less than a positive one.
struct RoundNumber {
  explicit RoundNumber(double least, bool is_whole) {
    int power = static_cast<int>(std::floor(std::log10(least))) - 1;
    power = is_whole ? std::max(power, 0) : power;
    const double unit = std::pow(10.0, power);
    number = std::ceil(least / unit - 1e-9) * unit;
    text = fmt::format("{:.{}f}", number, std::max(-power, 0));
    while (text.find('.') != std::string::npos && (text.back() == '0' || text.back() == '.')) {
      const bool was_point = text.back() == '.';
      text.pop_back();
      if (was_point) {
        break;
      }
    }
  }

  double number = 0;
  std::string text;
};

struct Sample {
  EntryParameter parameter;
  Value value;
};

/// The parameter of a sample, and its value: as many of the parameter's as the data has.
auto read_sample(const std::vector<EntryParameter>& parameters, const std::string& given)
    -> Result<Sample> {
  const size_t equals = given.find('=');
  const bool has_name =
      equals != std::string::npos && equals > 0 && given.find_first_of("[{@/.") > equals;
  if (!has_name && parameters.size() != 1) {
    return Error{
        fmt::format("`--calibrate {}`: expected `NAME=VALUE`, since there are {} parameters", given,
                    parameters.size())};
  }
  Result<size_t> at =
      has_name ? find_parameter(parameters, given.substr(0, equals)) : Result<size_t>(size_t{0});
  if (!at) {
    return at.error();
  }
  EntryParameter parameter = parameters[*at];
  if (interpret::is_float(parameter.type.kind) ||
      parameter.type.kind == interpret::ElementKind::Bool) {
    return Error{
        fmt::format("`{}` is not an integer or `fxp`, or an array of these", parameter.name)};
  }
  parameter.bound.reset();
  std::string text = has_name ? given.substr(equals + 1) : given;
  if (!text.starts_with('@') && std::filesystem::exists(text)) {
    text.insert(0, "@");
  }
  ValueReader reader([] { return engine::PublicRandomKey{}; });
  Result<Value> one = reader.read(parameter, text);
  if (one) {
    return Sample{std::move(parameter), std::move(*one)};
  }
  std::vector<int64_t> pattern{-1};
  pattern.insert(pattern.end(), parameter.shape.begin(), parameter.shape.end());
  Result<std::optional<std::vector<int64_t>>> shape = shape_of_value(text, pattern);
  const bool is_of_many = shape && *shape && (*shape)->size() == pattern.size() &&
                          std::equal(pattern.begin() + 1, pattern.end(), (*shape)->begin() + 1);
  if (!is_of_many) {
    return one.error();
  }
  EntryParameter many = parameter;
  many.shape.assign((*shape)->begin(), (*shape)->end());
  Result<Value> all = reader.read(many, text);
  return all ? Result<Sample>(Sample{std::move(parameter), std::move(*all)}) : all.error();
}

/// `in lo..hi norm r`
auto calibrated_bound(const Sample& sample) -> std::string {
  const bool is_fixed = sample.parameter.type.kind == interpret::ElementKind::Fxp;
  const double unit = std::ldexp(1, -int{sample.parameter.type.fraction_bits});
  std::vector<double> numbers;
  for (const interpret::Cell cell : sample.value.cells) {
    const bool is_signed = is_fixed || engine::is_signed_integer(sample.parameter.type.kind);
    numbers.push_back(
        (is_signed ? static_cast<double>(static_cast<int64_t>(cell)) : static_cast<double>(cell)) *
        unit);
  }
  const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  // No more than the type has.
  const types::ValueBound all = *types::bound_of_type(sample.parameter.type);
  const auto [least, greatest] = types::ends_text(all);
  const auto end = [&](double size, types::Wide most, const std::string& last) {
    const RoundNumber rounded(size * kRoom, !is_fixed);
    return rounded.number < std::abs(static_cast<double>(most)) * unit ? rounded.text : last;
  };
  const std::string lower =
      *low >= 0 ? "0" : "-" + end(-*low, all.lower, least.substr(least.starts_with('-') ? 1 : 0));
  const std::string upper = *high < 0 ? "0" : end(*high + unit, all.upper, greatest);
  std::string text = fmt::format("in {}..{}", lower, upper);
  const size_t width = types::norm_width(sample.parameter.shape);
  if (!is_fixed || sample.parameter.shape.empty() || width == 0) {
    return text;
  }
  double most = 0;
  for (size_t i = 0; i < numbers.size(); i += width) {
    double squares = 0;
    for (size_t k = i; k < std::min(i + width, numbers.size()); ++k) {
      squares += numbers[k] * numbers[k];
    }
    most = std::max(most, std::sqrt(squares));
  }
  const RoundNumber norm(std::max(most, unit) * kRoomOfNorm, false);
  const double of_ends =
      std::sqrt(static_cast<double>(width)) * std::max(std::abs(*low), std::abs(*high));
  return norm.number < kLeastGain * of_ends ? fmt::format("{} norm {}", text, norm.text) : text;
}

}  // namespace

auto calibrated_bounds(const program::FrontendSnapshot& snapshot, names::ItemId item,
                       const std::vector<std::string>& samples) -> Result<std::vector<TextEdit>> {
  const interpret::Compilation compilation = interpret::compile(snapshot, item, {});
  if (!compilation.executable) {
    return Error{compilation.problem};
  }
  const names::ItemTree tree = snapshot.tree(item);
  const uint32_t begin = snapshot.item_begin(item);
  const Node parameters = names::item_node(*tree).child(Field::Parameters);
  std::vector<TextEdit> edits;
  for (const std::string& given : samples) {
    Result<Sample> sample = read_sample(compilation.executable->parameters, given);
    if (!sample) {
      return sample.error();
    }
    if (sample->value.cells.empty()) {
      return Error{fmt::format("`{}` has no elements", sample->parameter.name)};
    }
    const std::string bound = calibrated_bound(*sample);
    for (const Node node : parameters.children()) {
      if (!node.is(NodeKind::Parameter) ||
          node.child(Field::Name).text() != sample->parameter.name) {
        continue;
      }
      if (const Node old = node.child(Field::Bound)) {
        edits.push_back({old.range().shifted(begin), bound});
      } else {
        const uint32_t at = begin + node.child(Field::Type).range().end;
        edits.push_back({{at, at}, " " + bound});
      }
    }
  }
  std::sort(edits.begin(), edits.end(),
            [](const TextEdit& a, const TextEdit& b) { return a.range.begin < b.range.begin; });
  return edits;
}

}  // namespace tacet::cli
