#pragma once

#include <functional>
#include <map>
#include <string>

#include "engine/program/he/arithmetic.h"

namespace tacet::engine {

/// The numbers of arrays by their names, row-major.
using HeValues = std::map<std::string, std::vector<double>>;

/// Whether `values` has all arrays of this owner, each with as many numbers as it has elements,
/// which are whole where slots are integers, and within the array's bound where they are reals.
/// Others are left alone.
auto check_values(const HeProgram& program, HeOwner owner, const HeValues& values) -> Status;

/// The slots that an element of a gathered register has when the program begins: the sum of its
/// gathers. `any` gives what is in slots outside whose content does not matter; without it, zeros.
/// O(slots).
auto gather_slots(const HeProgram& program, const HeRegister& reg,
                  const std::vector<int64_t>& coordinates, const HeValues& values,
                  const std::function<double()>& any = nullptr) -> HeSlots;

/// Of reals: a bound of what the elements of a gathered register hold, by what is declared alone.
auto gather_bound(const HeProgram& program, const HeRegister& reg) -> double;

/// What an instruction makes of vectors within these bounds.
auto bound_after(HeOpcode opcode, double a, double b) -> double;

/// One of the numbers that an output is read from: the element that it is added to, and its slot.
struct HeOutputNumber {
  size_t target = 0;
  size_t at = 0;  ///< of the source's register, the element
  size_t slot = 0;
};

/// Calls `use` for each number that an output is read from, in the order of its dimensions.
void for_each_number(const HeProgram& program, const HeOutput& output,
                     const std::function<void(const HeOutputNumber&)>& use);

/// The elements of an output from the slots of what it reads, each the sum of its numbers, modulo
/// the program's modulus. `slots_of` gives those of element `at` of a register. O(numbers).
auto read_output(const HeProgram& program, const HeOutput& output,
                 const std::function<const HeSlots&(size_t at)>& slots_of) -> std::vector<double>;

}  // namespace tacet::engine
