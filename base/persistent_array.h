#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/check.h"

namespace tacet {

/// An array of which most elements are never set, and whose copies share what they have in common:
/// a tree of 16 branches at each node, of which `set` copies those nodes on its way that another
/// array has, too. `get` and `set` are O(log size), a copy is O(1).
template <class T>
class PersistentArray {
 public:
  explicit PersistentArray(size_t size = 0) : size_(size) {
    while (size > kBranches) {
      size = (size + kBranches - 1) / kBranches;
      ++height_;
    }
  }

  [[nodiscard]] auto size() const -> size_t { return size_; }
  /// Is no element set?
  [[nodiscard]] auto empty() const -> bool { return root_ == nullptr; }

  /// Null if it is not set. Valid until the next change.
  [[nodiscard]] auto get(size_t i) const -> const T* {
    TACET_CHECK(i < size_, "an element outside of an array");
    const Node* node = root_.get();
    for (unsigned level = height_; node != nullptr && level > 0; --level) {
      node = node->children[branch(i, level)].get();
    }
    return node != nullptr && (node->set >> branch(i, 0) & 1) != 0 ? &node->elements[branch(i, 0)]
                                                                   : nullptr;
  }

  void set(size_t i, T value) {
    TACET_CHECK(i < size_, "an element outside of an array");
    std::shared_ptr<Node>* at = &root_;
    for (unsigned level = height_;; --level) {
      if (*at == nullptr) {
        *at = std::make_shared<Node>(level == 0);
      } else if (at->use_count() > 1) {
        *at = std::make_shared<Node>(**at);
      }
      if (level == 0) {
        break;
      }
      at = &(*at)->children[branch(i, level)];
    }
    (*at)->elements[branch(i, 0)] = std::move(value);
    (*at)->set = static_cast<uint16_t>((*at)->set | 1U << branch(i, 0));
  }

  /// `body(i, element)` for each element that is set, in order. O(elements set · log size).
  template <class Body>
  void for_each(Body&& body) const {
    if (root_ != nullptr) {
      visit(*root_, height_, 0, body);
    }
  }

 private:
  static constexpr unsigned kBits = 4;
  static constexpr size_t kBranches = size_t{1} << kBits;

  struct Node {
    explicit Node(bool is_leaf)
        : children(is_leaf ? nullptr : new std::shared_ptr<Node>[kBranches]),
          elements(is_leaf ? new T[kBranches]() : nullptr) {}
    Node(const Node& other) : Node(other.elements != nullptr) {
      for (size_t i = 0; i < kBranches; ++i) {
        if (elements != nullptr) {
          elements[i] = other.elements[i];
        } else {
          children[i] = other.children[i];
        }
      }
      set = other.set;
    }
    auto operator=(const Node&) -> Node& = delete;
    ~Node() = default;

    std::unique_ptr<std::shared_ptr<Node>[]> children;  ///< of an inner node
    std::unique_ptr<T[]> elements;                      ///< of a leaf
    uint16_t set = 0;                                   ///< which elements are
  };

  static auto branch(size_t i, unsigned level) -> size_t {
    return i >> level * kBits & (kBranches - 1);
  }

  template <class Body>
  static void visit(const Node& node, unsigned level, size_t first, Body& body) {
    for (size_t b = 0; b < kBranches; ++b) {
      const size_t at = first + (b << level * kBits);
      if (level > 0) {
        if (node.children[b] != nullptr) {
          visit(*node.children[b], level - 1, at, body);
        }
      } else if ((node.set >> b & 1) != 0) {
        body(at, node.elements[b]);
      }
    }
  }

  size_t size_;
  unsigned height_ = 0;
  std::shared_ptr<Node> root_;
};

}  // namespace tacet
