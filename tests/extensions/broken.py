"""Plugins that fail, or that return invalid records."""

from __future__ import annotations

from tests.extensions.unfit import Unfit, hook, raising

FAILING = [
    raising("raises", "raise RuntimeError('no luck\\nat all')", "RuntimeError: no luck"),
    raising("leaves", "sys.exit()", "SystemExit"),
    raising("leaves-loudly", "sys.exit('enough')", "SystemExit: enough"),
    raising("misspelt", "def (", "SyntaxError: invalid syntax (z_misspelt.py, line 2)"),
    hook(
        "hook-raises",
        "commands",
        "raise ValueError('not today')",
        "stringd_commands failed: ValueError: not today",
    ),
    hook("hook-leaves", "commands", "sys.exit(4)", "stringd_commands failed: SystemExit: 4"),
    hook(
        "hook-alone",
        "interceptors",
        "return Interceptor(name='alone', run=around)",
        "stringd_interceptors failed: TypeError: 'Interceptor' object is not iterable",
    ),
    hook(
        "hook-wants-more",
        "commands",
        "return []",
        "stringd_commands has no parameter runtime; it may take: none",
        "runtime",
    ),
    hook(
        "hook-unknown",
        "comands",
        "return []",
        "unknown hook stringd_comands: did you mean stringd_commands?",
    ),
    hook(
        "hook-unheard-of",
        "xylophones",
        "return []",
        "unknown hook stringd_xylophones: no plugin that is loaded adds it",
    ),
    Unfit(
        name="hook-async",
        source="from stringd.plugin import hookimpl\n@hookimpl\nasync def stringd_commands(): return []\n",
        reason="stringd_commands must be a synchronous function (def, not async def)",
    ),
    *(
        Unfit(
            name=f"hook-{option}",
            source=f"from stringd.plugin import *\n@hookimpl({option}=True)\ndef stringd_commands(): yield\n",
            reason=f"stringd_commands is marked with {option}, which has no effect: "
            "hooks are called plugin by plugin; interceptors have `before` and `after`, observers `order`",
        )
        for option in ("tryfirst", "trylast", "hookwrapper", "wrapper")
    ),
]

BAD_RECORDS = [
    hook("a-text", "commands", "return ['/roll']", "stringd_commands returned '/roll' instead of Command"),
    hook("another-record", "interceptors", "return [Service(name='x', run=serve)]", "instead of Interceptor"),
    hook(
        "no-route",
        "routes",
        "return ['/roll']",
        "stringd_routes returned '/roll' instead of BaseRoute",
        "runtime",
    ),
    hook(
        "upper-case",
        "commands",
        "return [command('Roll')]",
        "stringd_commands failed: ValueError: command needs a lower-case name without blanks, not 'Roll'",
    ),
    hook(
        "a-blank",
        "cli",
        "return [CliCommand(name='roll dice', summary='', configure=configure, run=main)]",
        "stringd_cli failed: ValueError: subcommand needs a lower-case name without blanks, not 'roll dice'",
    ),
    hook(
        "a-colon",
        "topic_types",
        "return [TopicType(name='a:b', summary='')]",
        "topic type needs a name of lower-case letters, digits and hyphens, not 'a:b'",
    ),
    hook(
        "no-function",
        "interceptors",
        "return [Interceptor(name='x', run=None)]",
        "stringd_interceptors failed: TypeError: interceptor x needs a function, not None",
    ),
    hook(
        "concerned-later",
        "interceptors",
        "return [Interceptor(name='x', run=around, concerns=answer)]",
        "TypeError: `concerns` of interceptor x needs a synchronous function (def, not async def), not",
    ),
    hook(
        "no-listener",
        "topic_types",
        "return [TopicType(name='x', summary='', plain_text='y')]",
        "stringd_topic_types failed: TypeError: plain_text of topic type x needs a function, not 'y'",
    ),
    hook(
        "a-sync-command",
        "commands",
        "return [Command(name='x', summary='', usage='', run=main)]",
        "TypeError: command /x needs a coroutine function (async def), not <function main",
    ),
    hook(
        "an-async-renderer",
        "renderers",
        "return [Renderer(media_types=('text/x',), render=answer)]",
        "TypeError: renderer of text/x needs a synchronous function (def, not async def), not <function",
    ),
    hook(
        "an-async-mask",
        "commands",
        "return [command('x', mask=answer)]",
        "TypeError: mask of command /x needs a synchronous function (def, not async def), not <function",
    ),
    hook(
        "too-few-parameters",
        "interceptors",
        "return [Interceptor(name='x', run=answer)]",
        "TypeError: interceptor x is called with 2 arguments, but <function answer",
    ),
    hook(
        "too-many-parameters",
        "services",
        "return [Service(name='x', run=answer)]",
        "TypeError: service x is called with no arguments, but <function answer",
    ),
    hook(
        "no-context",
        "topic_types",
        "return [TopicType(name='x', summary='', open=answer)]",
        "TypeError: open of topic type x needs an async context manager (@asynccontextmanager), not",
    ),
    hook(
        "an-undecorated-generator",
        "topic_types",
        "return [TopicType(name='x', summary='', open=stream)]",
        "TypeError: open of topic type x needs an async context manager (@asynccontextmanager), not",
    ),
    hook(
        "an-annotated-open",
        "topic_types",
        "return [TopicType(name='x', summary='', open=opened)]",
        "TypeError: open of topic type x needs an async context manager (@asynccontextmanager), not",
    ),
    hook(
        "an-order-in-words",
        "observers",
        "return [Observer(name='x', on_event=observe, order='last')]",
        "TypeError: observer x needs a whole number as its order, not 'last'",
    ),
    hook(
        "a-field-unknown",
        "interceptors",
        "return [Interceptor(name='x', check=around)]",
        "TypeError: Unexpected keyword argument 'check'",
    ),
    hook(
        "a-kind-unknown",
        "observers",
        "return [Observer(name='x', on_event=observe, kinds=frozenset({'comand-ended'}))]",
        "unknown kind of event comand-ended of observer x: did you mean command-ended?",
    ),
    hook(
        "a-list-of-kinds",
        "observers",
        "return [Observer(name='x', on_event=observe, kinds=['output'])]",
        "stringd_observers failed: TypeError: observer x needs a frozenset of kinds, not ['output']",
    ),
    hook(
        "a-kind-without-name",
        "event_kinds",
        "return [EventKind(event=Event)]",
        "ValueError: kind of event needs a lower-case name without blanks, not ''",
    ),
    hook(
        "a-kind-of-the-core",
        "event_kinds",
        "return [EventKind(event=Output)]",
        "kind of event output of a-kind-of-the-core (z-a-kind-of-the-core 1.0) is already added by",
    ),
    hook(
        "a-field-missing",
        "services",
        "return [Service(name='x')]",
        "TypeError: Missing required argument 'run'",
    ),
    hook(
        "a-list-of-types",
        "commands",
        "return [command('x', topic_types=['file'])]",
        "stringd_commands failed: TypeError: command /x needs a frozenset of topic types, not ['file']",
    ),
    hook(
        "a-lone-scheme",
        "loaders",
        "return [Loader(schemes='memo', load=load)]",
        "stringd_loaders failed: ValueError: loader needs lower-case names, not 'memo'",
    ),
    hook(
        "a-loud-scheme",
        "loaders",
        "return [Loader(schemes=('Memo',), load=load)]",
        "stringd_loaders failed: ValueError: loader needs lower-case names, not ('Memo',)",
    ),
    hook(
        "no-media-type",
        "renderers",
        "return [Renderer(media_types=(), render=render)]",
        "stringd_renderers failed: ValueError: renderer needs lower-case names, not ()",
    ),
]
