"""A small run for several processes, started by `torchrun`: python ranks.py FOLDER."""

import sys
from dataclasses import replace
from pathlib import Path

from shangyou.records.runs import RunFolder
from shangyou.training.algorithm import start
from training.test_dmc import ARGS

RUN = replace(ARGS, batches=4, eval_deals=20)

if __name__ == "__main__":
    start("dmc", RUN, RunFolder(Path(sys.argv[1])))
