#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <map>

#include "compiler/core/syntax/parser.h"
#include "compiler/core/syntax/views.h"
#include "compiler/he/schedule/scope.h"
#include "compiler/he/schedule/text.h"

namespace tacet::schedule {

namespace {

using array::DimId;
using syntax::Node;
using syntax::NodeKind;

constexpr int64_t kMostExtent = int64_t{1} << 31;

auto number_of(Node node, int64_t most) -> std::optional<int64_t> {
  int64_t number = 0;
  std::string_view text = node ? node.text() : "";
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool is_whole = error == std::errc() && end == text.data() + text.size();
  return is_whole && number >= 0 && number <= most ? std::optional(number) : std::nullopt;
}

class Reader {
 public:
  Reader(const array::Program& program, uint32_t n_columns)
      : program_(program), n_columns_(n_columns) {}

  /// What an error of `run` is about.
  [[nodiscard]] auto at() const -> Node { return at_; }

  auto run(Node schedule) -> Result<Schedule> {
    at_ = schedule;
    for (Node node : schedule.children()) {
      if (node.kind() == NodeKind::ScheduleEntry) {
        entries_[std::string(syntax::views::ScheduleEntry{node}.site().text())].push_back(node);
      }
    }
    Schedule result;
    for (const array::Statement& statement : program_.statements) {
      statement_ = &statement;
      result.statements.emplace_back();
      if (Status status = read_statement(result.statements.back()); !status) {
        return status.error();
      }
    }
    for (const auto& [name, entries] : entries_) {
      if (n_used_[name] < entries.size()) {
        return surplus(name, entries, n_used_[name]);
      }
    }
    result.n_columns = n_columns_ != 0 ? n_columns_ : columns_for(result);
    return result;
  }

 private:
  /// An entry that is for no site.
  auto surplus(const std::string& name, const std::vector<Node>& entries, size_t n_sites) -> Error {
    at_ = entries[n_sites];
    if (n_sites > 0) {
      return {fmt::format("there are {} entries for `{}`, which is read {}", entries.size(), name,
                          n_sites == 1 ? "once" : fmt::format("{} times", n_sites))};
    }
    at_ = syntax::views::ScheduleEntry{at_}.site();
    std::vector<std::string> read;
    for (const auto& [other, n] : n_used_) {
      if (n > 0) {
        read.push_back(other);
      }
    }
    return {fmt::format(
        "array `{}` is not read{}", name,
        read.empty() ? "" : fmt::format("; expected one of `{}`", fmt::join(read, "`, `")))};
  }

  static auto columns_for(const Schedule& schedule) -> uint32_t {
    uint64_t most = 1;
    for (const StatementSchedule& statement : schedule.statements) {
      uint64_t columns = 1;
      for (const Axis& axis : statement.axes) {
        columns = std::min<uint64_t>(columns * static_cast<uint64_t>(axis.is_row ? 1 : axis.extent),
                                     uint64_t{1} << 31);
      }
      most = std::max(most, columns);
    }
    return static_cast<uint32_t>(most);
  }

  auto read_statement(StatementSchedule& result) -> Status {
    is_first_ = true;
    for (const array::Expr& expr : statement_->exprs.values()) {
      const auto* site = std::get_if<array::Site>(&expr.node);
      if (site == nullptr) {
        continue;
      }
      const std::string& name = program_.arrays[site->array].name;
      const std::vector<Node>& entries = entries_[name];
      size_t k = n_used_[name]++;
      if (k < entries.size()) {
        at_ = entries[k];
        const syntax::views::Layout layout{syntax::views::ScheduleEntry{at_}.layout()};
        if (Status status = read_layout(layout, result); !status) {
          return Error{fmt::format("in the schedule of `{}`: {}", name, status.error().message)};
        }
        is_first_ = false;
      }
    }
    finish(result);
    return std::monostate{};
  }

  auto read_layout(const syntax::views::Layout& layout, StatementSchedule& result) -> Status {
    bool has_rows = false;
    const Node entry = at_;
    if (Node preprocessing = layout.preprocessing()) {
      Status status =
          read_preprocessing(syntax::views::Preprocessing{preprocessing}, has_rows, result.rolls);
      if (!status) {
        return status;
      }
    }
    if (Node exploded = layout.exploded()) {
      for (Node node : exploded.children()) {
        if (node.kind() == NodeKind::ExplodedDimension) {
          Result<Tile> tile = read_tile(node);
          if (!tile) {
            return tile.error();
          }
          add(*tile, result.exploded);
        }
      }
    }
    at_ = entry;
    return read_axes(layout.vectorized(), has_rows, result.axes);
  }

  auto read_preprocessing(const syntax::views::Preprocessing& preprocessing, bool& has_rows,
                          std::vector<Roll>& rolls) -> Status {
    at_ = preprocessing.node;
    std::string_view name = preprocessing.name().text();
    has_rows = name == "rows" || name == "rows_roll";
    if (!has_rows && name != "roll") {
      return Error{fmt::format("expected `roll`, `rows` or `rows_roll`, found `{}`", name)};
    }
    std::vector<DimId> dims;
    for (Node argument : preprocessing.arguments()) {
      std::optional<DimId> dim = dim_of(argument);
      if (!dim) {
        at_ = argument;
        return Error{no_dimension(argument)};
      }
      dims.push_back(*dim);
    }
    if (dims.size() % 2 != 0 || dims.empty() != (name == "rows")) {
      return Error{fmt::format("`{}` takes {}", name,
                               name == "rows" ? "no dimensions" : "pairs of dimensions")};
    }
    for (size_t i = 0; i < dims.size(); i += 2) {
      Roll roll{dims[i], dims[i + 1]};
      if (std::find(rolls.begin(), rolls.end(), roll) == rolls.end()) {
        rolls.push_back(roll);
      }
    }
    return std::monostate{};
  }

  [[nodiscard]] auto dim_of(Node node) const -> std::optional<DimId> {
    auto most = static_cast<int64_t>(statement_->dims.size()) - 1;
    std::optional<int64_t> number = number_of(node, most);
    return number ? std::optional(DimId{static_cast<uint32_t>(*number)}) : std::nullopt;
  }

  /// "unknown dimension `3`; expected one of 0 (`i`), 1 (`j`)"
  [[nodiscard]] auto no_dimension(Node node) const -> std::string {
    std::string text;
    for (uint32_t dim = 0; dim < statement_->dims.size(); ++dim) {
      text += fmt::format("{}{} (`{}`)", text.empty() ? "" : ", ", dim,
                          statement_->dims[DimId{dim}].name);
    }
    return fmt::format("unknown dimension `{}`; {}", node ? node.text() : "",
                       text.empty() ? "there are none" : "expected one of " + text);
  }

  auto read_tile(Node node) -> Result<Tile> {
    at_ = node;
    Node dimension = node.child(syntax::Field::Dimension);
    Node stride = node.child(syntax::Field::Stride);
    std::optional<DimId> dim = dim_of(dimension);
    std::optional<int64_t> extent = number_of(node.child(syntax::Field::Extent), kMostExtent);
    std::optional<int64_t> step = stride ? number_of(stride, kMostExtent) : 1;
    if (!dim) {
      return Error{no_dimension(dimension)};
    }
    if (!extent || !step || *extent == 0 || *step == 0) {
      return Error{fmt::format("`{}` is not a tile", node.text())};
    }
    return Tile{*dim, *extent, *step};
  }

  static void add(const Tile& tile, std::vector<Tile>& tiles) {
    if (std::find(tiles.begin(), tiles.end(), tile) == tiles.end()) {
      tiles.push_back(tile);
    }
  }

  auto read_axes(Node list, bool has_rows, std::vector<Axis>& axes) -> Status {
    const Node entry = at_;
    size_t n_axes = 0;
    for (Node node : list ? list.children() : Node().children()) {
      if (node.kind() != NodeKind::VectorizedDimension) {
        continue;
      }
      Result<Tile> tile = read_tile(node);
      if (!tile) {
        return tile.error();
      }
      if (is_first_) {
        axes.emplace_back();
        axes.back().is_row = has_rows && n_axes == 0;
      }
      if (n_axes == axes.size() || axes[n_axes].is_row != (has_rows && n_axes == 0)) {
        return Error{"its axes differ from those of the entries before it"};
      }
      add(*tile, axes[n_axes].tiles);
      ++n_axes;
    }
    at_ = entry;
    return n_axes == axes.size()
               ? Status(std::monostate{})
               : Status(Error{"its axes differ from those of the entries before it"});
  }

  /// What follows from what was read: extents of axes, dimensions that were not mentioned, order.
  void finish(StatementSchedule& schedule) const {
    DimSet mentioned = 0;
    for (const Tile& tile : schedule.exploded) {
      mentioned |= set_of(tile.dim);
    }
    auto before = [](const Tile& a, const Tile& b) {
      return a.dim != b.dim ? a.dim < b.dim : a.stride > b.stride;
    };
    for (Axis& axis : schedule.axes) {
      int64_t longest = 1;
      for (const Tile& tile : axis.tiles) {
        mentioned |= set_of(tile.dim);
        longest = std::max(longest, tile.extent);
      }
      axis.extent = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(longest)));
      std::sort(axis.tiles.begin(), axis.tiles.end(), before);
    }
    for (uint32_t dim = 0; dim < statement_->dims.size(); ++dim) {
      if (!contains(mentioned, DimId{dim})) {
        schedule.exploded.push_back({DimId{dim}, statement_->dims[DimId{dim}].extent, 1});
      }
    }
    std::sort(schedule.exploded.begin(), schedule.exploded.end(), before);
  }

  const array::Program& program_;
  uint32_t n_columns_;
  Node at_;
  const array::Statement* statement_ = nullptr;
  bool is_first_ = true;  ///< of the statement's entries
  std::map<std::string, std::vector<Node>> entries_;
  std::map<std::string, size_t> n_used_;
};

}  // namespace

auto read_schedule(const array::Program& program, Node schedule, uint32_t n_columns, Node* at)
    -> Result<Schedule> {
  if (at != nullptr) {
    *at = schedule;
  }
  for (const array::Statement& statement : program.statements) {
    if (statement.dims.size() > kMostDims) {
      return Error{fmt::format("`{}` has more than {} dimensions",
                               program.arrays[statement.result].name, kMostDims)};
    }
  }
  Reader reader(program, n_columns);
  Result<Schedule> result = reader.run(schedule);
  if (!result && at != nullptr) {
    *at = reader.at();
  }
  return result;
}

auto parse_schedule(const array::Program& program, std::string_view text, uint32_t n_columns)
    -> Result<Schedule> {
  std::string source = fmt::format("fn(he) scheduled() -> i64 {} {{ 0 }}\n", text);
  syntax::ParserMemory memory;
  syntax::Tree tree = syntax::parse_unit(source, syntax::Language::Module, memory);
  if (!tree.errors.empty()) {
    return Error{fmt::format("the schedule cannot be parsed: {}", tree.errors[0].message)};
  }
  for (Node item : tree.root().children()) {
    const Node schedule = item.child(syntax::Field::Schedule);
    if (schedule && schedule.text() != text) {
      return Error{"the text is more than a schedule"};
    }
    if (schedule) {
      return read_schedule(program, schedule, n_columns);
    }
  }
  return Error{"the text contains no schedule"};
}

}  // namespace tacet::schedule
