import { createServer, type RequestListener } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DEMO_SECRET } from '../../src/account/client.ts';
import { OPERATOR_SIGN_INS, RATE_WINDOW_MS } from '../../src/values/limits.ts';
import { temporaryFolder } from '../support/at-end.ts';
import { runMiftah } from '../support/programs/operator.ts';
import { openOperatorScene, type OperatorScene } from '../support/operator/operator-scene.ts';

/** The provider of the operators is broken or hostile, or strangers reach the port of the pages. */

const MEGABYTE = 1024 * 1024;

async function providerOf(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function sceneAt(issuer: string): Promise<OperatorScene> {
  const rolesFile = join(temporaryFolder('operators'), 'roles.json');
  writeFileSync(rolesFile, '{}');
  return openOperatorScene(onTestFinished, {
    OPERATOR_ISSUER: issuer,
    OPERATOR_CLIENT_ID: 'pages',
    OPERATOR_CLIENT_SECRET: DEMO_SECRET,
    OPERATOR_ROLES_FILE: rolesFile,
  });
}

const signIn = ({ pages }: OperatorScene) =>
  fetch(`${pages}/operator/sign-in`, { redirect: 'manual' });

const linesOf = (scene: OperatorScene) =>
  scene
    .log()
    .split('\n')
    .filter((line) => line.includes('an operator could not be signed in'))
    .map((line) => JSON.parse(line) as { level: number; reason?: string; err?: unknown });

describe('threat 133: what the provider of the operators answers', () => {
  it('is read up to a limit', async () => {
    let sent = 0;
    const issuer = await providerOf((_request, response) => {
      response.setHeader('content-type', 'application/json');
      const piece = Buffer.alloc(MEGABYTE, 'x');
      const on = (error?: Error | null) => {
        // The other side has gone.
        if (error) return;
        sent += piece.length;
        response.write(piece, on);
      };
      on();
    });
    const scene = await sceneAt(issuer);
    expect((await signIn(scene)).status).toBe(403);
    expect(linesOf(scene)).toMatchObject([{ level: 50 }]);
    expect(sent).toBeLessThan(16 * MEGABYTE);

    sent = 0;
    const { out } = await runMiftah(['doctor', '--json'], scene.settings);
    expect(out).toContain('its document has no end');
    expect(sent).toBeLessThan(16 * MEGABYTE);
  });

  it('is asked for again when it was of no use', async () => {
    let authorizationEndpoint = 'javascript:alert(1)';
    const issuer: string = await providerOf((_request, response) => {
      response.setHeader('content-type', 'application/json');
      const token_endpoint = `${issuer}/token`;
      const known = { issuer, authorization_endpoint: authorizationEndpoint, token_endpoint };
      response.end(JSON.stringify(known));
    });
    const scene = await sceneAt(issuer);
    expect((await signIn(scene)).status).toBe(403);
    authorizationEndpoint = `${issuer}/authorize`;
    const { status, headers } = await signIn(scene);
    expect([status, headers.get('location')?.startsWith(authorizationEndpoint)]).toEqual([
      303,
      true,
    ]);
  });
});

describe('threat 133: strangers at the port of the pages', () => {
  it('have so many tries in a minute, which are warnings and ask nobody', async () => {
    let calls = 0;
    const issuer = await providerOf((_request, response) => {
      calls += 1;
      response.end();
    });
    const scene = await sceneAt(issuer);
    const secret = 'A'.repeat(43);
    const own = `miftah_operator_sign_in=${secret}.en`;
    for (let index = 0; index < OPERATOR_SIGN_INS.quota; index += 1) {
      const cookie = index % 2 === 0 ? {} : { cookie: own };
      const back = `${scene.pages}/operator/return?code=a&state=${secret}`;
      expect((await fetch(back, { headers: cookie })).status).toBe(403);
    }
    expect((await fetch(`${scene.pages}/operator/return`)).status).toBe(429);
    expect((await signIn(scene)).status).toBe(429);
    const lines = linesOf(scene);
    expect(lines).toHaveLength(OPERATOR_SIGN_INS.quota);
    for (const { level, reason, err } of lines) {
      expect([level, reason, err]).toEqual([40, 'NOT_BEGUN_HERE', undefined]);
    }
    expect(calls).toBe(0);
    scene.clock.advance(RATE_WINDOW_MS);
    expect((await fetch(`${scene.pages}/operator/return`)).status).toBe(403);
  });
});
