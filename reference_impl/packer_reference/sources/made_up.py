"""Sources whose items are computed from their index: sums as prompts, and as pairs of a right and a wrong answer."""

from packer_reference.sources.map_style import place_of

__all__ = ["ArithmeticRows", "SyntheticPairs"]


def _summands(place: int) -> tuple[int, int]:
    return divmod(place, 100)


class ArithmeticRows:
    """10,000 rows with the columns `prompt`, `answer` and `id`: the sums of two numbers below 100."""

    def __len__(self) -> int:
        return 10_000

    def __getitem__(self, index: int) -> dict[str, str]:
        a, b = _summands(place_of(index, len(self)))
        return {"prompt": f"What is {a} + {b}?", "answer": str(a + b), "id": f"{a}+{b}"}

    def cursor_fingerprint(self) -> str:
        """The same string always; it is raised by hand with the rows (SOURCE-10)."""
        return "packer_reference.arithmetic-v1"

    def membership_ids(self) -> tuple[str, ...]:
        """The sum that each row asks for (SOURCE-13)."""
        return tuple("{}+{}".format(*_summands(place)) for place in range(len(self)))


class SyntheticPairs:
    """`count` made-up preferences: a sum, its value, and a number that is one too high."""

    def __init__(self, count: int) -> None:
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: int) -> tuple[str, str, str]:
        a, b = _summands(place_of(index, len(self)))
        return f"What is {a} + {b}?", str(a + b), str(a + b + 1)

    def cursor_fingerprint(self) -> str:
        """The count, and a number that is raised by hand with the pairs (SOURCE-10)."""
        return f"packer_reference.synthetic-pairs-v1-{self._count}"

    def membership_ids(self) -> tuple[str, ...]:
        """The sum that each pair is about (SOURCE-13)."""
        return tuple("{}+{}".format(*_summands(place)) for place in range(len(self)))
