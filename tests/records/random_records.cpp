#include "tests/records/random_records.h"

#include "tests/records/records_writer.h"

namespace tacet::testing {

void RecordsWriter::line(int depth, const std::string& f, const std::vector<std::string>& g) {
  const std::string indent(static_cast<size_t>(4 + 4 * depth), ' ');
  f_ += indent + f + "\n";
  for (const std::string& each : g) {
    g_ += indent + each + "\n";
  }
}

void RecordsWriter::statement(int depth) {
  switch (pick(depth == 0 ? 8 : 3)) {
    case 0:
    case 1:
    case 2:
      return assign(depth);
    case 3:
      return declare();
    case 4:
      return branch();
    case 5:
      return loop();
    case 6:
      return table();
    default:
      return call();
  }
}

void RecordsWriter::declare() {
  const size_t shape = pick(4) == 0 ? kNumber : record();
  const Expr value = expr(shape, 2);
  const std::string name = fmt::format("x{}", n_names_++);
  Place place{name, {}, shape};
  std::vector<std::string> flat;
  const std::vector<Column> all = columns(shape);
  for (size_t i = 0; i < all.size(); ++i) {
    place.columns.push_back(name + all[i].path);
    flat.push_back(fmt::format("var {} = {};", place.columns[i], value.columns[i]));
  }
  line(0, fmt::format("var {} = {};", name, value.text), flat);
  places_.push_back(place);
  variables_.push_back(place);
}

void RecordsWriter::assign(int depth) {
  if (variables_.empty()) {
    return;
  }
  Place target = variables_[pick(variables_.size())];
  if (target.is_table) {
    target = row_of(target);
  }
  while (shapes_[target.shape].kind == Shape::Kind::Record && pick(3) != 0) {
    const std::vector<Shape::Field>& fields = shapes_[target.shape].fields;
    const size_t chosen = pick(fields.size());
    size_t at = 0;
    for (size_t i = 0; i < chosen; ++i) {
      at += columns(fields[i].shape).size();
    }
    const auto begin = target.columns.begin() + static_cast<std::ptrdiff_t>(at);
    const auto n = static_cast<std::ptrdiff_t>(columns(fields[chosen].shape).size());
    target = {target.text + "." + fields[chosen].name, {begin, begin + n}, fields[chosen].shape};
  }
  if (target.shape == kArray && pick(2) == 0) {
    const std::string at = index();
    target = {fmt::format("{}[{}]", target.text, at),
              {fmt::format("{}[{}]", target.columns[0], at)},
              kNumber};
  }
  const std::vector<Place> all = places_;
  if (pick(2) == 0) {
    places_ = {target};  // fields change places
  }
  const Expr value = expr(target.shape, 2);
  places_ = all;
  std::vector<std::string> flat;
  for (const std::string& column : value.columns) {
    flat.push_back(fmt::format("let u{} = {};", n_names_++, column));
  }
  for (size_t i = 0; i < target.columns.size(); ++i) {
    flat.push_back(
        fmt::format("{} = u{};", target.columns[i], n_names_ - target.columns.size() + i));
  }
  line(depth, fmt::format("{} = {};", target.text, value.text), flat);
}

void RecordsWriter::branch() {
  if (variables_.empty()) {
    return;
  }
  const std::string test = condition(1);
  line(0, fmt::format("if {} {{", test), {fmt::format("if {} {{", condition_columns_)});
  assign(1);
  if (pick(2) == 0) {
    line(0, "} else {", {"} else {"});
    assign(1);
  }
  line(0, "}", {"}"});
}

void RecordsWriter::loop() {
  const auto table = some_table();
  if (!table || variables_.empty()) {
    return;
  }
  const std::string name = fmt::format("e{}", n_names_++);
  Place element{name, {}, table->shape};
  const std::vector<Column> all = columns(table->shape);
  std::vector<std::string> flat;
  for (const Column& column : all) {
    element.columns.push_back(name + column.path);
  }
  line(0, fmt::format("for {} in {} {{", name, table->text),
       {fmt::format("for {} in {} {{", fmt::join(element.columns, ", "),
                    fmt::join(table->columns, ", "))});
  places_.push_back(element);
  assign(1);
  assign(1);
  places_.pop_back();
  line(0, "}", {"}"});
}

void RecordsWriter::table() {
  const auto from = some_table();
  if (!from) {
    return;
  }
  const std::string name = fmt::format("x{}", n_names_++);
  if (pick(2) == 0) {
    Place place{name, {}, from->shape, true};
    std::vector<std::string> flat;
    const std::vector<Column> all = columns(from->shape);
    const Expr keys = array(1);
    const size_t form = pick(3);
    const auto moved = [&](const std::string& array, const std::string& key) {
      return form == 0   ? fmt::format("{0}[1..] ++ {0}[..1]", array)
             : form == 1 ? fmt::format("rotate({}, 1)", array)
                         : fmt::format("sort_by({}, {})", key, array);
    };
    for (size_t i = 0; i < all.size(); ++i) {
      place.columns.push_back(name + all[i].path);
      flat.push_back(fmt::format("var {} = {};", place.columns[i],
                                 moved(from->columns[i], keys.columns.front())));
    }
    line(0, fmt::format("var {} = {};", name, moved(from->text, keys.text)), flat);
    places_.push_back(place);
    variables_.push_back(place);
    return;
  }
  const std::string element = fmt::format("e{}", n_names_++);
  Place each{element, {}, from->shape};
  for (const Column& column : columns(from->shape)) {
    each.columns.push_back(element + column.path);
  }
  const size_t shape = record();
  const std::vector<Place> outside = places_;
  places_.push_back(each);
  const Expr body = expr(shape, 1);
  places_ = outside;
  Place place{name, {}, shape, true};
  std::vector<std::string> flat;
  const std::vector<Column> all = columns(shape);
  for (size_t i = 0; i < all.size(); ++i) {
    place.columns.push_back(name + all[i].path);
    flat.push_back(fmt::format("var {} = for {}: {} {{ {} }};", place.columns[i],
                               fmt::join(each.columns, ", "), fmt::join(from->columns, ", "),
                               body.columns[i]));
  }
  line(0, fmt::format("var {} = for {}: {} {{ {} }};", name, element, from->text, body.text), flat);
  places_.push_back(place);
  variables_.push_back(place);
}

void RecordsWriter::call() {
  const size_t shape = record();
  const std::string helper = fmt::format("h{}", n_names_++);
  const std::vector<Column> all = columns(shape);
  std::vector<std::string> flat_head;
  std::vector<std::string> flat_types;
  std::vector<std::string> names;
  for (const Column& column : all) {
    names.push_back("r" + column.path);
    flat_types.push_back(type_text(column.is_secret, column.is_array, false));
    flat_head.push_back(fmt::format("{}: {}", names.back(), flat_types.back()));
  }
  const std::vector<Place> outside = places_;
  places_ = {{"r", names, shape}, {"n", {"n"}, kNumber}};
  const std::vector<Place> variables = std::exchange(variables_, {});
  const Expr first = expr(shape, 1);
  const Expr second = expr(kNumber, 1);
  places_ = outside;
  variables_ = variables;
  const auto without_k = [](std::string text) {
    for (size_t at = text.find("[k]"); at != std::string::npos; at = text.find("[k]")) {
      text.replace(at, 3, "[1]");
    }
    return text;
  };
  std::vector<std::string> flat_body;
  for (const std::string& column : first.columns) {
    flat_body.push_back(without_k(column));
  }
  flat_body.push_back(without_k(second.columns.front()));
  helpers_ += fmt::format(
      "fn(mpc) {0}(r: {1}, n: secret i64) -> ({1}, secret i64) {{\n    ({2}, {3})\n}}\n\n", helper,
      shapes_[shape].name, without_k(first.text), without_k(second.text));
  helpers_ += fmt::format(
      "fn(mpc) {}_flat({}, n: secret i64) -> ({}, secret i64) {{\n    ({})\n}}\n\n", helper,
      fmt::join(flat_head, ", "), fmt::join(flat_types, ", "), fmt::join(flat_body, ", "));
  const Expr argument = expr(shape, 1);
  const Expr number = expr(kNumber, 1);
  const std::string name = fmt::format("x{}", n_names_++);
  Place place{name, {}, shape};
  for (const Column& column : all) {
    place.columns.push_back(name + column.path);
  }
  line(0, fmt::format("let {0}, {0}n = {1}({2}, {3});", name, helper, argument.text, number.text),
       {fmt::format("let {}, {}n = {}_flat({}, {});", fmt::join(place.columns, ", "), name, helper,
                    fmt::join(argument.columns, ", "), number.columns.front())});
  places_.push_back(place);
  places_.push_back({name + "n", {name + "n"}, kNumber});
}

auto random_records(std::mt19937_64& random, bool all_secret) -> RandomRecords {
  return RecordsWriter(random, all_secret).run();
}

}  // namespace tacet::testing
