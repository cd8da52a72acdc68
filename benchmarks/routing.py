"""Speed of recorded routing in the batch, as a ratio against `torch.nn.utils.rnn.pad_sequence`, measured in turn.

    python benchmarks/routing.py

The peer pads the same int16 records to the longest and widens nothing; it checks neither rows nor ids.
"""

from types import SimpleNamespace
from typing import Any

import torch
from turns import medians

from packer_reference import add_forward_routing

LAYERS, TOP_K, ROWS, BATCH, ROUNDS = 48, 8, 1023, 32, 9


def main() -> None:
    """Measure and print the ratio."""
    torch.set_num_threads(1)
    records = [torch.randint(0, 128, (ROWS - at % 8, LAYERS, TOP_K), dtype=torch.int16) for at in range(BATCH)]
    samples = [SimpleNamespace(input_ids=range(len(one) + 1), forward_routing=one) for one in records]
    batch: dict[str, Any] = {}
    ours, peer = medians(
        lambda: add_forward_routing(batch, samples, ROWS + 1),
        lambda: torch.nn.utils.rnn.pad_sequence(records, batch_first=True, padding_value=-1),
        rounds=ROUNDS,
    )
    print(f"batch {BATCH}, {ROWS} rows of {LAYERS} layers and top_k {TOP_K}: {1e3 * ours:.0f} ms")
    print(f"  pad_sequence {1e3 * peer:.0f} ms, ratio {ours / peer:.2f}")


if __name__ == "__main__":
    main()
