// memcpy_async.h: asynchronous copies, which the simulator does not model.
#error "needs a GPU: cooperative_groups::memcpy_async"
