#include "cli/values/cggi_values.h"
#include "cli/values/he_values.h"
#include "interface/programs.h"

namespace tacet::interface {

namespace {

auto field_of(const interpret::EntryParameter& parameter) -> Field {
  return {.name = parameter.shown(),
          .type = interpret::type_text(parameter.type, parameter.shape),
          .owner = {},
          .bound = parameter.bound ? types::bound_text(*parameter.bound) : std::string(),
          .element = parameter.type,
          .is_secret = parameter.is_secret,
          .shape = parameter.shape};
}

auto field_of(const interpret::EntryResult& result) -> Field {
  return {.name = result.name,
          .type = interpret::type_text(result.type, result.shape),
          .owner = {},
          .bound = {},
          .element = result.type,
          .shape = result.shape};
}

void add_fields(Program& program) {
  for (const interpret::EntryParameter& parameter : program.executable.parameters) {
    program.parameters.push_back(field_of(parameter));
  }
  for (const interpret::EntryResult& result : program.executable.results) {
    program.results.push_back(field_of(result));
  }
}

/// Who has the array of that name.
auto owner_of(const engine::HeBundle& bundle, std::string_view name) -> std::string {
  for (const engine::HeArray& array : bundle.parts.front().program.arrays) {
    if (array.name == name) {
      return array.owner == engine::HeOwner::Server ? "server" : "client";
    }
  }
  return "client";
}

void describe(const engine::HeBundle& bundle, Program& program) {
  for (size_t i = 0; i < program.parameters.size(); ++i) {
    program.parameters[i].owner = owner_of(bundle, program.executable.parameters[i].name);
    program.parameters[i].is_secret |= program.parameters[i].owner == "client";
  }
  for (size_t i = 0; i < program.results.size(); ++i) {
    program.results[i].error = bundle.results[i].error;
  }
}

void describe(const engine::CggiProgram& circuit, Program& program) {
  for (size_t i = 0; i < program.parameters.size(); ++i) {
    for (const engine::CggiField& input : circuit.inputs) {
      if (input.name == program.executable.parameters[i].name) {
        program.parameters[i].owner =
            input.owner == engine::CggiOwner::Server ? "server" : "client";
      }
    }
    program.parameters[i].is_secret |= program.parameters[i].owner == "client";
  }
}

}  // namespace

void describe_reference(Program& program) {
  add_fields(program);
}

void describe_encrypted(Program& program) {
  add_fields(program);
  std::visit([&](const auto& encrypted) { describe(encrypted, program); }, *program.encrypted);
  for (Field& result : program.results) {
    result.owner = "client";
    result.is_secret = true;
  }
}

void describe_parties(Program& program) {
  add_fields(program);
  const engine::MpcProgram& parties = *program.parties;
  const auto name_of = [&](engine::MpcPartyId party) {
    return party.has_value() ? parties.parties[party.index] : std::string();
  };
  for (size_t i = 0; i < program.parameters.size(); ++i) {
    program.parameters[i].owner = name_of(parties.inputs[i].owner);
  }
  for (size_t i = 0; i < program.results.size(); ++i) {
    program.results[i].owner = name_of(parties.outputs[i].receiver);
  }
}

}  // namespace tacet::interface
