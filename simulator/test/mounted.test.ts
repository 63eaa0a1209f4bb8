/** The plugin on another application, whose settings must not change the simulator's answers. */
import { assets } from '@miftah/pages';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { KeyRing, simulator, type SimulatorOptions } from '../src/app.ts';
import { keysInMemory } from '../src/keys/key-ring.ts';
import { InstantTimer, pushCall, sessionCall } from './support/apps.ts';
import { AMAL, makeEngine, ORIGIN, REQUEST_ID } from './support/engines.ts';
import { madeBefore } from './support/keys.ts';
import { answerCall, openSession, submit } from './support/sign-in.ts';

/**
 * An application that reads forms, coerces types, removes unknown members, and has its own error
 * format.
 */
function host(more: Pick<SimulatorOptions, 'hostRefusesUnknown'> = {}) {
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
  const [stylesheet] = assets;
  app.get(stylesheet?.path ?? '', () => 'the stylesheet of the host');
  const { engine } = makeEngine();
  const control = { publicUrl: ORIGIN };
  let keysMade = 0;
  const make = madeBefore();
  const keys = new KeyRing(keysInMemory(), () => {
    keysMade += 1;
    return make();
  });
  app.register(simulator, { engine, timer: new InstantTimer(), control, keys, ...more });
  return Object.assign(app, { keysMade: () => keysMade });
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

  it('leaves what it does not know to an application that wants that', async () => {
    const app = host({ hostRefusesUnknown: true });
    expect((await app.inject('/simulator/x')).json()).toEqual({ host: true });
    expect((await app.inject('/simulator/people/x')).json()).toMatchObject({
      code: 'people.not_found',
    });
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

  it('leaves the files of the pages to an application that serves them, and brings the others', async () => {
    const app = host();
    const [stylesheet, icon] = assets;
    expect((await app.inject(stylesheet?.path ?? '')).body).toBe('the stylesheet of the host');
    expect((await app.inject(icon?.path ?? '')).headers['content-type']).toBe('image/svg+xml');
  });

  it('makes no key before one is needed', async () => {
    const app = host();
    await app.ready();
    await app.inject(sessionCall());
    await app.inject(pushCall({ nationalId: AMAL, service: 'Login' }));
    expect(app.keysMade()).toBe(0);
    await app.inject('/stg/api/v1/mfa/jwk');
    expect(app.keysMade()).toBe(1);
  });

  it('reads forms in its own way, and ends a sign-in on a page of its own', async () => {
    const app = host();
    const { state } = await openSession(app);
    const twice = answerCall(state, 'approve');
    const refused = await app.inject({ ...twice, payload: `${twice.payload}&decision=refuse` });
    expect(refused.statusCode).toBe(404);
    const page = await app.inject(answerCall(state, 'approve'));
    expect((await submit(app, page.body)).body).toContain('The sign-in is complete');
  });
});
