"""The worked examples of the chapter on video, spliced again by the chapter's own formulas."""

from collections.abc import Sequence

from worked_tables import example, intro, text_of

from packer_spec.oracle.identity import sha256

VIDEO, START, END = 420, 401, 402
WORDS = {"Look": 110, ".": 112, "Well": 111, "<": 301, "0.2 seconds>": 302, "1.2 seconds>": 303, "0.1 seconds>": 304}
GRID, MERGE = (2, 2, 4), 2  # of four frames of 32 by 64 pixels, with patches of 16 by 16 in groups of two frames


def time_texts(indices: Sequence[int], fps: float, q: int) -> list[str]:
    """The time text of every group, by the formula under *Words*."""
    pairs = [(indices[g * q], indices[g * q + q - 1]) for g in range(len(indices) // q)]
    return ["<" + format((a / fps + b / fps) / 2, ".1f") + " seconds>" for a, b in pairs]


def encoded(text: str) -> list[int]:
    """The ids of a time text that is encoded alone, in the tokenizer of the example."""
    return [WORDS[text[0]], WORDS[text[1:]]]


def placeholders() -> int:
    """The number n of placeholders of a group."""
    return GRID[1] * GRID[2] // MERGE**2


def splice(texts: Sequence[str]) -> list[int]:
    """The splice of a video, group by group."""
    return [one for text in texts for one in [*encoded(text), START, *[VIDEO] * placeholders(), END]]


TEXTS = time_texts([0, 1, 2, 3], 2.0, 2)
ROW = [WORDS["Look"], WORDS["."], *splice(TEXTS), WORDS["Well"]]


def runs(ids: Sequence[int]) -> list[tuple[int, int]]:
    """Start and length of every group's placeholders."""
    starts = [i for i, one in enumerate(ids) if one == VIDEO and ids[i - 1] != VIDEO]
    return [(start, placeholders()) for start in starts]


def joined_sign(ids: Sequence[int]) -> list[int]:
    """The same ids where `.` and `<` that meet are the one token 113, as in a text that is encoded in one piece."""
    row: list[int] = []
    for one in ids:
        if row and (row[-1], one) == (WORDS["."], WORDS["<"]):
            row[-1] = 113
        else:
            row.append(one)
    return row


def test_the_times_of_the_example_follow_from_rate_and_indices() -> None:
    """The introduction's seconds, means and time texts are those of four frames at two per second."""
    table = intro("video", "0")
    for g in (0, 1):
        frames = [2 * g, 2 * g + 1]
        seconds = [one / 2.0 for one in frames]
        assert table.row(str(g)) == [
            ", ".join(str(one) for one in frames),
            ", ".join(str(one) for one in seconds),
            str(sum(seconds) / 2),
            f"`{TEXTS[g]}`",
        ]


def test_the_row_of_the_example_is_spliced() -> None:
    """Ids, type ids and ranges follow from the splice; one text is one id short, the framed form two over."""
    table = intro("video", "input_ids")
    assert table.numbers("input_ids") == ROW
    assert len(ROW) == 15
    assert table.numbers("mm_token_type_ids") == [2 if one == VIDEO else 0 for one in ROW]
    assert table.numbers("rendered as one text") == joined_sign(ROW)
    framed = [WORDS["Look"], WORDS["."], START, *splice(TEXTS), END, WORDS["Well"]]
    printed = text_of("video")
    assert f"14 ids. The framed form has {len(framed)} ids" in printed
    assert f'`mm_ranges` is `{{"video": {[runs(ROW)]}}}`' in printed


def test_a_default_rate_tells_other_times() -> None:
    """VIDEO-4's time texts are those of the same four frames at 24 per second."""
    assert example("video", "VIDEO-4").row("got") == [f"`{text}`" for text in time_texts([0, 1, 2, 3], 24, 2)]


def test_odd_frames_make_a_group_with_one_twice() -> None:
    """VIDEO-3 and VIDEO-6 speak of 5 frames in groups of 2: three groups where the last frame is repeated."""
    groups = -(-5 // 2)
    assert example("video", "VIDEO-3").row("got")[0].startswith(f"{groups}, ")
    assert example("video", "VIDEO-6").row("got")[1] == f"a policy input with {groups} groups"


def test_collapsed_runs_leave_the_times_in_the_request() -> None:
    """VIDEO-7's ids are the beginning of the row with one placeholder in the place of each run."""
    collapsed = [one for i, one in enumerate(ROW) if one != VIDEO or ROW[i - 1] != VIDEO]
    assert example("video", "VIDEO-7").numbers("got") == collapsed[:7]


def test_sampling_thins_frames_at_a_default_rate() -> None:
    """VIDEO-8's counts are 16 frames in groups of 2, and the least of 4 where 24 per second are thinned to 2."""
    table = example("video", "VIDEO-8")
    sampled = max(4, int(16 / 24 * 2))
    assert table.numbers("expected") == [16, 16 / 2]
    assert table.numbers("got") == [sampled, sampled / 2]


def test_the_content_id_covers_the_order_of_frames() -> None:
    """VIDEO-9's videos have two ids by the recipe, and one where the digests are sorted."""
    table = example("video", "VIDEO-9")

    def by_recipe(frames: Sequence[str]) -> str:
        timing = {"fps": 2.0, "frames_indices": [0, 1]}
        return sha256({"kind": "video", "frames": list(frames), **timing})

    def numbered(ids: Sequence[str]) -> list[str]:
        return [f"id {ids.index(one) + 1}" for one in ids]

    videos = [("a", "b"), ("b", "a")]
    assert table.row("expected") == numbered([by_recipe(video) for video in videos])
    assert table.row("got") == numbered([by_recipe(sorted(video)) for video in videos])


def test_the_grid_is_one_row_per_video() -> None:
    """VIDEO-10's and VIDEO-16's grids are that of the example, and the other is split by time."""
    table = example("video", "VIDEO-10")
    assert table.row("expected") == [f"`{list(GRID)}`"]
    assert table.row("got") == [f"`{[1, *GRID[1:]]}`"] * GRID[0]
    assert GRID == (4 // 2, 32 // 16, 64 // 16)
    both = example("video", "VIDEO-16")
    assert both.row("expected") == [f"`{[[1, *GRID[1:]]]}`", f"`{[list(GRID)]}`"]


def test_groups_are_told_by_the_temporal_factor() -> None:
    """VIDEO-11's time texts are those of one group of four frames, and of two groups by the spatial factor."""
    table = example("video", "VIDEO-11")
    for head, q in (("expected", 4), ("got", 2)):
        assert table.row(head) == [f"`{text}`" for text in time_texts([0, 1, 2, 3], 2.0, q)]


def test_time_texts_are_encoded_alone() -> None:
    """VIDEO-12's expected ids begin the row, and the processor's are those of the text in one piece."""
    table = example("video", "VIDEO-12")
    assert table.numbers("expected") == ROW[:8]
    assert table.numbers("got") == joined_sign(ROW)[:8]
    written = {f"`{text}`": one for text, one in WORDS.items()}
    assert [written[text] for text in table.row("text")] == ROW[:4]


def test_a_video_owns_a_run_per_group() -> None:
    """VIDEO-14's ranges are the runs of the row, all of them those of one video."""
    table = example("video", "VIDEO-14")
    printed = [str(run) for run in runs(ROW)]
    assert table.row("expected") == [", ".join(printed)]
    assert table.row("got") == printed


def test_stored_ids_of_another_rate_hold_other_times() -> None:
    """VIDEO-15's group 0 at four frames per second reads `<0.1 seconds>`, and the stored ids are those of two."""
    table = example("video", "VIDEO-15")
    stored = ROW[2:8]
    assert table.numbers("stored prompt ids") == table.numbers("got") == stored
    wanted = encoded(time_texts([0, 1, 2, 3], 4.0, 2)[0])
    assert wanted == [301, 304]
    assert f"group 0, {wanted[1]} and {stored[1]}" in table.row("expected")[0]
