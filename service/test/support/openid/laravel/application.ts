import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, cpSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { temporaryFolder, type AtEnd } from '../../at-end.ts';
import { until } from '../../programs/until.ts';
import { atPlace, keyOf, type Place, type TriedClient } from '../tried-client.ts';

/** Of `spawn`: with Debian's libraries, and Socialite where its sources are given. */
function settingsOf(folder: string, place: Place): Record<string, string> {
  const { SOCIALITE_SOURCES } = process.env;
  return {
    PATH: '/usr/bin:/bin',
    HOME: folder,
    CLIENT_SECRET: keyOf(place),
    SESSION_SECRET: 'k'.repeat(32),
    ...(SOCIALITE_SOURCES === undefined ? {} : { SOCIALITE_SOURCES }),
  };
}

/**
 * Starts an application of Laravel with examples/laravel, by the configuration of docs/openid.md.
 * @param proxy through which its back end asks the provider
 * @returns its address
 */
export async function startLaravel(
  atEnd: AtEnd,
  { client, place, proxy }: { client: TriedClient; place: Place; proxy: string },
): Promise<string> {
  const folder = temporaryFolder('laravel', atEnd);
  cpSync(join(import.meta.dirname, 'config'), join(folder, 'config'), { recursive: true });
  for (const name of ['bootstrap/cache', 'storage/sessions', 'storage/views']) {
    mkdirSync(join(folder, name), { recursive: true });
  }
  const through = `    'guzzle' => ['proxy' => '${proxy}'],\n],\n`;
  const services = atPlace(client.configuration, place).replace(/\],\n$/, through);
  writeFileSync(join(folder, 'config', 'services.php'), `<?php\n\nreturn [\n${services}];\n`);
  const log = openSync(join(folder, 'log'), 'w');
  const args = ['-S', `127.0.0.1:${place.port}`, join(import.meta.dirname, 'index.php')];
  const env = settingsOf(folder, place);
  const child = spawn('/usr/bin/php', args, { cwd: folder, env, stdio: ['ignore', log, log] });
  closeSync(log);
  const gone = once(child, 'exit');
  atEnd(async () => {
    child.kill();
    await gone;
  });
  const origin = `http://127.0.0.1:${place.port}`;
  await until(async () => {
    if (child.exitCode !== null) throw new Error(readFileSync(join(folder, 'log'), 'utf8'));
    return (await fetch(origin).catch(() => null))?.ok === true;
  });
  return origin;
}
