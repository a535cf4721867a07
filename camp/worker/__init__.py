"""worker: the only process in which learner code runs. Standard library only: it starts in 20 ms.

__main__ starts a shepherd (shepherd.py), which forks the worker proper (serve.py). The worker gets
inputs, never expected values, and its word is trusted for nothing but a status and a report.
"""
