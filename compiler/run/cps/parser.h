#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "compiler/run/cps/line_reader.h"

namespace tacet::cps {

/// Reads an assembly. The first thing that is wrong is kept; what comes after it does not matter.
/// Private to this folder.
class Parser {
 public:
  explicit Parser(std::string_view text) : tables_(program_) { split(text); }

  auto run() -> Result<Program>;

 private:
  void split(std::string_view text);
  void fail(std::string_view expected);
  void want(LineReader& line, std::string_view word) {
    if (!line.take(word)) {
      fail(fmt::format("`{}`", word));
    }
  }
  auto failed() const -> bool { return !problem_.empty(); }

  // What may be named before it stands: functions and their funclets, in the order of the text.

  static auto indent(std::string_view line) -> size_t {
    return std::min(line.find_first_not_of(' '), line.size());
  }

  void declare();
  void top_level();

  // Words.

  auto number(LineReader& line) -> uint32_t;
  template <class Id>
  auto find(const std::map<std::string, Id, std::less<>>& map, std::string_view name,
            std::string_view kind) -> Id {
    auto found = map.find(name);
    if (found == map.end()) {
      fail(fmt::format("{}, found `{}`", kind, name));
      return {0};
    }
    return found->second;
  }
  auto function(LineReader& line) -> FunctionId {
    return find(functions_, line.next(), "the name of a function");
  }
  auto device(LineReader& line) -> names::Device;
  auto type(LineReader& line) -> TypeId;
  auto formula(LineReader& line) -> FormulaId;
  auto types(LineReader& line) -> std::vector<TypeId>;

  // Specifications.

  using Nodes = std::map<std::string, NodeId, std::less<>>;
  auto node(LineReader& line, const Nodes& nodes) -> NodeId;
  auto node_list(LineReader& line) -> std::vector<NodeId>;
  void spec(LineReader& line, SpecKind kind);
  auto spec_node(LineReader& line) -> Node;
  void kernel(LineReader& line);

  // Functions.

  void function_body(LineReader& line);
  auto quotient(LineReader& line) -> Quotient { return quotient(line, nodes_); }
  auto quotient(LineReader& line, const Nodes& nodes) -> Quotient;
  auto step(LineReader& line) -> Quotient;
  auto tag(LineReader& line, const Nodes& nodes) -> Tag;
  auto tags(LineReader& line) -> Tags;

  /// `%a: i64 @ …`, a value that is new.
  void new_value(LineReader& line);
  auto value(LineReader& line) -> ValueId;
  auto current() -> Funclet& { return program_.funclets[funclet_]; }

  void funclet();

  /// True for the last step.
  auto last_step() -> bool;
  void read_command(LineReader& line, Command& command);
  void reason(LineReader& line, Command& command);
  void constant(LineReader& line, Command& command);
  auto values(LineReader& line) -> Slice;
  auto arguments(LineReader& line) -> Slice;
  auto target(LineReader& line) -> Target;

  /// The end of a funclet, if the line is one.
  auto tail(LineReader& line) -> bool;

  Program program_;
  ProgramTables tables_;
  std::vector<std::string_view> lines_;
  size_t at_ = 0;
  std::string problem_;
  std::map<std::string, FunctionId, std::less<>> functions_;
  std::map<std::string, FuncletId, std::less<>> funclets_;
  std::map<std::string, SpecId, std::less<>> specs_;
  std::map<std::string, KernelId, std::less<>> kernels_;
  std::map<std::string, SpecId, std::less<>> timelines_;
  std::map<uint32_t, Nodes> spec_nodes_;
  Nodes nodes_;   ///< of the value specification
  Nodes events_;  ///< of the timeline
  std::map<std::string, ValueId, std::less<>> values_;
  FuncletId funclet_;
};

}  // namespace tacet::cps
