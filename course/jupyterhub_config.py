"""What a JupyterHub needs for this book, whatever machine it runs on.

Load it from the hub's own configuration, with ``load_subconfig`` and its path.
``course/jupyterhub.md`` says where the numbers come from.
"""

c = get_config()  # noqa: F821 – JupyterHub provides it

# A class opens a chapter at the same minute. Kernels that talk over TCP then race for
# ports, and the loser's kernel never answers; files as sockets cannot collide. Their
# names may have 107 letters at most, hence the short folder.
c.Spawner.args = ["--KernelManager.transport=ipc"]
c.Spawner.environment = {
    "JUPYTER_RUNTIME_DIR": lambda spawner: f"/tmp/j{spawner.user.id}",
    # One thread each: many kernels share few cores.
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
c.Spawner.default_url = "/lab/tree/chapters"

# Enforced by spawners that can: systemd (The Littlest JupyterHub) and Kubernetes.
c.Spawner.mem_guarantee = "512M"
c.Spawner.mem_limit = "1536M"

# Twenty at once take their time on few cores; nobody is turned away for it.
c.JupyterHub.concurrent_spawn_limit = 20
c.Spawner.start_timeout = 300
c.Spawner.http_timeout = 300
