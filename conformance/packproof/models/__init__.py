"""Four tiny model folders that ship with the kit, so that a first run needs no download.

Each folder holds a trained tokenizer, a chat template and a two-layer model configuration (no weights), and loads
with ``AutoTokenizer`` and ``AutoConfig``. Between them they cover the special-token habits that packers trip over:

=============  =========================  ===================  =====================  ======================
name           vocabulary                 adds BOS by itself   pad token              chat template
=============  =========================  ===================  =====================  ======================
tiny-qwen      byte-level BPE, NFC        no (has none)        declared, a high id    ChatML
tiny-gpt2      byte-level BPE             no (BOS is EOS)      none                   plain ``role: text``
tiny-llama3    byte-level BPE             yes                  declared, id 0         headers, writes BOS
tiny-spm       BPE with byte fallback     yes                  none                   ``[INST]``, strict turns
=============  =========================  ===================  =====================  ======================

``python -m packproof.models.build`` writes them again, byte for byte.
"""

import os
import pathlib

__all__ = ["EMBEDDED", "model_path", "resolve_model"]

EMBEDDED = ("tiny-qwen", "tiny-gpt2", "tiny-llama3", "tiny-spm")


def model_path(name: str) -> pathlib.Path:
    """The folder of the embedded model ``name``; ``ValueError`` if there is none of that name."""
    if name not in EMBEDDED:
        raise ValueError(f"no embedded model is named {name!r}; choose one of {', '.join(EMBEDDED)}")
    return pathlib.Path(__file__).parent / name


def resolve_model(name_or_path: str | os.PathLike[str]) -> str:
    """What to hand to ``from_pretrained``: the folder of an embedded model, or the argument unchanged.

    A local folder wins over an embedded model of the same name, as it does over a hub name in transformers.
    """
    name = os.fspath(name_or_path)
    if name in EMBEDDED and not pathlib.Path(name).is_dir():
        return str(model_path(name))
    return name
