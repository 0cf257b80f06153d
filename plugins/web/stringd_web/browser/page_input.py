"""What is clicked and typed in a page of the browser."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from stringd.plugin import ErrorCode, Refusal
from stringd_web.browser.tab import Tab

_LIST = "/click without a name lists what can be clicked."
_PROBLEMS = {
    "gone": "is not on the page.",
    "hidden": "is not visible.",
    "disabled": "is disabled.",
    "no field": "is no field that takes text.",
    "value": "does not take this value.",
}
_ENTER = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13}
_BACKSPACE = {"key": "Backspace", "code": "Backspace", "windowsVirtualKeyCode": 8}


async def click_element(tab: Tab, shown: str, number: int) -> None:
    """Click an element by its number, or refuse."""
    await _click(tab, _checked(await tab.evaluate(f"stringd.locate({number})"), shown))


async def click_link(tab: Tab, shown: str, uri: str) -> None:
    """Click the link to a URI, or refuse."""
    await _click(tab, _checked(await tab.evaluate(f"stringd.locateLink({json.dumps(uri)})"), shown))


async def type_text(tab: Tab, shown: str, number: int, text: str, *, enter: bool) -> None:
    """Replace what a field holds by a text, or make a choice; press Enter if wanted."""
    found = _checked(await tab.evaluate(f"stringd.fill({number}, {json.dumps(text)})"), shown)
    if not found["done"]:
        if text:
            await tab.call("Input.insertText", text=text)
        else:
            await _press(tab, _BACKSPACE)
        await tab.evaluate(f"stringd.filled({number})")
    if enter:
        await _press(tab, {**_ENTER, "text": "\r"})


async def _click(tab: Tab, place: Mapping[str, Any]) -> None:
    at = {"x": place["x"], "y": place["y"]}
    await tab.call("Input.dispatchMouseEvent", type="mouseMoved", **at)
    for kind in ("mousePressed", "mouseReleased"):
        await tab.call("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **at)


async def _press(tab: Tab, key: Mapping[str, object]) -> None:
    await tab.call("Input.dispatchKeyEvent", **{"type": "keyDown", **key})
    await tab.call("Input.dispatchKeyEvent", **{"type": "keyUp", **key})


def _checked(found: Mapping[str, Any], shown: str) -> Mapping[str, Any]:
    """Return what was found of an element, or refuse with the problem."""
    problem = found.get("problem")
    if problem is None:
        return found
    if problem == "choice":
        options = ", ".join(found["options"])
        raise Refusal(ErrorCode.INVALID_PARAMS, f"{shown} has no such option.", f"options: {options}")
    if problem == "covered":
        above = f": {found['by']}" if found["by"] else "."
        raise Refusal(ErrorCode.INVALID_TARGET, f"{shown} is covered by something else{above}", _LIST)
    code = ErrorCode.NOT_FOUND if problem == "gone" else ErrorCode.INVALID_TARGET
    raise Refusal(code, f"{shown} {_PROBLEMS[problem]}", _LIST)
