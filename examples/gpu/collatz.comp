#version 450

// The steps from `first` and the numbers that follow it down to 1: one invocation for each.

layout(local_size_x = 64) in;

layout(set = 0, binding = 0) readonly buffer First { int first; };
layout(set = 0, binding = 1) writeonly buffer Steps { int steps[64]; };

void main() {
    uint which = gl_GlobalInvocationID.x;
    int number = first + int(which);
    int count = 0;
    while (number > 1) {
        number = (number & 1) == 0 ? number / 2 : 3 * number + 1;
        ++count;
    }
    steps[which] = count;
}
