#include <fmt/format.h>

#include "compiler/front/types/signature.h"
#include "compiler/front/types/size_arithmetic.h"
#include "compiler/front/types/type.h"
#include "compiler/front/types/type_parameters.h"

namespace tacet::types {

namespace {

constexpr std::pair<BufferFlag, std::string_view> kFlags[] = {
    {BufferFlag::Storage, "storage"},    {BufferFlag::MapRead, "map_read"},
    {BufferFlag::MapWrite, "map_write"}, {BufferFlag::CopySrc, "copy_src"},
    {BufferFlag::CopyDst, "copy_dst"},   {BufferFlag::Uniform, "uniform"}};

/// Writes types to the end of a string.
class TypePrinter {
 public:
  TypePrinter(const TypeStore& types, const Interner& names) : types_(types), names_(names) {}

  /// With the name of a type parameter instead of the number type that stands for it.
  void print(TypeId id, Name type_parameter = {}) {
    const Type& type = types_[id];
    switch (type.kind) {
      case TypeKind::Error:
        out_ += '_';
        return;
      case TypeKind::Value:
        print_value(type, type_parameter);
        return;
      case TypeKind::Slice:
        out_ += '[';
        print(type.element);
        out_ += ']';
        return;
      case TypeKind::Reference:
        out_ += '&';
        print(type.element);
        return;
      case TypeKind::Record:
        print_record(type);
        return;
      case TypeKind::Tuple:
        print_tuple(types_.members(type.members));
        return;
      case TypeKind::Encoder:
        print_template("Encoder", type);
        return;
      case TypeKind::Future:
        print_template("Future", type);
        return;
      case TypeKind::Event:
        out_ += "Event";
        return;
      case TypeKind::BufferSpace:
        out_ += "BufferSpace";
        return;
      case TypeKind::RngState:
        out_ += "RngState";
        return;
      case TypeKind::Array:
        out_ += '[';
        print(type.element);
        print_extents(type.shape);
        out_ += ']';
        return;
    }
  }

  void print_results(const Signature& signature) {
    if (signature.results.empty()) {
      return;
    }
    out_ += " -> ";
    const bool is_single = signature.results.size() == 1;
    out_ += is_single ? "" : "(";
    for (size_t i = 0; i < signature.results.size(); ++i) {
      out_ += i == 0 ? "" : ", ";
      const SignatureResult& result = signature.results[i];
      if (result.name.has_value()) {
        out_ += fmt::format("{}: ", names_.text(result.name));
      }
      print(result.type, result.type_parameter);
      if (result.tolerance) {
        out_ += fmt::format(" within {}", *result.tolerance);
      }
      if (result.owner.has_value()) {
        out_ += fmt::format(" to {}", names_.text(result.owner));
      }
    }
    out_ += is_single ? "" : ")";
  }

  void print_sizes(const Signature& signature) {
    std::string_view separator = "'<";
    for (const TypeParameter& type : signature.type_parameters) {
      out_ += fmt::format("{}{}: {}", separator, names_.text(type.name), bound_text(type));
      separator = ", ";
    }
    for (const Name size : signature.sizes) {
      out_ += separator;
      out_ += names_.text(size);
      separator = ", ";
    }
    out_ += signature.sizes.empty() && signature.type_parameters.empty() ? "" : ">";
  }

  void print_constraints(const Signature& signature) {
    if (signature.sizes.empty()) {
      return;
    }
    std::string_view separator = " where ";
    for (const SizeConstraint& constraint : signature.constraints) {
      out_ += separator;
      out_ += constraint_text(types_, names_, constraint);
      separator = ", ";
    }
  }

  void print_function(const FunctionParameter& function) {
    out_ += "fn(";
    for (size_t i = 0; i < function.parameters.size(); ++i) {
      out_ += i == 0 ? "" : ", ";
      print(function.parameters[i].type, function.parameters[i].type_parameter);
    }
    out_ += ") -> ";
    print(function.result.type, function.result.type_parameter);
  }

  void print_parameters(const Signature& signature) {
    out_ += '(';
    for (size_t i = 0; i < signature.functions.size(); ++i) {
      const FunctionParameter& function = signature.functions[i];
      out_ += fmt::format("{}{}: ", i == 0 ? "" : ", ", names_.text(function.name));
      print_function(function);
    }
    for (size_t i = 0; i < signature.parameters.size(); ++i) {
      out_ += i == 0 && signature.functions.empty() ? "" : ", ";
      const SignatureParameter& parameter = signature.parameters[i];
      if (parameter.name.has_value()) {
        out_ += fmt::format("{}: ", names_.text(parameter.name));
      }
      print(parameter.type, parameter.type_parameter);
      if (parameter.bound) {
        out_ += bound_clause(*parameter.bound);
      } else if (parameter.open_bound) {
        out_ += fmt::format(" in {}..{}", form_text(types_, names_, parameter.open_bound->lower),
                            form_text(types_, names_, parameter.open_bound->upper));
      }
      if (parameter.owner.has_value()) {
        out_ += fmt::format(" from {}", names_.text(parameter.owner));
      }
    }
    out_ += ')';
  }

  auto take() -> std::string { return std::move(out_); }
  auto out() -> std::string& { return out_; }

 private:
  void print_value(const Type& type, Name type_parameter) {
    if (type.visibility == Visibility::Secret) {
      out_ += "secret ";
    }
    const bool is_array = type.shape != kScalar;
    out_ += is_array ? "[" : "";
    out_ += type_parameter.has_value() ? names_.text(type_parameter) : dtype_text(type.dtype);
    if (type.fraction_bits != 0 && !type_parameter.has_value()) {
      out_ += fmt::format("<{}>", type.fraction_bits);
    }
    if (is_array) {
      print_extents(type.shape);
      out_ += ']';
    }
  }

  void print_extents(ShapeId shape) {
    std::string_view separator = "; ";
    for (int64_t extent : types_.extents(shape)) {
      out_ += separator;
      out_ += extent_text(types_, names_, extent);
      separator = ", ";
    }
  }

  void print_record(const Type& type) {
    out_ += '{';
    std::string_view separator;
    for (const RecordField& field : types_.fields(type.fields)) {
      out_ += separator;
      out_ += fmt::format("{}: ", names_.text(field.name));
      print(field.type);
      print_flags(field.flags);
      separator = ", ";
    }
    out_ += '}';
  }

  void print_flags(uint8_t flags) {
    if (flags == 0) {
      return;
    }
    out_ += "'<";
    std::string_view separator;
    for (const auto& [flag, text] : kFlags) {
      if ((flags & static_cast<uint8_t>(flag)) != 0) {
        out_ += separator;
        out_ += text;
        separator = ", ";
      }
    }
    out_ += '>';
  }

  void print_tuple(const std::vector<TypeId>& members) {
    out_ += '(';
    for (size_t i = 0; i < members.size(); ++i) {
      out_ += i == 0 ? "" : ", ";
      print(members[i]);
    }
    out_ += members.size() == 1 ? ",)" : ")";
  }

  void print_template(std::string_view word, const Type& type) {
    out_ += word;
    if (type.element.has_value()) {
      out_ += '\'';
      print(type.element);
    }
  }

  const TypeStore& types_;
  const Interner& names_;
  std::string out_;
};

auto keyword(const Signature& signature) -> std::string {
  switch (signature.kind) {
    case names::ItemKind::Val:
      return "val ";
    case names::ItemKind::Tmln:
      return "tmln ";
    case names::ItemKind::Sptl:
      return "sptl ";
    case names::ItemKind::Extern:
      return fmt::format("extern({}) {}", names::device_text(signature.device),
                         signature.is_pure ? "pure " : "");
    case names::ItemKind::Feq:
      return "feq ";
    case names::ItemKind::Fn:
      return signature.is_device_function ? fmt::format("fn({}) ", devices_text(signature)) : "fn ";
    case names::ItemKind::Type:
    case names::ItemKind::Const:
    case names::ItemKind::Party:
    case names::ItemKind::Pipeline:
    case names::ItemKind::Import:
    case names::ItemKind::Test:
    case names::ItemKind::Input:
    case names::ItemKind::Program:
      return {};
  }
  return {};
}

}  // namespace

auto type_text(const TypeStore& types, const Interner& names, TypeId type) -> std::string {
  TypePrinter printer(types, names);
  printer.print(type);
  return printer.take();
}

auto devices_text(const Signature& signature) -> std::string {
  std::string text(names::device_text(signature.device));
  if (signature.second_device) {
    text += ", ";
    text += names::device_text(*signature.second_device);
  }
  return text;
}

auto signature_text(const TypeStore& types, const Interner& names, const Signature& signature,
                    std::string_view name) -> std::string {
  TypePrinter printer(types, names);
  printer.out() = keyword(signature);
  printer.out() += name;
  printer.print_sizes(signature);
  printer.print_parameters(signature);
  printer.print_results(signature);
  printer.print_constraints(signature);
  return printer.take();
}

auto function_type_text(const TypeStore& types, const Interner& names,
                        const FunctionParameter& function) -> std::string {
  TypePrinter printer(types, names);
  printer.print_function(function);
  return printer.take();
}

auto result_type(TypeStore& types, const Signature& signature) -> TypeId {
  if (signature.results.size() == 1) {
    return signature.results[0].type;
  }
  std::vector<TypeId> members;
  for (const SignatureResult& result : signature.results) {
    members.push_back(result.type);
  }
  return types.tuple(members);
}

}  // namespace tacet::types
