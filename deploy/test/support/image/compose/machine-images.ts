import { chmodSync, globSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../engine.ts';
import { machineBase, machineVolumes } from '../machine-base.ts';

/**
 * Images of PostgreSQL and nginx for a machine that reaches no registry. They have the variables and
 * places of the images that deploy/image/compose.yaml names, and run the programs of this machine,
 * which they see at their places without being able to change them.
 */
export const POSTGRES_IMAGE = 'localhost/machine:postgres';
export const NGINX_IMAGE = 'localhost/machine:nginx';

const PASSWD = `root:x:0:0:root:/:/bin/sh
www-data:x:33:33:www-data:/:/bin/sh
postgres:x:999:999:postgres:/:/bin/sh
`;
const GROUP = 'root:x:0:\nwww-data:x:33:\npostgres:x:999:\n';

/** Makes the database at the first start, as the image of PostgreSQL does. */
const POSTGRES_START = `#!/bin/sh
set -eu
chown postgres:postgres /run/postgresql
become() { setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; }
if ! test -s "$PGDATA/PG_VERSION"; then
  mkdir -p "$PGDATA"
  cp "$POSTGRES_PASSWORD_FILE" /run/postgresql/password
  chown postgres:postgres "$PGDATA" "$(dirname "$PGDATA")" /run/postgresql/password
  become initdb --pgdata="$PGDATA" --username="$POSTGRES_USER" --pwfile=/run/postgresql/password \\
    --locale=C.UTF-8 $POSTGRES_INITDB_ARGS
  rm /run/postgresql/password
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  echo "CREATE DATABASE $POSTGRES_DB" | become postgres --single -D "$PGDATA" postgres
fi
exec setpriv --reuid=postgres --regid=postgres --clear-groups \\
  postgres -D "$PGDATA" -k /run/postgresql -c listen_addresses='*'
`;

/** What a container of such an image is run with. */
export function machineOptions(image: string): string[] {
  return [POSTGRES_IMAGE, NGINX_IMAGE].includes(image) ? machineVolumes() : [];
}

export async function makeMachineImages(engine: Engine): Promise<void> {
  const [programs] = globSync('/usr/lib/postgresql/*/bin').toSorted().toReversed();
  await makeImage(engine, POSTGRES_IMAGE, (root) => {
    writeFileSync(join(root, 'start'), POSTGRES_START);
    chmodSync(join(root, 'start'), 0o755);
    mkdirSync(join(root, 'run/postgresql'), { recursive: true });
    mkdirSync(join(root, 'var/lib/postgresql/data'), { recursive: true });
    return [`--env=PATH=${programs}:/usr/bin`, '--entrypoint=["/start"]'];
  });
  await makeImage(engine, NGINX_IMAGE, (root) => {
    for (const folder of ['run', 'var/log/nginx', 'var/cache/nginx', 'etc/nginx']) {
      mkdirSync(join(root, folder), { recursive: true });
    }
    // Debian's nginx keeps its temporary files there.
    symlinkSync('/var/cache/nginx', join(root, 'var/lib/nginx'));
    symlinkSync('/dev/stdout', join(root, 'var/log/nginx/access.log'));
    symlinkSync('/dev/stderr', join(root, 'var/log/nginx/error.log'));
    return ['--entrypoint=["/usr/sbin/nginx", "-g", "daemon off;"]'];
  });
}

/** @param fill puts files into the image. @returns what `buildah config` sets */
async function makeImage(engine: Engine, image: string, fill: (root: string) => string[]) {
  if ((await engine.podman('image', 'exists', image)).code === 0) return;
  const container = await engine.expectBuildah('from', await machineBase(engine));
  const root = await engine.expectBuildah('mount', container);
  mkdirSync(join(root, 'etc'), { recursive: true });
  writeFileSync(join(root, 'etc/passwd'), PASSWD);
  writeFileSync(join(root, 'etc/group'), GROUP);
  await engine.expectBuildah('config', ...fill(root), container);
  await engine.expectBuildah('umount', container);
  await engine.expectBuildah('commit', '--quiet', '--rm', container, image);
}
