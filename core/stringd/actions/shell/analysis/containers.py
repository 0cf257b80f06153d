"""How programs read their arguments that run others in a container."""

from __future__ import annotations

from collections.abc import Mapping

from stringd.actions.shell.analysis.argument_roles import Program, Role
from stringd.actions.shell.analysis.program_descriptions import DATA, each, named

_CONTAINER_OPTIONS: Mapping[str, tuple[Role, ...]] = {
    **each("acehlmnpuvw"),
    **named(
        "--add-host --cap-add --cap-drop --cidfile --cluster --container --context --cpus --detach-keys"
        " --device --dns --env --env-file --expose --file --gpus --group-add --hostname --image --ip --ipc"
        " --kubeconfig --label --link --log-driver --log-opt --memory --mount --name --namespace"
        " --net --network --pid --platform --project --publish --pull --restart --runtime --security-opt"
        " --shm-size --tmpfs --ulimit --user --userns --volume --volumes-from --workdir",
        DATA,
    ),
    **named("--entrypoint --health-cmd"),
}
CONTAINER = Program(options=_CONTAINER_OPTIONS, operands=(Role.DATA, Role.COMMAND), lenient=True)
"""How `docker exec`, `kubectl run` and the like read what stands behind that word."""

# They hand their input on to a program among their arguments.
CONTAINERS = frozenset({"docker", "docker-compose", "podman", "nerdctl", "kubectl", "oc", "lxc"})
