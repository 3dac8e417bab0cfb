"""What the functions of the library compute, written without looking at them: plain Python on lists.

Each takes Python numbers and lists and gives what the function gives: a number, a list, or a tuple.
"""

import collections
import fractions
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


def manhattan_distances(rows, x):
    return [sum(abs(p - q) for p, q in zip(row, x)) for row in rows]


def cosine(a, b):
    return math.fsum(x * y for x, y in zip(a, b)) / math.hypot(*a) / math.hypot(*b)


def solved(a, b):
    """By Cramer's rule, with fractions."""
    def determinant(m):
        if not m:
            return 1
        return sum((-1)**j * v * determinant([row[:j] + row[j + 1:] for row in m[1:]])
                   for j, v in enumerate(m[0]) if v)

    a = [[fractions.Fraction(v) for v in row] for row in a]
    replaced = [[row[:j] + [fractions.Fraction(v)] + row[j + 1:] for row, v in zip(a, b)]
                for j in range(len(a))]
    return [float(determinant(m) / determinant(a)) for m in replaced]


def least_squares(rows, targets):
    columns = transpose(rows)
    return solved([[dot(p, q) for q in columns] for p in columns], [dot(p, targets) for p in columns])


def power_iteration(a, start, steps):
    x = start
    for _ in range(steps):
        x = [dot(row, x) for row in a]
        x = [v / math.hypot(*x) for v in x]
    return dot(x, [dot(row, x) for row in a]), x


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


def weighted_variance(x, w):
    m = weighted_mean(x, w)
    return weighted_mean([(v - m)**2 for v in x], w)


def correlation(x, y):
    scale = max(math.sqrt(variance(x)), 2**-5) * max(math.sqrt(variance(y)), 2**-5)
    return covariance(x, y) / scale


def linear_regression(x, y):
    slope = covariance(x, y) / max(variance(x), 2**-10)
    return slope, mean(y) - slope * mean(x)


def squared_error_of_mean(x):
    return sum((v - mean(x))**2 for v in x) / (len(x) - 1) / len(x)


def welch_t(x, y):
    error = squared_error_of_mean(x) + squared_error_of_mean(y)
    return (mean(x) - mean(y)) / math.sqrt(max(error, 2**-10))


def paired_t(x, y):
    d = [a - b for a, b in zip(x, y)]
    return mean(d) / math.sqrt(max(squared_error_of_mean(d), 2**-10))


def chi_squared(table):
    total = sum(map(sum, table))
    columns = transpose(table)
    return math.fsum(
        (table[i][j] - sum(row) * sum(column) / total)**2 / (sum(row) * sum(column) / total)
        for i, row in enumerate(table) for j, column in enumerate(columns) if sum(row) * sum(column))


def grouped_means(groups, values, k):
    own = [[v for g, v in zip(groups, values) if g == group] for group in range(k)]
    return [mean(v) if v else 0.0 for v in own]


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


def difference(a, b):
    left = [x for x in a if x not in b]
    return padded(left, len(a)), len(left)


def extremes_by(keys, values):
    own = collections.defaultdict(list)
    for k, v in zip(keys, values):
        own[k].append(v)
    order, n = sorted(own), len(keys)
    return (padded(order, n), padded([min(own[k]) for k in order], n),
            padded([max(own[k]) for k in order], n), len(order))


def group_by_both(first, second, values):
    n = len(first)
    order, sums, n_groups = group_by(list(zip(first, second)), values)
    return [list(p) for p in order[:n_groups]] + [[0, 0]] * (n - n_groups), sums, n_groups


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


def uniform_price(bids, k):
    order = sorted(range(len(bids)), key=lambda i: (-bids[i], i))
    return [i in order[:k] for i in range(len(bids))], bids[order[k]]


def clearing(bids, offers):
    """The most goods for which as many bids are no lower than as many offers."""
    for k in range(min(len(bids), len(offers)), 0, -1):
        bid, offer = sorted(bids)[-k], sorted(offers)[k - 1]
        if bid >= offer:
            return k, bid, offer
    return 0, 0, 0


def serial_choice(values):
    chosen = []
    for row in values:
        chosen.append(max((g for g in range(len(row)) if g not in chosen),
                          key=lambda g: (row[g], -g)))
    return chosen


# ---- learning ----


def dense(weights, bias, x):
    return [dot(row, x) + b for row, b in zip(weights, bias)]


def silu(x):
    return [v / (1 + math.exp(-v)) if v > -700 else 0.0 for v in x]


def gelu(x):
    return [v * math.erfc(-v / math.sqrt(2)) / 2 for v in x]


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


def decision_forest(feature, threshold, leaf, x, classes):
    return plurality([decision_tree(*tree, x) for tree in zip(feature, threshold, leaf)], classes)


def convolution_layer(image, filters, bias):
    h, w = len(image[0]), len(image[0][0])
    a, b = len(filters[0][0]), len(filters[0][0][0])
    return [[[shift + math.fsum(image[l][y + j][x + i] * f[l][j][i]
                                for l in range(len(image)) for j in range(a) for i in range(b))
              for x in range(w - b + 1)] for y in range(h - a + 1)] for f, shift in zip(filters, bias)]


def pooled(image, one_of):
    return [[[one_of([rows[y][x], rows[y][x + 1], rows[y + 1][x], rows[y + 1][x + 1]])
              for x in range(0, len(rows[0]), 2)] for y in range(0, len(rows), 2)] for rows in image]


def windows(image, a, b, apart, one_of):
    """Of each window of `a` rows of `b` that fits, `apart` from the next one."""
    return [[[one_of([v for row in rows[y:y + a] for v in row[x:x + b]])
              for x in range(0, len(rows[0]) - b + 1, apart)]
             for y in range(0, len(rows) - a + 1, apart)] for rows in image]


def softmax(x):
    powers = [math.exp(v - max(x)) for v in x]
    return [p / math.fsum(powers) for p in powers]


def normalised(x, gain, shift):
    deviation = math.sqrt(max(variance(x), 2**-10))
    return [(v - mean(x)) / deviation * g + s for v, g, s in zip(x, gain, shift)]


def mean_squared_error(x, y):
    return mean([(a - b)**2 for a, b in zip(x, y)])


def cross_entropy(p, target):
    return -math.fsum(t * math.log(max(q, 2**-16)) for q, t in zip(p, target))


def logistic_loss(p, answers):
    right = [q if a else 1 - q for q, a in zip(p, answers)]
    return -mean([math.log(min(max(q, 2**-16), 1 - 2**-16)) for q in right])


def descended(weights, bias, rows, errors, scale):
    """A step against the gradient, of which the errors of the rows are given."""
    return ([w - scale * math.fsum(e * row[j] for e, row in zip(errors, rows))
             for j, w in enumerate(weights)], bias - scale * math.fsum(errors))


def linear_regression_step(weights, bias, rows, targets, rate):
    errors = [dot(weights, row) + bias - t for row, t in zip(rows, targets)]
    return descended(weights, bias, rows, errors, 2 * rate / len(rows))


def logistic_regression_step(weights, bias, rows, answers, rate):
    errors = [1 / (1 + math.exp(-dot(weights, row) - bias)) - a for row, a in zip(rows, answers)]
    return descended(weights, bias, rows, errors, rate / len(rows))


def nearest(rows, x):
    return min(range(len(rows)), key=lambda i: (sum((a - b)**2 for a, b in zip(rows[i], x)), i))


def k_means_step(points, centres):
    result = []
    for k, centre in enumerate(centres):
        own = [p for p in points if nearest(centres, p) == k]
        result.append([truncated(sum(column), len(own)) for column in zip(*own)] if own else centre)
    return result


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


def bit_rows(numbers, width):
    return [[x >> i & 1 == 1 for x in numbers] for i in range(width)]


def number_of_bits(bits):
    return sum(2**i for i, bit in enumerate(bits) if bit)


def linear_image(matrix, rows):
    columns = zip(*rows)
    images = [[(number_of_bits(c) & m).bit_count() % 2 == 1 for m in matrix] for c in columns]
    return transpose(images)


def product_of_polynomials(a, b, modulus):
    """Of bits as coefficients modulo 2, modulo a polynomial."""
    product = 0
    while b:
        product ^= a if b & 1 else 0
        a, b = a << 1, b >> 1
        a = a ^ modulus if a.bit_length() == modulus.bit_length() else a
    return product


def product_16(a, b):
    return product_of_polynomials(a, b, 0b10011)


def inverse_16(a):
    return next((b for b in range(16) if product_16(a, b) == 1), 0)


def aes_box(x):
    inverse = next((y for y in range(256) if product_of_polynomials(x, y, 0x11b) == 1), 0)
    twice = inverse << 8 | inverse
    return 0x63 ^ inverse ^ (twice >> 7 ^ twice >> 6 ^ twice >> 5 ^ twice >> 4) & 255


AES_BOX = [aes_box(x) for x in range(256)]


def aes_128_round_keys(key):
    words = [list(key[i:i + 4]) for i in range(0, 16, 4)]
    constant = 1
    for i in range(4, 44):
        word = words[i - 1]
        if i % 4 == 0:
            word = [AES_BOX[x] for x in word[1:] + word[:1]]
            word[0] ^= constant
            constant = product_of_polynomials(constant, 2, 0x11b)
        words.append([x ^ y for x, y in zip(words[i - 4], word)])
    return [sum(words[i:i + 4], []) for i in range(0, 44, 4)]


def aes_128(block, key):
    """FIPS 197 as it is written: columns of bytes."""
    keys = aes_128_round_keys(key)
    state = [x ^ k for x, k in zip(block, keys[0])]
    for round_key in keys[1:]:
        boxed = [AES_BOX[x] for x in state]
        rows = [boxed[r::4] for r in range(4)]
        rows = [row[r:] + row[:r] for r, row in enumerate(rows)]
        columns = [list(column) for column in zip(*rows)]
        if round_key is not keys[-1]:
            weights = [2, 3, 1, 1]
            mixed = []
            for column in columns:
                mixed.append([])
                for r in range(4):
                    x = 0
                    for s in range(4):
                        x ^= product_of_polynomials(column[s], weights[(s - r) % 4], 0x11b)
                    mixed[-1].append(x)
            columns = mixed
        state = [x ^ k for x, k in zip(sum(columns, []), round_key)]
    return state


def sip_hash_2_4(message, key):
    """As the paper by Aumasson and Bernstein has it."""
    k0, k1 = (int.from_bytes(key[i:i + 8], "little") for i in (0, 8))
    v0, v1 = k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d
    v2, v3 = k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573
    padded_message = bytes(message) + bytes(7 - len(message) % 8) + bytes([len(message) % 256])

    def left(x, k):
        return (x << k | x >> (64 - k)) % 2**64

    def rounds(n, v0, v1, v2, v3):
        for _ in range(n):
            v0, v2 = (v0 + v1) % 2**64, (v2 + v3) % 2**64
            v1, v3 = left(v1, 13) ^ v0, left(v3, 16) ^ v2
            v0 = left(v0, 32)
            v2, v0 = (v2 + v1) % 2**64, (v0 + v3) % 2**64
            v1, v3 = left(v1, 17) ^ v2, left(v3, 21) ^ v0
            v2 = left(v2, 32)
        return v0, v1, v2, v3

    for i in range(0, len(padded_message), 8):
        m = int.from_bytes(padded_message[i:i + 8], "little")
        v0, v1, v2, v3 = rounds(2, v0, v1, v2, v3 ^ m)
        v0 ^= m
    v0, v1, v2, v3 = rounds(4, v0, v1, v2 ^ 0xff, v3)
    return v0 ^ v1 ^ v2 ^ v3


# ---- text ----


def match_counts(text, word):
    return [sum(p == q for p, q in zip(text[i:], word)) for i in range(len(text) - len(word) + 1)]


def find(text, word):
    return bytes(text).find(bytes(word))


def hamming_distance(a, b):
    return sum(x != y for x, y in zip(a, b))


def find_similar(text, word, most):
    near = (i for i in range(len(text) - len(word) + 1) if hamming_distance(text[i:], word) <= most)
    return next(near, -1)


def edit_distance(a, b):
    if not a or not b:
        return len(a) + len(b)
    if a[0] == b[0]:
        return edit_distance(a[1:], b[1:])
    return 1 + min(edit_distance(a[1:], b), edit_distance(a, b[1:]), edit_distance(a[1:], b[1:]))
