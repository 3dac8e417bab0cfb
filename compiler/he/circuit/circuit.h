#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/store.h"
#include "engine/program/he/program.h"

/// Circuits: expressions over whole vectors of slots, each of which stands for a family of
/// computations, one for each value of the loops around it (Recto and Myers, section 5). Plain
/// data. Where the paper's registry maps coordinates to vectors, families here are gathered from
/// arrays by formulas (`engine::HeGather`), and indices and steps are affine in the loops, or
/// tables.
///
/// A vector has `n_rows` rows of `n_columns` slots: two of integers, or one of reals. Positive
/// rotations are to the left.
namespace tacet::circuit {

using LoopId = Id<struct LoopTag>;
using NodeId = Id<struct NodeTag>;
using FamilyId = Id<struct FamilyTag>;

/// A loop over an exploded dimension. Names are for people.
struct Loop {
  std::string name;
  int64_t extent = 1;

  friend auto operator==(const Loop&, const Loop&) -> bool = default;
};

struct LoopTerm {
  LoopId loop;
  int64_t factor = 0;

  friend auto operator==(const LoopTerm&, const LoopTerm&) -> bool = default;
};

/// constant + sum of factor * loop, by loop, each once, factors other than zero; or, if `table` is
/// not empty, table[that sum].
struct LoopFormula {
  int64_t constant = 0;
  std::vector<LoopTerm> terms{};
  std::vector<int64_t> table{};

  friend auto operator==(const LoopFormula&, const LoopFormula&) -> bool = default;
};

/// Vectors that exist before the circuit is evaluated, by their dimensions: the sum of what is
/// gathered, where variables are numbered as `engine::HeGather` says. Those from a client's array
/// are ciphers, all others native: known in plaintext.
struct Family {
  std::string name;
  std::vector<engine::HeDimension> dimensions;
  std::vector<engine::HeGather> gathers;  ///< their arrays are the circuit's
  bool is_cipher = false;

  friend auto operator==(const Family&, const Family&) -> bool = default;
};

enum class NodeKind : uint8_t {
  Constant,  ///< a number in all slots
  Input,     ///< an element of a family
  Result,    ///< an element of what an earlier statement computed
  Add,       ///< of a and b
  Subtract,  ///< b from a
  Multiply,  ///< a by b
  Rotate,    ///< a, each row by `formulas[0]` columns to the left, cyclically
  SwapRows,  ///< of a
  Sum,       ///< of a, over all values of `loop`
  Product,   ///< likewise
};

struct Node {
  NodeKind kind = NodeKind::Constant;
  int64_t number = 0;      ///< of a constant
  FamilyId family{};       ///< of an input
  uint32_t statement = 0;  ///< of a result: its index
  /// Indices of the family or statement, or the steps.
  std::vector<LoopFormula> formulas{};
  NodeId a{}, b{};
  LoopId loop{};

  friend auto operator==(const Node&, const Node&) -> bool = default;
};

/// Computes a family of vectors, one for all values of its loops.
struct Statement {
  std::string name;
  std::vector<LoopId> loops;  ///< outermost first
  NodeId root;
  /// Of reals: no number in any slot is larger, whatever operands say; 0 if nothing is known.
  double bound = 0;

  friend auto operator==(const Statement&, const Statement&) -> bool = default;
};

/// Where the elements of a result are in vectors; variables of the formulas are `dimensions`.
struct Output {
  std::string name;
  std::vector<int64_t> extents;
  std::vector<engine::HeDimension> dimensions;
  std::vector<engine::HeAffine> target;  ///< the element, by dimension of the result
  uint32_t statement = 0;
  std::vector<engine::HeAffine> indices;  ///< which vector, by loop of the statement
  engine::HeAffine row, column;

  friend auto operator==(const Output&, const Output&) -> bool = default;
};

struct Circuit {
  uint32_t n_rows = 2;
  uint32_t n_columns = 0;
  std::vector<engine::HeArray> arrays;
  Store<FamilyId, Family> families;
  Store<LoopId, Loop> loops;
  Store<NodeId, Node> nodes;  ///< each behind its operands; equal nodes are one
  std::vector<Statement> statements;
  std::vector<Output> outputs;

  friend auto operator==(const Circuit&, const Circuit&) -> bool = default;
};

}  // namespace tacet::circuit
