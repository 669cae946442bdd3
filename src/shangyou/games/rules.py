"""Rules are a value: frozen, printable, parseable. A house rule is a field, not a fork."""

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from shangyou.games.errors import BadInput, Why


def choice(default: Any, help: str, options: tuple[Any, ...] | range, older: Mapping[str, str] | None = None) -> Any:
    """A rule field: its default, what it means, what it may be, and how older texts wrote some of that."""
    return dataclasses.field(default=default, metadata={"help": help, "options": options, "older": older or {}})


def switch(default: bool, help: str) -> Any:
    return choice(default, help, (False, True))


@dataclass(frozen=True)
class Rules:
    """Base of every game's rules. Each field is made with `choice` or `switch`."""

    game: ClassVar[str]
    standard: ClassVar[tuple[str, ...]] = ("",)  # what people play by, as changes of the defaults; the last unless they choose
    team_rules: ClassVar[str | None] = None  # rules of a duplicate match of teams; none where no deal names a landlord

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value, options = getattr(self, field.name), field.metadata["options"]
            if type(value) is not type(field.default) or value not in options:
                raise BadInput(Why.rule_value(game=self.game, rule=field.name, value=value, options=_spell(options)))

    @classmethod
    def make(cls, **fields: Any) -> Self:
        """Rules from keywords, with an error that names the field that does not exist."""
        known = [field.name for field in dataclasses.fields(cls)]
        for name in fields:
            if name not in known:
                raise BadInput(Why.no_rule(game=cls.game, rule=name, options=known))
        return cls(**fields)

    @classmethod
    def parse(cls, text: str) -> Self:
        """The inverse of `str`: `spring=true base=3`; commas may stand between fields, fields left out are default."""
        types = {field.name: type(field.default) for field in dataclasses.fields(cls)}
        older = {field.name: field.metadata["older"] for field in dataclasses.fields(cls)}
        fields = {}
        for word in text.replace(",", " ").split():
            name, _, value = word.partition("=")
            fields[name] = _read(types.get(name, str), older.get(name, {}).get(value, value))
        return cls.make(**fields)

    @property
    def is_standard(self) -> bool:
        return self in [self.parse(text) for text in self.standard]

    def as_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    def __str__(self) -> str:
        return " ".join(f"{name}={str(value).lower()}" for name, value in self.as_dict().items())

    def changes(self) -> dict[str, Any]:
        """Only the fields that differ from the default."""
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self) if getattr(self, f.name) != f.default}


def _read(kind: type, value: str) -> Any:
    if kind is bool and value.lower() in ("true", "false"):
        return value.lower() == "true"
    if kind is int and re.fullmatch("-?[0-9]{1,18}", value):
        return int(value)
    return value  # of the wrong type for its field, which then says what it may be


def _spell(options: tuple[Any, ...] | range) -> list[str]:
    if isinstance(options, range):
        return [f"{options.start}..{options.stop - 1}"]
    return [str(option).lower() for option in options]
