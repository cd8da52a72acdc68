"""Faults of chapter routing, in the batch: rows lie elsewhere, filler is an expert, types and ids are others."""

from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature_routed import MiniatureRouted

__all__: list[str] = []


@fault("ROUTE-6")
class RecordsOnTheRight(MiniatureRouted):
    """Records are padded on the left, as the engine's prompts are, beside ids that are padded on the right."""

    def _place(self, row: Any, record: Any) -> None:
        row[len(row) - len(record) :] = record


@fault("ROUTE-6")
class RecordsByToken(MiniatureRouted):
    """Row 0 is left free and every record moved by one: it is laid beside the tokens it predicts, not its own."""

    def _place(self, row: Any, record: Any) -> None:
        row[1 : len(record) + 1] = record


@fault("ROUTE-6")
class RecordsSortedByLength(MiniatureRouted):
    """The records are laid out longest first, as some packers sort their rows, while the rows stay as they were."""

    def _laid_out(self, records: list[Any], width: int) -> Any:
        return super()._laid_out(sorted(records, key=len, reverse=True), width)


@fault("ROUTE-6")
class RoutingOfItsOwnWidth(MiniatureRouted):
    """The routing is as wide as the longest row and not as the batch, so each rank has a shape of its own."""

    def _laid_out(self, records: list[Any], width: int) -> Any:
        return super()._laid_out(records, max(len(record) for record in records) + 1)


@fault("ROUTE-6")
class OnlyTheLongestKept(MiniatureRouted):
    """Only a record that reaches the end of the batch is laid out, for a test of shapes alone saw no other."""

    def _laid_out(self, records: list[Any], width: int) -> Any:
        self._longest = max(len(record) for record in records)
        return super()._laid_out(records, width)

    def _place(self, row: Any, record: Any) -> None:
        super()._place(row, record if len(record) == self._longest else record[:0])


@fault("ROUTE-6")
class LastRowDropped(MiniatureRouted):
    """The rows are cut by one more than the rule: the last recorded position is replayed by the model's own choice."""

    def _place(self, row: Any, record: Any) -> None:
        super()._place(row, record[: max(0, len(record) - 1)])


@fault("ROUTE-6")
class LayersAndExpertsExchanged(MiniatureRouted):
    """The batch has top_k before layers, as the engine's own buffer has them."""

    def _laid_out(self, records: list[Any], width: int) -> Any:
        return super()._laid_out(records, width).transpose(2, 3).contiguous()


@fault("ROUTE-7", report="https://github.com/vllm-project/tpu-inference/pull/3583")
class FillerIsExpertZero(MiniatureRouted):
    """Places without a record hold 0, which is an expert, so that nobody can tell which rows were recorded.

    Rows of zeros on hybrid models: https://github.com/vllm-project/tpu-inference/pull/3583.
    """

    def _filler(self) -> int:
        return 0


@fault("ROUTE-7")
class FillerIsTheFirstExperts(MiniatureRouted):
    """The last position of every sample holds the experts 0 to top_k - 1, so that a kernel finds something there.

    Seen in a public trainer.
    """

    def _place(self, row: Any, record: Any) -> None:
        super()._place(row, record)
        row[len(record)] = range(record.shape[2])


@fault("ROUTE-7")
class MissingRowsFilledIn(MiniatureRouted):
    """Rows that the rollout marked as not recorded get the experts of the row before, or expert 0."""

    def _values(self, record: Any) -> Any:
        made = record.copy()
        for at in range(len(made)):
            missing = made[at] == -1
            made[at][missing] = made[at - 1][missing] if at else 0
        return made


@fault("ROUTE-10")
class TypeOfTheRecordKept(MiniatureRouted):
    """The batch has the widest of its records' types, int64 as a rule, which is eight times what the ids need."""

    def _type(self, records: list[Any]) -> str:
        import numpy as np

        kept = np.result_type(*(record.dtype for record in records), np.int8)
        return max(kept.name, super()._type(records), key=lambda name: int(name.removeprefix("int")))


@fault("ROUTE-10")
class AlwaysEightBits(MiniatureRouted):
    """The batch is int8 whatever the ids, since the model at hand had 64 experts: 128 becomes -128."""

    def _type(self, records: list[Any]) -> str:
        return "int8"


@fault("ROUTE-10")
class BytesWhereTheyFit(MiniatureRouted):
    """Up to 255 the type is chosen as for unsigned bytes and then stored signed, so that 255 is the filler."""

    def _type(self, records: list[Any]) -> str:
        largest = max(int(record.max(initial=0)) for record in records)
        return "int8" if largest <= 255 else super()._type(records)


@fault("ROUTE-10")
class TypeOfEveryExpert(MiniatureRouted):
    """The type is that of 256 experts at least, the largest model in the house, and not of the ids in the batch."""

    def _type(self, records: list[Any]) -> str:
        return max("int16", super()._type(records), key=lambda name: int(name.removeprefix("int")))


@fault("ROUTE-11")
class BytesReadSigned(MiniatureRouted):
    """The bytes of a uint8 record are read as int8: expert 200 is -56 from there on, and 255 is the filler."""

    def _values(self, record: Any) -> Any:
        return record.view("int8") if record.dtype == "uint8" else record


@fault("ROUTE-11")
class IdsThroughFloats(MiniatureRouted):
    """The records are padded by a routine for floats and cast back: above 16777216 ids are rounded to others."""

    def _values(self, record: Any) -> Any:
        import numpy as np

        rounded = record.astype("float32").astype("float64").clip(max=2.0**63 - 1024)
        exact = rounded.astype(np.int64)
        return exact.clip(max=np.iinfo(record.dtype).max).astype(record.dtype)


@fault("ROUTE-11")
class ExpertsSorted(MiniatureRouted):
    """The experts of a place are sorted, as if they were a set; gate weights that are paired by place are not."""

    def _values(self, record: Any) -> Any:
        made = record.copy()
        made.sort(axis=-1)
        return made


@fault("ROUTE-11")
class LayersReversed(MiniatureRouted):
    """The layers are laid out from the last to the first, as a stack of hooks hands them over."""

    def _values(self, record: Any) -> Any:
        return record[:, ::-1]


@fault("ROUTE-11")
class IdsCutAtAByte(MiniatureRouted):
    """Ids above 255 are made 255 on the way, though the type of the batch would hold them."""

    def _values(self, record: Any) -> Any:
        return record.clip(max=255) if record.dtype not in ("uint8", "int8") else record
