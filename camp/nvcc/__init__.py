"""nvcc: asks a CUDA compiler about a kernel that is being graded on the simulator: what it would
refuse, and what it makes of the rest (registers, shared memory, spills). Needs no GPU."""
