#pragma once

#include <string>
#include <vector>

#include "compiler/front/names/item.h"

/// What devices learn of the secrets of coordinator functions. The device boundary is the boundary
/// of privacy (docs/adr/0006-the-boundary-is-what-a-coordinator-shows.md): what a coordinator
/// computes by itself nobody sees, but that it speaks with a device that computes on what is
/// encrypted or shared, when, and what it sends unencrypted, is seen.
namespace tacet::leakage {

/// Why a value must not be revealed.
enum class Level : uint8_t {
  Decrypted,  ///< it was encrypted, and its owner has read it: the evaluator has not
  Secret,     ///< it is declared so
};

/// One step on the path of a secret, at a place of an item's text.
struct Step {
  names::ItemId item;
  TextRange place;   ///< counts from the beginning of the item's tree
  std::string text;  ///< "makes `v` secret"

  friend auto operator==(const Step&, const Step&) -> bool = default;
};

enum class ChannelKind : uint8_t {
  Steered,  ///< whether and how a device is spoken to
  Clear,    ///< a value that is sent unencrypted
  Grid,     ///< how large a call on a device is
  Effect,   ///< an argument of what may do anything, or whether that is called
  Result,   ///< a result that is declared public
};

/// A path on which a secret leaks.
struct Channel {
  ChannelKind kind = ChannelKind::Steered;
  Level level = Level::Secret;
  Name subject;            ///< the field, extern or result that it is about, if that has a name
  std::vector<Step> path;  ///< the last one is where it gets out

  friend auto operator==(const Channel&, const Channel&) -> bool = default;
};

}  // namespace tacet::leakage
