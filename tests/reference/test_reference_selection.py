"""Which packer a model gets: explicit, native, causal-only, or a refusal."""

import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from reference_samples import CHATML, bpe, observe

import packer_reference
from packer_reference import DecoderOnlyLLMDataPacker, build_packer, init_data_packer, register
from packer_reference.model_family import is_causal_only
from packer_schemas import DataPackerBuildSpec, DataPackerFactories, PackerSelection
from packproof.models import EMBEDDED, model_path

QWEN = str(model_path("tiny-qwen"))
VISION = {"vision_config": {"hidden_size": 8}}


class DuckPacker:
    """A packer that inherits from nothing."""

    def setup(self, name_or_path: str, trust_remote_code: bool = False) -> None:
        self.given = name_or_path, trust_remote_code

    def get_policy_input(self, sample: Any, rollout_output: Any, n: int = 0, *, prompt_ids: Any = None) -> Any:
        return None

    def policy_compute_max_len(self, processed_samples: Any) -> int:
        return 0

    def policy_collate_fn(self, processed_samples: Any, computed_max_len: int) -> Any:
        return {}


class OldPacker(DecoderOnlyLLMDataPacker):
    """A packer whose setup has no trust_remote_code, as in the guide's example."""

    def setup(self, name_or_path: str) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        super().setup(name_or_path)


class Native(DecoderOnlyLLMDataPacker):
    """A packer to register."""


def text_model(make: Callable[..., str], **config: Any) -> str:
    """A model folder with the given config and a real tokenizer."""
    return make(config, bpe(eos_token="<|end|>", chat_template=CHATML))


def test_module_is_a_selection() -> None:
    """The package itself offers the three functions of a selection."""
    assert isinstance(packer_reference, PackerSelection)


class TestExplicit:
    """A packer that is passed in."""

    def test_wins_and_is_set_up(self) -> None:
        """An explicit packer is the answer, after setup with the model's name."""
        mine = Native()
        assert init_data_packer(QWEN, packer=mine) is mine
        assert mine.get_rollout_input(observe([{"role": "user", "content": "x"}])).startswith("<|im_start|>")

    def test_needs_no_config(self) -> None:
        """Nothing is looked up for an explicit packer: the name is its own business."""
        duck = DuckPacker()
        assert init_data_packer("s3://bucket/some/model", packer=duck, trust_remote_code=True) is duck
        assert duck.given == ("s3://bucket/some/model", True)

    @pytest.mark.parametrize("packer", [None, DuckPacker()])
    def test_empty_name(self, packer: Any) -> None:
        """An empty name is refused with and without an explicit packer."""
        with pytest.raises(ValueError, match=r"DataPacker.setup: empty name_or_path"):
            init_data_packer(" ", packer=packer)

    @pytest.mark.parametrize("packer", [object(), "my.module:factory", 3])
    def test_without_setup(self, packer: Any) -> None:
        """Something without setup is no packer."""
        with pytest.raises(TypeError, match=rf"packer is a {type(packer).__name__} without setup\("):
            init_data_packer(QWEN, packer=packer)

    def test_class_instead_of_instance(self) -> None:
        """A class is refused as such."""
        with pytest.raises(TypeError, match=r"packer is the class Native, expected an instance"):
            init_data_packer(QWEN, packer=Native)

    def test_setup_without_the_trust_parameter(self) -> None:
        """A setup that takes only the name works until trust is asked for, which it cannot honour."""
        assert init_data_packer(QWEN, packer=OldPacker()).tokenizer is not None
        with pytest.raises(TypeError, match=r"OldPacker\.setup\(\) does not take it"):
            init_data_packer(QWEN, packer=OldPacker(), trust_remote_code=True)

    def test_errors_of_setup_pass_through(self) -> None:
        """What a packer's setup raises reaches the caller as it is."""

        class Failing(DuckPacker):
            def setup(self, name_or_path: str, trust_remote_code: bool = False) -> None:
                raise KeyError("my own error")

        with pytest.raises(KeyError, match=r"my own error"):
            init_data_packer(QWEN, packer=Failing())


class TestByModelType:
    """A packer chosen from the model's configuration."""

    @pytest.mark.parametrize("backend", [None, "i4", "hf"])
    @pytest.mark.parametrize("name", EMBEDDED)
    def test_native_text(self, name: str, backend: str | None) -> None:
        """The embedded models get the text packer on every backend, ready and fresh."""
        one = init_data_packer(str(model_path(name)), model_backend=backend)
        assert type(one) is DecoderOnlyLLMDataPacker
        assert one.tokenizer is not None
        assert init_data_packer(str(model_path(name)), model_backend=backend) is not one

    @pytest.mark.usefixtures("registry")
    def test_registered_class(self) -> None:
        """A registered class comes first on the native backend and is not asked on hf."""
        register(["qwen2"], Native, allow_override=True)
        assert type(init_data_packer(QWEN)) is Native
        assert type(init_data_packer(QWEN, model_backend="i4")) is Native
        assert type(init_data_packer(QWEN, model_backend="hf")) is DecoderOnlyLLMDataPacker

    @pytest.mark.usefixtures("registry")
    @pytest.mark.parametrize("extra", [{}, VISION])
    def test_registered_type_unknown_to_transformers(self, model_folder: Callable[..., str], extra: Any) -> None:
        """A registered type needs no entry in transformers, and may have a vision part."""
        register(["my_model"], Native)
        tokenizer_class = bpe(eos_token="<|end|>", chat_template=CHATML)
        folder = model_folder({"model_type": "my_model", **extra}, tokenizer_class)
        assert type(init_data_packer(folder)) is Native

    @pytest.mark.parametrize("backend", [None, "i4", "hf"])
    @pytest.mark.parametrize("model_type", ["mistral", "opt", "gpt_neox"])
    def test_causal_only(self, model_folder: Callable[..., str], model_type: str, backend: str | None) -> None:
        """An unregistered causal-only type gets the text packer."""
        folder = text_model(model_folder, model_type=model_type)
        assert type(init_data_packer(folder, model_backend=backend)) is DecoderOnlyLLMDataPacker

    @pytest.mark.parametrize("backend", [None, "i4", "hf"])
    @pytest.mark.parametrize("model_type", ["bert", "roberta", "bart", "t5", "whisper", "fuyu", "xlm", "unheard_of"])
    def test_unclassified(self, model_folder: Callable[..., str], model_type: str, backend: str | None) -> None:
        """A type that is not causal only is never taken for text; the error names it and the ways out."""
        with pytest.raises(ValueError, match=rf"cannot classify HF model_type='{model_type}'.*pass an explicit packer"):
            init_data_packer(model_folder({"model_type": model_type}), model_backend=backend)

    @pytest.mark.parametrize("backend", [None, "i4"])
    @pytest.mark.parametrize(
        "config", [{"model_type": "qwen2_vl"}, {"model_type": "gemma3"}, {"model_type": "my_vlm", **VISION}]
    )
    def test_vision_on_the_native_backend(
        self, model_folder: Callable[..., str], config: dict[str, Any], backend: str | None
    ) -> None:
        """An unregistered vision model is refused with its type and the hf backend, causal head or not."""
        name = config["model_type"]
        text = rf"model_type='{name}' declares vision_config but has no native packer; use model_backend=\"hf\""
        with pytest.raises(ValueError, match=text):
            init_data_packer(model_folder(config), model_backend=backend)

    @pytest.mark.parametrize("model_type", ["qwen2_vl", "gemma3"])
    def test_vision_on_hf(self, model_folder: Callable[..., str], model_type: str) -> None:
        """On hf a vision model is refused too in this version, and never becomes text."""
        with pytest.raises(
            ValueError, match=rf"model_type='{model_type}' declares vision_config, and this version ships no"
        ):
            init_data_packer(model_folder({"model_type": model_type}), model_backend="hf")

    @pytest.mark.parametrize("backend", ["vllm", "", "HF", 1])
    def test_unknown_backend(self, backend: Any) -> None:
        """Another backend is refused, also with an explicit packer."""
        for packer in (None, DuckPacker()):
            with pytest.raises(ValueError, match=rf"model_backend={backend!r} is unknown; expected 'i4', 'hf' or None"):
                init_data_packer(QWEN, packer=packer, model_backend=backend)

    def test_missing_folder(self) -> None:
        """A folder that is not there is named."""
        with pytest.raises(FileNotFoundError, match=r"there is no folder '/nowhere/model'"):
            init_data_packer("/nowhere/model")

    def test_folder_without_config(self, tmp_path: Path) -> None:
        """A folder without config.json is named, instead of being guessed at from its name."""
        (tmp_path / "gpt2-mpt").mkdir()
        with pytest.raises(FileNotFoundError, match=r"gpt2-mpt': the folder holds no config.json"):
            init_data_packer(str(tmp_path / "gpt2-mpt"))

    def test_config_without_type(self, model_folder: Callable[..., str]) -> None:
        """A config.json without a model type is named, whatever the folder is called."""
        with pytest.raises(ValueError, match=r"gpt2-mpt': it declares no model_type"):
            init_data_packer(model_folder({"hidden_size": 8}, name="gpt2-mpt"))

    def test_broken_config(self, tmp_path: Path) -> None:
        """A config.json that is no JSON is named with its path."""
        (tmp_path / "config.json").write_text("{")
        with pytest.raises(OSError, match=str(tmp_path)):
            init_data_packer(str(tmp_path))

    def test_unknown_hub_id(self) -> None:
        """A hub id that cannot be loaded is named."""
        with pytest.raises(OSError, match=r"cannot read the configuration of 'nobody/no-model'"):
            init_data_packer("nobody/no-model")

    def test_config_only_folder_of_a_text_model(self, model_folder: Callable[..., str]) -> None:
        """A selected packer still needs the tokenizer's files."""
        folder = model_folder({"model_type": "qwen2"})
        with pytest.raises((ValueError, OSError), match=rf"cannot load a tokenizer from '{folder}'"):
            init_data_packer(folder)


CONFIG_CODE = """
from transformers import PretrainedConfig

class OwnConfig(PretrainedConfig):
    model_type = "own_model"
"""


@pytest.fixture
def own_config(model_folder: Callable[..., str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """A model folder whose configuration class is its own."""
    monkeypatch.setattr("transformers.dynamic_module_utils.HF_MODULES_CACHE", str(tmp_path / "modules"))
    config = {"model_type": "own_model", "auto_map": {"AutoConfig": "configuration_own.OwnConfig"}}
    tokenizer = bpe(eos_token="<|end|>", chat_template=CHATML)
    return model_folder(config, tokenizer, configuration_own=CONFIG_CODE)


class TestTrust:
    """Whether the model folder may run its own code."""

    def test_off_by_default(self, own_config: str) -> None:
        """Without trust the folder's code stays unread, and the error says how to allow it."""
        with pytest.raises(ValueError, match=r"cannot classify HF model_type='own_model'.*trust_remote_code=True"):
            init_data_packer(own_config)

    @pytest.mark.usefixtures("registry")
    def test_on(self, own_config: str) -> None:
        """With trust the configuration class is used, and a registered packer gets the flag too."""
        given = []

        class Recording(DecoderOnlyLLMDataPacker):
            def setup(self, name_or_path: str, trust_remote_code: bool = False) -> None:
                given.append(trust_remote_code)
                super().setup(name_or_path, trust_remote_code)

        register(["own_model"], Recording)
        init_data_packer(own_config, trust_remote_code=True)
        build_packer(DataPackerBuildSpec(name_or_path=own_config, trust_remote_code=True))
        assert given == [True, True]


def test_causal_only_types() -> None:
    """The four native types and some others are causal only; mixed and foreign ones are not."""
    assert all(map(is_causal_only, ["qwen2", "qwen3", "gpt2", "llama", "mistral", "phi3", "gemma2", "mamba", "opt"]))
    assert not any(map(is_causal_only, ["bert", "t5", "bart", "qwen2_vl", "fuyu", "musicgen", "whisper", "", "x"]))


FACTORIES = """
from packer_reference import DecoderOnlyLLMDataPacker
from test_reference_selection import DuckPacker

class Custom(DecoderOnlyLLMDataPacker):
    pass

shared = Custom()

def make(): return Custom()
def make_teacher(): return DecoderOnlyLLMDataPacker()
def make_duck(): return DuckPacker()
def make_none(): return None
def make_class(): return Custom
def make_text(): return "a packer"
def make_shared(): return shared
def raising(): raise KeyError("my own error")
def with_argument(path): return Custom()
number = 3
"""


@pytest.fixture
def factories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A module of factories, importable as `ext_factories`."""
    (tmp_path / "ext_factories.py").write_text(FACTORIES)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("ext_factories", None)


def spec_of(factory: str, **options: Any) -> DataPackerBuildSpec:
    """A spec of tiny-qwen with a factory of the test module."""
    return DataPackerBuildSpec(name_or_path=QWEN, factory=factory, **options)


@pytest.mark.usefixtures("factories")
class TestFactories:
    """Packers built from a spec."""

    @pytest.mark.parametrize("path", ["ext_factories:make", "ext_factories.make", "ext_factories.Custom"])
    def test_fresh_and_set_up(self, path: str) -> None:
        """Two builds from one spec give two packers of the factory's class, both set up."""
        one, two = build_packer(spec_of(path)), build_packer(spec_of(path))
        assert one is not two
        assert type(one).__name__ == type(two).__name__ == "Custom"
        assert one.tokenizer is not None
        assert two.tokenizer is not None

    def test_no_factory(self) -> None:
        """Without a factory the model type decides."""
        assert type(build_packer(spec_of(""))) is DecoderOnlyLLMDataPacker

    def test_roles(self) -> None:
        """Student and teacher each build from their own factory."""
        both = DataPackerFactories(factory="ext_factories:make", teacher_model_factory="ext_factories:make_teacher")
        assert type(build_packer(both.spec(QWEN))).__name__ == "Custom"
        assert type(build_packer(both.spec(QWEN, role="teacher"))) is DecoderOnlyLLMDataPacker

    def test_duck_typed(self) -> None:
        """An object with the right methods is a packer, and gets the trust flag."""
        duck = build_packer(spec_of("ext_factories:make_duck", trust_remote_code=True))
        assert duck.given == (QWEN, True)

    @pytest.mark.parametrize("path", ["ext_nowhere:make", "ext_factories:mak", "ext_factories", "ext_factories:number"])
    def test_unable_to_import(self, path: str) -> None:
        """A path that leads to no callable is refused with the path and the reason."""
        with pytest.raises(ImportError, match=rf"Unable to import DataPacker factory '{path}': ") as error:
            build_packer(spec_of(path))
        assert isinstance(error.value, ValueError)

    @pytest.mark.parametrize(
        ("name", "kind", "text"),
        [
            ("make_none", TypeError, "it returned None"),
            ("make_class", TypeError, "it returned the class Custom"),
            ("make_text", TypeError, "it returned a str that lacks setup"),
            ("raising", ValueError, "it raised KeyError: 'my own error'"),
            ("with_argument", ValueError, "it raised TypeError: .*'path'"),
        ],
    )
    def test_must_return_a_packer(self, name: str, kind: type[Exception], text: str) -> None:
        """A factory that gives no packer is refused with its path and what it did."""
        path = f"ext_factories:{name}"
        with pytest.raises(kind, match=rf"DataPacker factory '{path}' must return a DataPacker; .*{text}"):
            build_packer(spec_of(path))

    def test_shared_instance(self) -> None:
        """A factory that hands out one object twice is found out: roles must not share a packer."""
        build_packer(spec_of("ext_factories:make_shared"))
        with pytest.raises(ValueError, match=r"that is fresh on every call; it returned the same object again"):
            build_packer(spec_of("ext_factories:make_shared"))

    def test_not_a_spec(self) -> None:
        """Only a build spec is a build spec."""
        with pytest.raises(TypeError, match=r"build_packer: got str, expected a DataPackerBuildSpec"):
            build_packer(QWEN)  # pyright: ignore[reportArgumentType]


def test_embedded_configs_are_valid() -> None:
    """The embedded folders hold a config.json with a native type."""
    assert importlib.util.find_spec("packproof.models") is not None
    types = {json.loads((model_path(name) / "config.json").read_text())["model_type"] for name in EMBEDDED}
    assert types <= {"qwen2", "qwen3", "gpt2", "llama"}
