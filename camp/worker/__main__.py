"""`python -m camp.worker CONFIG`: see shepherd.py for the configuration."""

from __future__ import annotations

import json
import sys

from camp.worker.shepherd import Config, run

if __name__ == "__main__":
    sys.exit(run(Config(**json.loads(sys.argv[1]))))
