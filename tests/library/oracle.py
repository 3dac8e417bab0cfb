"""What the functions of the library compute, written without looking at them: plain Python on lists.

Each takes Python numbers and lists and gives what the function gives: a number, a list, or a tuple.
"""

import collections
import math


def wrap(x: int) -> int:
    """An integer as a signed number of 64 bits."""
    return (x + 2**63) % 2**64 - 2**63


def truncated(a: int, b: int) -> int:
    """The quotient rounded towards zero."""
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


# ---- linear ----


def dot(a, b):
    total = 0
    for x, y in zip(a, b, strict=True):
        total += x * y
    return wrap(total) if isinstance(total, int) else total


def matrix_vector(a, x):
    return [dot(row, x) for row in a]


def transpose(a):
    return [list(column) for column in zip(*a, strict=True)]


def matrix_matrix(a, b):
    return [[dot(row, column) for column in transpose(b)] for row in a]


def outer(a, b):
    return [[wrap(x * y) for y in b] for x in a]


def squared_distances(rows, x):
    return [dot([p - q for p, q in zip(r, x)], [p - q for p, q in zip(r, x)]) for r in rows]


# ---- statistics ----


def mean(x):
    return math.fsum(x) / len(x)


def mean_i64(x):
    return truncated(sum(x), len(x))


def moments(x):
    return sum(x), sum(v**2 for v in x)


def covariance(x, y):
    return mean([a * b for a, b in zip(x, y)]) - mean(x) * mean(y)


def variance(x):
    return covariance(x, x)


def weighted_mean(x, w):
    return math.fsum(a * b for a, b in zip(x, w)) / math.fsum(w)


def histogram(x, lowest, width, k):
    bins = [0] * k
    for v in x:
        place = (v - lowest) // width
        if 0 <= place < k:
            bins[place] += 1
    return bins


def counts(x, k):
    found = collections.Counter(x)
    return [found[value] for value in range(k)]


def grouped_sums(groups, values, k):
    sums = [0] * k
    for group, value in zip(groups, values):
        if 0 <= group < k:
            sums[group] = wrap(sums[group] + value)
    return sums


def median(x):
    return sorted(x)[(len(x) - 1) // 2]


def quantile(x, percent):
    for v in sorted(x):
        if 100 * sum(1 for w in x if w <= v) >= percent * len(x):
            return v
    raise AssertionError("the greatest element is no smaller than all")


# ---- retrieval ----


def selector(index, n):
    return [int(i == index) for i in range(n)]


def record_at(table, index):
    return table[index] if 0 <= index < len(table) else [0] * len(table[0])


def record_of(keys, records, key):
    found = dict(zip(keys, records))
    return found.get(key, [0] * len(records[0])), key in found


# ---- sets ----


def padded(x, n):
    return list(x) + [0] * (n - len(x))


def intersection(a, b):
    common = [x for x in a if x in set(b)]
    return padded(common, len(a)), len(common)


def deduplicate(a):
    distinct = sorted(set(a))
    return padded(distinct, len(a)), len(distinct)


def join(left, right, values):
    found = dict(zip(right, values))
    return [found.get(k, 0) for k in left], [k in found for k in left]


def group_by(keys, values):
    sums = collections.defaultdict(int)
    for k, v in zip(keys, values):
        sums[k] = wrap(sums[k] + v)
    order = sorted(sums)
    n = len(keys)
    return padded(order, n), padded([sums[k] for k in order], n), len(order)


# ---- markets ----


def first_price(bids):
    return bids.index(max(bids)), max(bids)


def second_price(bids):
    winner = bids.index(max(bids))
    return winner, max(b for i, b in enumerate(bids) if i != winner)


def plurality(votes, k):
    found = counts(votes, k)
    return found.index(max(found))


def places(scores):
    return [1 + len([t for t in scores if t > s]) for s in scores]


def ranking(scores):
    return [i for _, i in sorted((-s, i) for i, s in enumerate(scores))]


# ---- learning ----


def dense(weights, bias, x):
    return [dot(row, x) + b for row, b in zip(weights, bias)]


def nearest_neighbours(points, labels, x, k, classes):
    near = sorted(range(len(points)), key=lambda i: (math.dist(points[i], x), i))[:k]
    return plurality([labels[i] for i in near], classes)


def decision_tree(feature, threshold, leaf, x):
    def descend(node):
        if node >= len(feature):
            return leaf[node - len(feature)]
        is_below = x[feature[node]] < threshold[node]
        return descend(2 * node + 1 if is_below else 2 * node + 2)

    return descend(0)


# ---- images ----


def at(image, y, x):
    return image[y][x] if 0 <= y < len(image) and 0 <= x < len(image[0]) else 0


def convolution(image, weights):
    a, b = len(weights), len(weights[0])
    return [[wrap(sum(weights[j][i] * at(image, y + j - a // 2, x + i - b // 2)
                      for j in range(a) for i in range(b)))
             for x in range(len(image[0]))] for y in range(len(image))]


def edges(image):
    dx = convolution(image, [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])
    dy = convolution(image, [[-1, -2, -1], [0, 0, 0], [1, 2, 1]])
    return [[p * p + q * q for p, q in zip(r, s)] for r, s in zip(dx, dy)]


def threshold(image, level):
    return [[int(pixel >= level) for pixel in row] for row in image]


# ---- bits ----


def rotate_left(x, k):
    digits = f"{x:064b}"
    return int(digits[k:] + digits[:k], 2)


def rotate_right(x, k):
    return rotate_left(x, (64 - k) % 64)


# ---- text ----


def match_counts(text, word):
    return [sum(p == q for p, q in zip(text[i:], word)) for i in range(len(text) - len(word) + 1)]


def find(text, word):
    return bytes(text).find(bytes(word))


def edit_distance(a, b):
    if not a or not b:
        return len(a) + len(b)
    if a[0] == b[0]:
        return edit_distance(a[1:], b[1:])
    return 1 + min(edit_distance(a[1:], b), edit_distance(a, b[1:]), edit_distance(a[1:], b[1:]))
