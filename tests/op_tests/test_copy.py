"""Grades copy: the learner's kernel.cuh, and the solution, on tests/cases/copy.py."""

from camp.grading.pytest_support import operator_tests

test_kernel, test_solution = operator_tests("copy")
