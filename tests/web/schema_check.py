"""As much of JSON Schema as pydantic writes. A keyword that is not known here is an error, so that nothing goes unchecked."""

import re

TYPES = {
    "string": str,
    "integer": int,
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
    "number": (int, float),
}
SAYS_NOTHING = {"title", "description", "default", "discriminator", "format"}
LIMITS = {
    "minimum": lambda value, least: value >= least,
    "exclusiveMaximum": lambda value, bound: value < bound,
    "maximum": lambda value, most: value <= most,
    "maxLength": lambda value, most: len(value) <= most,
    "maxItems": lambda value, most: len(value) <= most,
    "minItems": lambda value, least: len(value) >= least,
    "enum": lambda value, options: value in options,
    "const": lambda value, one: value == one,
    "pattern": lambda value, pattern: re.search(pattern, value) is not None,
}
PARTS = {"type", "prefixItems", "items", "properties", "required", "additionalProperties"}


def check(known, schema, value, where):
    """Nothing may be left open, and nothing come that is not declared; `known` has what a $ref names."""
    assert schema, f"{where} says nothing of its type"
    unknown = set(schema) - SAYS_NOTHING - set(LIMITS) - PARTS - {"$ref", "anyOf", "oneOf"}
    assert not unknown, (where, unknown)
    if "$ref" in schema:
        check(known, known[schema["$ref"].rpartition("/")[2]], value, where)
    if options := schema.get("anyOf") or schema.get("oneOf"):
        assert sum(fits(known, one, value, where) for one in options) >= 1, (where, value)
    if "oneOf" in schema:
        assert sum(fits(known, one, value, where) for one in options) == 1, (where, value)
    if "type" in schema:
        assert isinstance(value, TYPES[schema["type"]]), (where, value)
        assert isinstance(value, bool) == (schema["type"] == "boolean"), (where, value)
    assert all(LIMITS[name](value, limit) for name, limit in schema.items() if name in LIMITS), (where, value)
    assert not isinstance(value, dict) or set(schema.get("required", ())) <= set(value), (where, value)
    if "type" in schema:
        check_parts(known, schema, value, where)


def fits(known, schema, value, where):
    try:
        check(known, schema, value, where)
    except AssertionError:
        return False
    return True


def check_parts(known, schema, value, where):
    if isinstance(value, list):
        parts = schema.get("prefixItems") or [schema["items"]] * len(value)
        assert len(parts) == len(value), where
        for number, (part, one) in enumerate(zip(parts, value, strict=True)):
            check(known, part, one, f"{where}[{number}]")
    if isinstance(value, dict):
        for key, one in value.items():
            assert key in schema.get("properties", {}) or schema.get("additionalProperties"), f"{where}.{key} is not declared"
            check(known, schema.get("properties", {}).get(key) or schema["additionalProperties"], one, f"{where}.{key}")
