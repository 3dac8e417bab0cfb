#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "importer/onnx/read_model.h"
#include "importer/tensor.h"

/// From models in the format of ONNX to programs: `tacet import`. Text and bytes in, text and
/// numbers out; files are the caller's.
namespace tacet::importer {

struct Interval {
  double lo = 0;
  double hi = 0;
};

/// Where the function is to run. Auto: under encryption, unless an operator needs parties.
enum class Target : uint8_t { Auto, He, Mpc };

struct ImportOptions {
  std::string function = "model";
  Target target = Target::Auto;
  int64_t batch = 1;                       ///< for sizes that the model leaves open
  std::map<std::string, Interval> ranges;  ///< of inputs, `hi` excluded
  /// Values of inputs: one, or several with one more dimension in front.
  std::map<std::string, Tensor> samples;
  std::optional<double> within;      ///< how exact results must be
  std::vector<std::string> outputs;  ///< all of the model, if empty
  bool leaves_last_softmax = false;  ///< the result is what the last Softmax takes
  std::string weights_file;          ///< its name, for comments
};

/// An array that goes into the file beside the program.
struct NamedArray {
  std::string name;
  Tensor tensor;
};

struct Imported {
  std::string source;
  std::vector<NamedArray> weights;
  std::vector<std::string> inputs;  ///< the parameters of the client
  Target target = Target::He;       ///< never `Auto`
  size_t n_nodes = 0;
  size_t n_statements = 0;
  std::vector<std::string> warnings;
};

auto import_model(std::string_view bytes, const ReadBeside& read_beside,
                  const ImportOptions& options) -> Result<Imported>;

/// The inputs of a model, under the names that parameters get, and their shapes with a batch.
auto inputs_of_model(std::string_view bytes, const ReadBeside& read_beside, int64_t batch)
    -> Result<std::vector<NamedArray>>;

/// The names of all operators, `Gemm`, sorted.
auto operator_names() -> std::vector<std::string>;

}  // namespace tacet::importer
