"""`$NAME`s in password fields: sent to the site that they are for, and never shown."""

from __future__ import annotations

from urllib.parse import parse_qs

import pytest

from stringd.testing.process import DaemonProcess
from tests.actions.acting import Stage
from tests.web.server import Received, Site, answer, redirect

VALUE = "hunter2 & më"
SET = f'/set $PW = "{VALUE}"'
FIELDS = "<input name=user><input type=password name=pw>"
LOGIN = f"<h1>Log in</h1><form id=login method={{}} action='{{}}'>{FIELDS}</form>"


def login(stage: Stage, site: Site, method: str = "post", action: str = "/to") -> Stage:
    """Open a page with a login form, whose site keeps a password."""
    stage.send(f"/open {site.page('/', LOGIN.format(method, action))}")
    stage.send(SET)
    return stage


def echo(received: Received) -> bytes:
    """Answer with what was sent, as it was sent and as text."""
    body = received.body.decode() or received.target
    (password,) = parse_qs(body.partition("?")[2] or body)["pw"]
    return answer(f"<title>{password}</title><p>You said <b>{password.replace('&', '&amp;')}</b> in {body}")


def nowhere(daemon: DaemonProcess) -> bool:
    """Whether the value is in no file of the data directory but that of secrets, nor in the log."""
    files = [it for it in daemon.data_dir.rglob("*") if it.is_file() and it.name != "secrets.json"]
    return "hunter2" not in daemon.stderr() and not any(b"hunter2" in it.read_bytes() for it in files)


@pytest.mark.requirement("web.form.name_secret")
def test_the_value_is_sent_and_the_name_is_shown(stage: Stage, site: Site) -> None:
    site.serve("/to", echo)
    login(stage, site)
    said = stage.send("/act.login ann $PW")
    assert said.startswith(f"Opened {site.url}/to\n---\nYou said **$PW** in user=ann&pw=$PW")
    assert parse_qs(site.last.body.decode()) == {"user": ["ann"], "pw": [VALUE]}
    assert (stage.meta() or {})["title"] == "$PW"
    assert "hunter2" not in stage.send("/source")
    assert stage.send("/set") == 'Variables\n---\n$PW = "********"'
    assert nowhere(stage.daemon)


@pytest.mark.requirement("web.form.name_secret")
def test_the_value_is_in_no_address(stage: Stage, site: Site) -> None:
    site.serve("/to", echo)
    login(stage, site, method="get")
    said = stage.send("/act.login ann --pw $PW")
    assert said.startswith(f"Opened {site.url}/to?user=ann&pw=")
    assert "hunter2" not in said + str(stage.meta()) + stage.send("/info")
    assert parse_qs(site.last.target.partition("?")[2])["pw"] == [VALUE]
    assert nowhere(stage.daemon)


@pytest.mark.requirement("web.form.name_secret")
def test_a_refusal_of_the_site_does_not_show_it(stage: Stage, site: Site) -> None:
    site.serve("/to", lambda it: answer(f"Wrong: {VALUE}", status="403 Forbidden", media_type="text/plain"))
    assert "it says: Wrong: $PW" in login(stage, site).send("/act.login ann $PW")


@pytest.mark.requirement("web.form.name_secret.site")
def test_another_topic_of_the_user_has_it_for_the_same_site_only(
    stage: Stage, site: Site, other_site: Site
) -> None:
    login(stage, site)
    other = Stage(daemon=stage.daemon, topic=f"{stage.topic}-other")
    site.page("/to", "in")
    other.send(f"/open {site.url}/")
    assert other.code("/act.login ann $PW") is None
    other.send(f"/open {other_site.page('/', LOGIN.format('post', '/to'))}")
    assert other.send("/act.login ann $PW") == (
        f"ERROR(ENV_REQUIRED): pw: no such $NAME is set for {other_site.url}.\n"
        'Where a page of that site is open: /set $NAME = "..."\n'
        "For a text that begins with $ write \\$"
    )
    assert other_site.paths == ["/"]


@pytest.mark.requirement("web.form.name_secret.site")
def test_a_form_to_another_site_does_not_get_it(stage: Stage, site: Site, other_site: Site) -> None:
    login(stage, site, action=f"{other_site.url}/to")
    refused = stage.send("/act.login ann $PW --confirm")
    assert refused.startswith(
        "ERROR(NOT_TRUSTED): $PW is for the site of this page, and its form is sent to "
    )
    assert other_site.received == []


@pytest.mark.requirement("web.form.name_secret.site")
@pytest.mark.parametrize("status", ["307 Temporary Redirect", "308 Permanent Redirect"])
def test_a_redirect_to_another_site_does_not_get_it(
    stage: Stage, site: Site, other_site: Site, status: str
) -> None:
    site.serve("/to", redirect(f"{other_site.url}/", status))
    assert login(stage, site).code("/act.login ann $PW") == "NOT_TRUSTED"
    assert other_site.received == []


@pytest.mark.requirement("web.form.name_secret.site")
def test_a_redirect_within_the_site_gets_it(stage: Stage, site: Site) -> None:
    site.serve("/to", redirect("/there", "307 Temporary Redirect"))
    site.serve("/there", echo)
    assert "**$PW**" in login(stage, site).send("/act.login ann $PW")


@pytest.mark.requirement("web.form.name_secret.field")
@pytest.mark.parametrize("typed", ["$PW x", "--user $PW --pw x", "ann 'a $PW'"])
def test_only_a_whole_password_field_takes_a_name(stage: Stage, site: Site, typed: str) -> None:
    assert login(stage, site).code(f"/act.login {typed}") == "INVALID_VARIABLE"
    assert site.paths == ["/"]


@pytest.mark.requirement("web.form.name_secret.field")
def test_an_escaped_name_and_an_unknown_one_are_texts(stage: Stage, site: Site) -> None:
    site.page("/to", "in")
    login(stage, site)
    assert stage.code("/act.login ann \\$PW") is None
    assert parse_qs(site.last.body.decode())["pw"] == ["$PW"]
    stage.send("/back")
    refused = stage.daemon.exec("/act.login ann $ecret1", stage.topic)
    assert "ecret1" not in refused.content + str(refused.head)


@pytest.mark.requirement("web.form.name_secret.field")
def test_a_value_that_does_not_fit_is_not_sent(stage: Stage, site: Site) -> None:
    stage.send(
        f"/open {site.page('/', LOGIN.format('post', '/to').replace('name=pw', 'name=pw maxlength=4'))}"
    )
    stage.send(SET)
    assert stage.send("/act.login ann $PW") == (
        "ERROR(INVALID_PARAMS): $PW does not fit pw, and nothing is sent."
    )
    assert site.paths == ["/"]


@pytest.mark.requirement("web.form.name_secret")
def test_a_topic_without_a_web_page_keeps_none(stage: Stage) -> None:
    assert stage.send(SET).endswith("\nFor a form of a web page, open the page first.")
    stage.write("# Page\n")
    stage.send("/open page.md")
    assert stage.code(SET) == "INVALID_TARGET"


@pytest.mark.requirement("web.form.name_secret.app")
def test_an_app_gives_a_form_what_it_declares_for_its_site(
    stage: Stage, site: Site, other_site: Site
) -> None:
    name = f"shop{site.port}"
    declared = f"env:\n  - name: PW\n    site: {site.url}/login\n  - name: KEY\n"
    stage.write(f"---\nname: {name}\n{declared}---\n# Shop\n", f"{name}.md")
    stage.send(f"/install {name}.md")
    app = Stage(daemon=stage.daemon, topic=f"app:{name}")
    app.send(f'/set $PW = "{VALUE}"')
    app.send('/set $KEY = "app-key"')
    site.serve("/to", echo)
    for it in (site, other_site):
        it.page("/", LOGIN.format("post", "/to"))
    app.send(f"/open {site.url}/")
    assert "**$PW**" in app.send("/act.login ann $PW")
    app.send(f"/open {site.url}/")
    assert app.code("/act.login ann $KEY") == "ENV_REQUIRED"
    app.send(f"/open {other_site.url}/")
    assert app.code("/act.login ann $PW") == "ENV_REQUIRED"
    assert (len(site.received), other_site.paths) == (3, ["/"])
