#include "compiler/spec/fill/callables_in_scope.h"

#include <algorithm>
#include <set>

#include "compiler/front/check/queries.h"
#include "compiler/front/names/queries.h"
#include "compiler/front/types/queries.h"

namespace tacet::fill {

using types::TypeKind;

namespace {

/// How a value of the type is passed.
auto passed(const program::FrontendSnapshot& snapshot, types::TypeId type) -> Callable::Passed {
  switch (type.has_value() ? snapshot.types()[type].kind : TypeKind::Error) {
    case TypeKind::Reference:
      return Callable::Passed::Reference;
    case TypeKind::Encoder:
      return Callable::Passed::Encoder;
    case TypeKind::Future:
      return Callable::Passed::Future;
    case TypeKind::Record:
      return Callable::Passed::Record;
    case TypeKind::Array:
    case TypeKind::BufferSpace:
    case TypeKind::Error:
    case TypeKind::Event:
    case TypeKind::RngState:
    case TypeKind::Slice:
    case TypeKind::Tuple:
    case TypeKind::Value:
      return Callable::Passed::Value;
  }
  return Callable::Passed::Value;
}

/// Whether the specification calls what `item` computes.
auto is_of(const program::FrontendSnapshot& snapshot, const std::set<names::ItemId>& specified,
           const types::Signature& signature, names::ItemId item) -> bool {
  const names::ItemId computed = signature.val.has_value() ? signature.val : item;
  const auto of_class = snapshot.equivalence_class(computed);
  return specified.count(computed) != 0 || specified.count(signature.class_item) != 0 ||
         (of_class && specified.count(of_class->item) != 0);
}

}  // namespace

auto callables_in_scope(const program::FrontendSnapshot& snapshot, FileId file,
                        const types::Signature& own) -> CallablesInScope {
  CallablesInScope found;
  std::set<names::ItemId> specified;
  if (own.val.has_value()) {
    for (const names::ItemId mentioned : snapshot.body(own.val)->names.items) {
      specified.insert(mentioned);
    }
  }
  const auto scope = snapshot.get<names::ModuleScopeOfFile>(file);
  std::vector<names::FileScope::Entry> entries;
  for (const names::FileScope::Entry& entry : scope->own->entries()) {
    entries.push_back(entry);
  }
  for (const names::ImportedScope& import : scope->imports) {
    entries.insert(entries.end(), import.scope->entries().begin(), import.scope->entries().end());
  }
  for (const names::FileScope::Entry& entry : entries) {
    const auto signature = entry.space == names::Namespace::Callable
                               ? snapshot.signature(entry.item)
                               : std::shared_ptr<const types::Signature>();
    if (!signature || scope->find(names::Namespace::Callable, entry.name) != entry.item) {
      continue;
    }
    Callable callable;
    callable.name = std::string(snapshot.interner().text(entry.name));
    callable.device = std::string(names::device_text(signature->device));
    callable.n_dims = signature->n_dims;
    callable.n_results = signature->results.size();
    for (const types::SignatureParameter& parameter : signature->parameters) {
      callable.parameters.push_back(passed(snapshot, parameter.type));
    }
    if (signature->results.size() == 1) {
      const Callable::Passed given = passed(snapshot, signature->results[0].type);
      callable.gives_reference = given == Callable::Passed::Reference;
      callable.gives_handle =
          given != Callable::Passed::Reference && given != Callable::Passed::Value;
    }
    callable.is_specified = is_of(snapshot, specified, *signature, entry.item);
    const bool is_kernel =
        signature->is_device_function ||
        (signature->kind == names::ItemKind::Extern && signature->device != names::Device::Cpu);
    (is_kernel ? found.kernels : found.callees).push_back(std::move(callable));
  }
  for (std::vector<Callable>* list : {&found.kernels, &found.callees}) {
    std::sort(list->begin(), list->end(), [](const Callable& a, const Callable& b) {
      return a.is_specified != b.is_specified ? a.is_specified : a.name < b.name;
    });
  }
  return found;
}

}  // namespace tacet::fill
