"""How parameters are written, by the tables of the specification of OpenAPI."""

from __future__ import annotations

from typing import Any

import pytest

from stringd_openapi.call_requests.styles import cookie_pairs, header_text, path_text, query_pairs
from stringd_openapi.model.operations import Parameter

pytestmark = pytest.mark.requirement("openapi.styles")

COLOUR, COLOURS = "blue", ["blue", "black", "brown"]
MIXED = {"R": 100, "G": 200, "B": 150}


def styled(location: str, style: str, *, explode: bool, **more: Any) -> Parameter:
    return Parameter(
        flag="color",
        name="color",
        location=location,
        required=True,
        style=style,
        explode=explode,
        schema=True,
        **more,
    )


@pytest.mark.parametrize(
    ("style", "explode", "value", "expected"),
    [
        ("simple", False, COLOUR, "blue"),
        ("simple", False, COLOURS, "blue,black,brown"),
        ("simple", False, MIXED, "R,100,G,200,B,150"),
        ("simple", True, MIXED, "R=100,G=200,B=150"),
        ("label", False, COLOUR, ".blue"),
        ("label", False, COLOURS, ".blue,black,brown"),
        ("label", True, COLOURS, ".blue.black.brown"),
        ("label", False, MIXED, ".R,100,G,200,B,150"),
        ("label", True, MIXED, ".R=100.G=200.B=150"),
        ("matrix", False, COLOUR, ";color=blue"),
        ("matrix", False, COLOURS, ";color=blue,black,brown"),
        ("matrix", True, COLOURS, ";color=blue;color=black;color=brown"),
        ("matrix", False, MIXED, ";color=R,100,G,200,B,150"),
        ("matrix", True, MIXED, ";R=100;G=200;B=150"),
        ("simple", False, "a/b?c#d e", "a%2Fb%3Fc%23d%20e"),
        ("simple", False, True, "true"),
        ("simple", False, 1.5, "1.5"),
    ],
)
def test_a_path_has_its_parameters_in_their_style(
    style: str, explode: bool, value: Any, expected: str
) -> None:
    assert path_text(styled("path", style, explode=explode), value) == expected


@pytest.mark.parametrize(
    ("style", "explode", "value", "expected"),
    [
        ("form", True, COLOUR, "color=blue"),
        ("form", False, COLOURS, "color=blue,black,brown"),
        ("form", True, COLOURS, "color=blue&color=black&color=brown"),
        ("form", False, MIXED, "color=R,100,G,200,B,150"),
        ("form", True, MIXED, "R=100&G=200&B=150"),
        ("spaceDelimited", False, COLOURS, "color=blue%20black%20brown"),
        ("pipeDelimited", False, COLOURS, "color=blue%7Cblack%7Cbrown"),
        ("pipeDelimited", True, COLOURS, "color=blue&color=black&color=brown"),
        ("deepObject", True, MIXED, "color[R]=100&color[G]=200&color[B]=150"),
        ("deepObject", True, {"a": {"b": 1}, "c": [1, 2]}, "color[a][b]=1&color[c][]=1&color[c][]=2"),
        ("deepObject", True, [{"a": 1}, {"a": 2}], "color[0][a]=1&color[1][a]=2"),
        ("form", True, "a&b=c", "color=a%26b%3Dc"),
        ("form", True, [], ""),
    ],
)
def test_a_query_has_its_parameters_in_their_style(
    style: str, explode: bool, value: Any, expected: str
) -> None:
    assert "&".join(query_pairs(styled("query", style, explode=explode), value)) == expected


def test_reserved_characters_stay_where_they_are_allowed() -> None:
    parameter = styled("query", "form", explode=True, keeps_reserved=True)
    assert list(query_pairs(parameter, "https://a.b/c?d=e&f#g")) == ["color=https://a.b/c?d=e%26f%23g"]


def test_a_parameter_with_a_media_type_is_json() -> None:
    parameter = styled("query", "form", explode=True, media_type="application/json")
    assert list(query_pairs(parameter, {"a": [1]})) == ["color=%7B%22a%22%3A%5B1%5D%7D"]


@pytest.mark.parametrize(
    ("explode", "value", "expected"),
    [
        (False, COLOURS, "blue,black,brown"),
        (False, MIXED, "R,100,G,200,B,150"),
        (True, MIXED, "R=100,G=200,B=150"),
    ],
)
def test_headers_are_simple(explode: bool, value: Any, expected: str) -> None:
    assert header_text(styled("header", "simple", explode=explode), value) == expected


def test_cookies_are_pairs() -> None:
    assert list(cookie_pairs(styled("cookie", "form", explode=False), COLOURS)) == ["color=blue,black,brown"]
    assert list(cookie_pairs(styled("cookie", "form", explode=True), "a; b")) == ["color=a%3B%20b"]
