import fastifySwagger from '@fastify/swagger';
import Fastify, { type FastifyInstance } from 'fastify';
import { describe, expect, it } from 'vitest';
import { simulator } from '../src/app.ts';
import { InstantTimer, makeApp } from './support/apps.ts';
import { makeEngine, ORIGIN } from './support/engines.ts';

interface Document {
  readonly openapi: string;
  readonly info: { readonly description: string };
  readonly servers: ReadonlyArray<{ readonly url: string }>;
  readonly tags: ReadonlyArray<{ readonly name: string }>;
  readonly components: { readonly schemas: object; readonly securitySchemes: object };
  readonly paths: Record<string, Record<string, Operation>>;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security: readonly object[];
  readonly parameters: ReadonlyArray<{ readonly name: string; readonly schema: object }>;
  readonly responses: Record<string, { readonly description: string; readonly headers: object }>;
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
    expect(document.info.description).toMatch('answered below no prefix too.');
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
      'GET /simulator/webhooks',
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
      'POST /simulator/openid/next',
      'POST /simulator/openid/keys/rotate',
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

  it('says of each answer what it is, and of each tag what it holds', async () => {
    const document = await documentOf(makeApp().app);
    expect(document.components.schemas).toEqual({});
    expect(document.tags.map(({ name }) => name)).toEqual(['Provider', 'Control API']);
    for (const { call, responses, tags } of operationsOf(document)) {
      expect(document.tags.map(({ name }) => name)).toEqual(expect.arrayContaining([...tags]));
      expect(
        Object.keys(responses).some((status) => status.startsWith('4')),
        call,
      ).toBe(true);
      for (const { description, headers } of Object.values(responses)) {
        expect(description, call).not.toMatch(/^Default/);
        expect(headers, call).toHaveProperty('X-Auth-Mode');
      }
    }
  });

  it('says of each call of the provider which errors it has, by status and code', async () => {
    const { paths } = await documentOf(makeApp().app);
    const away = ['429', '500', '502', '503', '504'];
    const body = ['413', '415'];
    const errors = Object.entries(paths)
      .filter(([path]) => path.startsWith('/stg/'))
      .flatMap(([path, methods]) =>
        Object.values(methods).map(({ responses }) => [path, Object.keys(responses)] as const),
      );
    expect(Object.fromEntries(errors)).toEqual({
      '/stg/api/v2/oidc/session': ['200', '403', '422', ...away],
      '/stg/api/v1/mfa/request': ['200', '400', '403', ...body, '422', ...away],
      '/stg/api/v1/mfa/request/status': ['200', '400', '403', ...body, '422', ...away],
      '/stg/api/v1/mfa/jwk': ['200', '403', '422', ...away],
      '/stg/api/v2/oidc/jwt': ['200', '400', '401', '403', ...body, '422', ...away],
      '/stg/api/v2/oidc/jwt/valid': ['200', '400', '403', ...body, '422', ...away],
    });
    const exchange = paths['/stg/api/v2/oidc/jwt']?.['post']?.responses['401'];
    expect(exchange).toMatchObject({
      content: {
        'application/json': { schema: { properties: { code: { enum: ['401-033-024'] } } } },
      },
    });
  });

  it('says of each operation of the control API which errors it has, by status and code', async () => {
    const operations = operationsOf(await documentOf(makeApp().app));
    const control = operations.filter(({ tags }) => tags.includes('Control API'));
    for (const { call, responses } of control) {
      const errors = Object.keys(responses).filter((status) => Number(status) >= 400);
      const ofBodies = call.startsWith('GET') ? [] : ['400', '413', '415'];
      expect(errors, call).toEqual(
        expect.arrayContaining(['403', '421', '422', '500', ...ofBodies]),
      );
    }
    const decision = control.find(({ operationId }) => operationId === 'decidePrompt')?.responses;
    expect(decision?.['404']?.description).toContain('`prompt.not_found`');
    expect(decision?.['409']?.description).toContain('`prompt.ended`');
    expect(decision?.['503']?.description).toContain('`provider.unavailable`');
    const wait = control.find(({ operationId }) => operationId === 'waitUntil')?.responses;
    expect(wait?.['429']?.headers).toHaveProperty('Retry-After');
  });

  it('has numbers where a query has digits', async () => {
    const { paths } = await documentOf(makeApp().app);
    const parameters = Object.values(paths).flatMap(({ get }) => get?.parameters ?? []);
    expect(parameters).toContainEqual(
      expect.objectContaining({
        name: 'timeout',
        schema: { type: 'integer', minimum: 0, maximum: 30 },
      }),
    );
  });

  it.each([
    { name: 'nothing', settings: {}, provider: [], control: [] },
    {
      name: 'keys and its token',
      settings: {
        credentials: { appId: 'app', appKey: 'key' },
        control: { publicUrl: ORIGIN, token: 'token' },
      },
      provider: [{ appId: [], appKey: [] }],
      control: [{ simulatorToken: [] }, { session: [] }],
    },
  ])('says that it asks for $name', async ({ settings, provider, control }) => {
    const { app } = makeApp(settings);
    const headers = { authorization: 'Bearer token' };
    const answer = await app.inject({ url: '/simulator/openapi.json', headers });
    const document = answer.json<Document>();
    for (const { operationId, security, tags } of operationsOf(document)) {
      const ofTag = tags.includes('Provider') ? provider : control;
      expect(security, operationId).toEqual(operationId === 'beginSession' ? [] : ofTag);
    }
    const used = [...provider, ...control].flatMap((one) => Object.keys(one));
    expect(Object.keys(document.components.securitySchemes)).toEqual(used);
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
    expect(operationsOf(await documentOf(app))).toHaveLength(37);
  });
});
