/** Bad input to every operation of the control API, made of its own OpenAPI document. */
import type { Schema } from '@miftah/schema';
import { beforeAll, describe, expect, it } from 'vitest';
import { OUTCOMES } from '../src/engine/index.ts';
import { makeApp, pushCall, type AppBench } from './support/apps.ts';
import { badValues } from './support/bad-input.ts';
import { AMAL, REQUEST_ID } from './support/engines.ts';
import { put } from './support/faults.ts';

interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Schema }> };
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

interface Call {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

const KEYS = OUTCOMES.map(({ key }) => key).join(', ');

const bench: AppBench = makeApp();
const { paths } = (await bench.app.inject('/simulator/openapi.json')).json<{ paths: Paths }>();
const CALLS: readonly Call[] = Object.entries(paths)
  .filter(([path]) => path.startsWith('/simulator'))
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );

/** The first sentence of errors after which the operation says what it takes. */
const BARE: ReadonlyMap<string, string> = new Map([
  ['validation.failed', 'The request is not what this operation takes.'],
  ['request.malformed_json', 'The request body is not valid JSON, or has a member __proto__'],
  ['request.unsupported_media_type', 'The request body must be JSON, with Content-Type: '],
]);
const STATE = ['prompts', 'people', 'faults', 'keys', 'clock'].map((name) => `/simulator/${name}`);

/** Everything that the control API changes, as it tells it. */
async function stateOf(): Promise<readonly string[]> {
  const answers = await Promise.all(STATE.map((url) => bench.app.inject(url)));
  return answers.map(({ payload }) => payload);
}

interface Sent {
  readonly url: string;
  readonly payload?: string;
  readonly type?: string;
}

/** What one bad request was answered, if that is not a helpful refusal; null if it is. */
async function complaintAbout({ method }: Call, sent: Sent): Promise<string | null> {
  const { url, payload, type = 'application/json' } = sent;
  const content = payload === undefined ? {} : { payload, headers: { 'content-type': type } };
  const answer = await bench.app.inject({ method: method as 'GET', url, ...content });
  const { code = '', message = '' } = answer.json<{ code?: string; message?: string }>();
  const isRefused = answer.statusCode >= 400 && answer.statusCode < 500;
  const bare = BARE.get(code);
  // What is allowed is said in more than the sentence that all operations share.
  const isHelpful =
    bare === undefined ||
    (message.startsWith(bare) &&
      /(body|query|address|until|limit) /.test(message.slice(bare.length)));
  if (isRefused && code !== '' && message !== '' && isHelpful) return null;
  return `${method} ${url.slice(0, 80)} ${payload?.slice(0, 80)}: ${answer.statusCode} ${message}`;
}

async function expectRefused(call: Call, all: readonly Sent[]): Promise<void> {
  const before = await stateOf();
  const complaints: string[] = [];
  for (const sent of all) complaints.push((await complaintAbout(call, sent)) ?? '');
  expect(complaints.filter((one) => one !== '')).toEqual([]);
  expect(await stateOf()).toEqual(before);
}

/** The address with something in its places, for parameters that are not looked at. */
const addressOf = ({ path }: Call) => path.replaceAll(/\{\w+\}/g, 'amal');

const bodyOf = ({ operation }: Call) => operation.requestBody?.content['application/json']?.schema;

beforeAll(async () => {
  await bench.app.inject(pushCall({ nationalId: AMAL, service: 'Login' }));
  await put(bench, { faults: [{ operation: 'jwk', status: 503, seed: 1 }] });
});

it('the document has operations with bodies, queries and places in their addresses', () => {
  expect(CALLS.filter((call) => bodyOf(call) !== undefined).length).toBeGreaterThan(4);
  const parameters = CALLS.flatMap(({ operation }) => operation.parameters ?? []);
  expect(new Set(parameters.map((one) => one.in))).toEqual(new Set(['query', 'path', 'header']));
});

describe.each(CALLS.filter((call) => bodyOf(call) !== undefined))(
  'a body that $operation.operationId can’t take',
  (call) => {
    it('is refused with what it takes, whatever is wrong with it, and changes nothing', async () => {
      const url = addressOf(call);
      const bad = badValues(bodyOf(call) ?? {});
      expect(bad.length).toBeGreaterThan(5);
      await expectRefused(
        call,
        bad.map((value) => ({ url, payload: JSON.stringify(value) })),
      );
    });

    it('is refused with what it takes when it is no JSON, too large or of another type', async () => {
      const url = addressOf(call);
      await expectRefused(call, [
        { url, payload: '{"a":' },
        { url, payload: '{"__proto__":{}}' },
        { url, payload: JSON.stringify({ a: 'x'.repeat(20_000) }) },
        { url, payload: JSON.stringify(Array.from({ length: 40 }, () => 1)) },
        { url, payload: 'a=b', type: 'application/x-www-form-urlencoded' },
        { url, payload: '<a/>', type: 'text/xml' },
      ]);
    });
  },
);

const parametersOf = ({ operation }: Call, place: Parameter['in']) =>
  (operation.parameters ?? []).filter((one) => one.in === place);

describe.each(CALLS.filter((call) => parametersOf(call, 'query').length > 0))(
  'a query that $operation.operationId can’t take',
  (call) => {
    it('is refused with what it takes, and changes nothing', async () => {
      const parameters = parametersOf(call, 'query');
      const needed = parameters.filter(({ required }) => required === true);
      const good = needed.map(({ name, schema }): [string, string] => {
        const values: readonly unknown[] = Array.isArray(schema['enum']) ? schema['enum'] : [];
        const [value = REQUEST_ID] = values;
        return [name, String(value)];
      });
      const queries = [
        [...good, ['unknown_member', '1']],
        ...needed.map(({ name }) => good.filter(([other]) => other !== name)),
        ...parameters.flatMap(({ name, schema }) => [
          [...good, [name, 'x'], [name, 'x']],
          ...badValues(schema)
            .filter((value) => typeof value === 'string')
            .map((value) => [...good.filter(([other]) => other !== name), [name, value]]),
        ]),
      ];
      await expectRefused(
        call,
        queries.map((query) => ({
          url: `${addressOf(call)}?${new URLSearchParams(query).toString()}`,
        })),
      );
    });
  },
);

describe.each(CALLS.filter((call) => parametersOf(call, 'query').length === 0))(
  'a query that $operation.operationId has no use for',
  (call) => {
    it('is refused with the word that there is none, and changes nothing', async () => {
      const url = `${addressOf(call)}?unknown_member=1`;
      await expectRefused(call, [{ url }]);
      const answer = await bench.app.inject({ method: call.method as 'GET', url });
      expect(answer.statusCode).toBe(422);
      expect(answer.json<{ message: string }>().message).toContain('no query');
    });
  },
);

describe.each(CALLS.filter((call) => parametersOf(call, 'path').length > 0))(
  'an address that $operation.operationId has nothing at',
  (call) => {
    it('is refused, and changes nothing', async () => {
      const ids = [
        'nobody',
        'x'.repeat(90),
        'x'.repeat(5000),
        '%00',
        '%E0%A4%A',
        '..%2f',
        'ي',
        '%20',
      ];
      const payload = call.method === 'GET' ? {} : { payload: '{}' };
      await expectRefused(
        call,
        ids.map((id) => ({
          url: encodeURI(call.path.replaceAll(/\{\w+\}/g, '@')).replace('@', id),
          ...payload,
        })),
      );
    });
  },
);

const RULE = { operation: 'jwk', status: 503 };
const faults = (...rules: readonly object[]) => JSON.stringify({ faults: rules });

describe('what is wrong is named before what the operation takes', () => {
  it.each<readonly [method: 'PUT' | 'POST' | 'GET', path: string, payload: string, named: string]>([
    ['PUT', '/faults', faults({ ...RULE, rate: 2 }), '/faults/0/rate: must be 0 to 1.'],
    ['PUT', '/faults', faults(RULE, { ...RULE, times: 0 }), '/faults/1/times: must be 1 to '],
    [
      'PUT',
      '/faults',
      faults({ ...RULE, operation: 'jwks' }),
      '/faults/0/operation: must be one of ',
    ],
    [
      'PUT',
      '/faults',
      faults({ operation: 'jwk', latency: 5 }),
      '/faults/0: must not have "latency"; ' +
        '/faults/0: must have one of "status", "record", "latency_ms", "answer". ',
    ],
    [
      'PUT',
      '/faults',
      '{"faults":[{}]}',
      '/faults/0: must have "operation", and one of "status", "record", "latency_ms", "answer". ',
    ],
    [
      'PUT',
      '/faults',
      faults({ ...RULE, operation: 'mfa_reqest' }),
      '/faults/0/operation: must be one of any, session, mfa_request, mfa_status, exchange, jwk, ' +
        'token_valid, openid_token, openid_userinfo, openid_jwks, openid_discovery ' +
        '(did you mean "mfa_request"?). ',
    ],
    [
      'PUT',
      '/faults',
      faults({ ...RULE, operaton: 'jwk' }),
      '/faults/0: must not have "operaton" (did you mean "operation"?).',
    ],
    [
      'PUT',
      '/faults',
      faults(RULE, { operation: 'jwk', record: '422-016-023' }),
      '/faults/1/record: must be one of ',
    ],
    [
      'PUT',
      '/faults',
      faults({ operation: 'any', latency_ms: { min: 2, max: 1 } }),
      '/faults/0/latency_ms: min must not be more than max.',
    ],
    ['PUT', '/faults', '{"faults": [}', 'It breaks at line 1, column 13.'],
    ['POST', '/next', '{"outcome":"refuse"}', '/outcome: must be one of '],
    [
      'POST',
      '/next',
      '{"outcome":"refuzes"}',
      `/outcome: must be one of ${KEYS} (did you mean "refuses"?)`,
    ],
    ['POST', '/next', '{"outcome":"refuses","after":-1}', '/after: must be 0 to '],
    [
      'POST',
      '/next',
      '{"outcom":"refuses"}',
      'The body must not have "outcom" (did you mean "outcome"?); The body must have "outcome". ',
    ],
    ['PUT', '/faults', '[]', 'The body must be object. The body is {'],
    ['GET', '/attempts?limit=201', '', '/limit: must be 1 to 200.'],
  ])('%s %s %s', async (method, path, payload, named) => {
    const content =
      payload === '' ? {} : { payload, headers: { 'content-type': 'application/json' } };
    const answer = await bench.app.inject({ method, url: `/simulator${path}`, ...content });
    const { code = '', message } = answer.json<{ code?: string; message: string }>();
    const bare = BARE.get(code) ?? 'no such error';
    const said = message.slice(message.startsWith(bare) ? bare.length : 0).trimStart();
    expect(code === 'request.malformed_json' ? said.slice(said.indexOf('It ')) : said).toMatch(
      new RegExp(`^${RegExp.escape(named)}`),
    );
  });
});
