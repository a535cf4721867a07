"""run_ops: grades and measures operators: --op OP|all --backend sim|nvidia --mode test|bench|all.

The same as `camp run`; it works from a clone that is not installed, too.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from camp.cli import main

if __name__ == "__main__":
    sys.exit(main(["run", *sys.argv[1:]]))
