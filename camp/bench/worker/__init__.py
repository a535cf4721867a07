"""worker: runs learner code for a benchmark, alone in its process.

`python -m camp.bench.worker FD PARENT` speaks JSON lines over the socket FD with
camp.bench.session and dies with the process PARENT. It is told cases and a seed, and learns which
sets and rows are verified only when their outputs already exist.
"""
