"""Values of one document in the actions of another: used by the user's own actions when confirmed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stringd.testing.process import DaemonProcess
from tests.actions.acting import Stage, act, running_daemon
from tests.actions.acting_site import Site, own_page
from tests.actions.networks import plugin_path
from tests.actions.service import Service, serving

EVIL = {"account": '6"6\n6'}
PLAIN = {"account": '6"6'}
SHOWN = r'{account} = "6\"6\\n6"'


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon whose topics may open pages of a network."""
    plugins = plugin_path(tmp_path_factory.mktemp("networks"))
    with running_daemon(tmp_path_factory.mktemp("shared"), PYTHONPATH=str(plugins)) as running:
        yield running


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as running:
        yield Site(service=running)


IMPLICIT = {
    "url": ("GET {url}/pay?to={account}",),
    "header": ("GET {url}/pay -H 'X-To: {account}'",),
    "body": ('POST {url}/pay -d \'{"to": "{account}"}\'',),
    "file": ('POST {url}/pay -d \'{"to": "{account|base64}"}\'',),
    "fallback": ("GET {url}/pay", "  account: string"),
    "default": ("GET {url}/pay", '  to: string = "{account}"'),
}


def pay(service: Service, *lines: str) -> str:
    return act(
        "pay", *(line.replace("{url}", service.url).replace("{{", "{").replace("}}", "}") for line in lines)
    )


@pytest.mark.requirement("provenance.implicit", "provenance.implicit.confirm")
@pytest.mark.parametrize("where", IMPLICIT)
def test_own_action_needs_confirmation_for_a_foreign_value(
    stage: Stage, service: Service, site: Site, where: str
) -> None:
    site.brings(stage, PLAIN)
    shown = own_page(stage, pay(service, *IMPLICIT[where]))
    assert "/act.pay" in shown
    refused = stage.send("/act.pay")
    told = f'{{account}} = "6\\"6" from {site.url},'
    assert refused.splitlines() == [
        f"ERROR(NOT_TRUSTED): act.pay would use {told} and you have not chosen that for it.",
        "--confirm uses it.",
        'Or set it yourself: /set {account} = "..."',
    ]
    assert not service.received
    assert "[--confirm <boolean>]" in stage.send("/act")
    assert f'[!] {{account}} = "6\\"6" came from {site.url}\n' in stage.send("/act.pay --confirm")
    assert len(service.received) == 1
    stage.send('/set {account} = "mine"')
    assert stage.code("/act.pay") is None
    assert "[!]" not in stage.send("/act.pay")


@pytest.mark.requirement("provenance.implicit")
@pytest.mark.parametrize(
    ("role", "line"),
    [
        ("response", "to {account}"),
        ("response", "save: Response.body.a"),
        ("response.j2", "to {{ vars.account }}"),
        ("response.j2", "to {{ vars['account'] }}"),
        ("response.j2", "{% set y = vars.get('account') %}"),
    ],
)
def test_own_template_needs_confirmation_for_a_foreign_value(
    stage: Stage, service: Service, site: Site, role: str, line: str
) -> None:
    site.brings(stage, EVIL)
    service.answer("/x", {"a": "text"})
    lines = (line, "  to: {account}") if line.startswith("save") else (line,)
    own_page(stage, act("x", f"GET {service.url}/x"), act(f"x.{role}", *lines, "end"))
    assert stage.code("/act.x") == "NOT_TRUSTED"
    assert not service.received


@pytest.mark.requirement("provenance.implicit")
def test_foreign_values_are_hidden_from_dynamic_lookups(stage: Stage, service: Service, site: Site) -> None:
    site.brings(stage, {"account": "evil"})
    stage.send('/set {own} = "mine"')
    own_page(
        stage,
        act("x", f"GET {service.url}/x"),
        act("x.response.j2", "{% for name in vars %}{{ name }}={{ vars[name] }};{% endfor %}"),
    )
    assert stage.send("/act.x") == "own=mine;"


@pytest.mark.requirement("provenance.implicit.confirm")
@pytest.mark.parametrize("template", ["{% for n in vars %}{{ n }}={{ vars[n] }};{% endfor %}", "{{ vars }}"])
def test_confirmation_covers_only_the_values_shown(
    stage: Stage, service: Service, site: Site, template: str
) -> None:
    site.brings(stage, {"account": "evil", "unseen": "worse"})
    own_page(stage, act("x", f"GET {service.url}/{{account}}"), act("x.response.j2", template))
    told, shown = stage.send("/act.x --confirm").split("\n", 1)
    assert told == f'[!] {{account}} = "evil" came from {site.url}'
    assert "evil" in shown
    assert "worse" not in shown


@pytest.mark.requirement("provenance.implicit")
def test_template_may_assign_the_same_name(stage: Stage, service: Service, site: Site) -> None:
    site.brings(stage, {"account": "evil", "r": "evil", "n": "evil"})
    service.answer("/x", ["a"])
    own_page(
        stage,
        act("x", f"GET {service.url}/x", '  n: string = "own"'),
        act(
            "x.response",
            "{account} = Response.body[0]",
            "for: r in Response.body",
            "{r} {account} {n}",
            "end:",
        ),
    )
    assert stage.send("/act.x") == "a a own"


@pytest.mark.requirement("provenance.explicit")
@pytest.mark.parametrize("typed", ["--to {account}", "--to=x{account}", "<account>", "to={account}"])
def test_typed_foreign_values_are_used_and_shown(
    stage: Stage, service: Service, site: Site, typed: str
) -> None:
    site.brings(stage, EVIL)
    own_page(stage, pay(service, "GET {url}/pay", "  to: string (required)"))
    assert f"[!] {SHOWN} came from {site.url}\n" in stage.send(f"/act.pay {typed}")
    assert service.last.target.endswith("6%226%0A6")


@pytest.mark.requirement("provenance.explicit")
def test_typed_foreign_shortcuts_are_used_and_shown(stage: Stage, service: Service, site: Site) -> None:
    site.service.answer("/rows", {"id": "7"})
    rows = act("rows.response", "{@row} = {Response.body.id}", "- {@row}")
    site.acts(act("rows", f"GET {site.service.url}/rows"), rows)
    stage.send(f"/open {site.url}")
    assert stage.send("/act.rows") == "- @row"
    assert stage.send("/info @row").endswith(f"@row: 7\nfrom: {site.url}")
    own_page(
        stage,
        pay(service, "GET {url}/pay?to={to}", "  to: string (required)"),
        act("fail", "CLI exit 3", "  to: string"),
    )
    assert stage.send("/act.pay @row").splitlines()[0] == f"Opened {service.url}/pay?to=7"
    assert f'---\n[!] @row = "7" came from {site.url}\n' in stage.send("/act.pay @row")
    assert f'[!] @row = "7" came from {site.url}\n' in stage.send("/act.fail @row")
    service.answer("/pay", "no", status=500)
    assert f'\n[!] @row = "7" came from {site.url}\n' in stage.send("/act.pay @row")


HANDED_ON = {
    "variable": (("  v: string",), "{v}", "/act.copy --v {account}"),
    "a part": (("  v: string",), "a {v} b", "/act.copy --v=x{account}"),
    "name": (("  v: string",), "{v}", "/act.copy @row"),
    "confirmed": ((), "{account}", "/act.copy --confirm"),
    "by the answer": (("  v: string",), "{Response.body}", "/act.copy --v {account}"),
    "default": (('  v: string = "{account}"',), "{v}", "/act.copy --confirm"),
}


@pytest.mark.requirement("provenance.templates", "provenance.handed_on")
@pytest.mark.parametrize("way", HANDED_ON)
@pytest.mark.parametrize("method", ["CLI", "HTTP"])
def test_derived_values_stay_foreign(
    stage: Stage, service: Service, site: Site, way: str, method: str
) -> None:
    declared, made, typed = HANDED_ON[way]
    row = act("own.response", "{account} = {Response.body}", "{@row} = {Response.body}", "ok")
    site.service.answer("/own", "evil")
    service.answer("/x", "evil")
    site.acts(act("own", f"GET {site.service.url}/own"), row, head="---\ndefault: own\n---\n")
    stage.send(f"/open {site.url}")
    stage.send('/set {mine} = "own"')
    asked = f"GET {service.url}/x" if method == "HTTP" else "CLI echo evil"
    copy = act("copy", asked, *declared)
    copied = act("copy.response", *(f"{{{it}}} = {made}" for it in ("mine", "to")), f"{{@to}} = {made}", "ok")
    stage.write(
        f"---\nexport: [to, mine]\n---\n{copy}\n\n{copied}\n\n{pay(service, 'GET {url}/{to}')}", "own.md"
    )
    stage.send("/open ~/own.md")
    shown = stage.send(typed)
    assert shown.endswith("\nok")
    assert f"[!] {{mine}} stays as you set it; {site.url} has another value for it\n" in shown
    assert stage.send("/info @to").endswith(f"from: {site.url}")
    assert stage.send("/exec echo $mine,$to").endswith("\nown,")
    assert stage.send("/act.pay").startswith("ERROR(NOT_TRUSTED): act.pay would use {to} = ")
    assert f" came from {site.url}\n" in stage.send("/act.pay --confirm")


@pytest.mark.requirement("provenance.own_site")
def test_site_may_use_its_own_values(stage: Stage, site: Site) -> None:
    site.sets({"page": "2"}, act("next", f"GET {site.service.url}/next?page={{page}}"))
    assert "done" in stage.send(f"/open {site.url}")
    assert "[!]" not in stage.send("/act.next")
    assert site.service.last.target == "/next?page=2"


@pytest.mark.requirement("provenance.own_site")
def test_site_cannot_use_values_of_another(stage: Stage, service: Service, site: Site) -> None:
    site.brings(stage, EVIL)
    other = Site(service=service)
    other.acts(act("x", f"GET {service.url}/x?to={{account}}"))
    stage.send(f"/open {other.url}")
    assert stage.code("/act.x") == "NOT_TRUSTED"
    assert [it.target for it in service.received] == ["/page.md"]


@pytest.mark.requirement("provenance.public")
def test_public_page_cannot_read_user_variables(stage: Stage, service: Service) -> None:
    stage.send('/set {token} = "t0ken"')
    stage.write(
        "\n\n".join(
            (
                act("x", "GET http://8.8.8.8/x", '  t: string = "{token}"'),
                act("y", "GET http://8.8.8.8/{token}"),
            )
        ),
        "fetched.md",
    )
    stage.send("/open net:http://8.8.8.8/page.md")
    assert stage.code("/act.x") == "UNDEFINED_VARIABLE"


def of_the_wiki(stage: Stage, service: Service, *template: str) -> None:
    """Have a page of a private network leave behind what a template names."""
    fences = act("x", f"GET {service.url}/x"), act("x.response", *template, "left")
    stage.write("\n\n".join(fences), "fetched.md")
    stage.send("/open net:http://wiki.lan/page.md")
    assert stage.send("/act.x --confirm") == "left"


@pytest.mark.requirement("provenance.links")
@pytest.mark.parametrize("target", ["~/secret.md", "app:vault", "{home}/secret.md"])
def test_shortcut_set_by_a_page_only_opens_the_web(stage: Stage, service: Service, target: str) -> None:
    stage.write("# Secret", "secret.md")
    of_the_wiki(stage, service, f'{{@next}} = "{target.replace("{home}", str(stage.daemon.home))}"')
    own_page(stage, "text")
    assert stage.send("/open @next").startswith("ERROR(NOT_TRUSTED): A page from the network may not open ")


@pytest.mark.requirement("provenance.links", "provenance.handed_on")
@pytest.mark.parametrize("target", ["~/secret.md", "app:vault"])
def test_derived_shortcut_only_opens_the_web(stage: Stage, service: Service, target: str) -> None:
    stage.write("# Secret", "secret.md")
    of_the_wiki(stage, service, f'{{target}} = "{target}"')
    own_page(stage, act("y", "CLI echo hi", "  v: string"), act("y.response", "{@next} = {v}", "ok"))
    assert stage.send("/act.y {target}").endswith("\nok")
    assert stage.send("/open @next").startswith("ERROR(NOT_TRUSTED): A page from the network may not open ")


@pytest.mark.requirement("provenance.links")
@pytest.mark.parametrize(
    ("media_type", "text"),
    [
        ("text/markdown", "[@vault Vault](app:vault)"),
        ("text/html", '<p>The <a href="http://wiki.lan/">Vault</a> of it'),
    ],
)
def test_links_in_replies_come_from_the_service(
    stage: Stage, service: Service, media_type: str, text: str
) -> None:
    service.answer("/x", text, media_type=media_type)
    own_page(stage, act("x", f"GET {service.url}/x"))
    assert "[Vault][@vault]" in stage.send("/act.x")
    assert stage.send("/info @vault").endswith(f"\nfrom: {service.url}/x")


@pytest.mark.requirement("provenance.links", "provenance.templates")
def test_template_cannot_launder_a_public_link(stage: Stage, service: Service) -> None:
    of_the_wiki(stage, service, f'{{target}} = "{service.url}/page"')
    own_page(stage, act("y", "CLI echo hi"), act("y.response", "{@next} = {target}", "ok"))
    assert stage.code("/act.y") == "NOT_TRUSTED"
    assert stage.send("/act.y --confirm").endswith("\nok")
    assert stage.code("/open @next") == "NOT_TRUSTED"
    assert [it.target for it in service.received] == ["/x"]
    stage.send(f'/set {{target}} = "{service.url}/page"')
    assert stage.send("/act.y") == "ok"
    assert stage.code("/open @next") is None
