#include "importer/import.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <string>

namespace tacet::importer {
namespace {

/// Writes messages in the format of protocol buffers.
struct WireText {
  std::string bytes;

  auto number(uint32_t field, uint64_t value) -> WireText& {
    varint(field << 3);
    varint(value);
    return *this;
  }
  auto text(uint32_t field, std::string_view value) -> WireText& {
    varint(field << 3 | 2U);
    varint(value.size());
    bytes += value;
    return *this;
  }

 private:
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) {
      bytes += static_cast<char>(value | 0x80);
    }
    bytes += static_cast<char>(value);
  }
};

auto float_bytes(const std::vector<float>& values) -> std::string {
  std::string bytes;
  for (const float value : values) {
    const auto bits = std::bit_cast<uint32_t>(value);
    for (unsigned i = 0; i < 4; ++i) {
      bytes += static_cast<char>(bits >> (8 * i));
    }
  }
  return bytes;
}

auto tensor_text(std::string_view name, const std::vector<uint64_t>& shape,
                 const std::vector<float>& values) -> std::string {
  WireText tensor;
  for (const uint64_t extent : shape) {
    tensor.number(1, extent);
  }
  return tensor.number(2, 1).text(8, name).text(9, float_bytes(values)).bytes;
}

auto node_text(std::string_view op, std::string_view name, const std::vector<std::string>& inputs,
               std::string_view output) -> WireText {
  WireText node;
  for (const std::string& input : inputs) {
    node.text(1, input);
  }
  return node.text(2, output).text(3, name).text(4, op);
}

auto value_text(std::string_view name, const std::vector<uint64_t>& shape) -> std::string {
  WireText dims;
  for (const uint64_t extent : shape) {
    dims.text(1,
              extent == 0 ? WireText().text(2, "batch").bytes : WireText().number(1, extent).bytes);
  }
  const std::string type = WireText().number(1, 1).text(2, dims.bytes).bytes;
  return WireText().text(1, name).text(2, WireText().text(1, type).bytes).bytes;
}

auto model_text(const WireText& graph) -> std::string {
  const std::string opset = WireText().number(2, 13).bytes;
  return WireText().number(1, 7).text(2, "a test").text(7, graph.bytes).text(8, opset).bytes;
}

/// Two layers: `Gemm` with rows of weights, `Relu`, `MatMul` and `Add`.
auto perceptron() -> std::string {
  const std::string transposes = WireText().text(1, "transB").number(3, 1).number(20, 2).bytes;
  WireText graph;
  graph.text(
      1, node_text("Gemm", "fc1", {"x", "fc1.weight", "fc1.bias"}, "h").text(5, transposes).bytes);
  graph.text(1, node_text("Relu", "", {"h"}, "a").bytes);
  graph.text(1, node_text("MatMul", "fc2", {"a", "fc2.weight"}, "p").bytes);
  graph.text(1, node_text("Add", "", {"p", "fc2.bias"}, "y").bytes);
  graph.text(5, tensor_text("fc1.weight", {3, 2}, {1, 0.5F, -1, 0.25F, 0, 2}));
  graph.text(5, tensor_text("fc1.bias", {3}, {0.125F, 0, -0.5F}));
  graph.text(5, tensor_text("fc2.weight", {3, 2}, {1, 2, 3, 4, 5, 6}));
  graph.text(5, tensor_text("fc2.bias", {2}, {0, -1}));
  graph.text(11, value_text("x", {0, 2}));
  graph.text(12, value_text("y", {0, 2}));
  return model_text(graph);
}

auto no_files(const std::string& name) -> Result<std::string> {
  return Error{"cannot read " + name};
}

/// The program, or the error.
auto imported(std::string_view bytes, const ImportOptions& options = {}) -> std::string {
  Result<Imported> result = import_model(bytes, no_files, options);
  return result ? result->source : "error: " + result.error().message;
}

TEST(Import, WritesReadableSource) {
  ImportOptions options;
  options.weights_file = "model.weights.npz";
  options.samples["x"] = {{2, 2}, Elements::Real, {0, 1, 0.5, -0.5}};
  EXPECT_EQ(imported(perceptron(), options), R"(#version 0.1.0

import "std/learning"

/// Of numbers that samples kept within these bounds, with some room.
fn(he) relu_of_h(x: secret fxp in -1.65..1.66) -> secret fxp { max(x, 0.0) }

/// A model in the format of ONNX, exported by a test. Dimensions of size 1 are left out.
///
/// The numbers of the server are in `model.weights.npz`.
fn(he) model(
    x: secret [fxp; 2] in -0.575..1.08 from client,
    fc1_weight: [fxp; 3, 2] in -1..2.01 from server,
    fc1_bias: [fxp; 3] in -0.5..0.126 from server,
    fc2_weight: [fxp; 2, 3] in 1..6.01 from server,
    fc2_bias: [fxp; 2] in -1..0.00001 from server,
) -> secret [fxp; 2] within 0.105 {
    // Gemm "fc1"
    let h = dense(fc1_weight, fc1_bias, x);
    // Relu
    let a = for i: 3 { relu_of_h(h[i]) };
    // MatMul "fc2", Add
    let p_value = dense(fc2_weight, fc2_bias, a);
    p_value
}
)");
}

TEST(Import, KeepsTheNumbers) {
  Result<Imported> result = import_model(perceptron(), no_files, {});
  ASSERT_TRUE(result);
  ASSERT_EQ(result->weights.size(), 4U);
  EXPECT_EQ(result->weights[0].tensor.values, (std::vector<double>{1, 0.5, -1, 0.25, 0, 2}));
  EXPECT_EQ(result->weights[2].tensor.values, (std::vector<double>{1, 3, 5, 2, 4, 6}));
  EXPECT_EQ(result->inputs, (std::vector<std::string>{"x"}));
}

TEST(Import, NamesTheNodeThatIsNotSupported) {
  WireText graph;
  graph.text(1, node_text("Gemmm", "fc1", {"x"}, "y").bytes);
  graph.text(11, value_text("x", {1, 2}));
  graph.text(12, value_text("y", {1, 2}));
  EXPECT_EQ(imported(model_text(graph)),
            "error: node `fc1` (Gemmm): operator is not supported; the nearest one is `Gemm`");
}

TEST(Import, ReadsOnlyFilesBesideTheModel) {
  for (const std::string_view path : {"../secret", "/etc/passwd", "a/../../b", "", "a\\b"}) {
    EXPECT_FALSE(is_inside_folder(path)) << path;
  }
  EXPECT_TRUE(is_inside_folder("weights/first.bin"));
  const std::string location = WireText().text(1, "location").text(2, "../secret").bytes;
  const std::string tensor =
      WireText().number(1, 2).number(2, 1).text(8, "w").text(13, location).number(14, 1).bytes;
  EXPECT_EQ(imported(model_text(WireText().text(5, tensor))),
            "error: tensor `w` names a file outside of the model's folder: `../secret`");
}

TEST(Import, RejectsSizesThatTakeTooMuchMemory) {
  WireText graph;
  graph.text(1, node_text("Relu", "", {"x"}, "y").bytes);
  graph.text(11, value_text("x", {uint64_t{1} << 40, uint64_t{1} << 40}));
  graph.text(12, value_text("y", {1}));
  EXPECT_NE(imported(model_text(graph)).find("has more than"), std::string::npos);
}

TEST(Import, SurvivesEveryTruncation) {
  const std::string model = perceptron();
  for (size_t size = 0; size < model.size(); ++size) {
    const std::string text = imported(std::string_view(model).substr(0, size));
    EXPECT_TRUE(text.starts_with("error: ") || text.starts_with("#version")) << size;
  }
}

TEST(Import, SurvivesRandomChanges) {
  const std::string model = perceptron();
  std::mt19937_64 random(1);
  size_t n_rejected = 0;
  constexpr size_t kRuns = 50000;
  for (size_t i = 0; i < kRuns; ++i) {
    std::string changed = model;
    for (uint64_t k = random() % 4 + 1; k > 0; --k) {
      changed[random() % changed.size()] = static_cast<char>(random());
    }
    n_rejected += imported(changed).starts_with("error: ") ? 1 : 0;
  }
  EXPECT_GT(n_rejected, kRuns / 10);
  EXPECT_LT(n_rejected, kRuns);
}

}  // namespace
}  // namespace tacet::importer
