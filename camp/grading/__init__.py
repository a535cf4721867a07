"""grading: verdicts on kernels. References and verdicts live here, in the parent; learner code runs
only in camp.worker. check() is the way in; tests/cases/<op>.py holds the cases."""
