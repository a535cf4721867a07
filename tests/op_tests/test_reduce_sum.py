"""Grades reduce_sum: the learner's kernel.cuh, and the solution, on tests/cases/reduce_sum.py."""

from camp.grading.pytest_support import operator_tests

test_kernel, test_solution = operator_tests("reduce_sum")
