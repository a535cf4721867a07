"""profile: Nsight Compute (ncu) around one call of an operator, as a short table of each kernel and
one sentence on what holds it back."""
