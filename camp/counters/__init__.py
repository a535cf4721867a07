"""counters: what the simulator counted in one call of an operator, with ideals and advice."""
