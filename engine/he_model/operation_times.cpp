#include "engine/he_model/operation_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace tacet::he {
namespace {

constexpr std::string_view kNames[] = {
#define TACET_HE_OPERATION(Name, text, is_key_switch) text,
#include "engine/he_model/operations.def"
};

constexpr bool kIsKeySwitch[] = {
#define TACET_HE_OPERATION(Name, text, is_key_switch) is_key_switch,
#include "engine/he_model/operations.def"
};

constexpr std::pair<Scheme, std::string_view> kSchemes[] = {
    {Scheme::Bfv, "bfv"}, {Scheme::Bgv, "bgv"}, {Scheme::Ckks, "ckks"}};

/// Rows of N words that an operation works on, transforms counted as one each: what its time is
/// about proportional to.
auto n_rows(Operation operation, size_t n_primes, size_t n_special) -> double {
  const auto m = static_cast<double>(n_primes);
  if (!kIsKeySwitch[static_cast<size_t>(operation)]) {
    return m;
  }
  const auto s = static_cast<double>(std::max<size_t>(n_special, 1));
  const double digits = std::ceil(m / s);
  const double raise = m + digits * (m + s) - m;  // back once, and every digit to other primes
  const double lower = 2 * (m + s);               // the special primes back, their rest to the data
  const double products = digits * (m + s) / 4;
  if (operation == Operation::Hoist) {
    return raise;
  }
  if (operation == Operation::RotateHoisted) {
    return lower + products;
  }
  return operation == Operation::Key ? 2 * digits * (m + s) : raise + lower + products;
}

auto butterflies(size_t n) -> double {
  const auto words = static_cast<double>(n);
  return words * std::log2(words);
}

/// A row between two measured ones, or in proportion beyond them.
auto interpolated(const std::map<size_t, double>& series, Operation operation, size_t n_primes,
                  size_t n_special) -> double {
  const auto above = series.lower_bound(n_primes);
  if (above != series.end() && (above->first == n_primes || above != series.begin())) {
    if (above->first == n_primes) {
      return above->second;
    }
    const auto below = std::prev(above);
    const double part = static_cast<double>(n_primes - below->first) /
                        static_cast<double>(above->first - below->first);
    return below->second + part * (above->second - below->second);
  }
  const auto known = above == series.end() ? std::prev(above) : above;
  return known->second * n_rows(operation, n_primes, n_special) /
         n_rows(operation, known->first, n_special);
}

auto words_of(std::string_view line) -> std::vector<std::string_view> {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const size_t end = std::min(line.find(' '), line.size());
    if (end > 0) {
      words.push_back(line.substr(0, end));
    }
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

template <class Number>
auto number_of(std::string_view text) -> std::optional<Number> {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number)
                                                                  : std::nullopt;
}

auto operation_of(std::string_view name) -> std::optional<Operation> {
  const auto* found = std::find(std::begin(kNames), std::end(kNames), name);
  return found == std::end(kNames)
             ? std::nullopt
             : std::optional(static_cast<Operation>(found - std::begin(kNames)));
}

/// Whether the line was one of times.
auto read_line(std::string_view line, OperationTimes& times) -> bool {
  const std::vector<std::string_view> words = words_of(line);
  if (words.empty() || words[0].front() == '#') {
    return true;
  }
  const auto* scheme = std::find_if(std::begin(kSchemes), std::end(kSchemes),
                                    [&](const auto& known) { return known.second == words[0]; });
  if (words.size() < 5 || scheme == std::end(kSchemes)) {
    return false;
  }
  const auto n = number_of<size_t>(words[1]);
  const auto n_special = number_of<size_t>(words[2]);
  const auto operation = operation_of(words[3]);
  if (!n || *n < 64 || *n > kMaxSecureDimension || !n_special || *n_special > kMaxPrimes ||
      !operation) {
    return false;
  }
  for (size_t i = 4; i < words.size(); ++i) {
    const size_t colon = std::min(words[i].find(':'), words[i].size() - 1);
    const auto n_primes = number_of<size_t>(words[i].substr(0, colon));
    const auto time = number_of<double>(words[i].substr(colon + 1));
    if (!n_primes || *n_primes == 0 || *n_primes > kMaxPrimes || !time || !(*time >= 0) ||
        !std::isfinite(*time)) {
      return false;
    }
    times.set(*operation,
              {.scheme = scheme->first,
               .ring_dimension = *n,
               .n_primes = *n_primes,
               .n_special = *n_special},
              *time);
  }
  return true;
}

}  // namespace

auto operation_name(Operation operation) -> std::string_view {
  return kNames[static_cast<size_t>(operation)];
}

void OperationTimes::set(Operation operation, const OperationPlace& place, double microseconds) {
  series_[{operation, place.scheme, place.ring_dimension, place.n_special}][place.n_primes] =
      microseconds;
}

/// The measured series for the place, or the one that is most like it.
auto OperationTimes::nearest(Operation operation, const OperationPlace& place) const -> Key {
  const auto distance = [&](const Key& key) {
    const auto apart = [](size_t a, size_t b) {
      return std::abs(std::log2(static_cast<double>(std::max<size_t>(a, 1))) -
                      std::log2(static_cast<double>(std::max<size_t>(b, 1))));
    };
    return (key.scheme == place.scheme ? 0.0 : 1000.0) +
           10 * apart(key.ring_dimension, place.ring_dimension) +
           apart(key.n_special, place.n_special);
  };
  const Key* best = nullptr;
  for (const auto& [key, series] : series_) {
    if (key.operation == operation && (best == nullptr || distance(key) < distance(*best))) {
      best = &key;
    }
  }
  return *best;
}

auto OperationTimes::of(Operation operation, const OperationPlace& place) const -> double {
  const Key exact{operation, place.scheme, place.ring_dimension, place.n_special};
  const auto measured = series_.find(exact);
  if (measured != series_.end()) {
    return interpolated(measured->second, operation, place.n_primes, place.n_special);
  }
  const Key key = nearest(operation, place);
  const double time =
      interpolated(series_.find(key)->second, operation, place.n_primes, key.n_special);
  return time * butterflies(place.ring_dimension) / butterflies(key.ring_dimension) *
         n_rows(operation, place.n_primes, place.n_special) /
         n_rows(operation, place.n_primes, key.n_special);
}

auto OperationTimes::text() const -> std::string {
  std::string text;
  for (const auto& [key, series] : series_) {
    const auto* scheme =
        std::find_if(std::begin(kSchemes), std::end(kSchemes),
                     [wanted = key.scheme](const auto& known) { return known.first == wanted; });
    text += fmt::format("{} {} {} {}", scheme->second, key.ring_dimension, key.n_special,
                        operation_name(key.operation));
    for (const auto& [n_primes, time] : series) {
      text += fmt::format(" {}:{:.2f}", n_primes, time);
    }
    text += "\n";
  }
  return text;
}

auto parse_operation_times(std::string_view text) -> Result<OperationTimes> {
  OperationTimes times;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (!read_line(text.substr(0, end), times)) {
      return Error{fmt::format("line {}: invalid line of operation times `{}`", number,
                               text.substr(0, end))};
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return times;
}

}  // namespace tacet::he
