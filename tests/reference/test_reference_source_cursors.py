"""Fingerprints in cursors, and what becomes of a saved cursor at the start of a run."""

import logging
from collections.abc import Callable
from typing import Any

import pytest
import user_sources
from cursor_documents import Words, document, fresh

from packer_reference.sources import (
    BuiltSource,
    SavedCursors,
    build_preference_source,
    build_prompt_source,
    cursor_fingerprint,
    decide_cursor,
)
from packer_schemas import CursorResume, PreferenceSourceSettings, PromptSourceSettings

MODES: tuple[CursorResume, ...] = ("off", "auto", "strict")
CHECKPOINT = "runs/7/step-400"


@pytest.mark.parametrize(
    ("length", "digest"),
    [
        (12, "e656948503d8dae155fa376efa0fa35a4cdfdac3d1385e79abff0d5e8e15ac14"),
        (13, "2b37b2b06e4ae645bc624b4ca0ed3d39f0a4ceab2a8bc93280581b2a618a9591"),
    ],
)
def test_the_chapters_fingerprints_come_out(length: int, digest: str) -> None:
    """Words and length make the digest, of the raw source and of the built one, wherever it came from."""
    source = Words(length)
    assert cursor_fingerprint(source) == cursor_fingerprint(BuiltSource(source, "factory 'a.b'")) == digest


def test_a_source_without_the_method_has_no_fingerprint() -> None:
    """A list of rows says nothing of itself, and neither does a class that sets the method to None."""

    class Silent(Words):
        cursor_fingerprint = None

    assert cursor_fingerprint([{"question": "a"}]) is None
    assert cursor_fingerprint(Silent(12)) is None


@pytest.mark.parametrize("words", ["", None, 3, b"sums-v1"])
def test_a_fingerprint_is_a_string_that_is_not_empty(words: Any) -> None:
    """Anything else is refused with the path and the method."""
    source = BuiltSource(Words(12, words), "factory 'my.data.rows'")
    with pytest.raises(ValueError, match=r"factory 'my.data.rows': cursor_fingerprint\(\) returned"):
        cursor_fingerprint(source)


def test_a_fingerprint_that_raises_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the method raised is the cause."""
    monkeypatch.setattr(user_sources.Sums, "cursor_fingerprint", lambda self: self.count / 0)
    source = build_prompt_source(PromptSourceSettings(factory="user_sources.Sums", prompt_column="question"))
    with pytest.raises(ValueError, match=r"factory 'user_sources.Sums'.*raised ZeroDivisionError") as error:
        cursor_fingerprint(source)
    assert isinstance(error.value.__cause__, ZeroDivisionError)


def test_columns_and_row_functions_are_not_in_it() -> None:
    """A place in the source stays the same place, whatever is made of its rows."""
    made = [
        build_prompt_source(PromptSourceSettings(factory="user_sources.Sums", prompt_column=column, items_fn=function))
        for column, function in (("question", None), ("answer", None), ("question", "user_sources.shouting"))
    ]
    assert len({cursor_fingerprint(source) for source in made}) == 1


def test_made_up_sources_have_fingerprints() -> None:
    """Built-in sources can be resumed, and sums of another number are another source."""
    pairs = [build_preference_source(PreferenceSourceSettings(synthetic_pairs=count)) for count in (3, 4)]
    found = [cursor_fingerprint(source) for source in (*pairs, build_prompt_source(PromptSourceSettings()))]
    assert len(set(found) - {None}) == 3


PRINTED = BuiltSource(Words(12), "factory 'my.data.rows'")
BARE = BuiltSource([{"question": "a"}] * 12, "factory 'my.data.bare'")
FITS, NONE = SavedCursors(CHECKPOINT, [document()]), SavedCursors(CHECKPOINT, [None])
FOREIGN = SavedCursors(CHECKPOINT, [document(source={**document()["source"], "length": 11})])


@pytest.fixture
def decide(caplog: pytest.LogCaptureFixture) -> Callable[..., tuple[str, list[str]]]:
    """Decides; returns what was decided, or `refused`, and what was said as warnings or in the refusal."""

    def run(mode: Any, source: BuiltSource, own: Any, saved: SavedCursors | None, **given: Any) -> Any:
        caplog.clear()
        try:
            decided = decide_cursor(mode, source, own, saved, **given)
        except ValueError as error:
            assert not caplog.records
            return "refused", [str(error)]
        assert all(record.levelno >= logging.WARNING for record in caplog.records)
        return decided, [record.getMessage() for record in caplog.records]

    return run


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("source", "own", "saved", "off", "auto", "strict"),
    [
        pytest.param(PRINTED, fresh(), None, "start", "start", "start", id="new run"),
        pytest.param(BARE, fresh(fingerprint=None), None, "start", "start, says so", "refused", id="new run, bare"),
        pytest.param(PRINTED, fresh(), FITS, "start, says so", "restore", "restore", id="fits"),
        pytest.param(PRINTED, fresh(), FOREIGN, "start, says so", "refused", "refused", id="does not fit"),
        pytest.param(PRINTED, fresh(), NONE, "start, says so", "start, says so", "refused", id="no cursor"),
    ],
)
def test_every_row_of_the_chapters_table(
    decide: Callable[..., Any], mode: Any, source: Any, own: Any, saved: Any, off: str, auto: str, strict: str
) -> None:
    """What is done, and whether it is said, in each of the fifteen cases."""
    done, said = decide(mode, source, own, saved)
    expected, _, says_so = {"off": off, "auto": auto, "strict": strict}[mode].partition(", ")
    assert (done, bool(said)) == (expected, bool(says_so) or expected == "refused")


def test_a_refusal_names_what_is_missing_or_differs(decide: Callable[..., Any]) -> None:
    """The method and the path, the checkpoint, or every field with both values."""
    [said] = decide("strict", BARE, fresh(fingerprint=None), None)[1]
    assert "factory 'my.data.bare' has no cursor_fingerprint()" in said
    [said] = decide("strict", PRINTED, fresh(), NONE)[1]
    assert "runs/7/step-400 has no cursor, which cursor_resume='strict' needs" in said
    [said] = decide("auto", PRINTED, fresh(), FOREIGN)[1]
    assert "the cursor of runs/7/step-400 does not fit: source.length: 11 in the cursor, 12 here" in said
    [said] = decide("auto", PRINTED, fresh(seed=1, shuffle=True), FITS)[1]
    assert "source.seed: 0 in the cursor, 1 here; source.shuffle: false in the cursor, true here" in said


def test_a_start_that_is_no_restore_says_why(decide: Callable[..., Any]) -> None:
    """A log reader sees which checkpoint was set aside, and what for."""
    assert decide("off", PRINTED, fresh(), FITS)[1] == [
        "starting the data of runs/7/step-400 at its beginning: cursor_resume='off' ignores its cursor"
    ]
    assert decide("auto", PRINTED, fresh(), NONE)[1] == [
        "starting the data of runs/7/step-400 at its beginning: it has no cursor"
    ]
    [said] = decide("auto", BARE, fresh(fingerprint=None), None)[1]
    assert said.startswith("starting the data at its beginning: factory 'my.data.bare' has no cursor_fingerprint()")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("saved", [None, FITS, FOREIGN, NONE])
def test_a_run_that_promises_a_cursor_needs_a_fingerprint(decide: Callable[..., Any], mode: Any, saved: Any) -> None:
    """An entry such as PPO's refuses a source without the method in every row and mode."""
    done, [said] = decide(mode, BARE, fresh(fingerprint=None), saved, promised=True)
    assert done == "refused"
    assert "factory 'my.data.bare' has no cursor_fingerprint()" in said
    assert decide(mode, PRINTED, fresh(), None, promised=True)[0] == "start"


@pytest.mark.parametrize("mode", ["on", "", None, False, "AUTO"])
def test_another_mode_is_refused(decide: Callable[..., Any], mode: Any) -> None:
    """Three values there are."""
    assert decide(mode, PRINTED, fresh(), None) == (
        "refused",
        [f"cursor_resume is {mode!r}, expected 'off', 'auto' or 'strict'"],
    )


def test_a_fingerprint_on_one_side_only_is_a_difference(decide: Callable[..., Any]) -> None:
    """One that the checkpoint has is not given up in silence, and one that it lacks vouches for nothing."""
    bare = document(source={**document()["source"], "fingerprint": None})
    done, [said] = decide("auto", BARE, fresh(fingerprint=None), FITS)
    assert (done, "source.fingerprint" in said, "null here" in said) == ("refused", True, True)
    assert decide("auto", PRINTED, fresh(), SavedCursors(CHECKPOINT, [bare]))[0] == "refused"
    assert decide("auto", BARE, fresh(fingerprint=None), SavedCursors(CHECKPOINT, [bare])) == ("restore", [])


def test_an_older_fingerprint_is_refused_and_the_way_across_is_told(decide: Callable[..., Any]) -> None:
    """One without the length in it fits nothing; off takes the weights, and what it saves fits from then on."""
    older = document(source={**document()["source"], "fingerprint": "sums-v1"})
    done, [said] = decide("strict", PRINTED, fresh(), SavedCursors(CHECKPOINT, [older]))
    assert done == "refused"
    assert said.endswith("Otherwise, to take its weights and start the data anew, run once with cursor_resume='off'")
    assert decide("off", PRINTED, fresh(), SavedCursors(CHECKPOINT, [older]))[0] == "start"
    assert decide("strict", PRINTED, fresh(), FITS)[0] == "restore"


def test_a_checkpoint_in_which_some_ranks_have_none_does_not_fit(decide: Callable[..., Any]) -> None:
    """Ranks that start beside ranks that go on would see rows twice; without any it is one without a cursor."""
    half = SavedCursors(CHECKPOINT, [document(dp_world_size=2), None])
    for mode in ("auto", "strict"):
        for rank in (0, 1):
            own = {**fresh(), "dp_world_size": 2, "dp_rank": rank}
            assert "of its 2 ranks, 1 have none" in decide(mode, PRINTED, own, half, rank=rank)[1][0]
    assert decide("off", PRINTED, fresh(), half)[0] == "start"
    for empty in (SavedCursors(CHECKPOINT), SavedCursors(CHECKPOINT, [None, None])):
        assert decide("auto", PRINTED, fresh(), empty)[0] == "start"


def test_another_number_of_ranks_does_not_fit(decide: Callable[..., Any]) -> None:
    """Fewer ranks and more are refused on every rank, with the field."""
    own = {**fresh(), "dp_world_size": 2}
    for rank in (0, 1):
        done, [said] = decide("auto", PRINTED, {**own, "dp_rank": rank}, FITS, rank=rank)
        assert (done, "dp_world_size: 1 in the cursor" in said) == ("refused", True)
    two = SavedCursors(CHECKPOINT, [{**document(), "dp_world_size": 2, "dp_rank": rank} for rank in (0, 1)])
    assert "dp_world_size: 2 in the cursor, 1 here" in decide("auto", PRINTED, fresh(), two)[1][0]
    ranked = {**own, "dp_rank": 1}
    assert decide("auto", PRINTED, ranked, two, rank=1) == ("restore", [])


def test_a_loader_that_cannot_seek_restores_nothing(decide: Callable[..., Any]) -> None:
    """Its run starts, and refuses a cursor instead of dropping it."""
    assert decide("auto", PRINTED, None, None)[0] == "start"
    assert "cannot seek" in decide("auto", PRINTED, None, FITS)[1][0]
