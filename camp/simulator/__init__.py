"""simulator: turns CUDA C++ into C++ for the host compiler, and addresses back into lines."""
