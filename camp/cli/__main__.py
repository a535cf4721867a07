"""__main__: `python -m camp.cli` is the `camp` command."""

import sys

from camp.cli import main

if __name__ == "__main__":
    sys.exit(main())
