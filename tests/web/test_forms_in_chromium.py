"""Submitted form data equals that of a real browser with the same input."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.actions.acting import Stage
from tests.web.server import Received, Site

CHROMIUM = shutil.which("chromium")
SECONDS = 60.0
SCRIPT = """
const fills = [%s];
fills.forEach((fill, number) => {
  const f = document.getElementById(`f${number}`), frame = document.createElement('iframe');
  frame.name = f.target = `frame${number}`;
  document.body.append(frame);
  const button = fill(f);
  button ? button.click() : f.requestSubmit();
});
"""

pytestmark = [
    pytest.mark.skipif(
        CHROMIUM is None and "CI" not in os.environ,
        reason="there is no Chromium; on Debian: apt install chromium",
    ),
    pytest.mark.timeout(120),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A form with `ID` and `TO` in it, how a browser fills it in JavaScript, and how an agent does."""

    html: str
    script: str = "f => f.querySelector('button, [type=submit], [type=image]')"
    typed: str = ""


TEXTS = (
    "<input name=a value='ä & €'><input type=search name=b value=' x '><textarea name=c>\n\n1\n2</textarea>"
)
CHECKED = "<input type=checkbox name=a checked><input type=checkbox name=a value=2><input name=t>"
GROUPS = (
    f"{CHECKED}<input type=checkbox name=a value=3 checked>"
    "<input type=radio name=r checked><input type=radio name=r value=2>"
)
LISTS = (
    "<select name=a><option>x  y<option value=2>z</select>"
    "<select name=b multiple><option>1<option selected>2</select>"
    "<select name=c><optgroup disabled label=g><option>1</optgroup><option>2</select>"
    "<select name=d><option disabled selected value=''>Choose<option>1</select>"
    "<select name=e size=3><option>1<option>2</select>"
    "<select name=g><option selected>1<option selected>2</select>"
)
KINDS = (
    "<input type=number name=a value=x><input type=range name=b min=10 max=20><input type=color name=c>"
    "<input type=date name=d value=2024-2-1><input type=date name=e value=2024-02-01>"
    "<input type=email name=g value=' a@b '>"
    "<input type=range name=h><input type=url name=i>"
    "<input type=tel name=j value=1>"
    "<input type=unknown name=k><input type=password name=l value='p w'>"
    "<input type=time name=m value=10:30><input type=month name=n>"
)
OFF = (
    "<input name=a disabled><fieldset disabled><legend><input name=b></legend><input name=c>"
    "<fieldset><input name=d></fieldset></fieldset><input value=x><input type=button name=e value=1>"
    "<input type=reset name=g value=1><datalist><option>1</datalist><input name=h readonly value=1>"
)
BUTTONS = "<input name=a><button name=b value=1>x</button><input type=submit name=c><input type=image name=d>"
POST = "method=post id=ID action=TO"
CASES = (
    Case(html=f"<form {POST}>{TEXTS}</form>"),
    Case(html=f"<form id=ID action='TO?a=1'>{TEXTS}</form>"),
    Case(html=f"<form {POST} enctype=multipart/form-data>{TEXTS}<input name='q\"\n\\'></form>"),
    Case(html=f"<form {POST} enctype=text/plain>{TEXTS}</form>"),
    Case(html=f"<form {POST} accept-charset=windows-1252>{TEXTS}<input type=hidden name=_charset_></form>"),
    Case(html=f"<form {POST}>{GROUPS}</form>"),
    Case(
        html=f"<form {POST}>{GROUPS}</form>",
        script="f => { f.a[1].checked = f.r[1].checked = true; f.a[0].checked = false; f.t.value = '~*-!'; }",
        typed="--a 3,2 --r 2 --t '~*-!'",
    ),
    Case(html=f"<form {POST}>{LISTS}</form>"),
    Case(
        html=f"<form {POST}>{LISTS}</form>",
        script="f => { f.a.value = '2'; f.b[0].selected = true; f.e.value = '1'; f.d.value = '1'; }",
        typed="--a 2 --b 1,2 --e 1 --d 1",
    ),
    Case(html=f"<form {POST}>{KINDS}</form>"),
    Case(html=f"<form {POST}>{OFF}</form>"),
    Case(html=f"<form {POST}>{BUTTONS}</form>"),
    Case(html=f"<form {POST}>{BUTTONS}</form>", script="f => f.c", typed="--c"),
    Case(html=f"<form {POST}>{BUTTONS}</form>", script="f => f.querySelector('[type=image]')", typed="--d"),
    Case(html=f"<form {POST}><input name=a><button formmethod=get name=b>x</button></form>"),
    Case(html="<form id=ID method=nonsense action='TO#x'><input name=a></form>"),
    Case(
        html=f"<table><form {POST}><tr><td><input name=a></td></tr><input type=hidden name=b></form></table>"
    ),
    Case(html=f"<div><form {POST}></div><input name=a></form>"),
    Case(html=f"<form {POST}><input name=a><form action=/no><input name=b></form></form><input name=c>"),
    Case(
        html=f"<input name=a form=ID><form {POST}><input name=b form=x></form><input type=image form=ID>",
        script="f => document.querySelector('[form=' + f.id + '][type=image]')",
    ),
    Case(html=f"<form {POST}><template><input name=a></template><input name=b dirname=b.dir></form>"),
    Case(html=f"<form {POST}><input name='ä[]' value=1><input name='' value=2><input name=isindex></form>"),
)


@pytest.mark.long
@pytest.mark.requirement("web.form.browser")
def test_chromium_sends_the_same(stage: Stage, site: Site, tmp_path: Path) -> None:
    for number in range(len(CASES)):
        site.page(f"/to{number}", "Done")
    forms = [
        it.html.replace("ID", f"f{number}").replace("TO", f"/to{number}") for number, it in enumerate(CASES)
    ]
    page = "<!doctype html><meta charset=utf-8>" + "".join(f"<section>{it}</section>" for it in forms)
    site.page("/", page)
    site.page("/browser", f"{page}<script>{SCRIPT % ','.join(it.script for it in CASES)}</script>")
    browse(f"{site.url}/browser", tmp_path)
    theirs = sent(site)
    site.received.clear()
    for number, it in enumerate(CASES):
        stage.send(f"/open {site.url}/")
        answered = stage.send(f"/act.f{number} {it.typed}".rstrip())
        assert answered.startswith("Opened "), (it, answered)
    ours = sent(site)
    assert len(theirs) == len(CASES)
    for number, form in enumerate(forms):
        assert ours[f"/to{number}"] == theirs[f"/to{number}"], form


def browse(url: str, folder: Path) -> None:
    options = ("--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}", "--dump-dom")
    command = [str(CHROMIUM), *options, "--timeout=20000", "--virtual-time-budget=10000", url]
    subprocess.run(command, check=True, capture_output=True, timeout=SECONDS)


def sent(site: Site) -> dict[str, tuple[str, str, str | None, bytes]]:
    """What was sent to each place, with one boundary for all."""
    return {it.path: normal(it) for it in site.received if it.path.startswith("/to")}


def normal(received: Received) -> tuple[str, str, str | None, bytes]:
    kind, body = received.headers["content-type"], received.body
    boundary = re.search("boundary=(.*)", kind or "")
    if boundary:
        kind, body = kind.replace(boundary[1], "-"), body.replace(boundary[1].encode(), b"-")
    return received.method, received.target, kind, body
