"""Plugins that fail, or that hand over what is no fit record."""

from __future__ import annotations

from tests.extensions.unfit import hook, raising

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
        "return Interceptor(name='alone', around=around)",
        "stringd_interceptors failed: TypeError: 'Interceptor' object is not iterable",
    ),
    hook(
        "hook-wants-more",
        "commands",
        "return []",
        "(daemon) Argument(s) {'daemon'} are declared in the hookimpl but can not be found in the hookspec",
        "runtime",
    ),
    hook("hook-unknown", "comands", "return []", "unknown hook 'stringd_comands' in plugin"),
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
        "return [Interceptor(name='x', around=None)]",
        "stringd_interceptors failed: TypeError: interceptor x needs a function, not None",
    ),
    hook(
        "no-listener",
        "topic_types",
        "return [TopicType(name='x', summary='', plain_text='y')]",
        "stringd_topic_types failed: TypeError: topic type x needs a function, not 'y'",
    ),
    hook(
        "a-field-missing",
        "services",
        "return [Service(name='x')]",
        "TypeError: Service.__init__() missing 1 required keyword-only argument: 'run'",
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
