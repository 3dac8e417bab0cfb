#include "tests/relinearise/graph_text.h"

#include <map>
#include <sstream>

namespace tacet::relinearise {
namespace {

/// The words of each line.
auto lines_of(std::string_view text) -> std::vector<std::vector<std::string>> {
  std::vector<std::vector<std::string>> lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    std::vector<std::string> found;
    for (std::string word; words >> word;) {
      found.push_back(word);
    }
    if (!found.empty()) {
      lines.push_back(std::move(found));
    }
  }
  return lines;
}

/// The values in the order of their lines.
auto names_in(const std::vector<std::vector<std::string>>& lines) -> std::vector<std::string> {
  std::vector<std::string> names;
  for (const auto& line : lines) {
    if (line[0] != "use") {
      names.push_back(line[0]);
    }
  }
  return names;
}

}  // namespace

auto read_graph(std::string_view text) -> Graph {
  const auto lines = lines_of(text);
  std::map<std::string, ValueId> ids;
  Graph graph;
  for (const std::string& name : names_in(lines)) {
    ids[name] = graph.values.add({});
  }
  for (const auto& line : lines) {
    if (line[0] == "use") {
      graph.values[ids.at(line[1])].is_used_linearly = true;
      continue;
    }
    Value& value = graph.values[ids.at(line[0])];
    double* const costs[] = {&value.costs.relinearisation, &value.costs.key_switch,
                             &value.costs.computing, &value.costs.keeping};
    size_t n_costs = 0;
    for (size_t i = 3; i < line.size(); ++i) {
      if (const auto operand = ids.find(line[i]); operand == ids.end()) {
        *costs[n_costs++] = std::stod(line[i]);
      } else if (line[2] == "rotate") {
        graph.values[operand->second].is_used_linearly = true;
      } else {
        value.operands.push_back(operand->second);
      }
    }
    value.kind = line[2] == "mul"   ? ValueKind::Product
                 : line[2] == "add" ? ValueKind::Sum
                                    : ValueKind::Fresh;
  }
  return graph;
}

auto names_of(std::string_view text, const Plan& plan) -> std::string {
  const std::vector<std::string> names = names_in(lines_of(text));
  std::string result;
  for (size_t i = 0; i < names.size(); ++i) {
    if (plan.is_relinearised[i]) {
      result += result.empty() ? names[i] : " " + names[i];
    }
  }
  return result;
}

}  // namespace tacet::relinearise
