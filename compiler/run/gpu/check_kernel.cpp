#include "compiler/run/gpu/check_kernel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"

namespace tacet::gpu {

using engine::ElementKind;
using engine::ShaderBinding;
using engine::ShaderElements;
using engine::ShaderScalar;

/// Dimensions of a grid under Vulkan.
static constexpr uint32_t kMaxDimensions = 3;

/// Of SPIR-V, with the features of devices that they need: `Matrix`, `Shader`, `Float64`, `Int64`.
static constexpr uint32_t kKnownCapabilities[] = {0, 1, 10, 11};

/// The elements of a buffer for a type, or nothing if there is no such buffer.
static auto elements_of(engine::ElementType type) -> std::optional<ShaderElements> {
  switch (type.kind) {
    case ElementKind::Bool:
    case ElementKind::U32:
      return ShaderElements{ShaderScalar::Unsigned, 32};
    case ElementKind::U64:
      return ShaderElements{ShaderScalar::Unsigned, 64};
    case ElementKind::I32:
      return ShaderElements{ShaderScalar::Signed, 32};
    case ElementKind::I64:
    case ElementKind::Fxp:
      return ShaderElements{ShaderScalar::Signed, 64};
    case ElementKind::F32:
      return ShaderElements{ShaderScalar::Float, 32};
    case ElementKind::F64:
      return ShaderElements{ShaderScalar::Float, 64};
    case ElementKind::I8:
    case ElementKind::I16:
    case ElementKind::U8:
    case ElementKind::U16:
      return std::nullopt;
  }
  return std::nullopt;
}

static auto type_name(const DeclaredBuffer& buffer) -> std::string {
  const std::string element = engine::element_type_name(buffer.type);
  return buffer.n_elements ? fmt::format("[{}; {}]", element, *buffer.n_elements) : element;
}

static void check_ports(const KernelDeclaration& declaration, BufferRole role,
                        std::vector<Diagnostic>& found) {
  const bool is_input = role == BufferRole::Input;
  const std::vector<std::string>& ports = is_input ? declaration.parameters : declaration.results;
  for (size_t port = 0; port < ports.size(); ++port) {
    const auto n = std::count_if(
        declaration.buffers.begin(), declaration.buffers.end(),
        [&](const DeclaredBuffer& buffer) { return buffer.role == role && buffer.port == port; });
    if (n == 1) {
      continue;
    }
    const std::string what = is_input ? "parameter" : "result";
    const std::string name = ports[port].empty() ? fmt::format("{}", port + 1) : ports[port];
    found.push_back(make_diagnostic(
        DiagnosticCode::T2022, declaration.name_place,
        n == 0 ? fmt::format("{} `{}` has no buffer", what, name)
               : fmt::format("{} `{}` has {} buffers, expected one", what, name, n)));
    found.back().notes.push_back(fmt::format("write one block `{{ group: g, binding: b, {}: {} }}`",
                                             is_input ? "input" : "output",
                                             ports[port].empty() ? what : ports[port]));
  }
}

static void check_places(const KernelDeclaration& declaration, std::vector<Diagnostic>& found) {
  const std::vector<DeclaredBuffer>& buffers = declaration.buffers;
  for (size_t i = 0; i < buffers.size(); ++i) {
    const auto same = std::find_if(buffers.begin(), buffers.begin() + static_cast<ptrdiff_t>(i),
                                   [&](const DeclaredBuffer& other) {
                                     return other.group == buffers[i].group &&
                                            other.binding == buffers[i].binding;
                                   });
    if (same != buffers.begin() + static_cast<ptrdiff_t>(i)) {
      found.push_back(make_diagnostic(DiagnosticCode::T2036, buffers[i].place,
                                      fmt::format("two buffers have group {} and binding {}",
                                                  buffers[i].group, buffers[i].binding)));
      found.back().labels.push_back({same->place, fmt::format("`{}` has them too", same->name)});
    }
    if (!elements_of(buffers[i].type)) {
      found.push_back(make_diagnostic(
          DiagnosticCode::T2036, buffers[i].place,
          fmt::format("buffers cannot hold `{}`", engine::element_type_name(buffers[i].type))));
      found.back().notes.emplace_back(
          "use `bool`, or a number of 32 or 64 bits: `i32`, `i64`, `u32`, `u64`, `f32`, `f64`, "
          "`fxp`");
    }
  }
}

auto check_declaration(const KernelDeclaration& declaration) -> std::vector<Diagnostic> {
  std::vector<Diagnostic> found;
  if (declaration.n_dimensions > kMaxDimensions) {
    found.push_back(
        make_diagnostic(DiagnosticCode::T2036, declaration.dimensions_place,
                        fmt::format("a grid on a GPU has at most {} dimensions, found {}",
                                    kMaxDimensions, declaration.n_dimensions)));
  }
  check_ports(declaration, BufferRole::Input, found);
  check_ports(declaration, BufferRole::Output, found);
  check_places(declaration, found);
  return found;
}

namespace {

/// One comparison of a kernel with its declaration.
class Comparison {
 public:
  Comparison(const KernelDeclaration& declaration, const engine::ShaderInterface& kernel)
      : declaration_(declaration), kernel_(kernel) {}

  auto run() -> std::vector<Diagnostic> {
    check_entry();
    for (const DeclaredBuffer& buffer : declaration_.buffers) {
      check_buffer(buffer);
    }
    for (const ShaderBinding& binding : kernel_.bindings) {
      const bool is_declared =
          std::any_of(declaration_.buffers.begin(), declaration_.buffers.end(),
                      [&](const DeclaredBuffer& buffer) { return is_at(binding, buffer); });
      if (!is_declared) {
        report(declaration_.name_place,
               fmt::format("the kernel binds `{}` in group {}, binding {}, which is not declared",
                           binding.name, binding.group, binding.binding));
      }
    }
    check_rest();
    return std::move(found_);
  }

 private:
  static auto is_at(const ShaderBinding& binding, const DeclaredBuffer& buffer) -> bool {
    return binding.group == buffer.group && binding.binding == buffer.binding;
  }

  auto report(FileRange place, std::string message) -> Diagnostic& {
    found_.push_back(make_diagnostic(DiagnosticCode::T2035, place, std::move(message)));
    return found_.back();
  }

  void check_entry() {
    std::vector<std::string> names;
    for (const engine::ShaderEntry& entry : kernel_.entries) {
      if (entry.name == declaration_.entry) {
        return;
      }
      names.push_back(fmt::format("`{}`", entry.name));
    }
    Diagnostic& diagnostic =
        report(declaration_.entry_place,
               fmt::format("the kernel has no entry point `{}`", declaration_.entry));
    diagnostic.notes.push_back(names.empty()
                                   ? std::string("it has none")
                                   : fmt::format("available: {}", fmt::join(names, ", ")));
  }

  void check_buffer(const DeclaredBuffer& buffer) {
    const auto binding =
        std::find_if(kernel_.bindings.begin(), kernel_.bindings.end(),
                     [&](const ShaderBinding& each) { return is_at(each, buffer); });
    if (binding == kernel_.bindings.end()) {
      report(buffer.place, fmt::format("the kernel binds no buffer in group {}, binding {}",
                                       buffer.group, buffer.binding));
      return;
    }
    if (binding->kind != ShaderBinding::Kind::Storage) {
      const bool is_structure = binding->kind == ShaderBinding::Kind::Structure;
      Diagnostic& diagnostic = report(
          buffer.place,
          is_structure ? fmt::format("`{}` in the kernel has another layout than `{}`",
                                     binding->name, type_name(buffer))
                       : fmt::format("`{}` in the kernel is not a storage buffer", binding->name));
      diagnostic.notes.push_back(fmt::format("declare it as `{}`", declaration_in_glsl(buffer)));
      return;
    }
    check_elements(buffer, *binding);
    check_access(buffer, *binding);
  }

  static auto declaration_in_glsl(const DeclaredBuffer& buffer) -> std::string {
    ShaderElements wanted = elements_of(buffer.type).value_or(ShaderElements());
    const std::string type = engine::elements_text(wanted);
    return fmt::format("layout(set = {}, binding = {}) {}buffer B {{ {} {}{}; }};", buffer.group,
                       buffer.binding, buffer.role == BufferRole::Input ? "readonly " : "", type,
                       buffer.name, buffer.n_elements ? "[]" : "");
  }

  void check_elements(const DeclaredBuffer& buffer, const ShaderBinding& binding) {
    const std::optional<ShaderElements> wanted = elements_of(buffer.type);
    const ShaderElements& found = binding.elements;
    const bool is_truth = buffer.type.kind == ElementKind::Bool;
    const bool is_same_scalar =
        wanted && found.bits == wanted->bits &&
        (found.scalar == wanted->scalar || (is_truth && found.scalar == ShaderScalar::Signed));
    const bool is_same_shape =
        found.is_array == buffer.n_elements.has_value() &&
        (!found.is_array || found.n_elements == 0 || found.n_elements == *buffer.n_elements);
    if (!is_same_scalar || !is_same_shape) {
      Diagnostic& diagnostic = report(
          buffer.place, fmt::format("`{}` is `{}` in the kernel, which is not `{}`", buffer.name,
                                    engine::elements_text(found), type_name(buffer)));
      diagnostic.notes.push_back(fmt::format("declare it as `{}`", declaration_in_glsl(buffer)));
    }
  }

  void check_access(const DeclaredBuffer& buffer, const ShaderBinding& binding) {
    if (buffer.role == BufferRole::Input && binding.is_written) {
      report(buffer.place, fmt::format("the kernel writes to its input `{}`", buffer.name));
    }
    if (buffer.role == BufferRole::Output && !binding.is_written) {
      report(buffer.place, fmt::format("the kernel never writes its output `{}`", buffer.name));
    }
  }

  void check_rest() {
    if (kernel_.has_push_constants) {
      report(declaration_.name_place, "the kernel has push constants, which cannot be declared");
    }
    for (const uint32_t capability : kernel_.capabilities) {
      if (std::find(std::begin(kKnownCapabilities), std::end(kKnownCapabilities), capability) ==
          std::end(kKnownCapabilities)) {
        report(declaration_.path_place,
               fmt::format("the kernel uses an extension of GLSL that Tacet does not support "
                           "(capability {} of SPIR-V)",
                           capability))
            .notes.emplace_back("supported are numbers of 32 and 64 bits, without extensions");
      }
    }
  }

  const KernelDeclaration& declaration_;
  const engine::ShaderInterface& kernel_;
  std::vector<Diagnostic> found_;
};

}  // namespace

auto check_kernel(const KernelDeclaration& declaration, const engine::ShaderInterface& kernel)
    -> std::vector<Diagnostic> {
  return Comparison(declaration, kernel).run();
}

auto unreadable_kernel(const KernelDeclaration& declaration, const std::string& reason)
    -> Diagnostic {
  Diagnostic diagnostic =
      make_diagnostic(DiagnosticCode::T2033, declaration.path_place,
                      fmt::format("cannot read the kernel of `{}`: {}", declaration.name, reason));
  diagnostic.notes.emplace_back("the path is relative to the folder of this file");
  return diagnostic;
}

auto uncompiled_kernel(const KernelDeclaration& declaration,
                       const std::vector<std::string>& messages) -> Diagnostic {
  Diagnostic diagnostic =
      make_diagnostic(DiagnosticCode::T2034, declaration.path_place,
                      fmt::format("the kernel of `{}` does not compile", declaration.name));
  diagnostic.notes = messages;
  return diagnostic;
}

}  // namespace tacet::gpu
