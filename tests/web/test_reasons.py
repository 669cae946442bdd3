"""Every error that can reach a page is a sentence with values, and has its words in both languages."""

import ast
import importlib
import json
import re
from pathlib import Path
from string import Formatter
from types import SimpleNamespace

import pytest

from shangyou import games
from shangyou.agents.mistakes import Because
from shangyou.engines import reference
from shangyou.engines.position import position
from shangyou.games import BadInput
from shangyou.games.errors import Reason, Sentence
from shangyou.records import read_bytes
from shangyou.web.table import Refused
from shangyou.web.wire.reasons import Fault
from web.arena_client import Guest

SOURCE = Path(__file__).parents[2] / "src" / "shangyou"
STATIC = SOURCE / "web" / "static"
LAYERS = ("games", "engines", "agents", "search", "records", "web")
IN_THE_TERMINAL = (  # in English only: engines and agents on tensors, files, runs, the database
    "engines/batch", "engines/forest", "engines/supported", "engines/game_columns", "engines/kernels", "agents/batch",
    "agents/own", "records/accuracy", "records/cluster_runs", "records/dataset", "records/files", "records/game_files",
    "records/models", "records/parquet", "records/remote_runs", "records/runs", "web/settings", "web/proxies",
    "web/storage/database", "web/storage/migrations", "web/storage/game_export",
)  # fmt: skip
ERRORS = {"BadInput": 0, "IllegalPlay": 0, "RecordError": 0, "Refused": 1, "because": 1, "refuse": 2}  # where the reason stands
TABLES = [*(importlib.import_module(f"shangyou.{layer}.errors").Why for layer in LAYERS), Because]
SENTENCES = {why: sentence for table in TABLES for why, sentence in table.__members__.items()}


def modules():
    for layer in LAYERS:
        for path in sorted((SOURCE / layer).rglob("*.py")):
            name = path.relative_to(SOURCE).with_suffix("").as_posix().removesuffix("/__init__")
            if not name.startswith(IN_THE_TERMINAL):
                yield importlib.import_module(f"shangyou.{name.replace('/', '.')}")


def calls(text):
    return [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]


def without_sentence(text, module):
    """Errors made of anything but a sentence with its values, or the reason of another error."""
    for call in calls(text):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        if name in ERRORS and not is_reason(call.args[ERRORS[name]], module):
            yield f"line {call.lineno}: {ast.unparse(call)}"


def is_reason(node, module):
    match node:
        case ast.IfExp():
            return is_reason(node.body, module) and is_reason(node.orelse, module)
        case ast.Call(func=ast.Attribute(value=ast.Name() as table)):
            return is_table(table, module)
        case ast.Name():
            return node.id == "reason" or isinstance(getattr(module, node.id, None), Reason)
    return isinstance(node, ast.Attribute) and node.attr in ("reason", "full_why")


def is_table(node, module):
    table = getattr(module, node.id, None) if isinstance(node, ast.Name) else None
    return isinstance(table, type) and issubclass(table, Sentence)


def gaps(text):
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def words_of(reason):
    return Fault.because("bad_input", reason).model_dump()["words"]


def why_of(call):
    with pytest.raises(BadInput) as refused:
        call()
    assert isinstance(refused.value.reason, Reason)
    return refused.value.reason


@pytest.mark.parametrize("module", list(modules()), ids=lambda module: module.__name__.removeprefix("shangyou."))
def test_errors_are_sentences_with_values(module):
    assert not list(without_sentence(Path(module.__file__).read_text(encoding="utf-8"), module))


def test_an_error_without_a_sentence_is_found():
    module = SimpleNamespace(Why=TABLES[0])
    right = ["BadInput(Why.empty())", "RecordError(error.reason, 3)", "BadInput(Why.empty() if x else Why.no_cards())"]
    wrong = ['BadInput("no")', 'Refused("over", f"no {x}")', "RecordError(str(error), 3)", "IllegalPlay(Whim.empty())"]
    wrong += ['BadInput(Why.empty() if x else "no")', "BadInput(text)"]
    assert [list(without_sentence(text, module)) for text in right] == [[], [], []]
    assert all(list(without_sentence(text, module)) for text in wrong)


def test_every_kind_of_error_is_looked_for():
    kinds, found = [BadInput], []
    while kinds:
        found.append(kind := kinds.pop())
        kinds += kind.__subclasses__()
    assert {kind.__name__ for kind in found if kind.__module__.startswith("shangyou.")} <= set(ERRORS)


def test_every_sentence_is_used_with_its_values():
    used = set()
    for module in modules():
        text = Path(module.__file__).read_text(encoding="utf-8")
        for call in calls(text):
            if isinstance(call.func, ast.Attribute) and is_table(call.func.value, module):
                sentence = getattr(module, call.func.value.id)[call.func.attr]
                assert {keyword.arg for keyword in call.keywords} == gaps(sentence.value), (module, call.lineno)
        nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Attribute) and is_table(node.value, module)]
        used |= {node.attr for node in nodes}
    assert used == set(SENTENCES)


def keys_of(name):
    return dict(re.findall(r'^  "?([\w.+-]+)"?:\s+"(.*)",$', (STATIC / name).read_text(encoding="utf-8"), re.MULTILINE))


def test_every_sentence_has_chinese_words_with_the_same_gaps():
    chinese = keys_of("chinese_reasons.js")
    assert set(chinese) == set(SENTENCES)
    assert len(SENTENCES) == sum(len(list(table)) for table in TABLES)  # no two of one name, none twice in a table
    for why, sentence in SENTENCES.items():
        assert gaps(chinese[why]) == gaps(sentence.value), why


def test_no_sentence_names_an_option_of_the_command_line():
    assert not [why for why, sentence in SENTENCES.items() if "--" in sentence.value]


def test_what_stands_in_the_gaps():
    reason = why_of(lambda: position(games.load("zsy2"), "3456", history="55 44"))
    inner = {"mine": "44", "my_pattern": "pair", "theirs": "55", "their_pattern": "pair"}
    error = {"why": "not_higher", "values": inner}
    assert words_of(reason) == {"why": "in_history", "values": {"number": "2", "cards": "44", "seat": "1", "error": error}}
    assert str(reason) == "history, turn 2, '44' by seat 1: 44 (pair) is not higher than 55 (pair)"


def test_lists_and_numbers():
    reason = why_of(lambda: games.load("chess"))
    assert words_of(reason) == {"why": "no_game", "values": {"name": "chess", "options": ["zsy2", "zsy4", "doudizhu"]}}
    assert str(reason) == "there is no game 'chess'; there are zsy2, zsy4, doudizhu"
    for hand, words in (("3", "the hand has 1 card;"), ("33", "the hand has 2 cards;")):
        assert str(why_of(lambda hand=hand: position(games.load("zsy2"), hand, history="4 5"))).startswith(words)


def test_an_error_in_a_record_has_its_play_around_it():
    (bad,) = read_bytes(b"game: zsy2\n3334;444\n0,5;")
    assert words_of(bad.full_why)["why"] == "deal_sizes"
    assert json.loads(Fault.because("bad_input", bad.full_why).model_dump_json())["reason"] == str(bad)
    (missing,) = read_bytes(b"333;444\n")
    assert str(missing) == "no game is given: put a line such as `game: doudizhu` above the record"


def test_half_a_character_can_be_sent(client):
    record = '{"format": "shangyou-record", "version": 1, "\\ud800": 1}'
    guest = Guest(client)
    guest.post("me", {})
    (bad,) = guest.request("POST", "records", content=record).json()
    assert bad["fault"]["words"]["values"]["key"] == "\\ud800"


def test_what_the_engine_refuses_keeps_its_values_at_a_table():
    state = reference.deal(games.load("doudizhu", bidding=True), 1)
    why = why_of(lambda: reference.bid(state, 9))
    error = Refused("illegal", why)
    assert Fault.because(error.code, error.reason).words.values["options"] == ["0", "1", "2", "3"]


def test_every_pattern_has_a_chinese_name(client):
    families = {family for game in Guest(client).get("games").json() for family in game["patterns"]}
    assert families <= {key.removeprefix("pattern.") for key in keys_of("chinese.js")}
