#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/views/backends/dialect.h"

namespace tacet::backends {

using engine::HeGather;
using engine::HeRegister;

namespace {

/// Prints what one term of a register's element adds to `slots`, which holds zeros.
class GatherPrinter {
 public:
  GatherPrinter(const HeCode& code, const Dialect& dialect, const HeGather& gather, Scope scope,
                const Names& names, CodeWriter& writer)
      : program_(code.program()),
        code_(code),
        dialect_(dialect),
        gather_(gather),
        scope_(std::move(scope)),
        writer_(writer) {
    Names inner = names;
    uses_row_ = uses_row(gather, static_cast<uint32_t>(scope_.size()));
    const int64_t n_rows = uses_row_ ? program_.n_rows : 1;
    scope_.push_back({uses_row_ ? inner.unique(gather.row) : "0", 0, n_rows});
    first_column_ = scope_.size();
    for (Variable& variable : scope_of(gather.columns, inner)) {
      scope_.push_back(std::move(variable));
    }
    first_digit_ = scope_.size();
    name_digits();
  }

  /// The vector before any of its slots is set, and whether that is all of it.
  auto initial_value() const -> std::string {
    if (is_uniform()) {
      return fmt::format("he.{}({})", dialect_.method("filled"), element());
    }
    const double outside = gather_.outside.value_or(0);
    return outside == 0
               ? fmt::format("he.{}()", dialect_.method("zeros"))
               : fmt::format("he.{}({})", dialect_.method("filled"), dialect_.number(outside));
  }

  void print_slots(const std::string& slots) {
    if (is_uniform()) {
      return;
    }
    size_t n_opened = 0;
    for (size_t v = first_column_ - 1; v < first_digit_; ++v) {
      if (scope_[v].high > 1) {
        writer_.open(dialect_.for_loop(scope_[v]));
        ++n_opened;
      } else {
        scope_[v].name = "0";
      }
    }
    name_digits();
    print_slot(slots);
    for (; n_opened > 0; --n_opened) {
      writer_.close();
    }
    print_rest(slots);
  }

 private:
  /// Digits are called what they are computed as.
  void name_digits() {
    scope_.resize(first_digit_);
    for (const engine::HeDigit& digit : gather_.digits) {
      scope_.push_back(variable_of(digit, scope_));
    }
  }

  static auto uses_row(const HeGather& gather, uint32_t row) -> bool {
    const auto mentions = [&](const engine::HeAffine& value) {
      for (const engine::HeTerm& term : value.terms) {
        if (term.variable == row) {
          return true;
        }
      }
      return false;
    };
    for (const engine::HeIndex& index : gather.indices) {
      if (mentions(index.value)) {
        return true;
      }
    }
    for (const engine::HeDigit& digit : gather.digits) {
      if (mentions(digit.value)) {
        return true;
      }
    }
    for (const engine::HeGuard& guard : gather.guards) {
      if (mentions(guard.value)) {
        return true;
      }
    }
    return false;
  }

  /// What must hold for a slot to have a number.
  auto conditions() const -> std::string {
    std::vector<std::string> all;
    const auto add = [&](const std::string& condition) {
      if (!condition.empty() && std::find(all.begin(), all.end(), condition) == all.end()) {
        all.push_back(condition);
      }
    };
    for (const engine::HeGuard& guard : gather_.guards) {
      add(condition_text({.value = guard.value}, guard.low, guard.high, scope_));
    }
    for (size_t d = 0; d < gather_.indices.size(); ++d) {
      add(condition_text(gather_.indices[d], 0, program_.arrays[gather_.array].extents[d], scope_));
    }
    return fmt::to_string(fmt::join(all, " && "));
  }

  auto element() const -> std::string {
    if (gather_.array == engine::kNoArray) {
      return dialect_.number(gather_.number);
    }
    const engine::HeArray& array = program_.arrays[gather_.array];
    return fmt::format("{}[{}]", code_.arrays[gather_.array],
                       place_text(gather_.indices, array.extents, scope_));
  }

  /// Whether all slots hold the same number.
  auto is_uniform() const -> bool {
    bool depends = uses_row_;
    for (const engine::HeIndex& index : gather_.indices) {
      for (const engine::HeTerm& term : index.value.terms) {
        depends = depends || term.variable >= first_column_;
      }
    }
    const bool is_full =
        engine::n_elements(gather_.columns) >= static_cast<size_t>(program_.n_columns);
    return !depends && (gather_.is_repeated || is_full) && conditions().empty();
  }

  /// The slot that the columns' variables number.
  auto slot() const -> std::string {
    engine::HeAffine place;
    int64_t stride = 1;
    for (size_t d = gather_.columns.size(); d-- > 0;) {
      if (gather_.columns[d].extent > 1) {
        place.terms.insert(place.terms.begin(), {static_cast<uint32_t>(first_column_ + d), stride});
      }
      stride *= gather_.columns[d].extent;
    }
    if (uses_row_) {
      place.terms.insert(place.terms.begin(),
                         {static_cast<uint32_t>(first_column_ - 1), program_.n_columns});
    }
    return affine_text(place, scope_);
  }

  void print_slot(const std::string& slots) {
    const std::string place = fmt::format("{}[{}]", slots, slot());
    const std::string condition = conditions();
    if (condition.empty()) {
      writer_.line(dialect_.assign(ValueKind::Numbers, place, element()));
      return;
    }
    writer_.open(dialect_.if_statement(condition));
    writer_.line(dialect_.assign(ValueKind::Numbers, place, element()));
    writer_.close();
  }

  /// Columns behind those that were gathered, and the second row.
  void print_rest(const std::string& slots) {
    const auto n_named = static_cast<int64_t>(engine::n_elements(gather_.columns));
    const bool is_full = n_named >= program_.n_columns;
    if (is_full && (program_.n_rows == 1 || uses_row_)) {
      return;
    }
    const int64_t period = gather_.is_repeated && !is_full ? n_named : program_.n_columns;
    const bool fills_rows = program_.n_rows > 1 && !uses_row_;
    if (period < program_.n_columns || fills_rows) {
      writer_.line(fmt::format("he.{}({}, {}){}",
                               dialect_.method(fills_rows ? "repeatInRows" : "repeat"), slots,
                               period, dialect_.semicolon()));
    }
  }

  const engine::HeProgram& program_;
  const HeCode& code_;
  const Dialect& dialect_;
  const HeGather& gather_;
  Scope scope_;
  CodeWriter& writer_;
  bool uses_row_ = false;
  size_t first_column_ = 0;
  size_t first_digit_ = 0;
};

/// Prints the vectors of one register.
class RegisterPrinter {
 public:
  RegisterPrinter(const HeCode& code, const Dialect& dialect, uint32_t reg, std::string list,
                  CodeWriter& writer)
      : code_(code),
        dialect_(dialect),
        reg_(code.program().registers[reg]),
        use_(code.registers[reg]),
        list_(std::move(list)),
        writer_(writer),
        names_(code.names) {}

  void print() {
    if (reg_.dimensions.empty()) {
      print_element(use_.name, {});
      append(use_.name);
      return;
    }
    if (list_.empty()) {
      writer_.line(dialect_.declare(ValueKind::Slots, use_.name, n_elements(reg_.dimensions)));
    }
    const Scope scope = scope_of(reg_.dimensions, names_);
    for (const Variable& variable : scope) {
      writer_.open(dialect_.for_loop(variable));
    }
    const std::string slots = names_.unique("slots");
    print_element(slots, scope);
    append(slots);
    if (list_.empty()) {
      std::vector<engine::HeAffine> all(scope.size());
      for (uint32_t v = 0; v < scope.size(); ++v) {
        all[v].terms = {{v, 1}};
      }
      const std::string place = place_text(all, extents_of(reg_.dimensions), scope);
      writer_.line(
          dialect_.assign(ValueKind::Slots, fmt::format("{}[{}]", use_.name, place), slots));
    }
    for (size_t v = 0; v < scope.size(); ++v) {
      writer_.close();
    }
  }

 private:
  /// The sum of the register's gathers.
  void print_element(const std::string& name, const Scope& scope) {
    for (const HeGather& gather : reg_.gathers) {
      GatherPrinter printer(code_, dialect_, gather, scope, names_, writer_);
      const bool is_first = &gather == &reg_.gathers.front();
      const std::string slots = is_first ? name : names_.unique("term");
      const bool is_final = reg_.gathers.size() == 1 && use_.n_assignments == 0;
      writer_.line(dialect_.define(ValueKind::Slots,
                                   is_final || !is_first ? Assigned::Once : Assigned::Again, slots,
                                   printer.initial_value()));
      printer.print_slots(slots);
      if (!is_first) {
        writer_.line(dialect_.assign(
            ValueKind::Slots, name,
            fmt::format("he.{}({}, {})", dialect_.method("addSlots"), name, slots)));
      }
    }
  }

  void append(const std::string& slots) {
    if (list_.empty()) {
      return;
    }
    const uint32_t n_primes = reg_.n_primes == 0 ? code_.program().n_primes : reg_.n_primes;
    const std::string level = dialect_.manages_levels() ? "" : fmt::format(", {}", n_primes);
    writer_.line(dialect_.append(
        list_, fmt::format("he.{}({}{})", dialect_.method("encrypt"), slots, level)));
  }

  const HeCode& code_;
  const Dialect& dialect_;
  const HeRegister& reg_;
  const RegisterUse& use_;
  std::string list_;
  CodeWriter& writer_;
  Names names_;
};

}  // namespace

void print_gathers(const HeCode& code, const Dialect& dialect, uint32_t reg,
                   const std::string& list, CodeWriter& writer) {
  RegisterPrinter(code, dialect, reg, list, writer).print();
}

}  // namespace tacet::backends
