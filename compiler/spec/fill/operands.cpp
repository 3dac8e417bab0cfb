#include "compiler/spec/fill/operands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace tacet::fill {

auto reads(const Surroundings& around) -> std::vector<std::string> {
  std::vector<std::string> result;
  const auto fields_of = [&](const std::string& future) {
    std::vector<std::string> fields;
    for (const Encoder& encoder : around.encoders) {
      fields.insert(fields.end(), encoder.encoded.rbegin(), encoder.encoded.rend());
    }
    fields.insert(fields.end(), around.fields.begin(), around.fields.end());
    for (const std::string& field : fields) {
      std::string text = fmt::format("(await {}).{}", future, field);
      if (std::find(result.begin(), result.end(), text) == result.end()) {
        result.push_back(std::move(text));
      }
    }
  };
  for (const bool is_spent : {false, true}) {
    for (const Variable& variable : around.variables) {
      if (variable.is_future && variable.is_spent == is_spent) {
        fields_of(variable.name);
      }
    }
  }
  for (const Encoder& encoder : around.encoders) {
    fields_of("submit " + encoder.name);
  }
  return result;
}

auto fields_of_records(const Surroundings& around) -> std::vector<std::string> {
  std::vector<std::string> result;
  for (const Variable& variable : around.variables) {
    for (const std::string& field : variable.fields) {
      result.push_back(fmt::format("{}.{}", variable.name, field));
    }
  }
  return result;
}

auto grids_of(const Surroundings& around, const Callable& callable) -> std::vector<std::string> {
  if (callable.n_dims == 0) {
    return {""};
  }
  std::vector<std::string> result;
  for (const std::vector<std::string>& grid : around.grids) {
    if (grid.size() == callable.n_dims) {
      result.push_back(fmt::format("'<{}>", fmt::join(grid, ", ")));
    }
  }
  if (result.empty()) {
    result.push_back(
        fmt::format("'<{}>", fmt::join(std::vector<std::string>(callable.n_dims, "?"), ", ")));
  }
  return result;
}

static auto arguments_for(const Surroundings& around, Callable::Passed passed)
    -> std::vector<std::string> {
  std::vector<std::string> result;
  for (const Variable& variable : around.variables) {
    switch (passed) {
      case Callable::Passed::Value:
        if (variable.is_reference) {
          result.push_back("*" + variable.name);
        } else if (!variable.is_encoder && !variable.is_future) {
          result.push_back(variable.name);
        }
        break;
      case Callable::Passed::Reference:
        if (variable.is_reference) {
          result.push_back(variable.name);
        } else if (variable.is_var) {
          result.push_back("&" + variable.name);
        }
        break;
      case Callable::Passed::Encoder:
        if (variable.is_encoder) {
          result.push_back(variable.name);
        }
        break;
      case Callable::Passed::Future:
        if (variable.is_future) {
          result.push_back(variable.name);
        } else if (variable.is_encoder) {
          result.push_back("submit " + variable.name);
        }
        break;
      case Callable::Passed::Record:
        result.push_back(variable.name);
        break;
    }
  }
  return result;
}

auto call_texts_of(const Surroundings& around, const Callable& callee) -> std::vector<Form> {
  std::vector<Form> result;
  uint32_t cost = callee.is_specified ? 0 : kUnspecified;
  for (const std::string& grid : grids_of(around, callee)) {
    for (const bool with_holes : {true, false}) {
      std::vector<std::vector<std::string>> lists = {{}};
      for (const Callable::Passed passed : callee.parameters) {
        const bool is_open = with_holes && passed == Callable::Passed::Value;
        const std::vector<std::string> choices =
            is_open ? std::vector<std::string>{"?"} : arguments_for(around, passed);
        std::vector<std::vector<std::string>> longer;
        for (const auto& list : lists) {
          for (const std::string& choice : choices) {
            if (longer.size() < kMostLists) {
              longer.push_back(list);
              longer.back().push_back(choice);
            }
          }
        }
        lists = std::move(longer);
      }
      for (const auto& list : lists) {
        result.push_back({fmt::format("{}{}({})", callee.name, grid, fmt::join(list, ", ")), cost});
        cost += 1;
      }
      cost += 10;
    }
  }
  return result;
}

auto call_texts(const Surroundings& around) -> std::vector<Form> {
  std::vector<Form> result;
  for (const Callable& callee : around.callees) {
    if (callee.n_results == 1) {
      for (Form& text : call_texts_of(around, callee)) {
        if (callee.gives_reference) {
          result.push_back({"*" + text.text, text.cost});
        }
        result.push_back(std::move(text));
      }
    }
  }
  return result;
}

auto atoms_for(const Surroundings& around) -> std::vector<Form> {
  std::vector<Form> result;
  for (const Variable& variable : around.variables) {
    if (!variable.is_encoder && !variable.is_future) {
      result.push_back({variable.is_reference ? "*" + variable.name : variable.name, 2});
    }
  }
  for (const std::string& literal : around.literals) {
    result.push_back({literal, 3});
  }
  return result;
}

auto lists_of(const std::vector<std::string>& choices, size_t n, size_t most)
    -> std::vector<std::vector<std::string>> {
  std::vector<std::vector<std::string>> distinct;
  std::vector<std::vector<std::string>> others;
  std::vector<size_t> at(n, 0);
  if (n > 0 && choices.empty()) {
    return {};
  }
  while (distinct.size() + others.size() < most) {
    std::vector<std::string> list;
    std::set<size_t> used;
    for (const size_t i : at) {
      list.push_back(choices[i]);
      used.insert(i);
    }
    (used.size() == n ? distinct : others).push_back(std::move(list));
    size_t place = n;
    while (place > 0 && ++at[place - 1] == choices.size()) {
      at[--place] = 0;
    }
    if (place == 0) {
      break;
    }
  }
  distinct.insert(distinct.end(), others.begin(), others.end());
  return distinct;
}

}  // namespace tacet::fill
