#include "compiler/views/picture/circuit_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "compiler/he/circuit/names.h"
#include "compiler/he/circuit/node_facts.h"
#include "compiler/he/circuit/print.h"
#include "compiler/views/picture/svg.h"

namespace tacet::picture {

namespace {

using circuit::Circuit;
using circuit::Node;
using circuit::NodeId;
using circuit::NodeKind;

constexpr double kBoxHeight = 24;
constexpr double kBetweenLayers = 28;
constexpr double kBetweenBoxes = 14;
constexpr int kSweeps = 4;

auto operands_of(const Circuit& circuit, NodeId id) -> std::vector<NodeId> {
  const Node& node = circuit.nodes[id];
  switch (node.kind) {
    case NodeKind::Constant:
    case NodeKind::Input:
      return {};
    case NodeKind::Result:
      return {circuit.statements[node.statement].root};
    case NodeKind::Add:
    case NodeKind::Subtract:
    case NodeKind::Multiply:
      return {node.a, node.b};
    case NodeKind::Rotate:
    case NodeKind::SwapRows:
    case NodeKind::Sum:
    case NodeKind::Product:
      return {node.a};
  }
  return {};
}

/// Nodes in layers, each below its operands, with as few crossings as sorting by the middle of the
/// neighbours gives (Sugiyama's method without dummies).
class Layers {
 public:
  Layers(const Circuit& circuit, const std::vector<NodeId>& nodes)
      : operands_(circuit.nodes.size()),
        users_(circuit.nodes.size()),
        layer_(circuit.nodes.size(), 0),
        place_(circuit.nodes.size(), 0) {
    for (NodeId id : nodes) {
      operands_[id.index] = operands_of(circuit, id);
      for (NodeId operand : operands_[id.index]) {
        users_[operand.index].push_back(id);
        layer_[id.index] = std::max(layer_[id.index], layer_[operand.index] + 1);
      }
    }
    lower_inputs(nodes);
    for (NodeId id : nodes) {
      layers_.resize(std::max(layers_.size(), layer_[id.index] + 1));
      layers_[layer_[id.index]].push_back(id);
    }
    for (const auto& layer : layers_) {
      number(layer);
    }
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      for (size_t i = 0; i < layers_.size(); ++i) {
        sort(layers_[sweep % 2 == 0 ? i : layers_.size() - 1 - i],
             sweep % 2 == 0 ? operands_ : users_);
      }
    }
  }

  [[nodiscard]] auto layers() const -> const std::vector<std::vector<NodeId>>& { return layers_; }
  [[nodiscard]] auto operands(NodeId id) const -> const std::vector<NodeId>& {
    return operands_[id.index];
  }

 private:
  /// What needs nothing stands right above what needs it.
  void lower_inputs(const std::vector<NodeId>& nodes) {
    for (NodeId id : nodes) {
      if (operands_[id.index].empty() && !users_[id.index].empty()) {
        size_t first = SIZE_MAX;
        for (NodeId user : users_[id.index]) {
          first = std::min(first, layer_[user.index]);
        }
        layer_[id.index] = first - 1;
      }
    }
  }

  void number(const std::vector<NodeId>& layer) {
    for (size_t i = 0; i < layer.size(); ++i) {
      place_[layer[i].index] = (static_cast<double>(i) + 0.5) / static_cast<double>(layer.size());
    }
  }

  void sort(std::vector<NodeId>& layer, const std::vector<std::vector<NodeId>>& neighbours) {
    std::vector<std::pair<double, NodeId>> wished;
    for (NodeId id : layer) {
      double sum = 0;
      for (NodeId neighbour : neighbours[id.index]) {
        sum += place_[neighbour.index];
      }
      const size_t n = neighbours[id.index].size();
      wished.emplace_back(n == 0 ? place_[id.index] : sum / static_cast<double>(n), id);
    }
    std::stable_sort(wished.begin(), wished.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::transform(wished.begin(), wished.end(), layer.begin(),
                   [](const auto& entry) { return entry.second; });
    number(layer);
  }

  std::vector<std::vector<NodeId>> operands_;
  std::vector<std::vector<NodeId>> users_;
  std::vector<size_t> layer_;
  std::vector<double> place_;  ///< in its layer, from 0 to 1
  std::vector<std::vector<NodeId>> layers_;
};

class Drawing {
 public:
  explicit Drawing(const Circuit& circuit)
      : circuit_(circuit),
        facts_(node_facts(circuit)),
        names_(names_of(circuit)),
        layers_(circuit, facts_.order.nodes),
        boxes_(circuit.nodes.size()),
        labels_(circuit.nodes.size()) {}

  auto draw() -> std::string {
    place_boxes();
    for (NodeId id : facts_.order.nodes) {
      for (NodeId operand : layers_.operands(id)) {
        const Box& from = boxes_[operand.index];
        const Box& to = boxes_[id.index];
        svg_.curve(from.middle_x(), from.bottom(), to.middle_x(), to.y,
                   facts_.is_cipher[operand.index] ? "" : "dashed");
      }
    }
    for (NodeId id : facts_.order.nodes) {
      const Box& box = boxes_[id.index];
      svg_.rectangle(box, classes_of(id), title_of(id), {.line = 0, .name = input_of(id)});
      svg_.text(box.middle_x(), box.middle_y(), labels_[id.index], {}, Anchor::Middle);
    }
    for (size_t s = 0; s < circuit_.statements.size(); ++s) {
      const Box& box = boxes_[circuit_.statements[s].root.index];
      svg_.text(box.right() + 6, box.middle_y(), "= " + circuit_.statements[s].name, "soft");
    }
    return svg_.finish("the circuit that is evaluated under encryption");
  }

 private:
  void place_boxes() {
    double widest = 0;
    std::vector<double> widths;
    for (const auto& layer : layers_.layers()) {
      double width = -kBetweenBoxes;
      for (NodeId id : layer) {
        labels_[id.index] = label_of(id);
        width += room_of(id) + kBetweenBoxes;
      }
      widths.push_back(width);
      widest = std::max(widest, width);
    }
    double y = 0;
    for (size_t i = 0; i < widths.size(); ++i) {
      double x = (widest - widths[i]) / 2;
      for (NodeId id : layers_.layers()[i]) {
        boxes_[id.index] = {x, y, width_of(id), kBoxHeight};
        x += room_of(id) + kBetweenBoxes;
      }
      y += kBoxHeight + kBetweenLayers;
    }
  }

  [[nodiscard]] auto width_of(NodeId id) const -> double {
    return std::max(30.0, text_width(labels_[id.index]) + 14);
  }

  /// With the name that is written behind the root of a statement.
  [[nodiscard]] auto room_of(NodeId id) const -> double {
    double room = width_of(id);
    for (size_t s = 0; s < circuit_.statements.size(); ++s) {
      if (circuit_.statements[s].root == id) {
        room += text_width(circuit_.statements[s].name) + 24;
      }
    }
    return room;
  }

  /// As people write it: with the names of the program, which the text of circuits makes distinct.
  [[nodiscard]] auto label_of(NodeId id) const -> std::string {
    const Node& node = circuit_.nodes[id];
    const std::string text = node_label(circuit_, names_, node);
    switch (node.kind) {
      case NodeKind::Input:
        return circuit_.families[node.family].name + indices_of(text);
      case NodeKind::Result:
        return circuit_.statements[node.statement].name + indices_of(text);
      case NodeKind::Subtract:
        return "−";
      case NodeKind::Multiply:
        return "×";
      case NodeKind::Rotate:
        return "rotate by" + text.substr(std::string_view("rot").size());
      case NodeKind::SwapRows:
        return "swap rows";
      case NodeKind::Constant:
      case NodeKind::Add:
      case NodeKind::Sum:
      case NodeKind::Product:
        break;
    }
    return text;
  }

  /// `[i]` of `x[i]`, nothing of `x[]`.
  static auto indices_of(const std::string& label) -> std::string {
    const std::string indices = label.substr(std::min(label.find('['), label.size()));
    return indices == "[]" ? std::string() : indices;
  }

  /// The array that an input node takes its elements from.
  [[nodiscard]] auto input_of(NodeId id) const -> std::string_view {
    const Node& node = circuit_.nodes[id];
    if (node.kind != NodeKind::Input || circuit_.families[node.family].gathers.empty()) {
      return {};
    }
    return circuit_.arrays[circuit_.families[node.family].gathers.front().array].name;
  }

  [[nodiscard]] auto classes_of(NodeId id) const -> std::string_view {
    const Node& node = circuit_.nodes[id];
    if (!facts_.is_cipher[id.index]) {
      return "c7";
    }
    switch (node.kind) {
      case NodeKind::Constant:
      case NodeKind::Input:
      case NodeKind::Result:
        return "c0";
      case NodeKind::Add:
      case NodeKind::Subtract:
        return "c2";
      case NodeKind::Multiply:
        return is_product_of_ciphers(node) ? "c1" : "c6";
      case NodeKind::Rotate:
      case NodeKind::SwapRows:
        return "c4";
      case NodeKind::Sum:
      case NodeKind::Product:
        return "c5";
    }
    return "c0";
  }

  [[nodiscard]] auto is_product_of_ciphers(const Node& node) const -> bool {
    return facts_.is_cipher[node.a.index] && facts_.is_cipher[node.b.index];
  }

  [[nodiscard]] auto title_of(NodeId id) const -> std::string {
    const Node& node = circuit_.nodes[id];
    std::string_view what = facts_.is_cipher[id.index] ? "ciphertext" : "plaintext";
    if (node.kind == NodeKind::Multiply && facts_.is_cipher[id.index]) {
      what = is_product_of_ciphers(node) ? "product of ciphertexts" : "product with a plaintext";
    }
    const double n = n_values(circuit_, facts_.loops[id.index]);
    return n == 1 ? std::string(what) : fmt::format("{}, {} times", what, n);
  }

  const Circuit& circuit_;
  circuit::NodeFacts facts_;
  circuit::CircuitNames names_;
  Layers layers_;
  std::vector<Box> boxes_;
  std::vector<std::string> labels_;
  Svg svg_;
};

}  // namespace

auto circuit_picture(const Circuit& circuit) -> Result<std::string> {
  if (circuit.nodes.size() > kMostNodes) {
    return Error{
        fmt::format("the circuit has {} nodes, too many for a picture; print it with the "
                    "stage `circuit`",
                    circuit.nodes.size())};
  }
  return Drawing(circuit).draw();
}

}  // namespace tacet::picture
