import { readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasTools } from '../../../scripts/debian.mjs';
import { run } from '../../../scripts/run.mjs';
import { recordReceived } from '../../../service/test/support/canaries/record-exchange.ts';
import { until } from '../../../service/test/support/programs/until.ts';
import { builtImage } from '../support/image/built-image.ts';
import { maskOf } from '../support/image/capabilities.ts';
import { Compose } from '../support/image/compose/compose.ts';
import { makeComposeFolder, PUBLIC_HOST, SECRET_VALUES } from '../support/image/compose/folder.ts';
import {
  machineOptions,
  makeMachineImages,
  NGINX_IMAGE,
  POSTGRES_IMAGE,
} from '../support/image/compose/machine-images.ts';
import { randomPrefix } from '../support/image/compose/networks.ts';
import { sharedEngine } from '../support/image/engine.ts';
import { rightsOf, RIGHTS } from '../support/image/rights.ts';

/** deploy/image/compose.yaml: PostgreSQL, two instances, and nginx before them. */

const UP_TIMEOUT_MS = 600_000;
const INSTANCES = ['miftah-1', 'miftah-2'] as const;
/** What the images of others need to become their user, and the proxy to listen on 443. */
const ALLOWED = {
  proxy: ['CHOWN', 'NET_BIND_SERVICE', 'SETGID', 'SETUID'],
  postgres: ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID'],
} as const;
const isHere = hasTools('image');

/** A part of what each container says, so that a log that is not read is noticed. */
const SAID = {
  postgres: 'database system is ready to accept connections',
  migrate: 'schema',
  'miftah-1': '"route":',
  'miftah-2': '"route":',
  proxy: '"instance":',
} as const;

/** Whether something listens for https there. */
async function accepts(address: string): Promise<boolean> {
  const socket = connect(443, address);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

describe('the compose file', () => {
  let compose: Compose;
  let folder = '';
  let certificate = '';
  let proxy = '';

  beforeAll(async () => {
    if (!isHere) return;
    const engine = sharedEngine();
    const image = await builtImage(engine);
    await makeMachineImages(engine);
    folder = await makeComposeFolder();
    certificate = readFileSync(join(folder, 'certificate.pem'), 'utf8');
    const front = randomPrefix();
    proxy = `${front}.2`;
    const variables = {
      MIFTAH_IMAGE: image,
      POSTGRES_IMAGE,
      NGINX_IMAGE,
      MIFTAH_SUBNET: `${front}.0/24`,
      MIFTAH_PROXY_ADDRESS: proxy,
    };
    const path = join(folder, 'compose.yaml');
    compose = new Compose(engine, { path, front, variables, optionsFor: machineOptions });
    await compose.up();
    // It has no health check, so `up` does not wait until it listens.
    await until(() => accepts(proxy));
  }, UP_TIMEOUT_MS);

  afterAll(async () => {
    await compose?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }, UP_TIMEOUT_MS);

  /** Asks as a client does: by https, by the public name, at the address of the proxy. */
  async function ask(path: string, body: object, headers: Record<string, string> = {}) {
    const sent = request({
      host: proxy,
      servername: PUBLIC_HOST,
      ca: certificate,
      agent: false,
      method: 'POST',
      path: `/api/v1${path}`,
      headers: { host: PUBLIC_HOST, 'content-type': 'application/json', ...headers },
    });
    sent.end(JSON.stringify(body));
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    const payload = await text(answer);
    recordReceived(answer.headers, payload);
    expect(answer.statusCode, payload).toBe(200);
    return (JSON.parse(payload) as { data: Record<string, string> }).data;
  }

  /** A whole sign-in by phone. @returns the API token */
  async function signIn(): Promise<string> {
    const started = await ask('/start', { national_id: '1000001101', locale: 'en' });
    const { attempt_id: id = '', attempt_token: secret = '' } = started;
    await ask('/complete-mfa', { attempt_id: id }, { 'x-provider-attempt-token': secret });
    const { token = '' } = await ask(`/token/${id}`, { attempt_token: secret });
    return token;
  }

  /** The instances that have answered so far, by the log of the proxy. */
  async function instances(): Promise<string[]> {
    const lines = (await compose.log('proxy')).split('\n').filter((line) => line.startsWith('{'));
    return lines.map((line) => (JSON.parse(line) as { instance: string }).instance);
  }

  it('begins a sign-in at one instance and finishes it at the other', async () => {
    if (!isHere) return;
    expect(await signIn()).toMatch(/^mft_test_/);
    expect(new Set((await instances()).slice(-3)).size).toBe(2);
  });

  it('signs in while one instance is away, and while the other one is', async () => {
    if (!isHere) return;
    for (const instance of INSTANCES) {
      expect(await compose.stop(instance)).toBe(0);
      for (let left = 5; left > 0; left -= 1) expect(await signIn()).toMatch(/^mft_test_/);
      await compose.startAgain(instance);
    }
  });

  it('keeps the database away from the proxy', async () => {
    if (!isHere) return;
    const { members } = compose.networks;
    const database = members.get('postgres')?.addresses['database'] ?? '';
    const open = (service: string) => {
      const script = `exec 3<>/dev/tcp/${database}/5432`;
      const namespace = members.get(service)?.namespace ?? '';
      return run('ip', ['netns', 'exec', namespace, 'timeout', '2', 'bash', '-c', script]);
    };
    expect((await open('miftah-1')).code).toBe(0);
    expect((await open('proxy')).code).not.toBe(0);
  });

  it('gives each instance no right that it could use, and a root that it can not write', async () => {
    if (!isHere) return;
    for (const instance of INSTANCES) {
      expect(await rightsOf(sharedEngine(), compose.nameOf(instance))).toEqual(RIGHTS);
      expect(await compose.limitsOf(instance)).toEqual({ bytes: 512 * 2 ** 20, processes: 200 });
    }
  });

  it('gives the proxy and the database a read-only root and few capabilities', async () => {
    if (!isHere) return;
    for (const [service, names] of Object.entries(ALLOWED)) {
      const status = await compose.statusOf(service);
      expect(status.get('NoNewPrivs')).toBe('1');
      expect(status.get('CapBnd')).toBe(maskOf(names));
      expect(await compose.hasReadOnlyRoot(service)).toBe(true);
    }
  });

  it('tells no secret in any log', async () => {
    if (!isHere) return;
    for (const [service, line] of Object.entries(SAID)) {
      const log = await compose.log(service);
      expect(log, service).toContain(line);
      for (const secret of SECRET_VALUES) expect(log).not.toContain(secret);
    }
  });
});
