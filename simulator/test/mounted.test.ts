/** The HTTP face on somebody else's application, whose habits must not change what it answers. */
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { simulator } from '../src/app.ts';
import { InstantTimer, pushCall, sessionCall } from './support/apps.ts';
import { AMAL, makeEngine, ORIGIN, REQUEST_ID } from './support/engines.ts';

/** Reads forms, coerces, drops what it does not know, and answers errors in a form of its own. */
function host() {
  const app = Fastify({
    ajv: { customOptions: { coerceTypes: 'array', removeAdditional: 'all', useDefaults: true } },
  });
  const form = 'application/x-www-form-urlencoded';
  app.addContentTypeParser(form, { parseAs: 'string' }, (_request, body, done) =>
    done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
  app.setErrorHandler((_error, _request, reply) => reply.code(418).send({ host: true }));
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ host: true }));
  app.get('/own', () => ({ host: true }));
  const { engine } = makeEngine();
  app.register(simulator, { engine, timer: new InstantTimer(), control: { publicUrl: ORIGIN } });
  return app;
}

describe('mounted on another application, the simulator', () => {
  it('answers below its own paths only', async () => {
    const app = host();
    expect((await app.inject(sessionCall())).statusCode).toBe(200);
    expect((await app.inject('/simulator/people')).statusCode).toBe(200);
    for (const url of ['/own', '/elsewhere', '/api/v1/start']) {
      const answer = await app.inject(url);
      expect(answer.json()).toEqual({ host: true });
      expect(answer.headers['x-auth-mode']).toBeUndefined();
    }
  });

  it('keeps its own 404, its own errors and its own idea of a body', async () => {
    const app = host();
    expect((await app.inject('/stg/x')).body).toBe('No Mapping Rule matched');
    expect((await app.inject('/simulator/x')).json()).toMatchObject({ code: 'route.not_found' });
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = `nationalId=${AMAL}&service=Login`;
    const answer = await app.inject({ ...pushCall(body), headers: form });
    expect(answer.json()).toMatchObject({ status: '415' });
  });

  it('coerces nothing', async () => {
    const app = host();
    const number = pushCall({ nationalId: Number(AMAL), service: 'Login' });
    expect((await app.inject(number)).json()).toMatchObject({ code: '422-031-046' });
    const list = pushCall({ nationalId: [AMAL], service: ['Login'] });
    expect((await app.inject(list)).json()).toMatchObject({ code: '422-031-046' });
    const twice = sessionCall({ requestId: [REQUEST_ID, REQUEST_ID] });
    expect((await app.inject(twice)).json()).toMatchObject({ code: '422-031-046' });
  });
});
