import { describe, expect, it, onTestFinished } from 'vitest';
import { writeClientsFile } from '../../../scripts/rehearsal.ts';
import { temporaryFolder } from '../support/at-end.ts';
import { openLive } from '../support/live/live-service.ts';
import { OPENID_CLIENTS } from '../support/openid/openid-scene.ts';
import { STRICT } from '../support/service/strict-login.ts';
import { openTestService } from '../support/service/test-service.ts';

/** Plain simulator mode gives out wrong ID tokens where a test says so. No other mode does. */

const URL_OF_NEXT = '/simulator/openid/next';
const WRONG = { id_token: 'wrong_audience' } as const;

describe('threat 146: a wrong ID token of a simulation, given out in earnest', () => {
  it('live mode has nothing at the address that asks for one', async () => {
    const folder = temporaryFolder('wrong-id-tokens', onTestFinished);
    const CLIENTS_FILE = writeClientsFile(folder, [OPENID_CLIENTS.portal]);
    const { origin } = await openLive({ settings: { OPENID: 'on', CLIENTS_FILE } });
    const ask = async (path: string) => {
      const headers = { 'content-type': 'application/json' };
      const sent = { method: 'POST', headers, body: JSON.stringify(WRONG) };
      const answer = await fetch(origin + path, sent);
      const { request_id: _id, ...said } = (await answer.json()) as Record<string, unknown>;
      return { status: answer.status, said };
    };
    expect((await fetch(`${origin}/openid/jwks`)).status).toBe(200);
    const asked = await ask(URL_OF_NEXT);
    expect(asked.status).toBe(404);
    expect(asked).toEqual(await ask('/places/openid/next'));
  });

  it.each([
    ['strict simulator mode', { ...STRICT, OPENID: 'on' }, 409],
    ['simulator mode without OpenID', {}, 409],
    ['plain simulator mode', { OPENID: 'on' }, 200],
  ])('%s answers as it should', async (_, settings, status) => {
    const { app } = await openTestService({ settings });
    const answer = await app.inject({ method: 'POST', url: URL_OF_NEXT, payload: WRONG });
    expect(answer.statusCode).toBe(status);
    const payload = { faults: [{ operation: 'openid_token', status: 503 }] };
    const fault = await app.inject({ method: 'PUT', url: '/simulator/faults', payload });
    expect(fault.statusCode).toBe(status);
    expect(answer.json()).toMatchObject(
      status === 200 ? { data: WRONG } : { code: 'openid.elsewhere' },
    );
  });
});
