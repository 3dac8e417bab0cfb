#pragma once

#include <string>
#include <string_view>

#include "compiler/core/syntax/tree.h"
#include "compiler/front/names/body_names.h"
#include "compiler/front/types/operator_scheme.h"
#include "compiler/front/types/type.h"

/// What hovers say of words and operators of the language.
namespace tacet::program {

/// What a keyword does; empty for other nodes.
auto keyword_documentation(syntax::NodeKind keyword) -> std::string_view;

auto device_documentation(names::Device device) -> std::string_view;

/// Of a party that exists without declaration; empty for others.
auto party_documentation(std::string_view party) -> std::string_view;

/// What an operator does on operands of type `operand`: wrapping, rounding, faults. Markdown.
auto operator_documentation(types::Operator op, const types::Type& operand) -> std::string;

/// The values of a number type: `-128..=127`; empty for other types.
auto range_documentation(const types::Type& type) -> std::string;

/// An integer literal in base 16: `0xff`; empty for a single digit.
auto hexadecimal(std::string_view literal) -> std::string;

}  // namespace tacet::program
