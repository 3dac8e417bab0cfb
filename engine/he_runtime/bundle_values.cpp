#include "engine/he_runtime/bundle_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/he/digest.h"
#include "engine/program/common/element_type.h"

namespace tacet::engine {

auto fraction_bits_of(const HeField& field) -> unsigned {
  ElementType type;
  return find_element_type(field.type, type) && type.kind == ElementKind::Fxp ? type.fraction_bits
                                                                              : 0;
}

static auto field_named(const std::vector<HeField>& fields, const std::string& name)
    -> const HeField* {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const HeField& f) { return f.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

auto values_for(const HeBundle& bundle, const HeBundlePart& part, const HeIntegers& numbers)
    -> HeValues {
  if (part.program.is_integer()) {
    return residues_of(numbers, part.program.modulus);
  }
  HeValues values;
  for (const auto& [name, integers] : numbers) {
    const HeField* field = field_named(bundle.inputs, name);
    const int bits = field == nullptr ? 0 : static_cast<int>(fraction_bits_of(*field));
    std::vector<double>& reals = values[name];
    for (const int64_t number : integers) {
      reals.push_back(std::ldexp(static_cast<double>(number), -bits));
    }
  }
  return values;
}

auto numbers_from(const HeBundle& bundle, const std::vector<HeValues>& parts) -> HeIntegers {
  if (bundle.parts.front().program.is_integer()) {
    std::vector<uint64_t> moduli;
    for (const HeBundlePart& part : bundle.parts) {
      moduli.push_back(part.program.modulus);
    }
    return combine_residues(parts, moduli);
  }
  constexpr double kMost = 0x1p62;
  HeIntegers numbers;
  for (const HeValues& values : parts) {
    for (const auto& [name, reals] : values) {
      const HeField* field = field_named(bundle.results, name);
      const int bits = field == nullptr ? 0 : static_cast<int>(fraction_bits_of(*field));
      for (const double real : reals) {
        const double number = std::nearbyint(std::ldexp(real, bits));
        numbers[name].push_back(static_cast<int64_t>(std::clamp(number, -kMost, kMost)));
      }
    }
  }
  return numbers;
}

auto check_results(const HeBundle& bundle, const HeIntegers& numbers) -> Status {
  for (const HeField& field : bundle.results) {
    const auto found = numbers.find(field.name);
    if (found == numbers.end()) {
      return Error{fmt::format("missing result `{}`", field.name)};
    }
    for (size_t i = 0; i < found->second.size(); ++i) {
      const int64_t number = found->second[i];
      if (number < field.low || number > field.high) {
        return Error{fmt::format(
            "result `{}`: element [{}] decrypts to a number outside the program's range; an input "
            "was out of range, or the result belongs to another program",
            field.name, i)};
      }
    }
  }
  return std::monostate{};
}

auto digest_of(const HeBundle& bundle) -> BundleDigest {
  he::Digester digester;
  digester.add("tacet he bundle 1");
  digester.add(to_text(bundle));
  return digester.finish();
}

}  // namespace tacet::engine
