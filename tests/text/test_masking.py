"""Masking of secrets in commands, and of values in any encoding."""

from __future__ import annotations

import ast
import base64
import html
import json
import time
import tracemalloc
from collections.abc import Callable
from heapq import nlargest
from itertools import product
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from stringd.text.command_line import label
from stringd.text.masking import (
    MASK,
    mask_beginning,
    mask_head,
    mask_piece,
    mask_tail,
    mask_values,
    masked_in_shell,
    masked_setting,
    masked_unknown,
    may_be_kept,
    without_url_passwords,
)

SECRET = "hunter2-x"
SPLIT = "s3cret/key+1"
VALUES = st.text(
    st.characters(min_codepoint=32, exclude_categories=["Cs", "Cc", "Zs"]), min_size=6, max_size=40
)
SECRETS = st.sampled_from(
    ["", "pa$x ", "$x ", "a=", "a = ", "{x} = ", "x", "'", "$KEY = ", "$(KEY)", "${", "=", ":=", "\\"]
).map(lambda it: f"hunter{it}{SECRET}")
QUOTES = st.sampled_from(['"', "'", ""])
SIGNS = st.sampled_from([" = ", "=", " =", "= ", ":=", " := ", " "])
NAMES = st.sampled_from(["$KEY", "${KEY}", "$(KEY)", '"$KEY"', "'$KEY'", "$api_key"])
BARE = st.sampled_from(["KEY", "API_KEY", "key"])
WORDS = st.sampled_from(
    ["/set", "//set", "/SET", "/Set", "/sett", "/ste", "/st", "/seet", "/s.et", "/set.", "/ set", "/"]
)
URL_TOKENS = ("http:", "://a:", ":", "//", "\\", "\\\\", "@", "%25", "%3A%2F%2F", "a", '"', "'", " ", "{")
CALLS = st.sampled_from(
    [
        *("/atc.login", "/actt.login", "/ACT1.login", "act.login", "/acton login", "/acion.x"),
        *("/a.login", "/call.login", "/login.act", ".login", "/.login"),
    ]
)


def encoded(text: str, around: str = "") -> str:
    return base64.b64encode(f"{around}{text}{around}".encode()).decode()


ENCODINGS: list[Callable[[str], str]] = [
    str,
    lambda it: quote(it, safe=""),
    lambda it: quote_plus(it).lower() if it.islower() else quote_plus(it),
    quote,
    lambda it: quote(quote(it, safe=""), safe=""),
    lambda it: "".join(f"%{byte:02x}" for byte in it.encode()),
    lambda it: json.dumps(it)[1:-1],
    lambda it: json.dumps(it, ensure_ascii=False)[1:-1],
    lambda it: json.dumps(json.dumps(it))[3:-3],
    ascii,
    lambda it: ascii(it.encode()),
    html.escape,
    lambda it: "".join(f"&#{ord(character)};" for character in it),
    lambda it: "".join(f"&#x{ord(character):X};" for character in it),
    lambda it: it.encode().hex(),
    lambda it: it.encode().hex(":").upper(),
    encoded,
    lambda it: encoded(it, "a"),
    lambda it: encoded(it, "ab"),
    lambda it: encoded(it, "a name:"),
    lambda it: encoded(encoded(it)),
    lambda it: encoded(encoded(it, "ab"), "a"),
    lambda it: encoded(encoded(encoded(it))),
    lambda it: quote(encoded(it), safe=""),
    lambda it: base64.urlsafe_b64encode(it.encode()).decode().rstrip("="),
    lambda it: base64.encodebytes(f"{'x' * 50}{it}{'y' * 50}".encode()).decode(),
]


@pytest.mark.requirement("mask.encodings")
@pytest.mark.parametrize("encode", ENCODINGS)
@given(VALUES, st.text(max_size=5), st.text(max_size=5))
@settings(max_examples=60, deadline=None)
def test_value_is_masked_in_every_encoding(
    encode: Callable[[str], str], value: str, before: str, behind: str
) -> None:
    written = encode(value)
    shown = mask_values(f"{before} {written} {behind}", {value: "$KEY"})
    assert "$KEY" in shown
    assert written not in shown
    assert value not in shown.replace("$KEY", "").removeprefix(before).removesuffix(behind)


@pytest.mark.requirement("mask.encodings")
@given(VALUES, st.integers(min_value=0, max_value=120), st.sampled_from(ENCODINGS))
@settings(max_examples=200, deadline=None)
def test_values_are_masked_before_truncation(value: str, at: int, encode: Callable[[str], str]) -> None:
    assume("." not in value and "$" not in value)
    text = "." * at + "".join(encode(value) + "." for _ in range(20))
    shown = mask_beginning(text, {value: "$K"}, 100)
    assert shown == mask_values(text, {value: "$K"})[:100]
    assert encode is not str or value[:4] not in shown


@pytest.mark.requirement("mask.encodings")
@given(st.text(max_size=200))
def test_text_without_values_is_unchanged(text: str) -> None:
    assert mask_values(text, {"never in there, not even by chance": MASK}) == text
    assert mask_values(text, {"abc": MASK, "": MASK}) == text
    assert mask_beginning(text, {}, 50) == text[:50]


def test_values_are_replaced_by_their_names() -> None:
    values = {"s3cret/key+1": "$KEY", "s3cret": "$SHORT"}
    url = f"http://h/s3cret%2Fkey%2B1?k={encoded('s3cret/key+1')}&s=s3cret"
    assert mask_values(url, values) == "http://h/$KEY?k=$KEY&s=$SHORT"


@pytest.mark.long
@pytest.mark.requirement("mask.time")
@pytest.mark.parametrize(
    "text",
    ["%41" * 60_000, "\\\\" * 90_000, "QUFB\n" * 36_000, "hunter" * 30_000]
    + [blank * 60_000 for blank in (" ", "\r", " \t", "\n ", "\u2028")],
)
def test_masking_is_linear(text: str) -> None:
    def seconds(part: str) -> float:
        began = time.process_time()
        mask_values(part, {SECRET: MASK})
        return time.process_time() - began

    # Other programs take caches away: the shortest of several times, taken in turns, says most of the work.
    times = [(seconds(text), seconds(text[: len(text) // 8])) for _ in range(4)]
    whole, eighth = map(min, zip(*times, strict=True))
    assert whole < 24 * eighth + 0.02


@pytest.mark.requirement("mask.time")
def test_lines_without_a_value_cost_little_memory() -> None:
    text = "y\n" * 50_000
    tracemalloc.start()
    try:
        assert mask_values(text, {SECRET: MASK}) == text
        assert tracemalloc.get_traced_memory()[1] < 10 * len(text)
    finally:
        tracemalloc.stop()


@pytest.mark.requirement("mask.time")
@pytest.mark.parametrize("text", ["%41" * 30_000, "\\x41" * 20_000, "&amp;" * 20_000, "QUFB\n" * 20_000])
def test_many_values_are_masked_together(text: str) -> None:
    def seconds(count: int) -> float:
        values = {f"{SECRET}{number}": MASK for number in range(count)}
        mask_values(text, values)
        began = time.process_time()
        mask_values(text, values)
        return time.process_time() - began

    assert seconds(20) < 10 * seconds(1) + 0.1


@pytest.mark.requirement("mask.command")
@given(WORDS, NAMES | BARE, SIGNS, QUOTES, SECRETS)
@settings(max_examples=1000)
def test_mistyped_assignment_hides_its_value(
    word: str, name: str, sign: str, quote_mark: str, secret: str
) -> None:
    text = f"{word} {name}{sign}{quote_mark}{secret}{quote_mark}"
    assume(word != "/" or "$" in name)
    for shown in (masked_unknown(text), label(masked_unknown(text)), masked_setting(text)):
        assert "hunter" not in shown
    assert not may_be_kept(text, "") or word == "/"
    if "$" in name:
        glued = f"{word.strip()}{name}{sign}{quote_mark}{secret}"
        assert "hunter" not in masked_unknown(glued)
        assert "hunter" not in masked_unknown(text.lstrip("/"))


@pytest.mark.requirement("mask.command")
@given(
    CALLS, st.sampled_from(["--pw hunter2-x", "--pw=hunter2-x", "hunter2-x", "'hunter2-x", "-p hunter2-x"])
)
def test_mistyped_call_hides_its_values(call: str, values: str) -> None:
    assert SECRET not in masked_unknown(f"{call} {values}")


@pytest.mark.requirement("mask.command")
@pytest.mark.parametrize("flag", ["--pw hunter2-x", "--pw=hunter2-x", "-p hunter2-x", "a --pw: hunter2-x b"])
def test_unknown_command_hides_flag_values(flag: str) -> None:
    shown = masked_unknown(f"/login {flag}")
    assert SECRET not in shown
    assert shown.startswith("/login ")
    assert MASK in shown


@pytest.mark.requirement("mask.command")
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('/set $KEY = "sk-1"', '/set $KEY = "********"'),
        ("/set $KEY = sk-1 unquoted", '/set $KEY = "********"'),
        ("/set KEY=sk-1", '/set KEY="********"'),
        ("/set sk-1", "/set ********"),
        ("/set sk-1 = $KEY", "/set ********"),
        ('/set {x} = "1" $KEY = "sk-1"', '/set {x} = "1" $KEY = "********"'),
        ('/set {x} = "1"\n$KEY = "sk-1"', '/set {x} = "1"'),
        ('/set {x} = "$KEY = 5"', '/set {x} = "$KEY = 5"'),
        ("/set {x} = v", "/set {x} = v"),
        ('/set {x} = "two', '/set {x} = "two'),
        ("/set ```$KEY", "/set ```$KEY"),
        ("/set --help", "/set --help"),
        ("/set", "/set"),
    ],
)
def test_set_shows_only_what_cannot_be_secret(text: str, shown: str) -> None:
    assert masked_setting(text) == shown


@pytest.mark.parametrize(
    "text", ["/opne notes.md", "hello", "/exce echo $HOME", "/login", "/", "", "/finde a b"]
)
def test_other_unknown_commands_are_shown(text: str) -> None:
    assert masked_unknown(text) == text


@pytest.mark.parametrize(
    "text",
    ["echo $KEY = 5", "set $KEY", "/bin/cat x", "KEY=1 make", "[ $a = b ]", "$CMD = 1".replace(" = ", "=")],
)
def test_shell_text_is_shown(text: str) -> None:
    assert masked_in_shell(text) == text


@pytest.mark.requirement("mask.command")
@pytest.mark.parametrize(
    "text", ["/set $KEY = 'hunter2-x'", "/act.login --pw hunter2-x", '$KEY = "hunter2-x"']
)
def test_mistyped_command_in_a_shell_is_masked(text: str) -> None:
    assert SECRET not in masked_in_shell(text)


@pytest.mark.requirement("mask.url")
@pytest.mark.parametrize(
    "text",
    [
        "/open http://me:hunter2-x@127.0.0.1:4599/",
        "ftp://me:hunter2-x@host",
        "HTTP://ME:hunter2-x@HOST",
        "git+ssh://me:hunter2-x@host/r.git",
        "jdbc:postgresql://u:hunter2-x@host/db",
        "http:/me:hunter2-x@host",
        "http:me:hunter2-x@host",
        r"http:\\me:hunter2-x@host",
        r'{"url":"http:\/\/me:hunter2-x@host\/"}',
        r'{"url":"ftp:\\/\\/me:hunter2-x@host\\/"}',
        r"see http:\\x http:\\me:hunter2-x@host",
        r"http://me:http:\hunter2-x@host",
        "/open //me:hunter2-x@host/",
        "url=//me:hunter2-x@host",
        "see <http://me:hunter2-x@host>, please",
        "[a](http://me:hunter2-x@host)",
        "curl -s https://me:hunter2-x@host/?x=y|jq",
        'psql "postgres://u:hunter2-x@host/db" -c "select 1"',
        "http://:hunter2-x@host/",
        "http://me@corp.example:hunter2-x@host/",
        "http://me:p@hunter2-x@host/",
        "http://me:hunter2-x@p@host/",
        "http://me:hunter2-x:p@host/",
        "http://me:hunter2-x@[::1]:80/@x",
        "http://me:80hunter2-x@host",
        'http://me:80"hunter2-x@host',
        "http://me:a/hunter2-x@host/",
        "http://me:hunter2-x/a?b#c@host/",
        "http://me:hunter2-x%2F@host",
        "http://'me:hunter2-x'@host",
        "http://me:'a hunter2-x'@host",
        "curl 'http://me:a hunter2-x@host/'",
        r"http://me:a\ hunter2-x@host",
        f"http://a:1/@b {'x' * 5000} http://me:{'p' * 5000}hunter2-x@host",
        *(quote("http://me:hunter2-x@host/", safe=safe) for safe in ("", "/", "/:", "@:")),
        f"/open http://host/?to={quote(quote('http://me:hunter2-x%2F@host/', safe=''))}&a=b",
    ],
)
def test_password_of_a_url_is_masked(text: str) -> None:
    shown = without_url_passwords(text)
    assert SECRET not in shown
    assert MASK in shown
    assert without_url_passwords(shown) == shown
    assert not may_be_kept(text, text)
    assert SECRET not in masked_in_shell(text)


@pytest.mark.requirement("mask.url")
@pytest.mark.parametrize(
    "text",
    [
        "mailto:a@b.example",
        "http://host:80/@x",
        "http://host:80?a=b@c",
        "http://host:80, a@b.example",
        "http://$HOST:$PORT/users/me@x",
        "http://host:${PORT}/users/me@x",
        "http://host:{port}/users/me@x",
        "http://host/a:b@c",
        "http://host/#a:b@c",
        "http://me@host:80/@x",
        "http://me:@host/",
        "http://[::1]:80/@x",
        "http://[::1]/@x",
        "http://[fe80::1%25eth0]:80/x@y",
        "http://[fe80::1%eth-0]/x@y",
        r'{"a":"C:\\x","m":"me@h.de"}',
        '{"a":"http://x","m":"me@h.de"}',
        '["http://x","me:y@h.de"]',
        r'{"a":"C:\\x:y","m":"me@h.de"}',
        "file:notes@2",
        "file:///C:/x@y",
        "/open app:acme@1.0",
        "//open app:acme@1.0",
        "/tmp//app:acme@1.0",
        "npx @scope/pkg@1.0",
        "pkg:npm/%40scope/pkg@1.0",
        "git@github.com:org/repo",
        "ssh://git@github.com:22/org/repo",
        "at 12:30@home",
        "100 %: a@b",
        '{"url":"http://host:80","mail":"a@b"}',
        '"http://host:80 or a@b"',
        "read http://host: write to a@b",
        quote("http://host:80/@x", safe=""),
        quote("http://host/a:b@c", safe=""),
    ],
)
def test_what_is_no_password_in_a_url_stays(text: str) -> None:
    assert without_url_passwords(text) == text
    assert may_be_kept(text, text)


@pytest.mark.requirement("mask.url")
@given(SECRETS, st.sampled_from(["http", "ftp", "postgres"]), st.sampled_from(["", "me", "me@corp"]))
def test_any_encoded_password_of_a_url_is_masked(secret: str, scheme: str, user: str) -> None:
    url = f"{scheme}://{user}:{quote(secret, safe='')}@host/a?b=c"
    masked = f"{scheme}://{user}:{MASK}@host/a?b=c"
    assert without_url_passwords(f"before {url} behind") == f"before {masked} behind"


@pytest.mark.requirement("mask.url")
@pytest.mark.parametrize(
    "text", [f"a:{it}@h" for it in ("$(id)", ";id;", "`id`", "'>x'", "${IFS}", "|id", "*", "~", f"{MASK}*")]
)
def test_text_that_may_run_hides_nothing_that_a_shell_does(text: str) -> None:
    assert without_url_passwords(f"curl http://{text}", may_run=True) == f"curl http://{text}"
    plain = without_url_passwords(f"curl http://a:p%20w-1@h http://{text}", may_run=True)
    assert plain == f"curl http://a:{MASK}@h http://{text}"
    assert without_url_passwords(plain, may_run=True) == plain


@pytest.mark.requirement("mask.url", "mask.time")
@pytest.mark.parametrize("lead", ["@:", "http%3A%2F%2Fa%3A", '"x://a:'])
def test_looking_for_urls_is_linear(lead: str) -> None:
    def seconds(part: str, length: int) -> float:
        text = lead + part * (length // len(part))
        began = time.process_time()
        without_url_passwords(text)
        return time.process_time() - began

    parts = {"".join(it) for count in (1, 2, 3) for it in product(URL_TOKENS, repeat=count)}
    # What takes quadratic time takes far more of it than the other parts, even in a short text.
    for part in nlargest(2, sorted(parts), key=lambda it: seconds(it, 4_000)):
        assert seconds(part, 1_000_000) < 24 * seconds(part, 125_000) + 0.02, part


@pytest.mark.requirement("mask.url", "mask.time")
def test_lines_without_a_url_cost_little_time() -> None:
    def seconds(text: str) -> float:
        began = time.process_time()
        without_url_passwords(text)
        return time.process_time() - began

    few, many = "@\n" + "a: b\n" * 50_000 + "@", "a: @\n" * 50_000
    times = [(seconds(few), seconds(many)) for _ in range(4)]
    of_few, of_many = map(min, zip(*times, strict=True))
    assert of_few < of_many / 3


@pytest.mark.requirement("mask.url")
@given(
    st.lists(
        st.sampled_from(
            [
                "a: b",
                "http://me:hunter2-x@host",
                '"x://me:a hunter2-x@h"',
                "@",
                "http%3A%2F%2Fa%3Ap%40h",
                "x" * 4000,
            ]
        ),
        max_size=12,
    )
)
def test_each_line_is_masked_by_itself(lines: list[str]) -> None:
    masked = "\n".join(map(without_url_passwords, lines))
    assert without_url_passwords("\n".join(lines)) == masked
    assert "hunter" not in masked


@pytest.mark.requirement("mask.label")
def test_truncated_label_keeps_the_mask() -> None:
    shown = label(f"/act.f --note '{'x' * 100}' --pw {MASK}")
    assert len(shown) == 80
    assert shown.endswith(f"...{MASK}")


def test_history_keeps_only_unmasked_lines() -> None:
    assert may_be_kept("/open a.md", "/open a.md")
    assert may_be_kept(f"/act.f {MASK}", f"/act.f {MASK}")
    assert not may_be_kept("/act.f --pw x", f"/act.f --pw {MASK}")
    assert not may_be_kept(f"/act.f {MASK} --pw x", f"/act.f {MASK} --pw {MASK}")


def test_values_are_masked_in_bytes_literals() -> None:
    assert ast.literal_eval(ascii("é".encode())) == "é".encode()
    assert mask_values(ascii("geheimé".encode()), {"geheimé": "$K"}) == "b'$K'"


SPLIT_ENCODINGS: list[Callable[[str], str]] = [
    str,
    quote,
    lambda it: it.encode().hex(),
    lambda it: base64.b64encode(it.encode()).decode(),
]


@pytest.mark.parametrize("encode", SPLIT_ENCODINGS)
def test_a_value_in_pieces_never_shows_a_part_of_it(encode: Callable[[str], str]) -> None:
    text = f"before {encode(SPLIT)} after"
    for cut in range(len(text)):
        first, rest = mask_piece(text[:cut], {SPLIT: "$KEY"})
        second, end = mask_piece(rest + text[cut:], {SPLIT: "$KEY"})
        assert "$KEY" in first + second
        assert "".join(mask_piece(text, {SPLIT: "$KEY"})) == first + second + end


def test_an_end_that_begins_no_value_is_not_withheld() -> None:
    assert mask_piece("Password: ", {SPLIT: "$KEY"}) == ("Password: ", "")
    assert mask_piece("Password: s3", {SPLIT: "$KEY"}) == ("Password: ", "s3")


def test_a_value_that_begins_another_one_waits_for_what_follows() -> None:
    values = {"abcd": "$A", "abcdabcd": "$B"}
    assert mask_piece("x abcd", values) == ("x ", "abcd")
    assert mask_piece("x abcdab", {"abcdab": "$A", "abcd": "$B"}) == ("x $A", "")


def test_what_was_cut_off_shows_no_part_of_a_value() -> None:
    values = {SPLIT: "$KEY"}
    filler = "x" * 2000
    assert mask_head(f"{filler}{SPLIT}{filler}{SPLIT[:-1]}", values).startswith(f"{filler}$KEY")
    assert SPLIT[:4] not in mask_head(f"{filler}{SPLIT}{filler}{SPLIT[:-1]}", values)
    assert SPLIT[-4:] not in mask_tail(f"{SPLIT[1:]}{filler}", values)


def test_the_end_of_a_very_long_text_is_searched_quickly() -> None:
    text = "a line of a text\n" * 600_000 + "http://me:hunter2@127.0.0.1/\n"
    started = time.process_time()
    assert without_url_passwords(text).endswith(f"http://me:{MASK}@127.0.0.1/\n")
    assert time.process_time() - started < 1


def test_a_value_is_found_though_the_password_in_it_was_masked_before() -> None:
    hook = "https://user:word@host/hook?token=tok123456"
    text = without_url_passwords(f"curl {hook}, and {hook}")
    assert "word" not in text
    assert mask_values(text, {hook: "$HOOK"}) == "curl $HOOK, and $HOOK"
    assert mask_values(f"curl {hook}", {hook: "$HOOK"}) == "curl $HOOK"
