import fastifySwagger from '@fastify/swagger';
import Fastify, { type FastifyInstance } from 'fastify';
import { describe, expect, it } from 'vitest';
import { simulator } from '../src/app.ts';
import { InstantTimer, makeApp } from './support/apps.ts';
import { makeEngine, ORIGIN } from './support/engines.ts';

interface Document {
  readonly openapi: string;
  readonly servers: ReadonlyArray<{ readonly url: string }>;
  readonly paths: Record<string, Record<string, { operationId: string; summary: string }>>;
}

async function documentOf(app: FastifyInstance): Promise<Document> {
  const answer = await app.inject('/simulator/openapi.json');
  expect(answer.statusCode).toBe(200);
  return answer.json<Document>();
}

function operationsOf({ paths }: Document) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      call: `${method.toUpperCase()} ${path}`,
      ...operation,
    })),
  );
}

describe('GET /simulator/openapi.json', () => {
  it('has every call of a program, and no page', async () => {
    const document = await documentOf(makeApp().app);
    expect(document).toMatchObject({ openapi: '3.1.0', servers: [{ url: ORIGIN }] });
    expect(operationsOf(document).map(({ call }) => call)).toEqual([
      'GET /stg/api/v2/oidc/session',
      'POST /stg/api/v1/mfa/request',
      'POST /stg/api/v1/mfa/request/status',
      'GET /stg/api/v1/mfa/jwk',
      'POST /stg/api/v2/oidc/jwt',
      'POST /stg/api/v2/oidc/jwt/valid',
      'GET /simulator/prompts',
      'POST /simulator/prompts/{id}/decision',
      'GET /simulator/wait',
      'GET /simulator/attempts',
      'GET /simulator/attempts/{id}',
      'GET /simulator/attempts/{id}/export',
      'POST /simulator/import',
      'POST /simulator/attempts/{id}/replay',
      'GET /simulator/events',
      'GET /simulator/people',
      'GET /simulator/people/{id}',
      'PUT /simulator/people/{id}',
      'DELETE /simulator/people/{id}',
      'POST /simulator/reset',
      'GET /simulator/outcomes',
      'GET /simulator/next',
      'POST /simulator/next',
      'DELETE /simulator/next',
      'GET /simulator/faults',
      'PUT /simulator/faults',
      'GET /simulator/clock',
      'POST /simulator/clock',
      'GET /simulator/keys',
      'POST /simulator/keys/announce',
      'POST /simulator/keys/rotate',
      'POST /simulator/session-codes',
      'POST /simulator/session',
      'DELETE /simulator/session',
    ]);
  });

  it('names each of them once, in a few words', async () => {
    const operations = operationsOf(await documentOf(makeApp().app));
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    expect(operations.every(({ summary }) => summary.length > 10)).toBe(true);
  });

  it('keeps apart from the document of the application that it is mounted on', async () => {
    const app = Fastify();
    await app.register(fastifySwagger, { openapi: { openapi: '3.1.0' }, hideUntagged: true });
    app.get('/own', { schema: { tags: ['Own'] } }, () => ({}));
    const { engine } = makeEngine();
    const options = { engine, timer: new InstantTimer(), control: { publicUrl: ORIGIN } };
    await app.register(simulator, options);
    await app.ready();
    expect(Object.keys(app.swagger().paths ?? {})).toEqual(['/own']);
    expect(operationsOf(await documentOf(app))).toHaveLength(34);
  });
});
