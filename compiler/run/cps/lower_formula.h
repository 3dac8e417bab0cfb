#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/front/check/array_forms.h"
#include "compiler/run/cps/lowering.h"

namespace tacet::cps {

/// Where a formula stands: a specification names the class of what it calls, a function a member.
enum class FormulaSite : uint8_t { Specification, Function };

/// From the text of an array expression or of an assignment to an element to a formula. Private to
/// this folder.
class FormulaLowering {
 public:
  /// What stands at `operands` is an operand, by their order.
  FormulaLowering(ProgramLowering& program, names::ItemId item, FormulaSite site,
                  const std::vector<syntax::Node>& operands);

  /// An array expression, or `a[i] = e`. Nothing if there is no formula for it; `problem` says why.
  auto lower(syntax::Node root) -> std::optional<Formula>;

  [[nodiscard]] auto problem() const -> const std::string& { return problem_; }
  [[nodiscard]] auto problem_node() const -> syntax::Node { return problem_node_; }

 private:
  using Node = syntax::Node;

  auto part(Node node) -> uint32_t;
  auto part_as(Node node, TypeId type) -> uint32_t;
  auto operand(Node node, uint32_t number) -> uint32_t;
  auto name(Node node) -> uint32_t;
  auto literal(Node node) -> uint32_t;
  auto unary(Node node) -> uint32_t;
  auto binary(Node node) -> uint32_t;
  auto choice(Node node) -> uint32_t;
  auto cast(Node node) -> uint32_t;
  auto array(Node node) -> uint32_t;
  auto index(Node node) -> uint32_t;
  auto for_each(Node node) -> uint32_t;
  auto slice(Node node) -> uint32_t;
  auto range_array(Node node) -> uint32_t;
  auto concatenation(Node node, const std::vector<Node>& arguments) -> uint32_t;
  auto new_variable() -> uint32_t { return n_variables_++; }
  auto variable(uint32_t number, Node node) -> uint32_t;
  auto whole(int64_t value, Node node) -> uint32_t;
  auto operation(types::Operator op, uint32_t left, uint32_t right, Node node) -> uint32_t;
  auto strided(uint32_t at, const check::Stride& stride, Node node) -> uint32_t;
  auto element(uint32_t array, uint32_t at, Node node) -> uint32_t;
  auto let_variable(uint32_t number, uint32_t value, uint32_t body, Node node) -> uint32_t;
  /// `body`, for each value of the variable `number`.
  auto each(uint32_t number, uint64_t extent, uint32_t body, Node node) -> uint32_t;
  auto stride_of(Node node) const -> check::Stride;
  auto extent_of(Node node) const -> uint64_t;
  auto let_in(Node node) -> uint32_t;
  auto call(Node node) -> uint32_t;
  auto builtin(Node node, names::Builtin builtin) -> uint32_t;
  auto reduce(Node whole, Node array, types::Operator op, int64_t dimension) -> uint32_t;
  auto update(Node node) -> uint32_t;
  auto array_below(Node node) const -> Node;
  auto whole_number(Node node) const -> std::optional<int64_t>;
  auto add(FormulaNode part, Node node) -> uint32_t;
  auto fail(Node node, std::string what) -> uint32_t;
  auto type(Node node) const -> TypeId;
  auto convert(uint32_t part, TypeId from, TypeId to) -> uint32_t;

  ProgramLowering& program_;
  names::ItemId item_;
  FormulaSite site_;
  names::ItemTree tree_;
  check::BodyPtr body_;
  FileId file_;
  uint32_t begin_ = 0;
  std::map<uint32_t, uint32_t> operands_;
  std::map<uint32_t, uint32_t> variables_;  ///< by local
  uint32_t n_variables_ = 0;
  bool is_certain_ = true;  ///< is what is here computed at least once?
  bool is_repeated_ = false;
  Formula formula_;
  std::string problem_;
  Node problem_node_;
};

}  // namespace tacet::cps
