"""bench: timings on a GPU and memory traffic on the simulator, each with its conditions."""

from camp.bench.cases import BenchCase

__all__ = ["BenchCase"]
