"""The lock file's model: digests fit what they are over, and what is told by model is told of the models there are."""

import copy
from typing import Any

import pytest
from pydantic import ValidationError

from packer_schemas import IdentityDocument, Lock, identity_digest

BEHAVIOUR = {"tiny": {"words": "0" * 64, "batch": "1" * 64}}
SUBJECT: dict[str, Any] = {
    "target": "m:f",
    "models": ["tiny"],
    "identities": {"tiny": IdentityDocument.make("my.Packer", {"semantics": {"x": 1}}).model_dump()},
    "class_source_sha256": "0" * 64,
    "behaviour": BEHAVIOUR,
    "behaviour_sha256": identity_digest(BEHAVIOUR),
    "reason": "",
}


def lock(**changed: Any) -> dict[str, Any]:
    """A lock of one packer, `changed` in fields of its entry."""
    head = {"schema_version": 1, "spec": "0.2", "packproof": "0.2.0", "probe_corpus": 1, "versions": {}}
    return {**head, "subjects": {"packer": copy.deepcopy(SUBJECT) | changed}}


def refused(document: dict[str, Any]) -> tuple[tuple[int | str, ...], str]:
    """The place and the words with which the model refuses."""
    with pytest.raises(ValidationError) as caught:
        Lock.model_validate(document)
    (error,) = caught.value.errors()
    return error["loc"], error["msg"]


def test_a_lock_that_holds_together_is_read() -> None:
    """Digests that fit, and data by model for the models of the entry, are taken."""
    entry = Lock.model_validate(lock()).subjects["packer"]
    assert entry.model_dump() == SUBJECT


def test_an_identity_edited_inside_a_lock_is_refused() -> None:
    """The identity's own digest no longer fits, and the way to it is named."""
    edited = lock()
    edited["subjects"]["packer"]["identities"]["tiny"]["parts"]["semantics"]["value"]["x"] = 2
    place, said = refused(edited)
    assert place == ("subjects", "packer", "identities", "tiny", "parts", "semantics")
    assert "was a value edited by hand?" in said


def test_a_digest_of_behaviour_that_does_not_fit_is_refused() -> None:
    """A probe's digest, or the one over all of them, that was edited is told with the one that would fit."""
    for changed in (
        {"behaviour": {"tiny": {"words": "2" * 64, "batch": "1" * 64}}},
        {"behaviour": {"tiny": {"words": "0" * 64}}},
        {"behaviour_sha256": "3" * 64},
    ):
        place, said = refused(lock(**changed))
        assert place == ("subjects", "packer")
        assert "expected the behaviour_sha256" in said
        assert identity_digest(changed.get("behaviour", BEHAVIOUR)) in said


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        (
            {"identities": {"tony": SUBJECT["identities"]["tiny"]}},
            "identities of the models ['tiny'], got one of 'tony'",
        ),
        ({"behaviour": {"tony": {}}}, "behaviour of the models ['tiny'], got one of 'tony'"),
        ({"behaviour": {}}, "behaviour of each of the models ['tiny'], got none of 'tiny'"),
        ({"models": []}, "identities of the models [], got one of 'tiny'"),
    ],
)
def test_data_of_other_models_is_refused(changed: dict[str, Any], says: str) -> None:
    """Identities and behaviour belong to models of the entry, and behaviour to every one of them."""
    assert says in refused(lock(**changed))[1]


def test_a_packer_that_declares_nothing_has_no_identities() -> None:
    """An entry without documents is complete."""
    assert Lock.model_validate(lock(identities={})).subjects["packer"].identities == {}
