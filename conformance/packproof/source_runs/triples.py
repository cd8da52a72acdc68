"""Sources of preferences for a run to take in, whose items are triples, or what triples are mistaken for."""

from typing import Any, NamedTuple

from packer_schemas.source_cases import ItemForm

__all__ = ["FACTORY", "pairs"]

FACTORY = "packproof.source_runs.triples.pairs"
"""The dotted path of `pairs`."""


class Preference(NamedTuple):
    """A triple with names."""

    prompt: Any
    winner: Any
    loser: Any


class _Pairs:
    def __init__(self, form: ItemForm, count: int) -> None:
        self._form = form
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: int) -> Any:
        if not 0 <= index < self._count:
            raise IndexError(index)
        prompt, winner, loser = f"prompt {index}", [120, index], [130, index]
        forms: dict[str, Any] = {
            "a named triple": Preference(prompt, winner, loser),
            "a list of three": [prompt, winner, loser],
            "a mapping": {"prompt": prompt, "winner": winner, "loser": loser},
            "a pair": (winner, loser),
            "a tuple of four": (prompt, winner, loser, 0.5),
            "a text": "abc",  # of length three
        }
        return forms.get(self._form, (prompt, winner, loser))


def pairs(form: ItemForm, count: int = 3) -> Any:
    """A source of `count` items of one form."""
    return _Pairs(form, count)
