"""One torch thread and no hub in every test, and in every process that a test starts."""

import os

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

import torch

torch.set_num_threads(1)  # two threads beside another busy process are up to a hundred times slower
