"""errors: what wrong use looks like from Python."""

import os

import numpy as np

import camp
from camp.errors import DTypeError, ShapeError


def main() -> None:
    if os.environ.get("CAMP_BACKEND", "sim") == "nvidia":
        return  # the arrays here are host memory
    x = np.zeros(5, dtype=np.float32)
    for out, kind, builtin in [
        (np.zeros(4, dtype=np.float32), ShapeError, ValueError),
        (np.zeros(5, dtype=np.float16), DTypeError, TypeError),
    ]:
        try:
            camp.relu_(out, x)
        except builtin as error:  # the class that any Python programmer would catch
            if not isinstance(error, kind):
                raise
            print(f"{type(error).__name__}: {error}")
        else:
            raise AssertionError(f"{kind.__name__} was not raised")


if __name__ == "__main__":
    main()
