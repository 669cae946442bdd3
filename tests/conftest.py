"""Tests share their helpers by import from the folder of tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
