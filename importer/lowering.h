#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "importer/import.h"
#include "importer/onnx/model.h"
#include "importer/tensor.h"

/// From nodes to statements. Tensors become arrays without the dimensions of size 1; a dimension
/// that a model merges from several, as `Flatten` does, stays in its parts, and one that it moves
/// stays where it is, so that most of what only changes shapes takes no statement.
namespace tacet::importer {

/// A part of a tensor's dimension: a dimension of the array.
struct Part {
  int64_t extent;
  size_t place;  ///< which dimension of the array
};

/// A tensor in the program: an array `name`, and for each dimension of the tensor the dimensions of
/// the array that make it, outer to inner.
struct Stored {
  std::string name;
  Elements elements = Elements::Real;
  std::vector<std::vector<Part>> dims;

  [[nodiscard]] auto shape() const -> Shape;
  [[nodiscard]] auto rank() const -> size_t;  ///< of the array
};

/// A loop over a part of a dimension.
struct Counter {
  std::string name;
  int64_t extent;
};

/// For each dimension of a tensor its counters, outer to inner.
using Counters = std::vector<std::vector<Counter>>;

/// Numbers of the model that become a parameter of the function.
struct Weights {
  std::string name;
  Tensor tensor;
};

struct Statement {
  std::string comment;
  std::string text;
};

/// What statements are appended to. Free functions below do the work.
struct Lowering {
  const ImportOptions& options;
  int64_t opset;
  std::map<std::string, Tensor> constants;
  std::map<std::string, Stored> stored;
  std::map<std::string, Shape> shapes;
  std::map<std::string, Interval> ranges;  ///< of tensors, by samples
  std::vector<Weights> weights;
  std::vector<Statement> statements;
  std::vector<std::string> functions;  ///< that the main one calls
  std::set<std::string> imports;
  std::set<std::string> names;
  std::vector<std::string> comments;  ///< of nodes without a statement of their own yet
  std::string only_on_mpc;            ///< the first node that parties alone can compute
  size_t n_counters = 0;              ///< in the current statement
};

/// A name that nothing else has, near to `wish`.
auto fresh_name(Lowering& lowering, std::string_view wish) -> std::string;

/// Whether a tensor is known when importing.
auto constant_of(const Lowering& lowering, const std::string& tensor) -> const Tensor*;

/// The shape of a tensor, known or stored.
auto shape_of(const Lowering& lowering, const std::string& tensor) -> Shape;

/// The elements of a tensor.
auto elements_of(const Lowering& lowering, const std::string& tensor) -> Elements;

/// A tensor in the program. Of one that is known it is a parameter with a dimension for each of the
/// tensor that is not of size 1.
auto stored_of(Lowering& lowering, const std::string& tensor) -> Stored;

/// Numbers as a parameter whose dimensions have these parts.
auto weights_of(Lowering& lowering, std::string_view wish, Tensor tensor,
                const std::vector<std::vector<int64_t>>& parts) -> Stored;

/// A counter of the current statement.
auto counter(Lowering& lowering, int64_t extent) -> Counter;

/// Counters for dimensions with these parts.
auto counters_for(Lowering& lowering, const std::vector<std::vector<int64_t>>& parts) -> Counters;

/// The extents of the parts of a tensor's dimensions.
auto parts_of(const Stored& stored) -> std::vector<std::vector<int64_t>>;

/// The element of a tensor at the counters, which may be finer than its parts. `offsets` are added
/// to indices, by dimension: `{0} + 1`, where there is a counter.
auto element(const Stored& stored, const Counters& counters) -> std::string;

/// The same with an index as text for each dimension that has one part.
auto element_at_indices(const Stored& stored, const std::vector<std::string>& indices)
    -> std::string;

/// `for i: n { for j: m { inner } }` over all counters, in their order.
auto loops(const Counters& counters, const std::string& inner) -> std::string;

/// The same with a function of each: `sum(for k: n { inner })`.
auto reduced(std::string_view function, const std::vector<Counter>& counters,
             const std::string& inner) -> std::string;

/// The parts into which a dimension has to be divided so that all of these divide it; nothing if
/// there are none.
auto refined(const std::vector<std::vector<int64_t>>& all) -> std::vector<int64_t>;

/// Appends `let NAME = EXPRESSION`, which makes the node's output `output`, with an array dimension
/// for each counter.
auto define(Lowering& lowering, const Node& node, const Counters& counters,
            const std::string& expression, Elements elements, size_t output = 0) -> Stored;

/// The same for a value that belongs to no output of the model.
auto define_value(Lowering& lowering, std::string_view wish, const Counters& counters,
                  const std::string& expression, Elements elements) -> Stored;

/// The tensor in an array whose dimensions are its own, in their order.
auto canonical(Lowering& lowering, const Stored& stored) -> Stored;

/// The tensor where the dimensions for which `is_whole` holds have one part at most.
auto with_whole_dims(Lowering& lowering, const Stored& stored, const std::vector<bool>& is_whole)
    -> Stored;

/// A number as a literal of the language.
auto literal(double value, Elements elements) -> std::string;

/// Notes that a node is computed by parties alone.
void require_parties(Lowering& lowering, const Node& node);

/// The bounds of a tensor by samples, as `in lo..hi` with some room; empty without samples.
auto bound_clause(const Lowering& lowering, const std::string& tensor) -> std::string;

/// `[fxp; 2, 3]`
auto type_text(Elements elements, const Shape& shape) -> std::string;

}  // namespace tacet::importer
