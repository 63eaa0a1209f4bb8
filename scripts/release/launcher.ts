/**
 * The text of a command in `bin/`: it runs a program of the release with the release's own Node,
 * from any folder and through symbolic links. `exec` leaves no shell between: signals reach Node.
 * @param program from the root of the release
 */
export function launcher(program: string): string {
  return `#!/bin/sh
set -eu
command=$(readlink -f -- "$0")
release=$(dirname -- "$(dirname -- "$command")")
exec "$release/bin/node" "$release/${program}" "$@"
`;
}
