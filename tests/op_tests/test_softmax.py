"""Grades softmax: the learner's kernel.cuh, and the solution, on tests/cases/softmax.py."""

from camp.grading.pytest_support import operator_tests

test_kernel, test_solution = operator_tests("softmax")
