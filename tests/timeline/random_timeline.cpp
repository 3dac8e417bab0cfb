#include "tests/timeline/random_timeline.h"

#include <fmt/format.h>

#include <algorithm>

namespace tacet::program {

auto random_steps(std::mt19937& random) -> std::vector<Step> {
  auto below = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
  std::vector<Step> steps;
  std::vector<uint32_t> open;
  std::vector<uint32_t> in_flight;
  auto take = [&](std::vector<uint32_t>& from) {
    const size_t i = below(from.size());
    const uint32_t taken = from[i];
    from.erase(from.begin() + static_cast<ptrdiff_t>(i));
    return taken;
  };
  const size_t n_encoders = 1 + below(6);
  uint32_t n_begun = 0;
  while (n_begun < n_encoders || !open.empty() || !in_flight.empty()) {
    const size_t what = below(4);
    if (what <= 1 && n_begun < n_encoders) {
      std::vector<uint32_t> listed = in_flight;
      std::shuffle(listed.begin(), listed.end(), random);
      steps.push_back({.kind = StepKind::Encode, .which = n_begun, .listed = std::move(listed)});
      open.push_back(n_begun++);
    } else if (what == 2 && !open.empty()) {
      const uint32_t which = take(open);
      steps.push_back(
          {.kind = StepKind::Submit, .which = which, .on_both_branches = below(5) == 0});
      in_flight.push_back(which);
    } else if (what == 3 && !in_flight.empty()) {
      steps.push_back(
          {.kind = StepKind::Wait, .which = take(in_flight), .on_both_branches = below(5) == 0});
    }
  }
  return steps;
}

/// The definitions, in order, and the event they lead to.
static auto definitions(const std::vector<Step>& steps, std::string& event)
    -> std::vector<std::string> {
  std::vector<std::string> result;
  event = "start";
  for (const Step& step : steps) {
    const uint32_t i = step.which;
    switch (step.kind) {
      case StepKind::Encode: {
        std::string arguments = event;
        for (uint32_t future : step.listed) {
          arguments += fmt::format(", sub{}", future);
        }
        result.push_back(fmt::format("loc{}, rem{} :- encode_event({})", i, i, arguments));
        event = fmt::format("loc{}", i);
        break;
      }
      case StepKind::Submit:
        result.push_back(fmt::format("sub{} :- submit_event(rem{})", i, i));
        break;
      case StepKind::Wait:
        result.push_back(fmt::format("done{} :- sync_event({}, sub{})", i, event, i));
        event = fmt::format("done{}", i);
        break;
    }
  }
  return result;
}

static auto statement(const Step& step) -> std::string {
  const uint32_t i = step.which;
  std::string target;
  std::string value;
  switch (step.kind) {
    case StepKind::Encode:
      return fmt::format("let e{} = encode-begin he; encode e{}.copy[y{} <- &v];", i, i, i);
    case StepKind::Submit:
      target = fmt::format("f{}", i);
      value = fmt::format("submit e{}", i);
      break;
    case StepKind::Wait:
      target = fmt::format("r{}", i);
      value = fmt::format("(await f{}).y{}", i, i);
      break;
  }
  return step.on_both_branches
             ? fmt::format("let {} = if b {{ {} }} else {{ {} }};", target, value, value)
             : fmt::format("let {} = {};", target, value);
}

auto print(const std::vector<Step>& specified, const std::vector<Step>& done, std::mt19937& random)
    -> PrintedTimeline {
  PrintedTimeline result;
  uint32_t line = 0;
  auto add = [&](const std::string& text) {
    result.text += text + "\n";
    ++line;
  };
  add("#version 0.1.0");
  add("sptl space(s: BufferSpace) -> BufferSpace { returns s }");
  add("val same(x: i64) -> i64 { returns x }");
  add("tmln order(start: Event) -> Event {");
  std::string last;
  std::vector<std::string> lines = definitions(specified, last);
  lines.push_back("returns " + last);
  std::shuffle(lines.begin(), lines.end(), random);
  for (const std::string& definition : lines) {
    add("    " + definition);
  }
  add("}");
  add("fn impl(x: i64, b: bool @ none(val)) -> i64 impls same, order, space {");
  add("    var v = x;");
  for (const Step& step : done) {
    result.lines.push_back(line);
    add("    " + statement(step));
  }
  result.lines.push_back(line);
  add("    x");
  add("}");
  return result;
}

}  // namespace tacet::program
