import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { temporaryFolder } from '../at-end.ts';
import { accepts } from '../programs/accepts.ts';
import { findFreePort } from '../programs/service-process.ts';

/** What a location of nginx says besides `proxy_pass`. */
export const PLAIN = '';
/** It buffers whatever the service asks for. It passes on what it has at each pause all the same. */
export const BUFFERS = 'proxy_ignore_headers X-Accel-Buffering; proxy_buffering on;';
/** It also compresses the stream, and then keeps events until they fill a buffer. */
export const COMPRESSES = `${BUFFERS} gzip on; gzip_types text/event-stream; gzip_proxied any; gzip_min_length 1;`;

/** A real nginx before a service, as Debian's package has it, for the test. */
export async function openNginx(
  program: string,
  service: { readonly origin: string },
  settings: string,
): Promise<{ readonly origin: string }> {
  const folder = temporaryFolder('nginx', onTestFinished);
  const port = await findFreePort();
  const file = join(folder, 'nginx.conf');
  mkdirSync(join(folder, 'logs'));
  writeFileSync(file, configOf(folder, port, service.origin, settings));
  const child = spawn(program, ['-p', folder, '-c', file, '-e', 'stderr'], { stdio: 'pipe' });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const gone = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await gone;
  });
  await expect.poll(() => accepts(port), { message: said }).toBe(true);
  return { origin: `http://127.0.0.1:${port}` };
}

function configOf(folder: string, port: number, origin: string, settings: string): string {
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const temporary = places.map((name) => `${name}_temp_path ${join(folder, name)};`);
  return `
    daemon off;
    master_process off;
    pid ${join(folder, 'nginx.pid')};
    events { worker_connections 64; }
    http {
      access_log off;
      ${temporary.join(' ')}
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass ${origin};
          proxy_http_version 1.1;
          proxy_set_header Connection '';
          ${settings}
        }
      }
    }`;
}
