#include "engine/he_format/bundle.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <sstream>

#include "engine/program/he/facts.h"
#include "engine/program/he/text.h"

namespace tacet::engine {
namespace {

constexpr std::string_view kFirstLine = "%tacet_he 1";

constexpr std::pair<he::Scheme, std::string_view> kSchemes[] = {
    {he::Scheme::Bfv, "bfv"}, {he::Scheme::Bgv, "bgv"}, {he::Scheme::Ckks, "ckks"}};

template <class Number>
auto number_of(std::string_view text) -> std::optional<Number> {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number)
                                                                  : std::nullopt;
}

/// Reads line by line.
class BundleReader {
 public:
  explicit BundleReader(std::string_view text) : text_(text) {}

  auto run() -> Result<HeBundle> {
    bool has_begun = false;
    while (next_line()) {
      const std::vector<std::string> words = words_of(line_);
      if (words.empty()) {
        continue;
      }
      const bool is_good = has_begun ? read_header(words) : words == words_of(kFirstLine);
      if (!is_good) {
        return Error{
            fmt::format("line {}: unexpected `{}` in a compiled program", n_lines_, line_)};
      }
      has_begun = true;
      if (!problem_.empty()) {
        return Error{problem_};
      }
    }
    if (bundle_.parts.empty()) {
      return Error{"the compiled program is empty"};
    }
    return std::move(bundle_);
  }

 private:
  auto next_line() -> bool {
    if (text_.empty()) {
      return false;
    }
    const size_t end = std::min(text_.find('\n'), text_.size());
    line_ = text_.substr(0, end);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    ++n_lines_;
    return true;
  }

  static auto words_of(std::string_view line) -> std::vector<std::string> {
    std::istringstream stream{std::string(line)};
    return {std::istream_iterator<std::string>(stream), {}};
  }

  auto read_header(const std::vector<std::string>& words) -> bool {
    if (words[0] == "%function" && words.size() == 2) {
      bundle_.name = words[1];
      return true;
    }
    if (words[0] == "%scheme" && words.size() == 2) {
      const auto* known = std::find_if(std::begin(kSchemes), std::end(kSchemes),
                                       [&](const auto& s) { return s.second == words[1]; });
      bundle_.scheme = known == std::end(kSchemes) ? bundle_.scheme : known->first;
      return known != std::end(kSchemes);
    }
    if (words[0] == "%unhidden" && words.size() == 1) {
      bundle_.is_unhidden = true;
      return true;
    }
    if (words[0] == "%holders" && words.size() == 2) {
      bundle_.n_key_holders = number_of<unsigned>(words[1]).value_or(0);
      return bundle_.n_key_holders >= 2 && bundle_.n_key_holders <= he::kMaxKeyHolders &&
             bundle_.parts.empty();
    }
    if (words[0] == "%security" && words.size() == 2) {
      bundle_.security = static_cast<he::Security>(number_of<uint16_t>(words[1]).value_or(0));
      return words[1] == "128" || words[1] == "192" || words[1] == "256";
    }
    const bool has_error =
        words[0] == "%result" && words.size() == 9 && words[5] == "within" && words[7] == "exact";
    const bool has_norm = words[0] == "%input" && words.size() == 7 && words[5] == "norm";
    if (((words[0] == "%input" || words[0] == "%result") && words.size() == 5) || has_error ||
        has_norm) {
      return read_field(words, words[0] == "%input" ? bundle_.inputs : bundle_.results);
    }
    return words[0] == "%part" && read_part(words);
  }

  static auto read_field(const std::vector<std::string>& words, std::vector<HeField>& fields)
      -> bool {
    const auto low = number_of<int64_t>(words[3]);
    const auto high = number_of<int64_t>(words[4]);
    fields.push_back(
        {.name = words[1], .type = words[2], .low = low.value_or(0), .high = high.value_or(0)});
    bool is_good = low && high && *low <= *high;
    if (words.size() == 7) {
      fields.back().norm = number_of<uint64_t>(words[6]);
      is_good = is_good && fields.back().norm && *fields.back().norm <= uint64_t{INT64_MAX};
    }
    if (words.size() == 9) {
      const auto error = number_of<double>(words[6]);
      const auto tolerance = number_of<double>(words[8]);
      fields.back().error = error.value_or(-1);
      fields.back().tolerance = tolerance.value_or(-1);
      for (const double bound : {fields.back().error, fields.back().tolerance}) {
        is_good = is_good && bound >= 0 && std::isfinite(bound);
      }
    }
    return is_good;
  }

  auto read_part(const std::vector<std::string>& words) -> bool {
    HeBundlePart part;
    size_t at = 1;
    const auto sizes = [&](std::string_view word, std::vector<unsigned>& bits) {
      if (at == words.size() || words[at++] != word) {
        return false;
      }
      for (std::optional<unsigned> number; at < words.size(); ++at) {
        if (!(number = number_of<unsigned>(words[at]))) {
          break;
        }
        bits.push_back(*number);
      }
      return bits.size() <= he::kMaxPrimes;
    };
    const auto real = [&](std::string_view word, double& result) {
      if (at + 1 >= words.size() || words[at] != word) {
        return false;
      }
      const auto number = number_of<double>(words[at + 1]);
      result = number.value_or(0);
      at += 2;
      return number.has_value();
    };
    if (!sizes("data", part.data_prime_bits) || !sizes("special", part.special_prime_bits) ||
        !real("budget", part.budget) || !real("microseconds", part.microseconds) ||
        (has_joint_key(bundle_) && !(real("noise", part.noise_bound) && part.noise_bound > 0 &&
                                     std::isfinite(part.noise_bound))) ||
        at != words.size()) {
      return false;
    }
    const size_t first_line = n_lines_;
    const std::string_view rest = text_;
    size_t size = 0;
    while (!text_.empty() && text_.front() != '%') {
      next_line();
      size += line_.size() + 1;
    }
    Result<HeProgram> program = parse_he_program(rest.substr(0, size));
    if (!program) {
      problem_ = fmt::format("the program after line {}: {}", first_line, program.error().message);
      return true;
    }
    if (has_joint_key(bundle_) && !program->is_integer()) {
      problem_ =
          fmt::format("the program after line {} is of reals, which have no joint key", first_line);
      return true;
    }
    part.program = std::move(*program);
    bundle_.parts.push_back(std::move(part));
    return true;
  }

  std::string_view text_;
  std::string_view line_;
  size_t n_lines_ = 0;
  std::string problem_;
  HeBundle bundle_;
};

}  // namespace

auto has_joint_key(const HeBundle& bundle) -> bool {
  return bundle.n_key_holders > 1;
}

auto hides_server_inputs(const HeBundle& bundle) -> bool {
  return !bundle.is_unhidden &&
         std::any_of(bundle.parts.begin(), bundle.parts.end(),
                     [](const HeBundlePart& part) { return has_server_inputs(part.program); });
}

auto scheme_word(he::Scheme scheme) -> std::string_view {
  return std::find_if(std::begin(kSchemes), std::end(kSchemes),
                      [&](const auto& known) { return known.first == scheme; })
      ->second;
}

auto to_text(const HeBundle& bundle) -> std::string {
  std::string text =
      fmt::format("{}\n%function {}\n%scheme {}\n%security {}\n", kFirstLine, bundle.name,
                  scheme_word(bundle.scheme), static_cast<unsigned>(bundle.security));
  text += bundle.is_unhidden ? "%unhidden\n" : "";
  text += has_joint_key(bundle) ? fmt::format("%holders {}\n", bundle.n_key_holders) : "";
  const auto fields = [&](std::string_view word, const std::vector<HeField>& list) {
    for (const HeField& field : list) {
      text += fmt::format("{} {} {} {} {}", word, field.name, field.type, field.low, field.high);
      text += field.norm ? fmt::format(" norm {}", *field.norm) : "";
      text += field.error == 0 ? "\n"
                               : fmt::format(" within {} exact {}\n", field.error, field.tolerance);
    }
  };
  fields("%input", bundle.inputs);
  fields("%result", bundle.results);
  for (const HeBundlePart& part : bundle.parts) {
    text += fmt::format("%part data {} special{}{} budget {:.1f} microseconds {:.0f}",
                        fmt::join(part.data_prime_bits, " "),
                        part.special_prime_bits.empty() ? "" : " ",
                        fmt::join(part.special_prime_bits, " "), part.budget, part.microseconds);
    text += has_joint_key(bundle) ? fmt::format(" noise {:.2f}\n", part.noise_bound) : "\n";
    text += to_text(part.program);
  }
  return text;
}

auto is_bundle(std::string_view text) -> bool {
  return text.substr(0, kFirstLine.size()) == kFirstLine;
}

auto parse_bundle(std::string_view text) -> Result<HeBundle> {
  return BundleReader(text).run();
}

}  // namespace tacet::engine
