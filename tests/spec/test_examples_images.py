"""The worked examples of the chapter on images: real pictures through a real processor, and ids by the definitions."""

import hashlib
import io
import re
from collections.abc import Sequence
from typing import Any

import torch
from PIL import Image, ImageOps
from worked_tables import example, intro, text_of

from packer_spec.oracle.identity import canonical
from packer_spec.oracle.masks import mask

try:  # the processor that works on PIL images has a name of its own since transformers 5
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil as ImageProcessor
except ImportError:
    from transformers import Qwen2VLImageProcessor as ImageProcessor

IMAGE, START, END = 410, 401, 402
MERGE = 2
A, B = (32, 64), (32, 96)  # height and width of the chapter's two pictures


def processed(*sizes: tuple[int, int]) -> Any:
    """What a processor with patches of 16 by 16 pixels makes of black pictures of these heights and widths."""
    processor = ImageProcessor(patch_size=16, merge_size=MERGE, min_pixels=1024, max_pixels=2**20)
    return processor([Image.new("RGB", (width, height)) for height, width in sizes], return_tensors="pt")


def grids(*sizes: tuple[int, int]) -> list[list[int]]:
    """Their rows of `image_grid_thw`."""
    return processed(*sizes)["image_grid_thw"].tolist()


def tokens(grid: Sequence[int]) -> int:
    """The tokens of an image with this grid (IMAGE-7)."""
    return grid[0] * grid[1] * grid[2] // MERGE**2


def expanded(ids: Sequence[int], counts: Sequence[int]) -> tuple[list[int], list[tuple[int, int]]]:
    """The trainer view of an engine view, and the run of each image as start and length."""
    left = iter(counts)
    row: list[int] = []
    runs: list[tuple[int, int]] = []
    for one in ids:
        repeats = next(left) if one == IMAGE else 1
        if one == IMAGE:
            runs.append((len(row), repeats))
        row += [one] * repeats
    return row, runs


def owned(runs: Sequence[tuple[int, int]], width: int) -> list[bool]:
    """True at the places of the runs."""
    return [any(start <= at < start + length for start, length in runs) for at in range(width)]


def of_equal_ids(ids: Sequence[int]) -> list[tuple[int, int]]:
    """The stretches of placeholders, as a search by equal ids finds them."""
    text = "".join("x" if one == IMAGE else "-" for one in ids)
    return [(found.start(), len(found[0])) for found in re.finditer("x+", text)]


def test_the_example_has_the_grids_and_tensors_that_the_processor_makes() -> None:
    """Columns, shapes, dtypes and grids of the two pictures are those that the introduction prints."""
    output = processed(A, B)
    pixels, grid = output["pixel_values"], output["image_grid_thw"]
    printed = re.sub(r"\s+", " ", text_of("images"))
    for image, size, row in zip("AB", (A, B), grid.tolist(), strict=True):
        sentence = printed.partition(f"Image {image} is ")[2].partition(". ")[0]
        patches = row[0] * row[1] * row[2]
        assert [int(one) for one in re.findall(r"[0-9]+", sentence)] == [*size, *row, patches, tokens(row)]
    assert f"`pixel_values`, float32 `{list(pixels.shape)}`" in printed
    assert f"`image_grid_thw`, int64 `{list(grid.shape)}`" in printed
    assert (pixels.dtype, grid.dtype) == (torch.float32, torch.int64)
    assert 3 * 2 * 16 * 16 == pixels.shape[1] == 1536


def test_the_example_is_its_engine_view_expanded() -> None:
    """The trainer view, owners, type ids, mask and ranges follow from the engine view and the two grids."""
    engine = [int(one) for one in intro("images", "engine view").row("engine view")]
    table = intro("images", "input_ids")
    row, runs = expanded(engine, [tokens(grid) for grid in grids(A, B)])
    assert (len(engine), len(row)) == (9, 12)
    assert table.numbers("input_ids") == [*row, 120]
    at = owned(runs, 13)
    assert [bool(one) for one in table.row("owned by")] == at[: len(table.row("owned by"))]
    assert "".join(table.row("owned by")) == "AABBB"
    assert table.numbers("mm_token_type_ids") == [int(one) for one in at]
    assert table.numbers("logprob_masks") == mask(12, 1)
    assert f'`mm_ranges` is `{{"image": {[[run] for run in runs]}}}`' in text_of("images")


def test_a_turned_file_has_the_grid_of_the_upright_picture() -> None:
    """IMAGE-4's file is written with EXIF orientation 6, read back, and gives both grids, upright and not."""
    table = example("images", "IMAGE-4")
    exif = Image.Exif()
    exif[0x0112] = 6
    held = io.BytesIO()
    Image.new("RGB", (64, 32)).save(held, "JPEG", exif=exif)
    picture = Image.open(held)
    for head, read in (("expected", ImageOps.exif_transpose(picture)), ("got", picture)):
        assert table.row(head) == [f"`{grids((read.height, read.width))}`"]


def test_content_ids_follow_from_the_recipe() -> None:
    """IMAGE-6's digests are those of the header and the six bytes, and of the bytes alone."""
    table = example("images", "IMAGE-6")
    pixels = bytes(range(6))

    def by_recipe(height: int, width: int) -> str:
        header = {"kind": "image", "dtype": "uint8", "shape": [height, width, 3], "mode": "RGB"}
        return hashlib.sha256(canonical(header).encode() + b"\n" + pixels).hexdigest()

    assert table.row("expected, by the recipe") == [f"`{by_recipe(*size)[:8]}`..." for size in ((1, 2), (2, 1))]
    assert table.row("got") == [f"`{hashlib.sha256(pixels).hexdigest()[:8]}`..."] * 2


def test_every_image_has_its_own_count_and_grid() -> None:
    """IMAGE-7's tokens and IMAGE-9's grids are those of the two pictures, one by one."""
    of_both = grids(A, B)
    table = example("images", "IMAGE-7")
    assert table.row("grid") == [f"`{grid}`" for grid in of_both]
    assert table.numbers("expected") == [tokens(grid) for grid in of_both]
    assert table.numbers("got") == [tokens(of_both[0])] * 2
    table = example("images", "IMAGE-9")
    assert table.row("expected") == [f"`{grid}`" for grid in of_both]
    assert table.numbers("rows in `pixel_values`") == [grid[0] * grid[1] * grid[2] for grid in of_both]
    assert table.row("got") == [f"`{of_both[1]}`"] * 2


def test_both_views_differ_in_the_runs_alone() -> None:
    """IMAGE-8's trainer view is its engine view expanded, and the other has a line break behind the image."""
    table = example("images", "IMAGE-8")
    engine = [int(one) for one in table.row("engine view")]
    row, _ = expanded(engine, [2])
    assert table.numbers("expected, trainer view") == row
    row.insert(row.index(END) + 1, 113)
    assert table.numbers("got, trainer view") == row


def test_touching_runs_are_divided_by_the_images_lengths() -> None:
    """IMAGE-10's ranges are those of the expansion, and a search by equal ids joins them."""
    table = example("images", "IMAGE-10")
    row, runs = expanded([110, IMAGE, IMAGE], [2, 1])
    assert row == [110, 410, 410, 410]
    assert table.row("expected") == [str(run) for run in runs]
    assert table.row("got") == [str(run) for run in of_equal_ids(row)]


def test_a_sampled_placeholder_is_owned_by_nothing() -> None:
    """IMAGE-12's mask is true in the prompt's run alone; compared by id it is true in the completion too."""
    table = example("images", "IMAGE-12")
    row, runs = expanded([110, START, IMAGE, END], [2])
    ids = [*row, 120, IMAGE, 121]
    assert table.numbers("input_ids") == ids
    assert table.flags("expected") == owned(runs, len(ids))
    assert table.flags("got") == [one == IMAGE for one in ids]


def test_type_ids_are_as_long_as_the_row() -> None:
    """IMAGE-13's expected entries cover the completion, and those of the prompt alone are one short."""
    table = example("images", "IMAGE-13")
    row, runs = expanded([110, IMAGE], [2])
    expected = [int(one) for one in owned(runs, len(row) + 1)]
    assert table.numbers("input_ids") == [*row, 120]
    assert (table.numbers("expected"), table.numbers("got")) == (expected, expected[: len(row)])


def test_stored_runs_of_a_right_total_do_not_fit() -> None:
    """IMAGE-15's runs are those of its stored ids, and add up to the tokens of images A and B."""
    table = example("images", "IMAGE-15")
    stored = [110, START, 410, 410, 410, END, 111, START, 410, 410, END]
    assert f"prompt_ids={stored}" in text_of("images")
    runs = [length for _, length in of_equal_ids(stored)]
    assert table.numbers("run in the ids") == runs
    assert table.numbers("tokens, by the grid") == [tokens(grid) for grid in grids(A, B)]
    assert sum(runs) == sum(tokens(grid) for grid in grids(A, B)) == 5


def test_a_request_collapses_the_prompts_run_and_no_other() -> None:
    """IMAGE-16's expected ids keep the sampled placeholders that collapsing every stretch takes away."""
    table = example("images", "IMAGE-16")
    given, runs = expanded([110, START, IMAGE, END], [2])
    given += [120, IMAGE, IMAGE]
    assert f"(sample, {given})" in text_of("images")

    def collapsed(at: Sequence[tuple[int, int]]) -> list[int]:
        dropped = {start + k for start, length in at for k in range(1, length)}
        return [one for i, one in enumerate(given) if i not in dropped]

    assert table.numbers("expected") == collapsed(runs)
    assert table.numbers("got") == collapsed(of_equal_ids(given))


def test_a_cut_run_has_fewer_places_than_tokens() -> None:
    """IMAGE-17's row has 5 ids for an image of 4 tokens and 16 patches, and 3 of them are left by the cut."""
    table = example("images", "IMAGE-17")
    grid = grids((64, 64))[0]
    row, _ = expanded([110, IMAGE], [tokens(grid)])
    assert (grid[0] * grid[1] * grid[2], tokens(grid)) == (16, 4)
    assert f"names {len(row)} ids, limit 3" in table.row("expected")[0]
    assert table.numbers("got, beside 16 patches") == row[:3]


def test_rows_of_a_column_move_with_their_sample() -> None:
    """IMAGE-18's expected order is the blocks permuted, and the other is the joined tiles indexed by sample."""
    table = example("images", "IMAGE-18")
    blocks = [["tile 0", "tile 1"], ["tile 2"]]
    joined = [tile for block in blocks for tile in block]
    assert table.row("order a, b") == joined
    assert table.row("expected, order b, a") == [tile for number in (1, 0) for tile in blocks[number]]
    assert table.row("got, order b, a") == [joined[number] for number in (1, 0)]


def test_a_text_row_owns_no_row_of_a_column() -> None:
    """IMAGE-19's counts are those of a row without media and of one picture; a blank one of 4 patches adds to them."""
    table = example("images", "IMAGE-19")
    patches, blank = processed(A)["pixel_values"].shape[0], processed((32, 32))["pixel_values"].shape[0]
    assert table.numbers("expected, `pixel_values`") == [0, patches]
    assert table.numbers("got, `pixel_values`") == [blank, patches]
    assert table.numbers("expected, `image_grid_thw`") == [0, len(grids(A))]
    assert table.numbers("got, `image_grid_thw`") == [1, len(grids(A))]


def test_type_ids_of_some_samples_only_would_be_filled_with_zeros() -> None:
    """IMAGE-20's entries of the sample that has none are as many zeros as the other has entries."""
    table = example("images", "IMAGE-20")
    given = table.row("mm_token_type_ids")[0].split()
    assert table.row("got") == [" ".join(given), " ".join("0" for _ in given)]
    assert len(given) == 3
