#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "importer/onnx/model.h"

namespace tacet::importer {

/// The bytes of a file beside the model. Its name has passed `is_inside_folder`.
using ReadBeside = std::function<Result<std::string>(const std::string& name)>;

/// Reads a file in the format of ONNX. Memory is proportional to the file and to the files that it
/// names. An error explains what is malformed or unsupported.
auto read_model(std::string_view bytes, const ReadBeside& read_beside) -> Result<Model>;

/// A tensor in the format of ONNX, and its name.
struct NamedTensor {
  std::string name;
  Tensor tensor;
};
auto read_tensor(std::string_view bytes, const ReadBeside& read_beside) -> Result<NamedTensor>;

/// Whether a relative path stays below the folder that it starts in.
auto is_inside_folder(std::string_view path) -> bool;

}  // namespace tacet::importer
