"""A Miftah with its simulator, in a process of its own."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

_COMMAND = "npx --no -- miftah"
#: What a program of Node needs. The settings in the environment are those of the application.
_KEPT = [
    "APPDATA",
    "COMSPEC",
    "HOME",
    "LANG",
    "LOCALAPPDATA",
    "NODE_EXTRA_CA_CERTS",
    "NODE_OPTIONS",
    "PATH",
    "PATHEXT",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "TMPDIR",
    "USERPROFILE",
]


class Instance:
    """Starts `miftah dev --json`. Its store is deleted at the end, and it ends with this process.

    The command is that of `MIFTAH_COMMAND` in the environment, as `node path/to/miftah.mjs`; without it
    `npx --no -- miftah`. `settings` are those of the service, as `{"STRICT": "yes"}`.
    """

    def __init__(self, settings: Mapping[str, str] | None = None) -> None:
        command = shlex.split(os.environ.get("MIFTAH_COMMAND") or _COMMAND, posix=os.name != "nt")
        environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
        chosen = {"RATE_LIMITS": "off", "LOG_LEVEL": "warn", **(settings or {})}
        # The whole path, because npx is a command file on Windows.
        program = shutil.which(command[0]) or command[0]
        self._process = _start(
            [program, *command[1:], "dev", "--port", "0", "--json"], {**environment, **chosen}
        )
        self.url: str = self._first_line()["url"]

    def _first_line(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self.stop()
            raise RuntimeError(
                "`miftah dev` has not started; what it said is above. Is the package miftah of npm "
                "installed in this folder, or does MIFTAH_COMMAND name the command?"
            )
        address: dict[str, Any] = json.loads(line)
        return address

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()


def _start(command: Sequence[str], environment: Mapping[str, str]) -> "subprocess.Popen[bytes]":
    try:
        return subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=sys.__stderr__,
        )
    except OSError as error:
        raise RuntimeError(f"{command[0]} can't be started: set MIFTAH_COMMAND.") from error
