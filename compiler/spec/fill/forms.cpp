#include "compiler/spec/fill/forms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "compiler/spec/fill/operands.h"

namespace tacet::fill {

namespace {

// What is written costs little where the surroundings ask for it, and much where it is a guess.
constexpr uint32_t kAsked = 20;
constexpr uint32_t kLikely = 30;
constexpr uint32_t kGuess = 60;
/// Collects forms.
class Writer {
 public:
  explicit Writer(const Surroundings& around) : around_(around) {}

  auto run() -> std::vector<Form> {
    switch (around_.kind) {
      case HoleKind::Statements:
        statements();
        break;
      case HoleKind::Value:
        values(true);
        break;
      case HoleKind::Expression:
        values(false);
        break;
    }
    std::stable_sort(forms_.begin(), forms_.end(),
                     [](const Form& a, const Form& b) { return a.cost < b.cost; });
    return std::move(forms_);
  }

 private:
  void add(std::string text, uint32_t cost) {
    if (seen_.insert(text).second) {
      forms_.push_back({std::move(text), cost});
    }
  }

  // ---- statements ----

  void statements() {
    if (around_.wanted.empty()) {
      add("", 0);
      encodings();
      assignments();
      calls();
      return;
    }
    if (around_.wanted.size() == 1) {
      binding(around_.wanted[0]);
    }
    several();
  }

  void binding(const WantedName& wanted) {
    const std::string& name = wanted.name;
    const bool is_handle = wanted.is_encoder || wanted.is_future || wanted.is_record;
    const uint32_t as_value = wanted.is_encoder || wanted.is_future ? kGuess : kAsked;
    const char* word = wanted.is_changed ? "var" : "let";
    if (!wanted.is_future && !wanted.is_record) {
      encode_begin(name, wanted.is_encoder ? kAsked : kGuess);
    }
    if (!wanted.is_encoder && !wanted.is_record) {
      for (const Encoder& encoder : around_.encoders) {
        add(fmt::format("let {} = submit {};", name, encoder.name),
            wanted.is_future ? kAsked : kLikely);
      }
    }
    if (wanted.is_record) {
      for (const Variable& future : around_.variables) {
        if (future.is_future) {
          add(fmt::format("let {} = await {};", name, future.name), kAsked);
        }
      }
    }
    if (wanted.is_record || !is_handle) {
      for (const Encoder& encoder : around_.encoders) {
        add(fmt::format("let {} = await submit {};", name, encoder.name), kLikely + 1);
      }
    }
    for (const Variable& variable : around_.variables) {
      if (variable.is_encoder || variable.is_future || !variable.fields.empty()) {
        add(fmt::format("let {} = {};", name, variable.name), kLikely + 2);
      } else if (variable.is_var) {
        add(fmt::format("let {} = &{};", name, variable.name), kLikely + 2);
      }
    }
    if (!is_handle) {
      add(fmt::format("{} {} = ?;", word, name), as_value);
      for (const std::string& field : fields_of_records(around_)) {
        add(fmt::format("{} {} = {};", word, name, field), as_value + 2);
      }
      for (const std::string& read : reads(around_)) {
        add(fmt::format("{} {} = {};", word, name, read), as_value + 2);
      }
      if (wanted.is_changed) {
        add(fmt::format("var {};", name), as_value + 1);
      }
      for (const Form& atom : atoms_for(around_)) {
        add(fmt::format("{} {} = {};", word, name, atom.text), kGuess + atom.cost);
      }
    }
    for (const Form& call : call_texts(around_)) {
      add(fmt::format("{} {} = {};", word, name, call.text), kLikely + call.cost);
    }
  }

  void encode_begin(const std::string& name, uint32_t cost) {
    std::vector<std::string> devices;
    for (const Callable& kernel : around_.kernels) {
      if (std::find(devices.begin(), devices.end(), kernel.device) == devices.end()) {
        devices.push_back(kernel.device);
      }
    }
    for (const char* device : {"gpu", "he", "mpc", "cpu"}) {
      if (std::find(devices.begin(), devices.end(), device) == devices.end()) {
        devices.emplace_back(device);
      }
    }
    for (size_t i = 0; i < devices.size(); ++i) {
      add(fmt::format("let {} = encode-begin {};", name, devices[i]),
          cost + static_cast<uint32_t>(i));
    }
  }

  /// Several names: of one call or choice.
  void several() {
    std::vector<std::string> names;
    for (const WantedName& wanted : around_.wanted) {
      names.push_back(wanted.name);
    }
    std::vector<std::string> lines;
    for (const WantedName& wanted : around_.wanted) {
      const bool is_plain = !wanted.is_encoder && !wanted.is_future && !wanted.is_record;
      if (is_plain) {
        lines.push_back(fmt::format("{} {} = ?;", wanted.is_changed ? "var" : "let", wanted.name));
      }
    }
    if (lines.size() == names.size() && lines.size() > 1) {
      add(fmt::format("{}", fmt::join(lines, "\n" + around_.indent)), kAsked);
    }
    if (names.size() > 4) {
      return;
    }
    for (const Callable& callee : around_.callees) {
      if (callee.n_results < names.size() || callee.n_results < 2) {
        continue;
      }
      std::vector<std::string> slots = names;
      slots.resize(callee.n_results, "_");
      std::sort(slots.begin(), slots.end());
      do {
        for (const Form& call : call_texts_of(around_, callee)) {
          add(fmt::format("let {} = {};", fmt::join(slots, ", "), call.text), kLikely + call.cost);
        }
      } while (std::next_permutation(slots.begin(), slots.end()));
    }
  }

  // ---- encodings ----

  void encodings() {
    for (const Encoder& encoder : around_.encoders) {
      std::vector<std::string> missing = encoder.missing;
      for (const std::string& field : around_.fields) {
        if (std::find(missing.begin(), missing.end(), field) == missing.end()) {
          missing.push_back(field);
        }
      }
      uint32_t cost = kAsked;
      for (const std::string& name : missing) {
        const bool is_read =
            std::find(encoder.read.begin(), encoder.read.end(), name) != encoder.read.end();
        copies(encoder, name, cost + (is_read ? 5 : 0));
        kernel_calls(encoder, name, missing, cost + (is_read ? 0 : 5));
        cost += 1;
      }
    }
  }

  void copies(const Encoder& encoder, const std::string& name, uint32_t cost) {
    const auto copy = [&](const std::string& value, uint32_t more) {
      add(fmt::format("encode {}.copy[{} <- {}];", encoder.name, name, value), cost + more);
    };
    copy("?", 0);
    for (const Variable& variable : around_.variables) {
      if (variable.is_encoder || variable.is_future) {
        continue;
      }
      const uint32_t unlike = name.rfind(variable.name, 0) == 0 ? 0 : 4;
      if (variable.is_reference) {
        copy(variable.name, 3 + unlike);
        continue;
      }
      if (variable.is_var) {
        copy("&" + variable.name, 3 + unlike);
      }
      copy(variable.name, (variable.is_var ? 7 : 4) + unlike);
    }
    for (const std::string& literal : around_.literals) {
      copy(literal, 10);
    }
  }

  void kernel_calls(const Encoder& encoder, const std::string& name,
                    const std::vector<std::string>& missing, uint32_t cost) {
    for (const Callable& kernel : around_.kernels) {
      if (kernel.n_results == 0) {
        continue;
      }
      const std::vector<std::string> slots = destinations(kernel, name, encoder, missing);
      uint32_t more = kernel.is_specified ? 0 : kUnspecified;
      for (const std::string& grid : grids_of(around_, kernel)) {
        for (const auto& arguments :
             lists_of(encoder.encoded, kernel.parameters.size(), kMostLists)) {
          add(fmt::format("encode {}.call[{} <- {}{}({})];", encoder.name, fmt::join(slots, ", "),
                          kernel.name, grid, fmt::join(arguments, ", ")),
              cost + more);
          more += 1;
        }
      }
    }
  }

  /// The names that a kernel's results get: `name` first, then what else is missing.
  static auto destinations(const Callable& kernel, const std::string& name, const Encoder& encoder,
                           const std::vector<std::string>& missing) -> std::vector<std::string> {
    std::vector<std::string> slots = {name};
    for (const std::string& other : missing) {
      if (slots.size() < kernel.n_results && other != name) {
        slots.push_back(other);
      }
    }
    for (size_t i = 2; slots.size() < kernel.n_results; ++i) {
      std::string made = fmt::format("{}{}", name, i);
      const auto& taken = encoder.encoded;
      if (std::find(taken.begin(), taken.end(), made) == taken.end()) {
        slots.push_back(std::move(made));
      }
    }
    return slots;
  }

  // ---- assignments and calls ----

  void assignments() {
    std::vector<std::string> places;
    for (const Variable& variable : around_.variables) {
      if (variable.is_var && !variable.is_encoder && !variable.is_future) {
        places.push_back(variable.name);
      } else if (variable.is_reference) {
        places.push_back("*" + variable.name);
      }
    }
    for (const std::string& place : places) {
      add(fmt::format("{} = ?;", place), kAsked);
      for (const std::string& read : reads(around_)) {
        add(fmt::format("{} = {};", place, read), kLikely);
      }
      for (const Form& atom : atoms_for(around_)) {
        add(fmt::format("{} = {};", place, atom.text), kLikely + atom.cost);
      }
      for (const Form& call : call_texts(around_)) {
        add(fmt::format("{} = {};", place, call.text), kLikely + call.cost);
      }
    }
    for (size_t i = 0; i < places.size() && places.size() < 6; ++i) {
      for (size_t j = 0; j < places.size(); ++j) {
        if (i != j) {
          add(fmt::format("{} = ?;\n{}{} = ?;", places[i], around_.indent, places[j]), kLikely + 5);
        }
      }
    }
  }

  void calls() {
    for (const Callable& callee : around_.callees) {
      for (const Form& call : call_texts_of(around_, callee)) {
        if (callee.n_results == 0) {
          add(call.text + ";", kLikely + call.cost);
        }
      }
    }
  }

  // ---- values ----

  /// With steps in front of it, where the block may have some.
  void values(bool with_statements) {
    if (around_.kind == HoleKind::Value && around_.n_values > 1) {
      add(fmt::format("({})", fmt::join(std::vector<std::string>(around_.n_values, "?"), ", ")),
          kAsked);
    }
    for (const std::string& read : reads(around_)) {
      add(read, kAsked);
    }
    for (const Variable& variable : around_.variables) {
      add(variable.name, variable.is_encoder || variable.is_future ? kAsked : kGuess);
      if (variable.is_encoder) {
        add("submit " + variable.name, kAsked + 1);
      }
      if (variable.is_future) {
        add("await " + variable.name, kAsked + 1);
      }
      if (variable.is_var) {
        add("&" + variable.name, kGuess);
      }
      if (variable.is_reference) {
        add("*" + variable.name, kGuess);
      }
    }
    for (const Form& call : call_texts(around_)) {
      add(call.text, kLikely + call.cost);
    }
    for (const std::string& field : fields_of_records(around_)) {
      add(field, kLikely);
    }
    if (with_statements) {
      waits();
      steps();
    }
    for (const char* device : {"gpu", "he", "mpc"}) {
      add(fmt::format("encode-begin {}", device), kGuess);
    }
    for (const std::string& literal : around_.literals) {
      add(literal, kGuess);
    }
    if (around_.n_values > 1 && with_statements) {
      std::vector<std::string> names;
      for (const Variable& variable : around_.variables) {
        names.push_back(variable.name);
      }
      for (const auto& list : lists_of(names, around_.n_values, kMostLists)) {
        add(fmt::format("({})", fmt::join(list, ", ")), kGuess);
      }
    }
  }

  /// One step, and then a value: what records hold gets names, a call is made.
  void steps() {
    std::string lines;
    for (const Variable& variable : around_.variables) {
      for (const std::string& field : variable.fields) {
        lines += fmt::format("let {} = {}.{};\n{}", fresh(field, 0), variable.name, field,
                             around_.indent);
      }
    }
    if (!lines.empty()) {
      add(lines + "???", kLikely + 2);
    }
    for (const Callable& callee : around_.callees) {
      if (callee.n_results != 1 || (!callee.gives_handle && !callee.gives_reference)) {
        continue;
      }
      const std::string name = fresh("step", 0);
      for (const Form& text : call_texts_of(around_, callee)) {
        add(fmt::format("let {} = {}{};\n{}???", name, callee.gives_reference ? "*" : "", text.text,
                        around_.indent),
            kGuess + text.cost);
      }
    }
  }

  /// Waits for every future that nobody waits for, and then yields a value.
  void waits() {
    std::vector<const Variable*> futures;
    for (size_t i = around_.variables.size(); i-- > 0;) {
      const Variable& variable = around_.variables[i];
      if (variable.is_future && !variable.is_spent) {
        futures.push_back(&variable);
      }
    }
    std::vector<std::string> handles;
    for (const Variable* future : futures) {
      handles.push_back(future->name);
    }
    for (size_t i = around_.encoders.size(); i-- > 0;) {
      for (const Variable& variable : around_.variables) {
        if (variable.name == around_.encoders[i].name && !variable.is_spent) {
          handles.push_back("submit " + variable.name);
        }
      }
    }
    if (handles.empty() || handles.size() > 3) {
      return;
    }
    std::sort(handles.begin(), handles.end());
    do {
      wait_for(handles, 0, "");
    } while (std::next_permutation(handles.begin(), handles.end()));
  }

  void wait_for(const std::vector<std::string>& handles, size_t i, const std::string& lines) {
    if (i == handles.size()) {
      add(lines + "???", kLikely);
      return;
    }
    std::vector<std::string> fields;
    for (const Encoder& encoder : around_.encoders) {
      for (size_t j = encoder.encoded.size(); j-- > 0;) {
        const std::string& field = encoder.encoded[j];
        if (std::find(fields.begin(), fields.end(), field) == fields.end()) {
          fields.push_back(field);
        }
      }
    }
    for (const std::string& field : fields) {
      if (seen_.size() < 400) {
        wait_for(handles, i + 1,
                 fmt::format("{}let {} = (await {}).{};\n{}", lines, fresh(field, i), handles[i],
                             field, around_.indent));
      }
    }
  }

  auto fresh(const std::string& field, size_t i) const -> std::string {
    const auto is_taken =
        std::any_of(around_.variables.begin(), around_.variables.end(),
                    [&](const Variable& variable) { return variable.name == field; });
    return is_taken || i > 0 ? fmt::format("{}_{}", field, i + 1) : field;
  }

  const Surroundings& around_;
  std::vector<Form> forms_;
  std::set<std::string> seen_;
};

}  // namespace

auto forms_for(const Surroundings& around) -> std::vector<Form> {
  return Writer(around).run();
}

}  // namespace tacet::fill
