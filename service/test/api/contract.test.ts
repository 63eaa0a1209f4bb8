import { describe, expect, it } from 'vitest';
import { Problem, User } from '@miftah/contract';
import { EXAMPLES, PROBLEM_EXAMPLE } from '@miftah/contract/examples';
import { OPERATIONS, type Operation, type OperationId } from '@miftah/contract/operations';
import {
  AMAL,
  bearer,
  complete,
  issuedOf,
  readStatus,
  redeem,
  startedOf,
} from '../support/service/login.ts';
import {
  BASE,
  shareService,
  type Answer,
  type TestService,
} from '../support/service/test-service.ts';

type Json = Readonly<Record<string, unknown>>;
type Content = Readonly<Record<string, { readonly schema: Json; readonly example?: unknown }>>;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: Json;
}

interface Described {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<
    Record<
      string,
      { readonly description: string; readonly headers: Json; readonly content?: Content }
    >
  >;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Json };
  readonly tags: readonly { readonly name: string }[];
}

const IDS = Object.keys(OPERATIONS) as OperationId[];
const MODES = [
  { mode: 'simulator', settings: {}, without: [] },
  { mode: 'strict', settings: { STRICT: 'yes', DOCS: 'on' }, without: ['completeRedirect'] },
] as const;

/** The headers that each operation reads, beside the language. */
const READ = {
  startAttempt: ['X-End-User-Address', 'X-Simulate', 'X-Miftah-Scope'],
  readStatus: ['Prefer'],
  watchStatus: ['Last-Event-ID'],
  cancelAttempt: ['X-End-User-Address'],
  openSignIn: [],
  completeRedirect: [],
  completeMfa: [],
  issueToken: ['Idempotency-Key', 'X-End-User-Address'],
  readUser: [],
  listTokens: [],
  revokeToken: [],
  revokeOwnToken: [],
  introspectToken: ['X-End-User-Address'],
} as const satisfies Record<OperationId, readonly string[]>;
const HEADERS = { simulator: READ, strict: { ...READ, completeMfa: ['X-End-User-Address'] } };

describe.each(MODES)('the OpenAPI document in $mode mode', ({ mode, settings, without }) => {
  const service = shareService(settings);
  const served = () => readDocument(service());
  const expected = IDS.filter((id) => !without.some((one) => one === id));

  it('has the operations of the contract, and no other', async () => {
    expect(
      operationsOf(await served())
        .map(addressOf)
        .toSorted(),
    ).toEqual(
      expected.map((id) => `${id}: ${OPERATIONS[id].method} ${OPERATIONS[id].path}`).toSorted(),
    );
  });

  it.each(expected)('describes %s by the schemas of the contract', async (id) => {
    const found = operationsOf(await served()).find(
      ({ described }) => described.operationId === id,
    );
    const { params, query, request, answer }: Operation = OPERATIONS[id];
    if (found === undefined) throw new Error(`the document has no operation ${id}`);
    const { parameters = [], requestBody, responses } = found.described;
    expect(bodyOf(requestBody)).toEqual(asServed(request));
    const described = bodyOf(responses[answer === undefined ? '204' : '200']);
    expect(described).toEqual(opened(asServed(answer)));
    if (params !== undefined) expect(parametersIn('path', parameters)).toEqual(membersOf(params));
    expect(parametersIn('query', parameters)).toEqual(membersOf(query ?? {}));
    const problems = Object.entries(responses).filter(([status]) => Number(status) >= 400);
    for (const [status, { content }] of problems) {
      const isPage = id === 'openSignIn' && status !== '400';
      expect(content?.['application/problem+json']?.schema, status).toEqual(
        isPage ? undefined : PROBLEM,
      );
    }
  });

  it.each(['application/json', 'application/problem+json', '*/*'])(
    'promises of openSignIn what it answers to those who accept %s',
    async (accept) => {
      const state = '00000000-0000-4000-8000-000000000000';
      const headers = { host: '127.0.0.1:3000', accept };
      const url = `/api/v1/callback?state=${state}`;
      const answers = await Promise.all([
        service().request({ method: 'GET', url, headers }),
        service().request({ method: 'GET', url: `${url}&state=${state}`, headers }),
        service().request({ method: 'GET', url, headers: { ...headers, host: 'evil.example' } }),
      ]);
      const found = operationsOf(await served()).find(
        ({ described }) => described.operationId === 'openSignIn',
      );
      for (const { statusCode, headers: had } of answers) {
        const types = Object.keys(found?.described.responses[statusCode]?.content ?? {});
        expect(types, String(statusCode)).toContain(String(had['content-type']).split(';')[0]);
      }
      const statuses = answers.map(({ statusCode }) => statusCode);
      expect(statuses.filter((status) => status >= 400).length, String(statuses)).toBeGreaterThan(
        1,
      );
    },
  );

  it('shares user and problem', async () => {
    const { components } = await served();
    expect(components.schemas).toEqual({
      User: opened(asShared(User)),
      Problem: opened(asShared(Problem)),
    });
  });

  it('says of each operation how it is secured, and of each answer what it is', async () => {
    const document = await served();
    const tags = document.tags.map(({ name }) => name);
    for (const { described } of operationsOf(document)) {
      expect(described.security, described.operationId).toBeDefined();
      expect(tags).toEqual(expect.arrayContaining([...described.tags]));
      for (const [status, response] of Object.entries(described.responses)) {
        expect(response.description, `${described.operationId} ${status}`).not.toMatch(/^Default/);
        expect(Object.keys(response.headers)).toContain('X-Auth-Mode');
        const isLater = Object.hasOwn(response.headers, 'Retry-After');
        expect(isLater, `${described.operationId} ${status}`).toBe(/409|429|503/.test(status));
        const leads = Object.hasOwn(response.headers, 'Location');
        const isOnward = described.operationId === 'openSignIn' && /^[23]/.test(status);
        expect(leads, `${described.operationId} ${status}`).toBe(isOnward);
      }
    }
  });

  it.each(expected)('names the headers that %s reads', async (id) => {
    const found = operationsOf(await served()).find(
      ({ described }) => described.operationId === id,
    );
    const parameters = parametersIn('header', found?.described.parameters ?? []);
    expect(parameters).toMatchObject(
      [...HEADERS[mode][id], 'Accept-Language'].map((name) => ({ name })),
    );
  });
});

const PROBLEM = { $ref: '#/components/schemas/Problem' };

async function readDocument(service: TestService): Promise<Document> {
  // Strict mode accepts no other name of this machine.
  const headers = { host: '127.0.0.1:3000' };
  const answer = await service.request({ method: 'GET', url: '/openapi.json', headers });
  return answer.json<Document>();
}

function operationsOf({ paths }: Document) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      path: path.replace(BASE, ''),
      method: method.toUpperCase(),
      described,
    })),
  );
}

function addressOf({ path, method, described }: ReturnType<typeof operationsOf>[number]): string {
  return `${described.operationId}: ${method} ${path}`;
}

/** The document has an example of the whole body next to its schema. */
function bodyOf(described: { readonly content?: Content } | undefined): Json | undefined {
  const found = described?.content?.['application/json'];
  if (found?.example === undefined) return found?.schema;
  return { ...found.schema, examples: [found.example] };
}

/** The schema as it is in the document, where references point to its components. */
function asServed(schema: Operation['answer']): unknown {
  if (schema === undefined) return undefined;
  const text = JSON.stringify(schema);
  return JSON.parse(text.replaceAll(/"\$ref":"(\w+)#"/g, '"$$ref":"#/components/schemas/$1"'));
}

/** As in an answer, to which any version may add members. */
function opened(schema: unknown): unknown {
  return (
    JSON.parse(
      (JSON.stringify(schema) ?? 'null').replaceAll(',"additionalProperties":false', ''),
    ) ?? undefined
  );
}

function asShared({ $id, ...schema }: Readonly<Record<string, unknown>>): unknown {
  expect($id).toBe(schema['title']);
  return JSON.parse(JSON.stringify(schema));
}

/**
 * A parameter's name, whether it is required, and its form; in the document its description is next
 * to the schema.
 */
function parametersIn(place: string, parameters: readonly Parameter[]): unknown {
  return parameters
    .filter((one) => one.in === place)
    .map(({ name, required, schema }) => ({ name, required, schema }));
}

function membersOf({ properties = {}, required = [] }: Json): unknown {
  return Object.entries(properties as Record<string, Json>).map(([name, member]) => {
    const { description: _, examples: __, 'x-whole-number': limits, ...text } = member;
    const schema = limits === undefined ? text : { type: 'integer', ...(limits as object) };
    return { name, required: (required as readonly string[]).includes(name), schema };
  });
}

describe('the examples of the contract', () => {
  const service = shareService();

  /** The answers of one sign-in by browser and one by phone, by operation, like the examples. */
  async function takeAnswers(): Promise<{ readonly [Id in OperationId]?: readonly Answer[] }> {
    const byBrowser = await service().post('/start', { locale: 'en' });
    const byPhone = await service().post('/start', { national_id: AMAL, locale: 'en' });
    const [oidc, mfa] = [startedOf(byBrowser), startedOf(byPhone)];
    const pending = await readStatus(service(), mfa);
    const completed = await complete(service(), mfa);
    const authenticated = await readStatus(service(), mfa);
    const redeemed = await redeem(service(), mfa, { device_name: 'My phone' });
    const { token } = issuedOf(redeemed);
    const key = bearer('mfk_test_simulator');
    return {
      startAttempt: [byBrowser, byPhone],
      readStatus: [pending, authenticated],
      completeRedirect: [await complete(service(), oidc)],
      completeMfa: [completed],
      issueToken: [redeemed],
      readUser: [await service().get('/user', bearer(token))],
      listTokens: [await service().get('/tokens', bearer(token))],
      introspectToken: [
        await service().post('/introspect', { token }, key),
        await service().post('/introspect', { token: 'of-nobody' }, key),
      ],
    };
  }

  it('have the members of what the service answers', async () => {
    const answers = await takeAnswers();
    for (const id of IDS) {
      const found = (answers[id] ?? []).map((answer) => shapeOf(answer.json()));
      const examples = EXAMPLES[id].slice(0, found.length).map(({ answer }) => shapeOf(answer));
      expect(found, id).toEqual(examples);
      expect(found.length > 0, id).toBe(EXAMPLES[id].length > 0);
    }
  });

  it('have a problem with the members of what the service answers', async () => {
    const answer = await service().post('/start', {}, { 'accept-language': 'en' });
    expect(shapeOf(answer.json())).toEqual(shapeOf(PROBLEM_EXAMPLE));
  });
});

/** The names of the members at each level, and the kinds of their values. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shapeOf(one)]));
}
