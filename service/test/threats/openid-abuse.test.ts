import { once } from 'node:events';
import { connect } from 'node:net';
import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../src/store/index.ts';
import { RawConnection } from '../support/attacks/hostile/raw-connection.ts';
import { share } from '../support/at-end.ts';
import {
  ask,
  exchange,
  OPENID_CLIENTS,
  openStrictOpenid,
  PORTAL_KEY,
  signedIn,
  writtenRequest,
} from '../support/openid/openid-scene.ts';
import { openTestService } from '../support/service/test-service.ts';

/** What strangers send to the OpenID Provider, in strict mode where nothing else is said. */

const NATIVE = {
  id: 'native',
  name: { ar: 'تطبيق المثال', en: 'Example App' },
  type: 'public',
  return_addresses: [],
  keys: [],
  openid: { redirect_uris: ['com.example.reader:/cb', 'https://reader.example.test/cb'] },
} as const;

const scene = share((atEnd) => openStrictOpenid(atEnd, [...Object.values(OPENID_CLIENTS), NATIVE]));

describe('threat 121: a page that is no page of the client', () => {
  it.each(['null', 'https://evil.example.test', 'https://portal.example.test'])(
    'reads no answer to a client of its own scheme: %s',
    async (origin) => {
      const answer = await fetch(`${scene().origin}/openid/token`, {
        method: 'POST',
        headers: { origin },
        body: new URLSearchParams({
          client_id: NATIVE.id,
          grant_type: 'authorization_code',
          code: 'unknown',
          redirect_uri: NATIVE.openid.redirect_uris[0],
        }),
      });
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([
        400,
        null,
      ]);
      expect(await answer.text()).toContain('not allowed');
    },
  );
});

describe('threat 147: a request that is costly to refuse', () => {
  it.each(['token', 'revoke', 'introspect', 'par'])(
    'costs no more than others: /openid/%s',
    async (path) => {
      const costOf = async (sign: string, count: number) => {
        const before = process.cpuUsage();
        for (let one = 0; one < count; one += 1) {
          const answer = await fetch(`${scene().origin}/openid/${path}`, {
            method: 'POST',
            headers: { origin: sign.repeat(12_000) },
            body: new URLSearchParams({ client_id: 'portal' }),
          });
          expect(answer.status).toBeLessThan(500);
          await answer.text();
        }
        const { user, system } = process.cpuUsage(before);
        return user + system;
      };
      const others = await costOf('a', 40);
      expect(await costOf('\\', 20)).toBeLessThan(3 * others);
    },
  );
});

describe('threat 121: what is asked', () => {
  it('by lists in lists is refused, and is no fault of the service', async () => {
    for (const depth of [3_000, 7_000, 20_000]) {
      const lists = '['.repeat(depth) + ']'.repeat(depth);
      const form = writtenRequest('native', NATIVE.openid.redirect_uris[1]);
      form.set('claims', `{"id_token":{"a":{"x":${lists}}}}`);
      const pushed = await fetch(`${scene().origin}/openid/par`, { method: 'POST', body: form });
      expect(pushed.status).toBeLessThan(500);
    }
    expect(scene().service.logLines.filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  it('of another host by an absolute target is answered with the addresses of this one', async () => {
    const { origin } = scene();
    const { port, host, hostname } = new URL(origin);
    const target = `http://${hostname}:9/.well-known/openid-configuration`;
    const bytes = `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    const connection = new RawConnection(Number(port));
    const found = await connection.exchange(bytes, 'GET');
    connection.close();
    expect(found?.body).toContain(`"${origin}/openid/token"`);
    expect(found?.body).not.toContain(':9/');
  });
});

describe('threat 121: claims', () => {
  it('are read with a token by the pages of its client alone', async () => {
    const asked = await ask(scene(), { id: 'reader', parameters: { scope: 'openid profile' } });
    const { access_token } = await exchange(asked, await signedIn(asked));
    const toldTo = async (origin: string) => {
      const headers = { origin, authorization: `Bearer ${access_token}` };
      const answer = await fetch(`${scene().origin}/openid/userinfo`, { headers });
      const isReadable = answer.headers.get('access-control-allow-origin') === origin;
      return [isReadable, (await answer.text()).includes('Amal')];
    };
    expect(await toldTo('https://evil.example.test')).toEqual([false, false]);
    expect(await toldTo('https://portal.example.test')).toEqual([false, false]);
    expect(await toldTo('https://reader.example.test')).toEqual([true, true]);
  });
});

describe('threat 121: a level', () => {
  it.each(['-5', '', '0', '0x2', '2.0', '1e0', ' 2'])(
    'that is none, %j, is not told back',
    async (level) => {
      const value = `${scene().origin}/acr/${level}`;
      const claims = JSON.stringify({ id_token: { acr: { value } } });
      const asked = await ask(scene(), { id: 'portal', parameters: { claims } });
      const tokens = await exchange(asked, await signedIn(asked));
      expect({ ...tokens.claims() }['acr']).toBe(`${scene().origin}/acr/3`);
    },
  );
});

describe('threat 123: beginnings of sign-ins', () => {
  it('are not kept where they are longer than a request of the API may be', async () => {
    const authorization = `Basic ${btoa(`portal:${PORTAL_KEY}`)}`;
    const push = (state: string) =>
      fetch(`${scene().origin}/openid/par`, {
        method: 'POST',
        headers: { authorization },
        body: writtenRequest('portal', OPENID_CLIENTS.portal.openid.redirect_uris[0], state),
      });
    expect((await push('x'.repeat(2000))).status).toBe(201);
    const refused = await push('x'.repeat(40_000));
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: 'invalid_request' });
  });

  it('are refused as starts are, while starts take long in the store', async () => {
    const opened = Promise.withResolvers<void>();
    let inStore = 0;
    const memory = createMemoryStore();
    const store = {
      ...memory,
      async insertAttempt(...attempt: Parameters<typeof memory.insertAttempt>) {
        inStore += 1;
        await opened.promise;
        return memory.insertAttempt(...attempt);
      },
    };
    const settings = { RATE_LIMITS: 'off', OPENID: 'on' };
    const service = await openTestService({ settings, parts: { openStore: async () => store } });
    const slow = Array.from({ length: 17 }, () => service.post('/start', { locale: 'en' }));
    await expect.poll(() => inStore).toBe(17);
    service.clock.advance(250);
    const always = service.post('/start', { locale: 'en' });
    await expect.poll(() => inStore).toBe(18);
    const begin = await service.app.inject('/openid/authorize?client_id=demo');
    const pushed = await service.app.inject({ method: 'POST', url: '/openid/par' });
    expect([begin.statusCode, pushed.statusCode]).toEqual([503, 503]);
    expect((await service.app.inject('/openid/jwks')).statusCode).toBe(200);
    opened.resolve();
    await Promise.all([...slow, always]);
  });

  it('by clients that leave in the middle write no errors into the log', async () => {
    const { service, origin } = scene();
    const { port, hostname } = new URL(origin);
    const head = [
      'POST /openid/token HTTP/1.1',
      `Host: ${hostname}:${port}`,
      'Content-Type: application/x-www-form-urlencoded',
      'Content-Length: 500',
    ];
    for (let time = 0; time < 5; time += 1) {
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      await new Promise((resolve) => socket.write(`${head.join('\r\n')}\r\n\r\nabc`, resolve));
      // Until the service has read the head.
      await fetch(`${origin}/openid/jwks`);
      socket.resetAndDestroy();
      await once(socket, 'close');
    }
    // Later requests of other connections are answered after the service has seen the ends.
    for (let time = 0; time < 5; time += 1) await fetch(`${origin}/openid/jwks`);
    expect(service.logLines.filter((line) => line.includes('could not be answered'))).toEqual([]);
  });
});
