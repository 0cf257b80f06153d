"""Forms filled and submitted by a running daemon to a recording web server."""

from __future__ import annotations

from collections.abc import Callable
from email import message_from_bytes
from email.policy import HTTP

import pytest

from tests.actions.acting import Stage, act
from tests.web.server import Received, Site, answer, redirect

SEARCH = "<form id=search action=/find><label>Words <input name=q required></label></form>"


@pytest.fixture
def fill(stage: Stage, site: Site) -> Callable[[str, str], Received]:
    """Opens a page of a form and calls it as `/act.f`; returns what the server got."""

    def fill(form: str, typed: str) -> Received:
        site.page("/", form)
        site.page("/to", "<p>Thanks</p>")
        stage.send(f"/open {site.url}/")
        answered = stage.send(f"/act.f {typed}".rstrip())
        assert answered.startswith(f"Opened {site.url}/to"), answered
        return site.last

    return fill


def form(*fields: str, method: str = "post", more: str = "") -> str:
    return f"<form id=f method={method} action=/to {more}>{''.join(fields)}</form>"


@pytest.mark.requirement("web.form.action")
def test_search_form_opens_the_result(stage: Stage, site: Site) -> None:
    site.page("/", f"<title>Start</title>{SEARCH}")
    site.page("/find", "<title>Found</title><p>Two cats.</p>")
    opened = stage.send(f"/open {site.url}/")
    assert "[actions] /act.search --q <string>\n" in opened
    found = stage.send('/act.search "black cats & dögs"')
    assert found.startswith(f"Opened {site.url}/find?q=black+cats+%26+d%C3%B6gs\n---\n")
    assert "Two cats." in found
    assert site.paths == ["/", "/find?q=black+cats+%26+d%C3%B6gs"]
    assert stage.meta() == {"uri": site.url + site.paths[-1], "title": "Found", "current_block": None}
    assert stage.send("/back").startswith(f"Back to {site.url}/\n")


@pytest.mark.requirement("web.form.schema")
def test_missing_required_fields_show_the_schema(stage: Stage, site: Site) -> None:
    site.page("/", SEARCH)
    stage.send(f"/open {site.url}/")
    schema = "Action: search\n---\n/act.search --q <string>\n\n--q <string>  required  Words"
    assert stage.send("/act.search") == stage.send("/act.search cats --help") == schema
    assert stage.send("/act.search --q ''") == (
        "ERROR(INVALID_PARAMS): q: expected a string, received nothing\nUsage: /act.search --q <string>"
    )
    assert stage.send("/act.search --x 1") == (
        "ERROR(INVALID_PAYLOAD): Unknown flag: --x\ndeclared: --q <string>"
    )
    assert site.paths == ["/"]


@pytest.mark.requirement("web.form.schema")
def test_a_schema_lists_choices_labels_and_defaults(stage: Stage, site: Site) -> None:
    fields = (
        "<label>Kind <select name=kind><option value=1>Cats<option value=2 selected>Dogs</select></label>",
        "<fieldset><legend>Colours</legend>",
        "<label><input type=checkbox name='c[]' value=r checked> Red</label>",
        "<label><input type=checkbox name='c[]' value=g checked> Green</label></fieldset>",
        "<input type=checkbox name=new checked aria-label='Only new'>",
        "<input type=number name=n min=1 max=9 placeholder='How many'>",
        "<input type=password name=pin required maxlength=8 title=PIN>",
        "<textarea name=text>one\ntwo</textarea>",
        "<input type=file name=photo>",
        "<button name=do value=a>Go</button><button name=do value=b>Stay</button>",
    )
    site.page("/", form(*fields))
    stage.send(f"/open {site.url}/")
    calls, _, lines = stage.send("/act.f --help").removeprefix("Action: f\n---\n").partition("\n\n")
    assert calls == (
        "/act.f [--kind <string>] [--c <choices>] [--new <boolean>] [--n <number>] --pin <string>"
        " [--text <string>] [--do <string>]"
    )
    assert lines.splitlines() == [
        '--kind <string>  optional  1 (Cats)|2 (Dogs)  Kind  (default: "2")',
        '--c <choices>    optional  r (Red)|g (Green)  Colours  (default: "r,g")',
        '--new <boolean>  optional  Only new  (default: "true")',
        "--n <number>     optional  at least 1  at most 9  How many",
        "--pin <string>   required  secret  at most 8 characters  PIN",
        '--text <string>  optional  (default: "one", which goes on for 4 characters)',
        '--do <string>    optional  a (Go)|b (Stay)  The button to press  (default: "a")',
    ]


@pytest.mark.requirement("web.form.params")
@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("--n ten", "n: expected a number of at least 1 and at most 9, received 'ten'"),
        ("--n 10", "n: expected a number of at least 1 and at most 9, received '10'"),
        ("--kind 3", "kind: expected one of 1, 2, received '3'"),
        ("--c r,blue", "c: expected any of r, g, received 'r,blue'"),
        ("--new=perhaps", "new: expected true or false, received 'perhaps'"),
        ("--text", "text: expected a string of at most 5 characters, received a flag without a value"),
        ("--text longer", "text: expected a string of at most 5 characters, received 'longer'"),
        ("--go --stay", "--go and --stay: expected one of them, received 2"),
        ("--pin 12345", "pin: expected a string of at most 4 characters, received 5 characters"),
    ],
)
def test_invalid_values_are_not_sent(typed: str, said: str, stage: Stage, site: Site) -> None:
    site.page(
        "/",
        form(
            "<select name=kind><option>1<option>2</select><input type=number name=n min=1 max=9>",
            "<input type=checkbox name=c value=r><input type=checkbox name=c value=g>",
            "<input type=checkbox name=new><input name=text maxlength=5>",
            "<input type=password name=pin maxlength=4>",
            "<button name=go>Go</button><button name=stay>Stay</button>",
        ),
    )
    stage.send(f"/open {site.url}/")
    assert stage.send(f"/act.f {typed}").splitlines()[0] == f"ERROR(INVALID_PARAMS): {said}"
    assert site.paths == ["/"]


@pytest.mark.requirement("web.form.sent")
@pytest.mark.parametrize(
    ("fields", "typed", "sent"),
    [
        ("<input name=a value=1><input type=hidden name=t value='x y'>", "", "a=1&t=x+y"),
        ("<input name=a value=1><input name=a value=2>", "--a-2 3", "a=1&a=3"),
        (
            "<input name=a><input name=b disabled><input><fieldset disabled><input name=c></fieldset>",
            "",
            "a=",
        ),
        ("<input type=checkbox name=a><input type=checkbox name=b value=2 checked>", "", "b=2"),
        ("<input type=checkbox name=a><input type=checkbox name=b value=2 checked>", "--a --b=false", "a=on"),
        ("<input type=hidden name=a value=0><input type=checkbox name=a value=1>", "--a", "a=0&a=1"),
        ("<input type=radio name=r value=1><input type=radio name=r value=2 checked>", "", "r=2"),
        (
            "<input type=radio name=r value=1><input name=x><input type=radio name=r value=2>",
            "--r 2",
            "x=&r=2",
        ),
        ("<input type=radio name=r value=1><input name=x>", "", "x="),
        ("<select name=s><option value=1>a<option>b  c</select>", "", "s=1"),
        ("<select name=s><option value=1>a<option>b  c</select>", "'b c'", "s=b+c"),
        ("<select name=s multiple><option>1<option selected>2<option>3</select>", "", "s=2"),
        ("<select name=s multiple><option>1<option selected>2<option>3</select>", "3,1", "s=1&s=3"),
        ("<select name=s multiple><option>1<option selected>2<option>3</select>", "--s 3 --s 1", "s=1&s=3"),
        ("<select name=s multiple><option>1<option selected>2<option>3</select>", "--s ''", ""),
        ("<select name=s><option value='' disabled selected>Choose<option>1</select>", "", ""),
        ("<textarea name=t>\n\na\nb</textarea>", "", "t=%0D%0Aa%0D%0Ab"),
        ("<textarea name=t></textarea>", '"a\nb"', "t=a%0D%0Ab"),
        ("<input name=a><button name=b value=1>x</button><button name=b value=2>y</button>", "", "a=&b=1"),
        (
            "<input name=a><button name=b value=1>x</button><button name=b value=2>y</button>",
            "--b 2",
            "a=&b=2",
        ),
        ("<button name=a>x</button><button name=b value=2>y</button><input name=c>", "--b", "b=2&c="),
        ("<button name=a>x</button><button>Just send</button>", "--just-send", ""),
        ("<input type=image name=i><input name=a>", "", "i.x=0&i.y=0&a="),
        ("<input type=submit><input type=submit name=s>", "--s", "s=Submit"),
        (
            "<input type=range name=r max=10><input type=number name=n><input type=color name=c>",
            "",
            "r=5&n=&c=%23000000",
        ),
        ("<input type=number name=n>", "-1.50", "n=-1.50"),
        ("<input name=a value=1 readonly><input name=d dirname=d.dir>", "", "a=1&d=&d.dir=ltr"),
        (
            "<input name='ä b'><input name='user[name]'>",
            "--ä-b 1 --user-name ~*.-_",
            "%C3%A4+b=1&user%5Bname%5D=%7E*.-_",
        ),
        ("<input name=help><input name=confirm><input name=2fa>", "1 2 3", "help=1&confirm=2&2fa=3"),
        ("<input name=a value='{x} $HOME @y'>", "", "a=%7Bx%7D+%24HOME+%40y"),
        ("<input type=hidden name=_charset_ value=x>", "", "_charset_=UTF-8"),
        ("<input type=file name=f><input name=a>", "", "a="),
        ("", "", ""),
    ],
)
def test_post_body_matches_a_browser(
    fields: str, typed: str, sent: str, fill: Callable[[str, str], Received]
) -> None:
    received = fill(form(fields), typed)
    assert (received.method, received.target, received.body.decode()) == ("POST", "/to", sent)
    assert received.headers["content-type"] == "application/x-www-form-urlencoded"
    assert received.headers["content-length"] == str(len(sent))


@pytest.mark.requirement("web.form.sent")
def test_get_form_replaces_the_query(fill: Callable[[str, str], Received]) -> None:
    received = fill("<form id=f action='/to?a=1#there'><input name=b></form>", "c&d")
    assert (received.method, received.target, received.body) == ("GET", "/to?b=c%26d", b"")


@pytest.mark.requirement("web.form.sent")
def test_a_post_keeps_the_query_of_its_action(fill: Callable[[str, str], Received]) -> None:
    received = fill("<form id=f method=POST action='/to?a=1#there'><input name=b></form>", "c")
    assert (received.method, received.target, received.body) == ("POST", "/to?a=1", b"b=c")


@pytest.mark.requirement("web.form.encodings")
def test_multipart_form(fill: Callable[[str, str], Received]) -> None:
    fields = (
        "<input name='na\"me'><textarea name=text></textarea><input type=file name=f>",
        "<input name=e>",
    )
    received = fill(form(*fields, more="enctype=multipart/form-data"), 'Zoë "two\nlines"')
    head = f"Content-Type: {received.headers['content-type']}\r\n\r\n".encode()
    message = message_from_bytes(head + received.body, policy=HTTP)
    parts = [(it["content-disposition"], it.get_payload(decode=True)) for it in message.iter_parts()]
    assert parts == [
        ('form-data; name="na%22me"', "Zoë".encode()),
        ('form-data; name="text"', b"two\r\nlines"),
        ('form-data; name="e"', b""),
    ]


@pytest.mark.requirement("web.form.encodings")
def test_plain_text_form(fill: Callable[[str, str], Received]) -> None:
    received = fill(form("<input name=a><input name=b value=2>", more="enctype=text/plain"), "'x & y'")
    assert (received.headers["content-type"], received.body) == ("text/plain", b"a=x & y\r\nb=2\r\n")


@pytest.mark.requirement("web.form.encodings")
def test_accept_charset(fill: Callable[[str, str], Received]) -> None:
    fields = "<input name=a><input type=hidden name=_charset_>"
    received = fill(form(fields, more="accept-charset='nonsense ISO-8859-1'"), "ä€→")
    assert received.body == b"a=%E4%80%26%238594%3B&_charset_=windows-1252"


@pytest.mark.requirement("web.form.button")
def test_button_overrides_action_and_method(stage: Stage, site: Site) -> None:
    site.page(
        "/",
        form(
            "<input name=a value=1><button>Save</button>",
            "<button formaction=/gone formmethod=get name=sure value=yes>Delete</button>",
            "<button formenctype=text/plain>Mail</button>",
        ),
    )
    for path in ("/to", "/gone"):
        site.page(path, "<p>Done</p>")
    sent = []
    for typed in ("", "--sure", "--mail"):
        stage.send(f"/open {site.url}/")
        assert stage.send(f"/act.f {typed}".rstrip()).startswith("Opened ")
        sent.append((site.last.method, site.last.target, site.last.body))
    assert sent == [
        ("POST", "/to", b"a=1"),
        ("GET", "/gone?a=1&sure=yes", b""),
        ("POST", "/to", b"a=1\r\n"),
    ]


@pytest.mark.requirement("web.form.values")
def test_variables_and_shortcuts_fill_fields(stage: Stage, fill: Callable[[str, str], Received]) -> None:
    stage.send('/set {town} = "São Tomé"')
    assert fill(form("<input name=a><input name=b>"), "--a {town} --b \\{town}").body == (
        b"a=S%C3%A3o+Tom%C3%A9&b=%7Btown%7D"
    )
    assert stage.send("/back").startswith("Back to ")
    assert stage.send("/act.f {nowhere}").startswith("ERROR(UNDEFINED_VARIABLE): ")
    assert stage.send("/act.f $HOME").startswith("ERROR(INVALID_VARIABLE): ")
    assert stage.send("/act.f @nobody").startswith(
        "ERROR(INVALID_PARAMS): a: expected a string, received @nobody"
    )


@pytest.mark.requirement("web.form.values")
def test_tuple_shortcut_selects_several_choices(stage: Stage, fill: Callable[[str, str], Received]) -> None:
    answered = act("x", """CLI printf '{"a": "1", "b": "3"}'""")
    stage.open(answered, act("x.response", "{@pair} = ({Response.body.a}, {Response.body.b})", "{@pair}"))
    assert stage.send("/act.x") == "@pair"
    boxes = "".join(f"<input type=checkbox name=c value={number}>" for number in range(4))
    assert fill(form(boxes), "--c @pair --c 0").body == b"c=0&c=1&c=3"
    stage.send("/back")
    assert stage.code("/act.f --c @pair,9") == "INVALID_PARAMS"


@pytest.mark.requirement("web.form.login")
def test_login_keeps_the_cookie_and_hides_the_password(stage: Stage, site: Site) -> None:
    def login(received: Received) -> bytes:
        good = received.body == b"token=t1&user=ann&password=s3cret+word"
        return redirect("/home", "303 See Other", Set_Cookie="session=42; Path=/") if good else answer("No")

    token = "<input type=hidden name=token value=t1>"
    fields = f"{token}<input name=user required><input type=password name=password required>"
    site.page("/", f"<form action=/login method=post name=login>{fields}<button>Log in</button></form>")
    site.serve("/login", login)
    site.serve("/home", lambda it: answer(f"<p>Cookie: {it.headers['cookie']}</p>"))
    stage.send(f"/open {site.url}/")
    answered = stage.daemon.exec('/act.login --user ann --password "s3cret word"', stage.topic)
    shown = "/act.login --user ann --password ********"
    assert answered.content.startswith(f"re: {shown}\nOpened {site.url}/home\n---\n")
    assert "Cookie: session=42" in answered.content
    assert answered.head["cmd"] == shown
    assert b"s3cret" not in answered.raw
    assert "s3cret" not in stage.daemon.stderr()


@pytest.mark.requirement("web.form.secret")
@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("/act.f ann hunter2", "/act.f ann ********"),
        ("/act f --pw=hunter2 --user ann", "/act f --pw=******** --user ann"),
        ("//action.F --pw hunter2 --pw 'hunter2 x'", "//action.F --pw ******** --pw ********"),
        ("/act.f --user ann pw=hunter2", "/act.f --user ann pw=********"),
        ("/act.f --pw hunter2 --help", "/act.f --pw ******** --help"),
        ("/act.f ann hunter2 --help", "/act.f ******** ******** --help"),
        ("/act.f --pw 'hunter2", "/act.f ********"),
        ("/act.f --wp hunter2", "/act.f ********"),
        ("/act.g --pw hunter2", "/act.g ********"),
        ("/act.f --help", "/act.f --help"),
        ("/act.other hunter2", "/act.other hunter2"),
    ],
)
def test_every_spelling_of_a_call_hides_secrets(typed: str, shown: str, stage: Stage, site: Site) -> None:
    site.page(
        "/", form("<input name=user><input type=password name=pw>") + "<form id=other><input name=x></form>"
    )
    site.page("/to", "Done")
    stage.send(f"/open {site.url}/")
    answered = stage.daemon.exec(typed, stage.topic)
    assert answered.content.startswith(f"re: {shown}\n")
    assert answered.head["cmd"] == shown


@pytest.mark.requirement("web.form.secret")
def test_prefilled_password_is_not_shown(stage: Stage, site: Site) -> None:
    site.page("/", form("<input type=password name=pw value=hunter2>"))
    site.page("/to", "Done")
    assert "hunter2" not in stage.send(f"/open {site.url}/") + stage.send("/act.f --help")
    assert stage.send("/act.f").startswith("Opened ")
    assert site.last.body == b"pw=hunter2"


@pytest.mark.requirement("web.form.navigates")
def test_post_to_the_same_url_is_a_history_step(stage: Stage, site: Site) -> None:
    site.serve("/", lambda it: answer(f"<p>{it.method}</p><form id=f method=post><input name=a></form>"))
    stage.send(f"/open {site.url}/")
    posted = stage.send("/act.f 1")
    assert posted.startswith(f"Opened {site.url}/\n---\n")
    assert "POST" in posted
    refreshed = stage.send("/refresh")
    assert refreshed.startswith(f"Refreshed {site.url}/\n---\n")
    assert "GET" in refreshed
    assert stage.send("/back").startswith(f"Back to {site.url}/\n")
    assert stage.send("/back").startswith("ERROR(NO_HISTORY)")
    assert [(it.method, it.body) for it in site.received] == [
        ("GET", b""),
        ("POST", b"a=1"),
        ("GET", b""),
        ("GET", b""),
    ]


@pytest.mark.requirement("web.form.navigates")
def test_failed_form_does_not_navigate(stage: Stage, site: Site) -> None:
    site.page("/", SEARCH)
    site.serve("/find", answer("No", status="500 Internal Server Error"))
    stage.send(f"/open {site.url}/")
    assert stage.send("/act.search cats").startswith("ERROR(LOAD_ERROR): ")
    site.serve("/find", answer("No", status="404 Not Found"))
    assert stage.send("/act.search cats") == f"ERROR(NOT_FOUND): Not found: {site.url}/find?q=cats"
    assert (stage.meta() or {})["uri"] == f"{site.url}/"


@pytest.mark.requirement("web.form.refused")
def test_refused_form_shows_the_reason(stage: Stage, site: Site) -> None:
    why = f"<title>x</title><nav>Home</nav><h1>Not saved</h1><p>The name\nis <b>taken</b>.</p>{'more ' * 200}"
    site.page("/", form("<input name=a>"))
    site.serve("/to", answer(why, status="422 Unprocessable Content"))
    stage.send(f"/open {site.url}/")
    lines = stage.send("/act.f ann").split("\n")
    assert lines[0] == f"ERROR(LOAD_ERROR): 422 Unprocessable Content: {site.url}/to"
    assert lines[1].startswith("it says: Not saved The name is taken . more more")
    assert len(lines) == 2
    assert len(lines[1]) <= 520
    site.serve("/to", answer('{"error": "taken"}', status="400 Bad Request", media_type="application/json"))
    assert stage.send("/act.f ann").endswith('\nit says: {"error": "taken"}')
    site.serve("/to", answer(b"\x00\x01", status="500 Oops", media_type="image/png"))
    assert stage.send("/act.f ann") == f"ERROR(LOAD_ERROR): 500 Oops: {site.url}/to"


@pytest.mark.requirement("web.form.page")
def test_post_sends_origin_and_referer(stage: Stage, site: Site, other_site: Site) -> None:
    buttons = f"<button>a</button><button name=b formaction={other_site.url}/to>b</button>"
    page = site.page("/page?x=1", form("<input name=a>", buttons))
    site.page("/page", form("<input name=a>", buttons))
    site.serve("/to", redirect("/again", "307 Temporary Redirect"))
    site.serve("/again", redirect("/end", "303 See Other"))
    site.page("/end", "Done")
    other_site.page("/to", "Done")
    stage.send(f"/open {page}")
    stage.send("/act.f")
    came_from = [(it.method, it.headers["origin"], it.headers["referer"]) for it in site.received]
    own = ("POST", site.url, page)
    assert came_from == [("GET", None, None), own, own, ("GET", None, None)]
    stage.send("/back")
    stage.send("/act.f --b --confirm")
    sent = other_site.last.headers
    assert (sent["origin"], sent["referer"]) == (site.url, f"{site.url}/")


@pytest.mark.requirement("web.form.origin")
def test_cross_origin_form_needs_confirmation(stage: Stage, site: Site, other_site: Site) -> None:
    other_site.page("/pay", "<p>Paid</p>")
    site.page("/", f"<form id=pay method=post action={other_site.url}/pay><input name=sum required></form>")
    stage.send(f"/open {site.url}/")
    assert "--confirm <boolean>" in stage.send("/act.pay")
    assert stage.send("/act.pay 5") == (
        f"ERROR(NOT_TRUSTED): act.pay is sent to {other_site.url}, and its page is from {site.url}.\n"
        "--confirm sends it there."
    )
    assert stage.code("/act.pay 5 --confirm=false") == "NOT_TRUSTED"
    assert other_site.received == []
    assert stage.send("/act.pay 5 --confirm").startswith(f"Opened {other_site.url}/pay\n")
    assert other_site.last.body == b"sum=5"


@pytest.mark.requirement("web.form.origin")
def test_only_the_cross_origin_button_needs_confirmation(stage: Stage, site: Site, other_site: Site) -> None:
    other_site.page("/pay", "<p>Paid</p>")
    pay = f"<button name=pay formaction={other_site.url}/pay>Pay</button>"
    site.page("/", form(f"<button>Keep</button>{pay}"))
    site.page("/to", "<p>Kept</p>")
    stage.send(f"/open {site.url}/")
    assert stage.code("/act.f --pay") == "NOT_TRUSTED"
    assert stage.code("/act.f --pay --confirm") is None
    stage.send("/back")
    assert stage.code("/act.f") is None
    assert (len(other_site.received), site.last.target) == (1, "/to")


@pytest.mark.requirement("web.form.unsendable")
@pytest.mark.parametrize(
    "target", ["mailto:a@b.example", "javascript:send()", "file:///etc/passwd", "http://[x"]
)
def test_forms_are_sent_only_over_http(target: str, stage: Stage, site: Site) -> None:
    site.page("/", f"<form id=odd action='{target}'><input name=a></form>")
    opened = stage.send(f"/open {site.url}/")
    assert f"A form that leads to {target}, and can't be sent from here." in opened
    assert stage.send("/act").endswith("\n(none)")
    assert stage.code("/act.odd 1 --confirm") == "ACTION_NOT_FOUND"
    assert site.paths == ["/"]


@pytest.mark.requirement("web.form.placed")
def test_field_outside_of_its_form(stage: Stage, site: Site) -> None:
    site.page(
        "/",
        "<header><form id=find action=/to></form></header><main><h1>Search</h1>"
        "<p>Type it: <input name=q form=find> <button form=find>Go</button></p><p>Then read.</p></main>",
    )
    shown = stage.send(f"/open {site.url}/").partition("# Search")[2]
    assert (
        shown == "\n\nType it:\n\n```\n/act.find [--q <string>]\n\n--q <string>  optional\n```\n\nThen read."
    )
    site.page("/to", "Found")
    stage.send("/act.find tides")
    assert site.paths == ["/", "/to?q=tides"]


@pytest.mark.requirement("web.form.field")
def test_field_of_no_form_is_named(stage: Stage, site: Site) -> None:
    fields = (
        "<input placeholder=City value=Oslo> <input type=hidden value=x> <textarea title=Notes></textarea>"
    )
    url = site.page(
        "/", f"<h1>Map</h1><p>Show {fields} <input readonly value='git clone x'><button>Go</button>"
    )
    shown = stage.send(f"/open {url}")
    assert shown.endswith("\n\nShow (field: City = Oslo) (field: Notes) git clone x Go")
    assert stage.send("/act").endswith("\n(none)")


@pytest.mark.requirement("web.form.restart")
def test_form_survives_restart(stage: Stage, site: Site) -> None:
    site.page("/", form("<input name=user><input type=password name=pw>"))
    site.page("/to", "<p>Thanks</p>")
    stage.send(f"/open {site.url}/")
    stage.daemon.restart()
    answered = stage.daemon.exec("/act.f ann hunter2", stage.topic)
    assert answered.content.startswith(f"re: /act.f ********\nOpened {site.url}/to\n")
    assert [it.method for it in site.received] == ["GET", "GET", "POST"]
    assert site.last.body == b"user=ann&pw=hunter2"


@pytest.mark.requirement("web.form.many")
def test_thousand_forms_have_a_short_hint(stage: Stage, site: Site) -> None:
    buttons = "".join(
        f"<form action=/{number} method=post><button>Buy</button></form>" for number in range(1000)
    )
    site.page("/", buttons)
    site.page("/999", "<p>Bought</p>")
    hint = stage.send(f"/open {site.url}/").splitlines()[2]
    assert hint.startswith("[actions] /act.buy | /act.buy-2 | ")
    assert hint.endswith(" | /act.buy-60 … and 940 more: /act lists them")
    assert len(stage.send("/act").splitlines()) == 1002
    assert "/act.buy-999, " not in stage.send("/act.none")
    assert stage.send("/act.buy-1000").startswith(f"Opened {site.url}/999\n")


@pytest.mark.requirement("web.form.listed")
def test_form_outside_the_content_is_an_action(stage: Stage, site: Site) -> None:
    site.page(
        "/",
        f"<header>{SEARCH}</header><main><h1>News</h1><p>{'All is well. ' * 50}</p>"
        "<form id=vote action=/vote><p>Vote!</p><label>Yes <input type=checkbox name=yes></label></form>",
    )
    site.page("/find", "<p>Found</p>")
    opened = stage.send(f"/open {site.url}/")
    assert "[actions] /act.search --q <string> | /act.vote\n" in opened
    assert "Vote!" in opened
    assert "\n```\n/act.vote [--yes <boolean>]\n\n--yes <boolean>  optional  Yes\n```" in opened
    assert "--q <string>  required" not in opened
    assert stage.send("/act.search x").startswith(f"Opened {site.url}/find?q=x\n")
    assert "--q <string>  required" in stage.send(f"/open {site.url}/ --full")
