"""sanitize: NVIDIA's compute-sanitizer around an operator's cases, its findings told as the
simulator tells its own: the learner's line, the thread, the access, one advice."""
