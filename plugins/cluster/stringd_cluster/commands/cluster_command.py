"""The subcommand `stringd cluster`: make a cluster, join it, look at it, and move what is in it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from stringd.plugin import CliCommand, Config, Fault
from stringd.plugin.cli import run_daemon, settings_of, write_output
from stringd.plugin.text import counted
from stringd_cluster.cluster_settings import ClusterSettings
from stringd_cluster.commands.cluster_database import (
    MISUSE,
    PLUGIN,
    require_extra,
    run_unchecked,
    run_with,
)

if TYPE_CHECKING:
    from stringd_cluster.commands.node_setup import NewNode

_OPTIONS = ("--node", "--listen", "--node-listen", "--advertise", "--labels")
_SECONDS = 60.0
_IN_USE = """
SELECT (SELECT count(*) FROM stringd.nodes WHERE name = $1 AND ended IS NULL AND expires > clock_timestamp()),
       (SELECT count(*) FROM stringd.homes WHERE label = $1)
"""


def _init(arguments: argparse.Namespace) -> int:
    config, node = _new_node(arguments)
    from stringd.plugin.terminal_programs import write_json
    from stringd_cluster.commands.node_setup import make_cluster
    from stringd_cluster.engine.database_url import shown_url

    made = run_unchecked(
        node.url, lambda connection: make_cluster(connection, node, arguments.homes, arguments.user)
    )
    token = made.token
    if arguments.json:
        write_json(
            {
                "cluster_id": str(made.id),
                "node": node.name,
                "join_secret": made.join_secret,
                "token": token.token,
            }
        )
    else:
        write_output(
            f"Made the cluster {made.id} at {shown_url(node.url)}, with the node {node.name}.\n"
            f"Join secret, for other nodes: {made.join_secret}\n"
            f"Token of user {token.user_id} with the scope admin: {token.token}\n"
            "Both are shown only now."
        )
    node.identity(made.id).finish()
    return _start(arguments, config, node.name)


def _join(arguments: argparse.Namespace) -> int:
    config, node = _new_node(arguments)
    from stringd_cluster.commands.join_secrets import given_join_secret
    from stringd_cluster.commands.node_setup import join_cluster

    secret = given_join_secret(arguments)
    cluster_id = run_with(node.url, lambda connection: join_cluster(connection, node, secret))
    write_output(f"Joined the cluster {cluster_id} as the node {node.name}.")
    return _start(arguments, config, node.name)


def _new_node(arguments: argparse.Namespace) -> tuple[Config, NewNode]:
    """Return the configuration of the node that is set up, and what it is set up with."""
    require_extra()
    from stringd_cluster.commands.node_setup import NewNode, node_name

    config = _config(arguments)
    settings = _settings(config)
    name, data_dir = node_name(settings.node), config.data_dir.absolute()
    return config, NewNode(url=settings.url, name=name, data_dir=data_dir)


def _config(arguments: argparse.Namespace) -> Config:
    """Return the configuration with the options of the subcommand, as if they stood before it."""
    config: Config = arguments.config
    given = {option: getattr(arguments, option[2:].replace("-", "_")) for option in _OPTIONS}
    options = {**dict(config.plugin_options), **{name: it for name, it in given.items() if it is not None}}
    if arguments.url is not None:
        options["--cluster"] = arguments.url
    return replace(config, plugin_options=tuple(options.items()))


def _settings(config: Config) -> ClusterSettings:
    settings = settings_of(config, PLUGIN, ClusterSettings)
    if not settings.url:
        raise Fault("give the URL of the database, as postgresql://USER@HOST/DATABASE", exit_code=MISUSE)
    return settings


def _start(arguments: argparse.Namespace, config: Config, name: str) -> int:
    from stringd.plugin.terminal_programs import write_error

    if not arguments.start:
        write_error("Start the node from here with: stringd --cluster URL, and the same options")
        return 0
    options = {**dict(config.plugin_options), "--node": name}
    return run_daemon(replace(config, plugin_options=tuple(options.items())))


def _leave(arguments: argparse.Namespace) -> int:
    require_extra()
    from stringd_cluster.hop.node_identity import NodeIdentity

    identity = NodeIdentity.load(arguments.config.data_dir)
    if identity is None:
        raise Fault(f"{arguments.config.data_dir} belongs to no node")

    async def check(connection: Any) -> None:
        running, pinned = await connection.fetchrow(_IN_USE, identity.name)
        if running:
            raise Fault(f"the node {identity.name} runs: stop it first, with Ctrl-C or SIGTERM")
        if pinned and not arguments.force:
            raise Fault(
                f"{counted(pinned, 'home')} pinned to {identity.name} would stay unavailable: "
                "pin elsewhere with `stringd cluster pin USER LABEL`, or use --force"
            )

    if not arguments.force:
        run_with(identity.url, check)
    identity.remove()
    write_output(f"{identity.name} has left the cluster {identity.cluster_id}")
    return 0


def _status(arguments: argparse.Namespace) -> int:
    require_extra()
    from stringd_cluster.commands.cluster_overview import show_status

    return show_status(arguments)


def _order(name: str) -> Any:
    def run(arguments: argparse.Namespace) -> int:
        require_extra()
        from stringd_cluster.commands import home_orders

        code: int = getattr(home_orders, name)(arguments)
        return code

    return run


def _configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="action", required=True, parser_class=type(parser))
    _add_setup(actions)
    status = actions.add_parser("status", help="show the nodes, homes, database and certificate")
    status.add_argument("--json", action="store_true", help="print JSON")
    status.set_defaults(act=_status)
    _add_orders(actions)
    leave = actions.add_parser("leave", help="remove what this stopped node keeps of its cluster")
    leave.add_argument("--force", action="store_true", help="in any case, even without the database")
    leave.set_defaults(act=_leave)


def _add_setup(actions: Any) -> None:
    from stringd.plugin.terminal_programs import user_argument

    init = actions.add_parser("init", help="make a cluster in a PostgreSQL database, and run its first node")
    init.set_defaults(act=_init)
    join = actions.add_parser("join", help="join a cluster, and run the node")
    join.set_defaults(act=_join)
    for it in (init, join):
        it.add_argument(
            "url",
            nargs="?",
            metavar="URL",
            help="the database, as postgresql://USER@HOST/DATABASE (default: that of --cluster)",
        )
        it.add_argument("--node", metavar="NAME", help="the name of this node (default: the machine's)")
        it.add_argument("--listen", metavar="HOST:PORT", help="the address for clients")
        it.add_argument("--node-listen", metavar="HOST:PORT", help="the address for other nodes")
        it.add_argument("--advertise", metavar="HOST:PORT", help="that address as other nodes reach it")
        it.add_argument("--labels", metavar="NAMES", help="labels of this node: gpu,eu")
        it.add_argument("--no-start", dest="start", action="store_false", help="set it up only")
    init.add_argument(
        "--homes",
        choices=("local", "shared"),
        default="local",
        help="whether homes are on the disks of their nodes (local), or all nodes see all homes (shared)",
    )
    init.add_argument(
        "--user", metavar="ID", type=user_argument, default="default", help="whose the first token is"
    )
    init.add_argument("--json", action="store_true", help="print what is shown once as JSON")
    join.add_argument("--secret-file", metavar="FILE", help="read the join secret from this file")


def _add_orders(actions: Any) -> None:
    from stringd.plugin.terminal_programs import user_argument

    drain = actions.add_parser("drain", help="have a node pass on its homes and take no others")
    drain.add_argument("node", metavar="NODE")
    drain.add_argument("--undo", action="store_true", help="let it take homes again")
    move = actions.add_parser("move", help="move the home of a user to a node")
    move.add_argument("user", metavar="USER", type=user_argument)
    move.add_argument("node", metavar="NODE")
    pin = actions.add_parser("pin", help="let only nodes with a label or name have the home of a user")
    pin.add_argument("user", metavar="USER", type=user_argument)
    pin.add_argument("label", nargs="?", metavar="LABEL")
    pin.add_argument("--any", action="store_true", help="let any node have it")
    for name, parser in (("drain", drain), ("move", move), ("pin", pin)):
        parser.add_argument(
            "--seconds", type=_patience, metavar="N", default=_SECONDS, help="how long to wait for the nodes"
        )
        parser.set_defaults(act=_order(name))
    limit = actions.add_parser("limit", help="limit the requests of a user")
    limit.add_argument("user", metavar="USER", type=user_argument)
    limit.add_argument("limit", metavar="N", help="requests per second, 0 for any number; none: the setting")
    limit.set_defaults(act=_order("limit"))


def _patience(text: str) -> float:
    seconds = float(text)
    if not seconds >= 0:
        raise argparse.ArgumentTypeError(f"can't wait for {text} seconds")
    return seconds


def _cluster(arguments: argparse.Namespace) -> int:
    code: int = arguments.act(arguments)
    return code


CLUSTER = CliCommand(
    name="cluster",
    summary="Make or join a cluster of daemons, look at its nodes, and move homes between them.",
    configure=_configure,
    run=_cluster,
)
