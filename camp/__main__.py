"""__main__: `python -m camp` is the `camp` command."""

from camp.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
