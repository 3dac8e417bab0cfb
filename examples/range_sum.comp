#version 450

// The sum of the whole numbers from a to b, modulo 2^32; 0 if there are none.

layout(local_size_x = 1) in;

layout(set = 0, binding = 0) readonly buffer A { int a; };
layout(set = 0, binding = 1) readonly buffer B { int b; };
layout(set = 0, binding = 2) writeonly buffer Sum { int sum; };

void main() {
    // Their number times their mean, without a product or a sum that needs more than 32 bits.
    uint last = uint(b) - uint(a);
    uint total = last % 2u == 1u ? (last / 2u + 1u) * (uint(a) + uint(b))
                                 : (last + 1u) * (uint(a) + last / 2u);
    sum = a > b ? 0 : int(total);
}
