#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/records/random_records.h"

namespace tacet::testing {

inline constexpr int64_t kLength = 3;  ///< of all arrays

struct Shape {
  enum class Kind : uint8_t { Number, Array, Record };

  struct Field {
    std::string name;
    size_t shape;
    bool is_secret = false;  ///< of numbers and arrays
  };

  Kind kind = Kind::Number;
  std::string name{};  ///< of records
  std::vector<Field> fields{};
};

inline constexpr size_t kNumber = 0;
inline constexpr size_t kArray = 1;

/// A variable, or a part of one: how `f` and `g` call it.
struct Place {
  std::string text;
  std::vector<std::string> columns;
  size_t shape = kNumber;
  bool is_table = false;  ///< an array of records of `shape`
};

struct Expr {
  std::string text;
  std::vector<std::string> columns;
};

/// Writes `f` and `g` side by side.
class RecordsWriter {
 public:
  RecordsWriter(std::mt19937_64& random, bool all_secret)
      : random_(random), all_secret_(all_secret) {}

  auto run() -> RandomRecords {
    shapes_ = {{Shape::Kind::Number}, {Shape::Kind::Array}};
    std::string types;
    for (size_t i = 0; i < 2 + pick(2); ++i) {
      types += add_record();
    }
    const size_t whole = record();
    const size_t row = record();
    add_parameter("p", whole, false);
    add_parameter("t", row, true);
    add_plain("s", is_secret(), {});
    add_plain("k", all_secret_ || pick(2) == 0, {});
    const size_t n_statements = 3 + pick(6);
    for (size_t i = 0; i < n_statements; ++i) {
      statement(0);
    }
    const size_t result = record();
    const bool is_public = !is_secret();
    const Expr first = expr(result, 2);
    const Expr second = expr(kNumber, 2);
    std::vector<std::string> flat = columns_of_type(result);
    flat.push_back(is_public ? "i64" : "secret i64");
    std::vector<std::string> flat_values = first.columns;
    flat_values.push_back(second.columns.front());
    RandomRecords made;
    made.text = fmt::format(
        "#version 0.1.0\n\n{}\n{}fn(mpc) f({}) -> ({}, {}i64) {{\n{}    ({}, {})\n}}\n\n"
        "fn(mpc) g({}) -> ({}) {{\n{}    ({})\n}}\n",
        types, helpers_, fmt::join(f_head_, ", "), shapes_[result].name, is_public ? "" : "secret ",
        f_, first.text, second.text, fmt::join(g_head_, ", "), fmt::join(flat, ", "), g_,
        fmt::join(flat_values, ", "));
    made.extents = extents_;
    return made;
  }

 private:
  auto pick(size_t n) -> size_t { return static_cast<size_t>(random_() % n); }
  auto is_secret() -> bool { return all_secret_ || pick(3) != 0; }

  auto record() -> size_t { return 2 + pick(shapes_.size() - 2); }

  auto add_record() -> std::string {
    Shape shape{Shape::Kind::Record, fmt::format("R{}", shapes_.size())};
    std::vector<std::string> texts;
    const size_t n = 1 + pick(3);
    for (size_t i = 0; i < n; ++i) {
      size_t inner = pick(3) == 0 ? kArray : kNumber;
      if (shapes_.size() > 2 && pick(4) == 0) {
        inner = record();
      }
      const bool secret = is_secret();
      shape.fields.push_back({fmt::format("f{}", i), inner, secret});
      const Shape& type = shapes_[inner];
      texts.push_back(type.kind == Shape::Kind::Record
                          ? fmt::format("f{}: {}", i, type.name)
                          : fmt::format("f{}: {}{}", i, secret ? "secret " : "",
                                        type.kind == Shape::Kind::Array ? "[i64; 3]" : "i64"));
    }
    shapes_.push_back(shape);
    return fmt::format("type {} = {{ {} }};\n", shape.name, fmt::join(texts, ", "));
  }

  struct Column {
    std::string path;  ///< `_f0_f1`
    bool is_array = false;
    bool is_secret = false;
  };

  auto columns(size_t shape, const std::string& path = "", bool secret = false)
      -> std::vector<Column> {
    if (shapes_[shape].kind != Shape::Kind::Record) {
      return {{path, shape == kArray, secret}};
    }
    std::vector<Column> result;
    for (const Shape::Field& field : shapes_[shape].fields) {
      for (const Column& column : columns(field.shape, path + "_" + field.name, field.is_secret)) {
        result.push_back(column);
      }
    }
    return result;
  }

  static auto type_text(bool secret, bool is_array, bool is_table) -> std::string {
    return fmt::format(
        "{}{}", secret ? "secret " : "",
        is_table ? (is_array ? "[[i64; 3]; 3]" : "[i64; 3]") : (is_array ? "[i64; 3]" : "i64"));
  }

  auto columns_of_type(size_t shape) -> std::vector<std::string> {
    std::vector<std::string> types;
    for (const Column& column : columns(shape)) {
      types.push_back(type_text(column.is_secret, column.is_array, false));
    }
    return types;
  }

  void add_parameter(const std::string& name, size_t shape, bool is_table) {
    f_head_.push_back(is_table ? fmt::format("{}: [{}; 3]", name, shapes_[shape].name)
                               : fmt::format("{}: {}", name, shapes_[shape].name));
    Place place{name, {}, shape, is_table};
    for (const Column& column : columns(shape)) {
      place.columns.push_back(name + column.path);
      g_head_.push_back(fmt::format("{}: {}", place.columns.back(),
                                    type_text(column.is_secret, column.is_array, is_table)));
      std::vector<int64_t> extents(is_table ? 1 : 0, kLength);
      extents.insert(extents.end(), column.is_array ? 1 : 0, kLength);
      extents_.push_back(extents);
    }
    places_.push_back(place);
  }

  void add_plain(const std::string& name, bool secret, const std::vector<int64_t>& extents) {
    const std::string text = fmt::format("{}: {}i64", name, secret ? "secret " : "");
    f_head_.push_back(text);
    g_head_.push_back(text);
    extents_.push_back(extents);
    places_.push_back({name, {name}, kNumber});
  }

  // ---- expressions ----

  /// The parts of a place that have a shape, itself among them.
  void parts(const Place& place, size_t shape, std::vector<Place>& found) {
    if (place.is_table) {
      return;
    }
    if (place.shape == shape) {
      found.push_back(place);
    }
    size_t at = 0;
    for (const Shape::Field& field : shapes_[place.shape].fields) {
      const size_t n = columns(field.shape).size();
      const auto begin = place.columns.begin() + static_cast<std::ptrdiff_t>(at);
      parts({place.text + "." + field.name,
             {begin, begin + static_cast<std::ptrdiff_t>(n)},
             field.shape},
            shape, found);
      at += n;
    }
  }

  /// A record of a table, at an index that may be secret.
  auto row_of(const Place& table) -> Place {
    const std::string at = index();
    Place row{fmt::format("{}[{}]", table.text, at), {}, table.shape};
    for (const std::string& column : table.columns) {
      row.columns.push_back(fmt::format("{}[{}]", column, at));
    }
    return row;
  }

  auto index() -> std::string { return pick(3) == 0 ? "k" : std::to_string(pick(kLength)); }

  auto some_part(size_t shape) -> std::optional<Place> {
    std::vector<Place> found;
    for (const Place& place : places_) {
      place.is_table ? parts(row_of(place), shape, found) : parts(place, shape, found);
    }
    return found.empty() ? std::nullopt : std::optional(found[pick(found.size())]);
  }

  auto some_table(std::optional<size_t> shape = {}) -> std::optional<Place> {
    std::vector<Place> found;
    std::copy_if(places_.begin(), places_.end(), std::back_inserter(found),
                 [&](const Place& one) { return one.is_table && (!shape || one.shape == *shape); });
    return found.empty() ? std::nullopt : std::optional(found[pick(found.size())]);
  }

  auto condition(int depth) -> std::string {
    const Expr left = expr(kNumber, depth);
    const Expr right = expr(kNumber, depth);
    condition_columns_ = left.columns.front() + " < " + right.columns.front();
    return left.text + " < " + right.text;
  }

  auto expr(size_t shape, int depth) -> Expr {
    const std::optional<Place> part = some_part(shape);
    if (part && pick(3) == 0) {
      return {part->text, part->columns};
    }
    if (depth > 0 && pick(4) == 0) {
      const std::string test = condition(depth - 1);
      const std::string flat_test = condition_columns_;
      const Expr then = expr(shape, depth - 1);
      const Expr otherwise = expr(shape, depth - 1);
      Expr chosen{fmt::format("({} if {} else {})", then.text, test, otherwise.text), {}};
      for (size_t i = 0; i < then.columns.size(); ++i) {
        chosen.columns.push_back(
            fmt::format("({} if {} else {})", then.columns[i], flat_test, otherwise.columns[i]));
      }
      return chosen;
    }
    if (shapes_[shape].kind == Shape::Kind::Record) {
      Expr made{shapes_[shape].name + "(", {}};
      const std::vector<Shape::Field> fields = shapes_[shape].fields;
      for (size_t i = 0; i < fields.size(); ++i) {
        const Expr field = expr(fields[i].shape, depth - 1);
        made.text += (i == 0 ? "" : ", ") + field.text;
        made.columns.insert(made.columns.end(), field.columns.begin(), field.columns.end());
      }
      made.text += ")";
      return made;
    }
    return shape == kArray ? array(depth) : number(depth);
  }

  auto array(int depth) -> Expr {
    if (const auto table = some_table(); table && pick(3) == 0) {
      const std::vector<Shape::Field> fields = shapes_[table->shape].fields;
      size_t at = 0;
      for (const Shape::Field& field : fields) {
        if (field.shape == kNumber) {
          return {table->text + "." + field.name, {table->columns[at]}};
        }
        at += columns(field.shape).size();
      }
    }
    const Expr factor = number(depth - 1);
    return {fmt::format("(for i: 3 {{ i + {} }})", factor.text),
            {fmt::format("(for i: 3 {{ i + {} }})", factor.columns.front())}};
  }

  auto number(int depth) -> Expr {
    if (depth > 0) {
      const size_t choice = pick(4);
      if (choice == 0) {
        const Expr summed = expr(kArray, depth - 1);
        return {fmt::format("sum({})", summed.text), {fmt::format("sum({})", summed.columns[0])}};
      }
      const Expr left = expr(kNumber, depth - 1);
      const Expr right = expr(kNumber, depth - 1);
      const char op = "+-*+"[choice];
      return {fmt::format("({} {} {})", left.text, op, right.text),
              {fmt::format("({} {} {})", left.columns[0], op, right.columns[0])}};
    }
    if (const auto part = some_part(kNumber); part && pick(4) != 0) {
      return {part->text, part->columns};
    }
    const std::string literal = std::to_string(pick(7));
    return {literal, {literal}};
  }

  // ---- statements ----

  void line(int depth, const std::string& f, const std::vector<std::string>& g);
  void statement(int depth);
  void declare();
  /// All of a variable, a field, an element, or a field of an element; what is assigned may be made
  /// of what was there.
  void assign(int depth);
  void branch();
  void loop();
  /// An array of records: a comprehension, or another one in another order.
  void table();
  /// A function that takes a record and a number apart and gives them back.
  void call();

  std::mt19937_64& random_;
  bool all_secret_;
  std::vector<Shape> shapes_;
  std::vector<Place> places_;     ///< what can be read
  std::vector<Place> variables_;  ///< what can be assigned to
  std::vector<std::string> f_head_, g_head_;
  std::vector<std::vector<int64_t>> extents_;
  std::string f_, g_, helpers_;
  std::string condition_columns_;  ///< of the last `condition`, as `g` has it
  uint64_t n_names_ = 0;
};

}  // namespace tacet::testing
