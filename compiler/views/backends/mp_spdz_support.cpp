#include "compiler/views/backends/mp_spdz_support.h"

namespace tacet::backends {

constexpr std::string_view kOperations = R"(
program.set_bit_length(64)

# Arrays are lists, row by row, of secrets (sint), of numbers that are public when the program runs
# (regint) and of numbers that are known when it is compiled (int). All are modulo 2^64, near zero.

def wrapped(x):
    return (x + 2**63) % 2**64 - 2**63 if isinstance(x, int) else x

def is_secret(x):
    return isinstance(x, sint)

def negative(x):
    return x.bit_decompose(64)[63] if is_secret(x) else less_publicly(x, 0)

def less_publicly(a, b):
    return int(a < b) if isinstance(a, int) and isinstance(b, int) else regint(a) < b

def exclusive_or(a, b):
    return a + b - 2 * a * b

def less(a, b):
    """Also where a - b leaves 64 bits."""
    if not is_secret(a) and not is_secret(b):
        return less_publicly(a, b)
    sign = negative(a)
    difference = negative(wrapped(a - b))
    return difference + exclusive_or(sign, negative(b)) * (sign - difference)

def same(a, b):
    if is_secret(a) or is_secret(b):
        return (sint(a) - b).equal(0, bit_length=64)
    return int(a == b) if isinstance(a, int) and isinstance(b, int) else regint(a) == b

def divided(a, b):
    """Of public numbers, towards zero."""
    if isinstance(a, int) and isinstance(b, int):
        quotient = abs(a) // abs(b)
        return wrapped(quotient if (a < 0) == (b < 0) else -quotient)
    a, b = regint(a), regint(b)
    sign_a, sign_b = 1 - 2 * (a < 0), 1 - 2 * (b < 0)
    return (a * sign_a) // (b * sign_b) * sign_a * sign_b

def one_of(condition, a, b):
    return b + condition * (a - b)

def each(function, *arrays):
    """Element by element; one element goes with all of the others."""
    n = max(len(array) for array in arrays)
    return [wrapped(function(*(array[0 if len(array) == 1 else i] for array in arrays)))
            for i in range(n)]

def add(a, b): return each(lambda x, y: x + y, a, b)
def sub(a, b): return each(lambda x, y: x - y, a, b)
def mul(a, b): return each(lambda x, y: x * y, a, b)
def neg(a): return each(lambda x: -x, a)
def div(a, b): return each(divided, a, b)
def mod(a, b): return each(lambda x, y: x - y * divided(x, y), a, b)
def lt(a, b): return each(less, a, b)
def gt(a, b): return each(lambda x, y: less(y, x), a, b)
def leq(a, b): return each(lambda x, y: 1 - less(y, x), a, b)
def geq(a, b): return each(lambda x, y: 1 - less(x, y), a, b)
def eq(a, b): return each(same, a, b)
def neq(a, b): return each(lambda x, y: 1 - same(x, y), a, b)
def land(a, b): return each(lambda x, y: x * y, a, b)
def lor(a, b): return each(lambda x, y: x + y - x * y, a, b)
def not_(a): return each(lambda x: 1 - x, a)
def select(condition, a, b): return each(one_of, condition, a, b)
def minimum(a, b): return each(lambda x, y: one_of(less(x, y), x, y), a, b)
def maximum(a, b): return each(lambda x, y: one_of(less(x, y), y, x), a, b)
def absolute(a): return each(lambda x: one_of(negative(x), -x, x), a)
def truth(a): return each(lambda x: 1 - same(x, 0), a)

def secret(a):
    return [sint(x) for x in a]

def revealed(a):
    return [regint(x.reveal()) if is_secret(x) else x for x in a]

def tree(function, a):
    """Joins neighbours until one is left."""
    while len(a) > 1:
        a = [function(*a[i:i + 2]) if i + 1 < len(a) else a[i] for i in range(0, len(a), 2)]
    return wrapped(a[0])

def reduced(function, a, extents, dimension):
    inner = 1
    for extent in extents[dimension + 1:]:
        inner *= extent
    n = extents[dimension]
    return [tree(function, [a[(o * n + k) * inner + i] for k in range(n)])
            for o in range(len(a) // (n * inner)) for i in range(inner)]

def sum_(a, extents, d): return reduced(lambda x, y: x + y, a, extents, d)
def product(a, extents, d): return reduced(lambda x, y: x * y, a, extents, d)
def reduce_min(a, extents, d): return reduced(lambda x, y: one_of(less(x, y), x, y), a, extents, d)
def reduce_max(a, extents, d): return reduced(lambda x, y: one_of(less(x, y), y, x), a, extents, d)
def reduce_and(a, extents, d): return reduced(lambda x, y: x * y, a, extents, d)
def reduce_or(a, extents, d): return reduced(lambda x, y: x + y - x * y, a, extents, d)
def reduce_xor(a, extents, d): return reduced(exclusive_or, a, extents, d)

def dot(a, b, n):
    """Over the last dimension, of this extent, of both."""
    return [tree(lambda x, y: x + y, [a[at + k] * b[at + k] for k in range(n)])
            for at in range(0, len(a), n)]

def matmul(a, b, n_rows, n_joined, n_columns):
    return [tree(lambda x, y: x + y, [a[i * n_joined + k] * b[k * n_columns + j]
                                      for k in range(n_joined)])
            for i in range(n_rows) for j in range(n_columns)]

def places(extents, offset, strides):
    all_places = [offset]
    for extent, stride in zip(extents, strides):
        all_places = [at + stride * i for at in all_places for i in range(extent)]
    return all_places

def view(a, extents, offset, strides):
    return [a[at] for at in places(extents, offset, strides)]

def pick(a, at):
    return [a[i] if 0 <= i < len(a) else 0 for i in at]

def place(a, at, values):
    result = list(a)
    for i, value in zip(at, values):
        if i != -1:
            result[i] = value
    return result

def place_add(a, at, values):
    result = list(a)
    for i, value in zip(at, values):
        if i != -1:
            result[i] = wrapped(result[i] + value)
    return result

def sort(a):
    """Batcher's merge exchange (Knuth, volume 3, algorithm 5.2.2M)."""
    a, n = list(a), len(a)
    p = 1 << max(n - 1, 1).bit_length() - 1
    top = p
    while p > 0 and n > 1:
        q, r, d = top, 0, p
        while True:
            for i in range(n - d):
                if i & p == r:
                    swaps = less(a[i + d], a[i])
                    a[i], a[i + d] = one_of(swaps, a[i + d], a[i]), one_of(swaps, a[i], a[i + d])
            if q == p:
                break
            d, q, r = q - p, q >> 1, p
        p >>= 1
    return a

def nested(texts, extents):
    if not extents:
        return texts[0]
    size = len(texts) // extents[0]
    return '[' + ','.join(nested(texts[i * size:(i + 1) * size], extents[1:])
                          for i in range(extents[0])) + ']'

def show(name, a, extents):
    print_ln('{"name":"%s","value":%s}' % (name, nested(['%s'] * len(a), extents)), *revealed(a))

def show_to(party, name, a, extents):
    print_ln_to(party, '{"name":"%s","value":%s}' % (name, nested(['%s'] * len(a), extents)),
                *[sint(x).reveal_to(party) for x in a])
)";

auto mp_spdz_operations() -> std::string_view {
  return kOperations;
}

}  // namespace tacet::backends
