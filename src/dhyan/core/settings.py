"""One definition of each setting gives the TOML key, the flag, the Python argument, the help and the error."""

import json
import tomllib
import types
import typing
import warnings
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError, ValidationInfo, create_model, model_validator
from pydantic.fields import FieldInfo

from dhyan.core.errors import DhyanError, did_you_mean, shortened
from dhyan.core.json_object import depth_of

T = TypeVar("T")

_QUIET = {"quiet": True}  # pydantic's validation context: old names are read without a notice
_noticed: set[str] = set()  # old names that a notice was given for


class RenamedWarning(FutureWarning):
    """An old name of a setting or a flag was used; it works, and the new one is better."""


def was(*names: str) -> dict[str, JsonValue]:
    """Old names of a field, which still work: `Field(…, json_schema_extra=was("contrast"))`."""
    return {"was": list(names)}


def old_names(field: FieldInfo) -> list[str]:
    extra = field.json_schema_extra
    found = extra.get("was", []) if isinstance(extra, dict) else []
    return [str(name) for name in found] if isinstance(found, list) else []


def also(*names: str) -> dict[str, JsonValue]:
    """Further names of a field's flag: `Field(…, json_schema_extra=also("timeout"))`."""
    return {"also": list(names)}


def other_flags(field: FieldInfo) -> list[str]:
    extra = field.json_schema_extra
    found = extra.get("also", []) if isinstance(extra, dict) else []
    return [str(name) for name in found] if isinstance(found, list) else []


def notice_renamed(old: str, new: str) -> None:
    """Say the new name, once per process."""
    if old not in _noticed:
        _noticed.add(old)
        warnings.warn(f"'{old}' is now called '{new}'; the old name still works.", RenamedWarning, stacklevel=2)


MAX_TOML_DEPTH = 50  # far above what a recipe needs
MOST_PROBLEMS = 12  # in one message; a file that is not a recipe at all can have thousands


class Settings(BaseModel):
    """A group of settings. Unknown keys are refused; every field carries its help text as `description`."""

    model_config = ConfigDict(extra="forbid", validate_assignment=True, protected_namespaces=(), allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _old_names_become_new(cls, values: Any, info: ValidationInfo) -> Any:
        if not isinstance(values, dict):
            return values
        renamed = {old: new for new, field in cls.model_fields.items() for old in old_names(field) if old in values}
        for old, new in renamed.items():
            if new in values:
                raise ValueError(f"'{old}' is the old name of '{new}', which is given too; leave out '{old}'")
            if not (info.context or {}).get("quiet"):
                notice_renamed(old, new)
        return {renamed.get(name, name): value for name, value in values.items()}

    @classmethod
    def checked(cls, values: dict[str, Any], where: str, quiet: bool = False) -> Self:
        """Build from plain values; a wrong one raises a DhyanError of one line that names `where` and the key.

        quiet: say nothing of old names, for files that Dhyan itself has written.
        """
        try:
            return cls.model_validate(values, context=_QUIET if quiet else None)
        except ValidationError as error:
            raise DhyanError(describe_errors(cls, error, where)) from None


class Registry(dict[str, T]):
    """The variants that a setting can name. An unknown name is an error that lists the known ones."""

    def __init__(self, part: str, **variants: T) -> None:
        super().__init__(variants)
        self.part = part

    def __missing__(self, name: str) -> T:
        raise DhyanError(f"{self.part} = '{name}' is not one of {', '.join(self)}{did_you_mean(name, list(self))}.")


def every_field_optional(cls: type[Settings]) -> type[Settings]:
    """The same settings, each of them optional: what a user has given, before the rest is chosen."""
    fields: dict[str, Any] = {}
    for name, field in cls.model_fields.items():
        inner = _model_in(field.annotation)
        if inner is not None and issubclass(inner, Settings):
            fields[name] = (every_field_optional(inner) | None, None)
        else:
            # Bounds (ge, le, pattern) travel in the field's metadata.
            annotation: Any = field.annotation
            for bound in field.metadata:
                annotation = Annotated[annotation, bound]
            kept: Any = {"description": field.description, "json_schema_extra": field.json_schema_extra}
            fields[name] = (annotation | None, FieldInfo(default=None, **kept))
    return create_model(f"Partial{cls.__name__}", __base__=Settings, **fields)


def flat_fields(cls: type[Settings]) -> list[tuple[str, str, FieldInfo]]:
    """(section, name, field) of every setting; the section is empty for one that belongs to none."""
    found = []
    for name, field in cls.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, Settings):
            found += [(name, key, one) for key, one in inner.model_fields.items()]
        else:
            found.append(("", name, field))
    return found


def nested_settings(cls: type[Settings], given: dict[str, Any], where: str) -> dict[str, Any]:
    """Settings by name alone → by section, each checked by itself. None stands for one that was not given."""
    sections = {name: section for section, name, _ in flat_fields(cls)}
    sections |= {old: section for section, _, field in flat_fields(cls) for old in old_names(field)}
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name not in sections:
            raise DhyanError(f"{where}: '{name}' is not a setting{did_you_mean(name, sections)}.")
        if value is not None:
            group = values.setdefault(sections[name], {}) if sections[name] else values
            group[name] = value
    return every_field_optional(cls).checked(values, where).model_dump(exclude_none=True)


def read_toml(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
        # The library's time for a key with dots grows with the square of their number.
        keys = (line.partition("=")[0] for line in text.splitlines() if not line.lstrip().startswith("#"))
        if max((key.count(".") for key in keys), default=0) > MAX_TOML_DEPTH:
            raise RecursionError
        values = tomllib.loads(text)
        if depth_of(values) > MAX_TOML_DEPTH:
            raise RecursionError
        return values
    except FileNotFoundError:
        raise DhyanError(f"{path}: there is no such file; check the spelling of the path.") from None
    except IsADirectoryError:
        raise DhyanError(f"{path} is a folder; name a TOML file.") from None
    except UnicodeDecodeError:
        raise DhyanError(f"{path} is not text in UTF-8, as TOML files are.") from None
    except tomllib.TOMLDecodeError as error:
        raise DhyanError(f"{path} is not valid TOML: {error}.") from None
    except RecursionError:
        raise DhyanError(f"{path} is not valid TOML: it is nested too deeply.") from None


def to_toml(settings: Settings) -> str:
    """Write settings out in full, each with its help as a comment, so that the file documents itself."""
    lines: list[str] = []
    sections: list[tuple[str, Settings]] = []
    for name, field in type(settings).model_fields.items():
        value = getattr(settings, name)
        if isinstance(value, Settings):
            sections.append((name, value))
            continue
        text = _toml_value(value)
        # TOML has no null: an unset key is shown as a comment, ready to be filled in.
        lines.append(f"{name} = {text}" if text is not None else f"# {name} =")
        if field.description:
            lines[-1] = f"{lines[-1]:<34}  # {field.description}"
    for name, section in sections:
        body = to_toml(section).rstrip("\n")
        lines += ["", f"[{name}]", body]
    return "\n".join(lines) + "\n"


def allowed_values(annotation: Any) -> tuple[str, ...]:
    """The choices of a `Literal` (also inside `X | None` or `list[X]`), or nothing when the type is open."""
    if get_origin(annotation) is Literal:
        return tuple(str(choice) for choice in get_args(annotation))
    return tuple(choice for inner in get_args(annotation) for choice in allowed_values(inner))


def _toml_value(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, Path):
        value = str(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml_value(item) or '""' for item in value) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml_value(item)}" for key, item in value.items()) + " }"
    return repr(value)


def describe_errors(cls: type[BaseModel], error: ValidationError, where: str) -> str:
    """All problems of a validation in one line: the key, what was found, what is allowed, the nearest spelling."""
    found = error.errors()
    problems = list(dict.fromkeys(_problem(cls, details) for details in found[:MOST_PROBLEMS]))
    if len(found) > MOST_PROBLEMS:
        problems.append(f"and {len(found) - MOST_PROBLEMS:,} more")
    return f"{where}: " + "; ".join(problems) + "."


def _problem(cls: type[BaseModel], details: Any) -> str:
    location = [str(part) for part in details["loc"] if not str(part).startswith(("function-", "literal"))]
    key = shortened(".".join(location))
    if details["type"] == "extra_forbidden":
        owner = _owner(cls, location[:-1])
        fields = list(owner.model_fields)
        return f"'{key}' is not a setting{did_you_mean(location[-1], fields)}"
    if details["type"] == "value_error":
        return f"{key}: {details['ctx']['error']}" if key else str(details["ctx"]["error"])
    if details["type"] == "missing":
        return f"'{key}' is missing"
    found = details.get("input")
    shown = shortened(repr(found))
    choices = _choices(cls, location)
    if choices and details["type"] in ("literal_error", "enum"):
        return f"{key} = {shown} is not one of {', '.join(choices)}{did_you_mean(str(found), choices)}"
    if details["type"] == "model_type":
        return f"{key} = {shown}: write its settings under [{key}]"
    if details["type"] in ("list_type", "tuple_type"):
        return f"{key} = {shown}: write it as a list, [{shown}]"
    if details["type"] == "string_pattern_mismatch":
        field = _field(cls, location)
        if field is not None and field.description:
            return f"{key} = {shown}: it should be {field.description}"
        return f"{key} = {shown} does not match {details['ctx']['pattern']}"
    return f"{key} = {shown}: {details['msg'][0].lower()}{details['msg'][1:]}"


def _owner(cls: type[BaseModel], location: list[str]) -> type[BaseModel]:
    for name in location:
        field = cls.model_fields.get(name)
        inner = _model_in(field.annotation) if field else None
        if inner is None:
            break
        cls = inner
    return cls


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if get_origin(annotation) in (Union, types.UnionType, typing.Annotated):
        return next((found for inner in get_args(annotation) if (found := _model_in(inner))), None)
    return None


def _choices(cls: type[BaseModel], location: list[str]) -> tuple[str, ...]:
    field = _field(cls, location)
    return allowed_values(field.annotation) if field else ()


def _field(cls: type[BaseModel], location: list[str]) -> FieldInfo | None:
    return _owner(cls, location[:-1]).model_fields.get(location[-1]) if location else None
