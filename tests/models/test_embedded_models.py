"""The model folders that ship with the kit: reproducible, loadable, and of the habits they stand for."""

import os
import pathlib
import subprocess
import sys

import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

from packproof.models import EMBEDDED, build, model_path, resolve_model

FILES = ("config.json", "tokenizer.json", "tokenizer_config.json")
TEXTS = [
    "",
    "hello world",
    "  two  spaces   three ",
    "line\n\n\tnext\r\nlast\n",
    "007 1024 3.14159",
    "na\u00efve caf\u00e9 \u6c49\u5b57\u200d \u3053\u3093\u306b\u3061\u306f",
    "\U0001f600 \U0001f468\u200d\U0001f469\u200d\U0001f467 \ufeff\x00",
    "I'LL don't <b>[x]</b>",
]


@pytest.fixture(scope="module", autouse=True)
def one_torch_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(params=EMBEDDED)
def name(request):
    return request.param


@pytest.fixture
def tokenizer(name):
    return AutoTokenizer.from_pretrained(model_path(name))


def shipped(name):
    return {path.name: path.read_bytes() for path in sorted(model_path(name).iterdir())}


def render(tokenizer, *messages, **options):
    conversation = [{"role": role, "content": content} for role, content in messages]
    return tokenizer.apply_chat_template(conversation, tokenize=False, **options)


def test_a_build_in_this_process_gives_the_shipped_bytes(name):
    """The shipped files are what the build script makes, to the byte."""
    assert {file: text.encode("ascii") for file, text in build.build_model(name).items()} == shipped(name)


@pytest.mark.parametrize(("seed", "threads"), [("0", "1"), ("4711", "2")])
def test_a_build_in_another_process_gives_the_shipped_bytes(tmp_path, seed, threads):
    """Neither the hash seed nor the thread count changes a byte of what the build script writes."""
    environment = {**os.environ, "PYTHONHASHSEED": seed, "RAYON_NUM_THREADS": threads}
    # The child finds the packages where this process did, installed or not.
    environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    command = [sys.executable, "-m", "packproof.models.build", str(tmp_path)]
    subprocess.run(command, env=environment, check=True, capture_output=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(EMBEDDED)
    for name in EMBEDDED:
        assert {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} == shipped(name)


def test_the_build_script_takes_at_most_one_argument(capsys):
    """A second argument is a usage error, reported before anything is written."""
    assert build.main(["one", "two"]) == 2
    assert "usage:" in capsys.readouterr().err


def test_a_folder_is_three_small_files(name):
    """Every folder holds the same three files, each well under 60 kB."""
    assert tuple(shipped(name)) == FILES
    assert max(map(len, shipped(name).values())) < 60_000


@pytest.mark.parametrize("text", TEXTS)
def test_text_survives_encoding_and_decoding(tokenizer, text):
    """Every probe text comes back exactly from its own ids, without an unknown token among them."""
    ids = tokenizer(text, add_special_tokens=False).input_ids
    assert tokenizer.decode(ids) == text
    assert tokenizer.unk_token_id is None or tokenizer.unk_token_id not in ids


def test_qwen_composes_characters():
    """tiny-qwen normalises to NFC, as Qwen does, so decomposed text does not come back as it was."""
    tokenizer = AutoTokenizer.from_pretrained(model_path("tiny-qwen"))
    assert tokenizer.decode(tokenizer("e\u0301").input_ids) == "\u00e9"


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("tiny-qwen", [290, 522, 276, 220, 16, 15, 17, 19, 271]),
        ("tiny-gpt2", [290, 532, 275, 318, 425, 13, 198]),
        ("tiny-llama3", [291, 528, 277, 221, 298, 18, 20, 272]),
        ("tiny-spm", [370, 446, 349, 389, 503, 270, 13]),
    ],
)
def test_ids_of_a_known_text(name, ids):
    """The ids of one text are the recorded ones under whichever transformers and tokenizers are installed."""
    tokenizer = AutoTokenizer.from_pretrained(model_path(name))
    assert tokenizer("The answer is 1024.\n", add_special_tokens=False).input_ids == ids


@pytest.mark.parametrize(
    ("name", "adds_bos"), [("tiny-qwen", False), ("tiny-gpt2", False), ("tiny-llama3", True), ("tiny-spm", True)]
)
def test_who_adds_bos(name, adds_bos):
    """tiny-llama3 and tiny-spm put BOS before a plain text; the other two add nothing."""
    tokenizer = AutoTokenizer.from_pretrained(model_path(name))
    bare = tokenizer("hello", add_special_tokens=False).input_ids
    assert tokenizer("hello").input_ids == ([tokenizer.bos_token_id] if adds_bos else []) + bare


@pytest.mark.parametrize(
    ("name", "bos", "eos", "pad"),
    [
        ("tiny-qwen", None, "<|im_end|>", "<|endoftext|>"),
        ("tiny-gpt2", "<|endoftext|>", "<|endoftext|>", None),
        ("tiny-llama3", "<|begin_of_text|>", "<|eot_id|>", "<|finetune_right_pad_id|>"),
        ("tiny-spm", "<s>", "</s>", None),
    ],
)
def test_special_tokens(name, bos, eos, pad):
    """BOS, EOS and pad are the declared ones, and the model configuration gives the same ids."""
    tokenizer = AutoTokenizer.from_pretrained(model_path(name))
    config = AutoConfig.from_pretrained(model_path(name))
    assert (tokenizer.bos_token, tokenizer.eos_token, tokenizer.pad_token) == (bos, eos, pad)
    ids = (tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.pad_token_id)
    assert (config.bos_token_id, config.eos_token_id, config.pad_token_id) == ids


def test_one_pad_id_is_zero():
    """tiny-llama3 pads with id 0, which a packer that writes ``pad_id or eos_id`` takes for no pad at all."""
    assert AutoTokenizer.from_pretrained(model_path("tiny-llama3")).pad_token_id == 0


def test_ids_are_contiguous(name, tokenizer):
    """The vocabulary is the ids 0 to n - 1, and the model has exactly n rows."""
    ids = sorted(tokenizer.get_vocab().values())
    assert ids == list(range(len(tokenizer)))
    assert AutoConfig.from_pretrained(model_path(name)).vocab_size == len(tokenizer)


def test_a_model_is_made_from_the_folder(name, tokenizer):
    """A random two-layer model built from the folder gives one row of finite logits per token."""
    config = AutoConfig.from_pretrained(model_path(name))
    assert (config.num_hidden_layers, config.hidden_size) == (2, 64)
    model = AutoModelForCausalLM.from_config(config).eval()
    ids = torch.tensor([tokenizer("hello world").input_ids])
    with torch.no_grad():
        logits = model(ids).logits
    assert logits.shape == (1, ids.shape[1], len(tokenizer))
    assert logits.dtype == torch.float32
    assert torch.isfinite(logits).all()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tiny-qwen", "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nYes<|im_end|>\n"),
        ("tiny-gpt2", "user: Hi\nassistant: Yes<|endoftext|>"),
        (
            "tiny-llama3",
            (
                "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>"
                "<|start_header_id|>assistant<|end_header_id|>\n\nYes<|eot_id|>"
            ),
        ),
        ("tiny-spm", "<s>[INST] Hi [/INST] Yes</s>"),
    ],
)
def test_what_the_template_writes(name, text):
    """A question and an answer render as the family writes them."""
    tokenizer = AutoTokenizer.from_pretrained(model_path(name))
    assert render(tokenizer, ("user", "Hi"), ("assistant", "Yes")) == text


def test_the_qwen_template_reads_a_key_beside_role_and_content():
    """Reasoning that is kept beside an assistant's content is rendered in front of it, as the family does."""
    tokenizer = AutoTokenizer.from_pretrained(model_path("tiny-qwen"))
    messages = [{"role": "assistant", "reasoning_content": "why", "content": "Yes"}]
    text = tokenizer.apply_chat_template(messages, tokenize=False)
    assert text == "<|im_start|>assistant\n<think>\nwhy\n</think>\n\nYes<|im_end|>\n"


def test_content_may_be_a_list_of_text_parts(tokenizer):
    """Text given in parts renders as the same text given as one string."""
    parts = [{"type": "text", "text": "What is "}, {"type": "text", "text": "this?"}]
    assert render(tokenizer, ("user", parts)) == render(tokenizer, ("user", "What is this?"))


def test_a_part_that_is_not_text_is_refused(tokenizer):
    """The templates raise on an image part instead of leaving it out."""
    with pytest.raises(Exception, match="text parts only, not image"):
        render(tokenizer, ("user", [{"type": "image"}]))


def test_the_prompt_is_a_prefix_of_the_conversation(tokenizer):
    """What is rendered for generation, by text and by ids, is how the answered conversation begins."""
    prompt = render(tokenizer, ("system", "Be short."), ("user", "Hi"), add_generation_prompt=True)
    whole = render(tokenizer, ("system", "Be short."), ("user", "Hi"), ("assistant", "Yes"))
    assert whole.startswith(prompt)
    prompt_ids, whole_ids = (tokenizer(text, add_special_tokens=False).input_ids for text in (prompt, whole))
    assert whole_ids[: len(prompt_ids)] == prompt_ids


@pytest.mark.parametrize("name", ["tiny-llama3", "tiny-spm"])
def test_the_template_writes_bos_once(name):
    """Rendered text carries its own BOS, so encoding it without special tokens gives exactly one."""
    tokenizer = AutoTokenizer.from_pretrained(model_path(name))
    text = render(tokenizer, ("user", "Hi"), ("assistant", "Yes"))
    ids = tokenizer(text, add_special_tokens=False).input_ids
    assert ids[0] == tokenizer.bos_token_id
    assert ids.count(tokenizer.bos_token_id) == 1
    assert tokenizer(text).input_ids.count(tokenizer.bos_token_id) == 2


def test_spm_roles_must_alternate():
    """tiny-spm's template refuses two user turns in a row, as Llama 2's and Mistral's do."""
    tokenizer = AutoTokenizer.from_pretrained(model_path("tiny-spm"))
    with pytest.raises(Exception, match="roles must alternate"):
        render(tokenizer, ("user", "Hi"), ("user", "Hi"))


def test_an_unknown_name_is_an_error_that_lists_the_names():
    """``model_path`` names every model there is when it does not know the one asked for."""
    with pytest.raises(ValueError, match=r"'tiny-bert'; choose one of tiny-qwen, tiny-gpt2, tiny-llama3, tiny-spm"):
        model_path("tiny-bert")


def test_resolving_an_embedded_name(name, tmp_path, monkeypatch):
    """An embedded name resolves to its folder, which exists."""
    monkeypatch.chdir(tmp_path)
    assert resolve_model(name) == str(model_path(name))
    assert pathlib.Path(resolve_model(name), "tokenizer.json").is_file()


def test_a_local_folder_wins_over_an_embedded_name(name, tmp_path, monkeypatch):
    """A folder of that name in the working directory is taken instead of the embedded model."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).mkdir()
    assert resolve_model(name) == name


@pytest.mark.parametrize("given", ["org/model", "./tiny-qwen", "/models/tiny-qwen"])
def test_any_other_name_is_returned_unchanged(given):
    """Hub names and paths pass through, as strings, whether or not they exist."""
    assert resolve_model(given) == given
    assert resolve_model(pathlib.PurePosixPath("/a/b")) == "/a/b"


def test_importing_the_package_is_light():
    """``packproof.models`` imports neither torch nor tokenizers nor transformers."""
    code = (
        "import sys, packproof.models as m; "
        "assert m.__all__ == sorted(m.__all__); "
        "assert not {'torch', 'tokenizers', 'transformers'} & set(sys.modules)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
