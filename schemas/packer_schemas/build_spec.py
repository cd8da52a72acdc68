"""The immutable identity from which every process builds its own packer."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["DataPackerBuildSpec", "DataPackerFactories", "ModelBackend"]

ModelBackend = Literal["i4", "hf"]


class DataPackerBuildSpec(BaseModel):
    """Model, backend, factory and trust: equal specs build equal packers, in whichever process."""

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())

    name_or_path: str = Field(min_length=1, description="Model id or folder handed to `setup`.")
    model_backend: ModelBackend | None = Field(default=None, description="Native (`i4`, the default) or `hf`.")
    factory: str = Field(default="", description="Dotted path of a zero-argument factory; empty: the registry.")
    trust_remote_code: bool = Field(default=False, description="Let the model folder run its own code.")


class DataPackerFactories(BaseModel):
    """The configured factories: one for the student model, one for a distinct teacher model."""

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())

    factory: str = Field(default="", description="Student model; empty: the registry.")
    teacher_model_factory: str = Field(default="", description="Distinct teacher model; empty: the registry.")

    def spec(
        self,
        name_or_path: str,
        *,
        role: Literal["student", "teacher"] = "student",
        model_backend: ModelBackend | None = None,
        trust_remote_code: bool = False,
    ) -> DataPackerBuildSpec:
        """The build spec of one role; every process of that role builds from the same one."""
        return DataPackerBuildSpec(
            name_or_path=name_or_path,
            model_backend=model_backend,
            factory=self.factory if role == "student" else self.teacher_model_factory,
            trust_remote_code=trust_remote_code,
        )
