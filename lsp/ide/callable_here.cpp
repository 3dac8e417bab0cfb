#include "lsp/ide/callable_here.h"

#include "lsp/ide/names_in_scope.h"

namespace tacet::ide {

using names::BodyKind;
using names::ItemKind;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

auto CallableHere::in_body(const program::FrontendSnapshot& snapshot, BodyKind kind,
                           names::ItemId item) -> CallableHere {
  CallableHere here;
  const bool is_test = item.has_value() && snapshot.item_key(item).kind == ItemKind::Test;
  if (kind == BodyKind::Coordinator && !is_test) {
    here.from_ = From::Coordinator;
  } else if (kind == BodyKind::Device && item.has_value()) {
    here.from_ = From::Device;
    here.device_ = snapshot.signature(item)->device;
    here.second_device_ = snapshot.signature(item)->second_device;
  }
  return here;
}

/// `gpu` of `let e = encode-begin gpu;`, whose binding declares `name`.
static auto device_of_encoder(const CompletionSite& site, Node name)
    -> std::optional<names::Device> {
  for (const Node node : syntax::path_to(site.tree.root(), name.range().begin + 1)) {
    const Node value = node.is(NodeKind::LetStatement) ? node.child(Field::Value) : Node();
    names::Device device{};
    if (value.is(NodeKind::EncodeBeginExpression) &&
        names::find_device(value.child(Field::Device).text(), device)) {
      return device;
    }
  }
  return std::nullopt;
}

auto CallableHere::encoded(const CompletionSite& site) -> CallableHere {
  CallableHere here;
  here.from_ = From::Encoder;
  const Node encoder = site.around(NodeKind::EncodeStatement).child(Field::Encoder);
  for (const ScopedName& name : names_in_scope(site)) {
    if (name.text == encoder.text()) {
      here.device_ = device_of_encoder(site, name.declared);
      break;
    }
  }
  return here;
}

auto CallableHere::is_encrypted_part(const types::Signature& callee) const -> bool {
  return device_ == names::Device::Mpc && !second_device_ && !callee.second_device &&
         callee.device == names::Device::He;
}

auto CallableHere::has(const program::FrontendSnapshot& snapshot, names::ItemId callee) const
    -> bool {
  const ItemKind kind = snapshot.item_key(callee).kind;
  if (from_ == From::Anywhere || (kind != ItemKind::Fn && kind != ItemKind::Extern)) {
    return true;
  }
  const auto signature = snapshot.signature(callee);
  const bool runs_on_device = signature->is_device_function ||
                              (kind == ItemKind::Extern && signature->device != names::Device::Cpu);
  switch (from_) {
    case From::Anywhere:
      return true;
    case From::Coordinator:
      return !runs_on_device;
    case From::Device:
      return kind == ItemKind::Extern
                 ? !runs_on_device || signature->device == device_
                 : signature->is_device_function &&
                       (is_encrypted_part(*signature) ||
                        ((!device_ || signature->is_for(*device_)) &&
                         (!second_device_ || signature->is_for(*second_device_))));
    case From::Encoder:
      return (runs_on_device || kind == ItemKind::Extern) &&
             (!device_ || signature->is_for(*device_));
  }
  return true;
}

}  // namespace tacet::ide
