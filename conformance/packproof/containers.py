"""The containers that token ids come in."""

from typing import Any

__all__ = ["contain"]


def contain(ids: list[int], container: str) -> Any:
    """New `ids` in a container: "list", or one of the names of `packer_schemas.cases.IdContainer`."""
    import numpy as np
    import torch

    return {
        "list": lambda: list(ids),
        "tuple": lambda: tuple(ids),
        "numpy int32": lambda: np.array(ids, dtype=np.int32),
        "numpy int64": lambda: np.array(ids, dtype=np.int64),
        "list of numpy int64": lambda: list(np.array(ids, dtype=np.int64)),
        "tensor int32": lambda: torch.tensor(ids, dtype=torch.int32),
        "tensor int64": lambda: torch.tensor(ids, dtype=torch.int64),
    }[container]()
