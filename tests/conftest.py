"""Tests share their helpers by import from the folder of tests."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from own_ray import TOKEN

# Ray reads these once in a process, when it is first imported, which another library may do.
os.environ.update(TOKEN)
