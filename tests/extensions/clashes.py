"""Plugins that claim names which are already in use."""

from __future__ import annotations

from stringd import __version__
from tests.extensions.unfit import PRELUDE, Unfit, hook

FILE = f"file (stringd {__version__})"
COMMANDS = f"commands (stringd {__version__})"
CLI = f"cli (stringd {__version__})"
HOLDER = "aaa-holder (a-holder 1.0)"

# The names that others want too: a plugin which comes first by the name of its distribution.
HOLDS = (
    PRELUDE
    + """
from starlette.responses import Response
from starlette.routing import Route

async def respond(request): return Response("held")

@hookimpl
def stringd_topic_types(): return [TopicType(name="held", summary="Held.")]
@hookimpl
def stringd_commands():
    types = frozenset({"held"})
    return [command("held"), command("own", topic_types=types), command("info", topic_types=types)]
@hookimpl
def stringd_loaders(): return [Loader(schemes=("held",), load=load)]
@hookimpl
def stringd_renderers(): return [Renderer(media_types=("text/held",), render=render)]
@hookimpl
def stringd_routes(runtime): return [Route("/held", respond)]
@hookimpl
def stringd_services(): return [Service(name="held", run=serve)]
@hookimpl
def stringd_interceptors(): return [Interceptor(name="held", run=around)]
@hookimpl
def stringd_observers(): return [Observer(name="held", on_event=observe)]
@hookimpl
def stringd_cli(): return [CliCommand(name="held", summary="Held.", configure=configure, run=main)]
"""
)


def clash(name: str, field: str, body: str, claim: str, holder: str, arguments: str = "") -> Unfit:
    """A module that claims a name that is already in use."""
    reason = f"{claim} of {name} (z-{name} 1.0) is already added by {holder}"
    return hook(name, field, f"return [{body}]", reason, arguments)


CLASHES = [
    clash("type-file", "topic_types", "TopicType(name='file', summary='')", "topic type file", FILE),
    clash("shared-info", "commands", "command('info')", "command /info", COMMANDS),
    clash(
        "info-of-file",
        "commands",
        "command('info', topic_types=frozenset({'file'}))",
        "command /info",
        COMMANDS,
    ),
    clash("route-exec", "routes", "Route('/exec', answer)", "route /exec", "stringd itself", "runtime"),
    clash(
        "route-below-users",
        "routes",
        "Route('/users/mine', answer)",
        "route below /users/",
        "stringd itself",
        "runtime",
    ),
    clash(
        "cli-status",
        "cli",
        "CliCommand(name='status', summary='', configure=configure, run=main)",
        "subcommand status",
        CLI,
    ),
    clash("type-held", "topic_types", "TopicType(name='held', summary='')", "topic type held", HOLDER),
    clash("shared-held", "commands", "command('held')", "command /held", HOLDER),
    clash(
        "own-of-held",
        "commands",
        "command('own', topic_types=frozenset({'held'}))",
        "command /own of held topics",
        HOLDER,
    ),
    clash("scheme-held", "loaders", "Loader(schemes=('fresh', 'held'), load=load)", "scheme held", HOLDER),
    clash(
        "media-held",
        "renderers",
        "Renderer(media_types=('text/held',), render=render)",
        "media type text/held",
        HOLDER,
    ),
    clash("route-held", "routes", "Route('/held', answer)", "route /held", HOLDER, "runtime"),
    clash("service-held", "services", "Service(name='held', run=serve)", "service held", HOLDER),
    clash(
        "interceptor-held",
        "interceptors",
        "Interceptor(name='held', run=around)",
        "interceptor held",
        HOLDER,
    ),
    clash("observer-held", "observers", "Observer(name='held', on_event=observe)", "observer held", HOLDER),
    clash(
        "cli-held",
        "cli",
        "CliCommand(name='held', summary='', configure=configure, run=main)",
        "subcommand held",
        HOLDER,
    ),
    hook(
        "twice",
        "commands",
        "return [command('same'), command('same')]",
        "command /same is added twice by twice (z-twice 1.0)",
    ),
]
