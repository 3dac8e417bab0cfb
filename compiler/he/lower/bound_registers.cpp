#include "compiler/he/lower/bound_registers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "compiler/he/lower/linear_stages.h"
#include "compiler/he/lower/slot_ranges.h"
#include "compiler/he/lower/slot_sizes.h"
#include "engine/program/he/gather.h"
#include "engine/program/he/walk.h"

namespace tacet::he_lower {
namespace {

using array::RealInterval;
using engine::HeAccess;
using engine::HeGather;
using engine::HeKind;
using engine::HeOpcode;
using engine::HeProgram;
using engine::HeRegister;
using Id = SlotRanges::Id;

/// Of constants whose slots are read one by one.
constexpr size_t kMostSlots = size_t{1} << 22;
constexpr uint32_t kNoStatement = 0xffffffff;
constexpr double kMuchLess = 0.75;
/// For what doubles round, and noise adds.
constexpr double kSlack = 1 + 0x1p-10;

auto joined(RealInterval a, RealInterval b) -> RealInterval {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

class Bounder {
 public:
  Bounder(const InputRanges& ranges, HeProgram& program, KnownPolynomials* polynomials,
          const InputParts& parts)
      : ranges_(ranges), program_(program), slots_(polynomials), sizes_(program, parts) {
    for (HeRegister& reg : program.registers) {
      known_.push_back(std::exchange(reg.bound, 0));
      values_.emplace_back(engine::n_elements(reg.dimensions), 0);
      if (!reg.gathers.empty()) {
        gather(reg);
        for (Id& value : values_.back()) {
          value = encrypted(reg.kind, value);
        }
      }
      for (const Id value : values_.back()) {
        if (reg.kind == HeKind::Cipher && !reg.gathers.empty()) {
          made_.push_back({.statement = kNoStatement,
                           .reg = static_cast<uint32_t>(values_.size() - 1),
                           .made = value,
                           .kind = MadeCipher::Kind::Same,
                           .a = value,
                           .b = value});
        }
      }
    }
  }

  void run() {
    engine::HeWalk walk(program_);
    while (walk.next()) {
      const engine::HeStatement& instruction = walk.instruction();
      const std::vector<int64_t>& variables = walk.variables();
      const Id first = at(instruction.operands[0], variables);
      const Id second =
          instruction.operands.size() > 1 ? at(instruction.operands[1], variables) : first;
      const Id computed = applied(instruction.opcode, first, second);
      const uint32_t reg = instruction.result.reg;
      const double known = known_[reg];
      const double size = sizes_.step(instruction, static_cast<uint32_t>(walk.at()), variables);
      const Id made =
          encrypted(program_.registers[reg].kind, narrowed(computed, size * kSlack, known));
      sizes_.limit(largest(made));
      if (program_.registers[reg].kind == HeKind::Cipher) {
        made_.push_back({.statement = static_cast<uint32_t>(walk.at()),
                         .reg = reg,
                         .made = made,
                         .kind = made == computed ? kind_of(instruction.opcode, first, made)
                                                  : MadeCipher::Kind::Other,
                         .a = first,
                         .b = second});
      }
      values_[reg][*flat_index(program_, instruction.result, variables)] = made;
      note(reg, made);
    }
  }

  auto noise_stages() -> std::vector<NoiseStage> {
    std::vector<bool> outputs(program_.registers.size());
    for (const engine::HeOutput& output : program_.outputs) {
      outputs[output.source.reg] = true;
    }
    std::vector<NoiseStage> stages = find_noise_stages(slots_, made_, outputs);
    if (!sizes_.is_coarse()) {
      for (NoiseStage& stage : find_linear_stages(program_, sizes_, stages, outputs)) {
        stages.push_back(std::move(stage));
      }
    }
    return stages;
  }

 private:
  [[nodiscard]] auto largest(Id id) const -> double {
    const RealInterval range = slots_.range(id);
    return std::max(std::abs(range.low), std::abs(range.high));
  }

  /// A number that is encrypted is off by something, which one that is known is not: so it is none
  /// of these (`SlotRanges::is_number`).
  auto encrypted(HeKind kind, Id id) -> Id {
    if (kind != HeKind::Cipher || !slots_.is_number(id)) {
      return id;
    }
    const double number = slots_.range(id).low;
    const double slack = 0x1p-30 * (1 + std::abs(number));
    return slots_.any({number - slack, number + slack});
  }

  /// To what its slots say, one by one, and to what is known otherwise. Of polynomials the slots
  /// say little, and they are not polynomials afterwards.
  auto narrowed(Id computed, double size, double known) -> Id {
    const bool is_less = size < kMuchLess * largest(computed) && slots_.forms(computed).empty();
    const Id id = is_less ? slots_.within(computed, {-size, size}) : computed;
    return known == 0 ? id : slots_.within(id, {-known, known});
  }

  static auto kind_of(HeOpcode opcode, Id first, Id made) -> MadeCipher::Kind {
    if (made == first) {
      return MadeCipher::Kind::Same;
    }
    return opcode == HeOpcode::Add   ? MadeCipher::Kind::Sum
           : opcode == HeOpcode::Sub ? MadeCipher::Kind::Difference
           : opcode == HeOpcode::Mul ? MadeCipher::Kind::Product
                                     : MadeCipher::Kind::Other;
  }

  void note(uint32_t reg, Id made) {
    HeRegister& declared = program_.registers[reg];
    if (declared.kind == HeKind::Cipher) {
      const double bound = largest(made) * kSlack;
      declared.bound = std::max({declared.bound, bound, 0x1p-20});
    }
  }

  auto at(const HeAccess& access, const std::vector<int64_t>& variables) -> Id {
    return values_[access.reg][*flat_index(program_, access, variables)];
  }

  auto applied(HeOpcode opcode, Id a, Id b) -> Id {
    switch (opcode) {
      case HeOpcode::Add:
        return slots_.sum(a, b);
      case HeOpcode::Sub:
        return slots_.difference(a, b);
      case HeOpcode::Mul:
        return slots_.product(a, b);
      case HeOpcode::Negate:
        return slots_.negative(a);
      case HeOpcode::Rotate:
      case HeOpcode::Swap:
        return slots_.moved(a);
      case HeOpcode::Relinearise:
      case HeOpcode::Drop:
      case HeOpcode::Truncate:
      case HeOpcode::Bootstrap:
      case HeOpcode::Copy:
      case HeOpcode::Encode:
      case HeOpcode::For:
      case HeOpcode::End:
        break;
    }
    return a;
  }

  /// Whether every slot has an element, for registers of one vector.
  [[nodiscard]] auto is_full(const HeGather& gather) const -> bool {
    const auto is_within = [&](const engine::HeAffine& affine, int64_t low, int64_t high) {
      int64_t least = affine.constant;
      int64_t most = affine.constant;
      for (const engine::HeTerm& term : affine.terms) {
        const int64_t extent =
            term.variable == 0 ? program_.n_rows : gather.columns[term.variable - 1].extent;
        const int64_t last = term.factor * (extent - 1);
        least += std::min<int64_t>(last, 0);
        most += std::max<int64_t>(last, 0);
      }
      return least >= low && most < high;
    };
    bool is_inside = gather.is_repeated && gather.digits.empty();
    for (size_t i = 0; i < gather.indices.size(); ++i) {
      const engine::HeIndex& index = gather.indices[i];
      const int64_t extent = program_.arrays[gather.array].extents[i];
      is_inside = is_inside &&
                  (index.modulus > 0 ? index.modulus <= extent : is_within(index.value, 0, extent));
    }
    return is_inside && std::all_of(gather.guards.begin(), gather.guards.end(),
                                    [&](const engine::HeGuard& guard) {
                                      return is_within(guard.value, guard.low, guard.high);
                                    });
  }

  /// Which slots are no padding, for registers of one vector that is gathered at once; empty where
  /// nothing is known, or all are none.
  auto slots_of(const HeRegister& reg) const -> std::string {
    if (!reg.dimensions.empty() || reg.gathers.size() != 1 ||
        reg.gathers.front().array == engine::kNoArray) {
      return {};
    }
    const HeGather& gather = reg.gathers.front();
    if (is_full(gather) || !gather.digits.empty()) {
      return {};
    }
    const auto text = [](const engine::HeAffine& affine) {
      std::string result = fmt::format("{}", affine.constant);
      for (const engine::HeTerm& term : affine.terms) {
        result += fmt::format("+{}*{}", term.factor, term.variable);
      }
      return result;
    };
    std::string slots = gather.is_repeated ? "repeat" : "";
    for (const engine::HeDimension& column : gather.columns) {
      slots += fmt::format(":{}", column.extent);
    }
    for (const engine::HeGuard& guard : gather.guards) {
      slots += fmt::format("?{} {} {}", text(guard.value), guard.low, guard.high);
    }
    for (size_t i = 0; i < gather.indices.size(); ++i) {
      slots += fmt::format("[{} {} {}", text(gather.indices[i].value), gather.indices[i].modulus,
                           program_.arrays[gather.array].extents[i]);
    }
    return slots;
  }

  void gather(const HeRegister& reg) {
    std::vector<Id>& values = values_.back();
    const auto number = static_cast<uint32_t>(values_.size() - 1);
    const bool is_known =
        std::all_of(reg.gathers.begin(), reg.gathers.end(), [&](const auto& item) {
          return item.array == engine::kNoArray ||
                 program_.arrays[item.array].owner == engine::HeOwner::Constant;
        });
    if (is_known && values.size() * program_.n_slots() <= kMostSlots) {
      engine::HeCounter counter(reg.dimensions);
      size_t i = 0;
      bool is_uniform = true;
      do {
        const engine::HeSlots slots = gather_slots(program_, reg, counter.values(), {});
        const auto [low, high] = std::minmax_element(slots.begin(), slots.end());
        is_uniform = is_uniform && *low == *high;
        values[i++] = slots_.any({*low, *high});
      } while (counter.next());
      if (is_uniform || slots_of(reg).empty()) {
        return;
      }
    }
    if (const std::string slots = slots_of(reg); !slots.empty()) {
      const HeGather& item = reg.gathers.front();
      values[0] = slots_.padded(inside_of(item), item.outside.value_or(0), slots);
      note(number, values[0]);
      return;
    }
    RealInterval range{0, 0};
    for (const HeGather& item : reg.gathers) {
      const bool is_inside = reg.dimensions.empty() && is_full(item);
      const RealInterval gathered = is_inside ? inside_of(item) : range_of(item);
      range = {range.low + gathered.low, range.high + gathered.high};
    }
    for (Id& value : values) {
      value = slots_.any(range);
      note(number, value);
    }
  }

  auto range_of(const HeGather& gather) -> RealInterval {
    const double outside = gather.outside.value_or(0);
    return joined(inside_of(gather), {outside, outside});
  }

  auto inside_of(const HeGather& gather) -> RealInterval {
    RealInterval range{gather.number, gather.number};
    if (gather.array != engine::kNoArray) {
      const engine::HeArray& array = program_.arrays[gather.array];
      const auto known = ranges_.find(array.name);
      if (array.owner == engine::HeOwner::Constant) {
        const auto [low, high] = std::minmax_element(array.values.begin(), array.values.end());
        range = {*low, *high};
      } else {
        range = known == ranges_.end() ? RealInterval{-array.bound, array.bound} : known->second;
      }
    }
    return range;
  }

  const InputRanges& ranges_;
  HeProgram& program_;
  SlotRanges slots_;
  SlotSizes sizes_;
  std::vector<std::vector<Id>> values_;  ///< by register and element
  std::vector<double> known_;            ///< bounds that registers had before, or 0
  std::vector<MadeCipher> made_;
};

}  // namespace

static auto bounded(const InputRanges& ranges, HeProgram& program, KnownPolynomials* polynomials,
                    const InputParts& parts) -> std::vector<NoiseStage> {
  Bounder bounder(ranges, program, polynomials, parts);
  bounder.run();
  return bounder.noise_stages();
}

auto bound_registers(const InputRanges& ranges, HeProgram& program, BoundedPrograms* known,
                     const InputParts& parts) -> std::vector<NoiseStage> {
  return known != nullptr ? known->bound(ranges, program, parts)
                          : bounded(ranges, program, nullptr, parts);
}

auto BoundedPrograms::bound(const InputRanges& ranges, HeProgram& program, const InputParts& parts)
    -> std::vector<NoiseStage> {
  for (const Entry& entry : entries_) {
    if (entry.before == program && entry.parts == parts &&
        std::equal(entry.ranges.begin(), entry.ranges.end(), ranges.begin(), ranges.end(),
                   [](const auto& a, const auto& b) {
                     return a.first == b.first && a.second.low == b.second.low &&
                            a.second.high == b.second.high;
                   })) {
      program.registers = entry.registers;
      return entry.stages;
    }
  }
  HeProgram before = program;
  std::vector<NoiseStage> stages = bounded(ranges, program, &polynomials_, parts);
  entries_.push_back({ranges, parts, std::move(before), program.registers, stages});
  return stages;
}

}  // namespace tacet::he_lower
