"""The settings of the cluster plugin."""

from __future__ import annotations

from dataclasses import dataclass

from stringd.plugin import setting


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSettings:
    """What people can set for a node of a cluster."""

    url: str = setting(
        "",
        "The PostgreSQL database of the cluster that this daemon is a node of, as postgresql://…",
        option="--cluster",
    )
    node: str = setting("", "The name of this node; by default that of the machine.", option="--node")
    listen: str = setting(
        "127.0.0.1:3100", "The address for clients, as HOST:PORT; port 0 takes a free one.", option="--listen"
    )
    node_listen: str = setting(
        "127.0.0.1:0", "The address for other nodes, as HOST:PORT.", option="--node-listen"
    )
    advertise: str = setting(
        "",
        "The address at which other nodes reach this one, if it is not that of --node-listen.",
        option="--advertise",
    )
    labels: tuple[str, ...] = setting(
        (), "The labels of this node, besides its name: which homes it may take.", option="--labels"
    )
    lease_seconds: float = setting(
        3.0,
        "How long this node may go without the database before others take over its homes.",
        unit="seconds",
        least=0.5,
        most=300,
        option="--lease-seconds",
    )
    tls_certificate: str = setting("", "The PEM file with the certificate that clients are shown.")
    tls_key: str = setting("", "The PEM file with the key of that certificate.")
    requests_per_second: float = setting(
        0.0, "How many requests a user may send in a second on average; 0 for any number.", least=0, most=1e6
    )
