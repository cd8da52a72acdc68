"""The worked examples of the chapter on the media container, with plain lists of rows and plain torch."""

import itertools
from collections.abc import Sequence

import torch
from worked_tables import example, intro, text_of


def rows_of(store: Sequence[int], offsets: Sequence[int], indices: Sequence[int]) -> list[list[int]]:
    """The rows of a value with a row map, by the formula under *Words*."""
    return [[store[k] for k in indices[start:stop]] for start, stop in itertools.pairwise(offsets)]


def printed(rows: Sequence[Sequence[object]], none: str) -> list[str]:
    """Rows as the tables print them."""
    return [", ".join(str(one) for one in row) or none for row in rows]


def patches(tile: torch.Tensor) -> torch.Tensor:
    """The patches of 2 by 2 of a tile `[1, C, H, W]`, as a convolution cuts them: `[H * W / 4, C * 4]`."""
    return torch.nn.functional.unfold(tile, kernel_size=2, stride=2)[0].T


def tile_of(*shape: int) -> torch.Tensor:
    """A tile whose values are 0, 1, 2, ... in row-major order."""
    return torch.arange(torch.Size(shape).numel(), dtype=torch.float32).reshape(shape)


TILE = tile_of(1, 2, 2, 4)


def test_six_copies_of_three_prompts_share_three_segments() -> None:
    """References, segments and counts of the introduction's rows follow from its store, offsets and indices."""
    store, offsets, indices = [11, 21, 22], [0, 1, 2, 4, 6, 6, 6], [0, 0, 1, 2, 1, 2]
    words = " ".join(text_of("container").split())
    assert f"store {', '.join(str(one) for one in store)}," in words
    assert f"row offsets {', '.join(str(one) for one in offsets)} and" in words
    assert f"segment indices {', '.join(str(one) for one in indices)}." in words
    table = intro("container", "refers to")
    rows = rows_of(store, offsets, indices)
    assert table.row("refers to") == printed(rows_of([0, 1, 2], offsets, indices), "nothing")
    assert table.row("segments") == printed(rows, "none")
    assert table.numbers("tensors per row") == [len(row) for row in rows]
    assert rows == [row for prompt in ([11], [21, 22], []) for row in [prompt] * 2]
    assert f"`as_tensor()` of it is {', '.join(str(one) for row in rows for one in row)}:" in words


def test_the_values_of_a_patch_stand_by_channel_row_and_column() -> None:
    """The introduction's two patches, and MEDIA-8's, are cut from the tile as a convolution cuts it."""
    table = intro("container", "patch 0")
    assert [table.numbers(f"patch {number}") for number in (0, 1)] == patches(TILE).tolist()
    places = [(c, i, j) for c in range(2) for i in range(2) for j in range(2)]
    assert table.row("channel, row, column") == [f"{c} {i} {j}" for c, i, j in places]
    broken = example("container", "MEDIA-8")
    assert broken.numbers("expected") == patches(TILE)[0].tolist()
    assert broken.numbers("got") == TILE[0, :, :, :2].permute(1, 2, 0).flatten().tolist()


def test_references_move_past_the_first_store() -> None:
    """MEDIA-1's rows 2 and 0 of a join are 31 and 11; with references that stay where they were both are 11."""
    table = example("container", "MEDIA-1")
    store = [11, 21, 31]
    for head, of_y in (("expected", 0 + 2), ("got", 0)):
        rows = rows_of(store, [0, 1, 2, 3], [0, 1, of_y])
        assert table.numbers(head) == [rows[i][0] for i in (2, 0)]


def test_a_reference_of_minus_one_is_the_last_segment_in_python() -> None:
    """MEDIA-2's second row is what a list gives for -1."""
    table = example("container", "MEDIA-2")
    assert table.numbers("got") == [row[0] for row in rows_of([11, 21], [0, 1, 2], [0, -1])]


def test_a_kept_list_changes_with_the_callers() -> None:
    """MEDIA-3's lengths are those of a copy of the list and of the list itself, after its caller's pop."""
    table = example("container", "MEDIA-3")
    items = [11, 21]
    copied = list(items)
    items.pop()
    assert (table.numbers("expected"), table.numbers("got")) == ([len(copied)], [len(items)])


def test_a_store_without_its_places_of_none_moves_later_rows() -> None:
    """MEDIA-17's and MEDIA-18's rows are those of a store with a place of None, and without it."""
    store = [11, None, 21]
    for rule_id in ("MEDIA-17", "MEDIA-18"):
        table = example("container", rule_id)
        assert table.row("expected") == ["empty" if one is None else str(one) for one in store]
        assert table.row("got") == [str(one) for one in store if one is not None]


def test_none_is_not_counted() -> None:
    """MEDIA-4's counts are those of the tensors, and of all entries."""
    table = example("container", "MEDIA-4")
    rows = [[11], [None]]
    assert table.row("segments") == printed(rows, "")
    assert table.numbers("expected") == [sum(one is not None for one in row) for row in rows]
    assert table.numbers("got") == [len(row) for row in rows]


def test_rows_are_joined_and_not_the_store() -> None:
    """MEDIA-5's tensor repeats a segment that two rows refer to, and a join of the store does not."""
    table = example("container", "MEDIA-5")
    segment = torch.tensor([11, 12])
    assert table.numbers("expected") == torch.cat([segment, segment]).tolist()
    assert table.numbers("got") == segment.tolist()


def test_torch_promotes_an_integer_that_float32_cannot_hold() -> None:
    """MEDIA-6's joined values are what `torch.cat` makes of int64 beside float32."""
    table = example("container", "MEDIA-6")
    joined = torch.cat([torch.tensor([16777217]), torch.tensor([0.5])])
    assert table.numbers("segments") == [16777217, 0.5]
    assert table.row("got") == [str(one) for one in joined.tolist()]


def test_padding_stands_at_the_end() -> None:
    """MEDIA-7's rows are padded behind, or in front, to the width of 2, and its shapes give the one it names."""
    table = example("container", "MEDIA-7")
    segments = [torch.tensor([[11, 12]]), torch.tensor([[21], [22]])]

    def padded(before: bool) -> list[str]:
        widths = [2 - segment.shape[1] for segment in segments]
        sides = [(width, 0) if before else (0, width) for width in widths]
        joined = torch.cat([torch.nn.functional.pad(one, side) for one, side in zip(segments, sides, strict=True)])
        return [" ".join(str(one) for one in row) for row in joined.tolist()]

    assert (table.row("expected"), table.row("got")) == (padded(before=False), padded(before=True))
    shapes = [(1, 2, 3), (2, 4, 2)]
    width = [sum(shape[0] for shape in shapes), *(max(shape[at] for shape in shapes) for at in (1, 2))]
    assert f"`[1, 2, 3]` and `[2, 4, 2]` with `dim_to_pack` 0 give `{width}`" in text_of("container")


def test_a_rest_of_a_tile_is_lost() -> None:
    """MEDIA-9's values are the one whole patch of a tile of three rows."""
    assert example("container", "MEDIA-9").numbers("got") == patches(tile_of(1, 1, 3, 2)[:, :, :2])[0].tolist()


def test_finished_patches_are_not_cut_again() -> None:
    """MEDIA-10's expected values are the segment's own, and cut as one tile they change places."""
    table = example("container", "MEDIA-10")
    segment = tile_of(1, 2, 4)
    assert table.numbers("expected") == segment.flatten().tolist()
    assert table.numbers("got") == patches(segment.reshape(1, 1, 2, 4)).flatten().tolist()


def test_a_cast_of_a_grid_rounds() -> None:
    """MEDIA-11's second grid is the first in bfloat16."""
    table = example("container", "MEDIA-11")
    grid = torch.tensor([int(one) for one in table.row("grid")])
    assert table.numbers("expected") == grid.tolist()
    assert table.row("got") == [str(one) for one in grid.to(torch.bfloat16).tolist()]


def test_a_mask_read_as_numbers_is_rows_0_and_1() -> None:
    """MEDIA-12's rows are those of the mask's entries as numbers."""
    rows = [11, 21, 31]
    assert example("container", "MEDIA-12").numbers("got") == [rows[int(one)] for one in (False, True, True)]


def test_a_slice_forgets_what_it_does_not_refer_to() -> None:
    """MEDIA-13's stores are that of row 1 and that of the whole join."""
    table = example("container", "MEDIA-13")
    store = [11, 21]
    assert (table.numbers("expected"), table.numbers("got")) == (store[1:], store)


def test_a_forgotten_mode_leaves_the_tile_whole() -> None:
    """MEDIA-14's shapes are that of the patches of the raw segment and that of the segment itself."""
    table = example("container", "MEDIA-14")
    tile = tile_of(1, 1, 2, 2)
    assert table.row("expected") == [f"`{list(patches(tile)[None].shape)}`"]
    assert table.row("got") == [f"`{list(tile.shape)}`"]


def test_one_row_per_value() -> None:
    """MEDIA-16's rows are one for each of two values, and a container that appends gives one for each segment."""
    table = example("container", "MEDIA-16")
    values = [[11, 12], [21]]
    assert table.row("expected") == printed(values, "")
    assert table.row("got") == printed([[one] for value in values for one in value], "")


def test_media_tokens_are_masked_in_rows_without_media() -> None:
    """MEDIA-19's mask is False at the token in the row of count 0, and masking the token everywhere hides one more."""
    table = example("container", "MEDIA-19")
    ids = table.numbers("input_ids")
    counts = [1, 1, 0, 0]
    assert table.flags("expected") == [one != 400 or count > 0 for one, count in zip(ids, counts, strict=True)]
    assert table.flags("got") == [one != 400 for one in ids]
