"""Media columns of a row and its prompt: one user turn, or a refusal."""

from collections.abc import Callable
from typing import Any

import pytest
from PIL import Image

RED = Image.new("RGB", (2, 2), "red")
BLOCK = {"type": "video", "video": [RED], "fps": 2.0, "total_num_frames": 1, "frames_indices": [0]}


@pytest.mark.parametrize(
    ("images", "videos", "parts"),
    [
        (RED, None, [{"type": "image", "image": RED}]),
        ("a.png", None, [{"type": "image", "image": "a.png"}]),
        (["a.png", "b.png"], None, [{"type": "image", "image": "a.png"}, {"type": "image", "image": "b.png"}]),
        (None, BLOCK, [BLOCK]),
        (None, [BLOCK, {**BLOCK, "type": "video_frames"}], [BLOCK, {**BLOCK, "type": "video_frames"}]),
        ("a.png", BLOCK, [{"type": "image", "image": "a.png"}, BLOCK]),
    ],
)
def test_media_columns_make_one_user_turn(
    from_rows: Callable[..., Any], images: Any, videos: Any, parts: list[dict[str, Any]]
) -> None:
    """Images come before videos and both before the text; `image` and `video` are the row's own values all the same."""
    row = {"question": "What is it?", "pictures": images, "clips": videos}
    source = from_rows(row, image_column="pictures", video_column="clips")
    made = source[0].representations
    assert made["prompt"] == [{"role": "user", "content": [*parts, {"type": "text", "text": "What is it?"}]}]
    assert (made["image"], made["video"]) == (images, videos)


def test_the_order_of_the_settings_does_not_order_the_parts(from_rows: Callable[..., Any]) -> None:
    """Videos alone, and images alone, need no setting of the other."""
    assert from_rows({"question": "?", "clip": BLOCK}, video_column="clip")[0].representations == {
        "prompt": [{"role": "user", "content": [BLOCK, {"type": "text", "text": "?"}]}],
        "video": BLOCK,
    }


@pytest.mark.parametrize("empty", [None, []])
def test_without_media_the_prompt_stays_a_string(from_rows: Callable[..., Any], empty: Any) -> None:
    """None and an empty list give no part, and where no part is left there is no turn to make."""
    source = from_rows({"question": "What is it?", "picture": empty}, image_column="picture")
    assert source[0].representations == {"prompt": "What is it?", "image": empty}


@pytest.mark.parametrize("picture", ["a.png", None])
@pytest.mark.parametrize("prompt", [[{"role": "user", "content": "Look."}], None, 3])
def test_a_conversation_beside_a_media_column_is_refused(
    from_rows: Callable[..., Any], prompt: Any, picture: Any
) -> None:
    """The message names column, setting and index; whether this row has media does not count."""
    rows = [{"question": "a", "picture": "a.png"}, {"question": prompt, "picture": picture}]
    source = from_rows(*rows, image_column="picture")
    with pytest.raises(ValueError, match=r"row 1: the prompt is a .* expected a string beside image_column='picture'"):
        source[1]


@pytest.mark.parametrize("clip", ["a.mp4", [RED], 3])
def test_a_video_that_is_no_block_is_refused(from_rows: Callable[..., Any], clip: Any) -> None:
    """A path or bare frames have no timing, and are refused with row, column and setting."""
    with pytest.raises(ValueError, match=r"row 0: the column 'clip', which video_column names, holds a .* video block"):
        from_rows({"question": "a", "clip": clip}, video_column="clip")


def test_the_blocks_of_a_turn_are_its_own(from_rows: Callable[..., Any]) -> None:
    """What is written into the turn's video block shows neither in `video` nor at the next read."""
    source = from_rows({"question": "?", "clip": BLOCK}, video_column="clip")
    made = source[0].representations
    made["prompt"][0]["content"][0]["fps"] = 24
    assert made["video"]["fps"] == source[0].representations["video"]["fps"] == 2.0
