import { describe, expect, it } from 'vitest';
import {
  AMAL,
  approveInBrowser,
  dataOf,
  redeem,
  startRedirect,
  type Headers,
  type Json,
  type Started,
} from '../support/service/login.ts';
import { BASE, shareService, type Answer } from '../support/service/test-service.ts';

/** RFC 9562 section 4: a UUID is read in either case, in each place that takes one. */

const service = shareService({ RATE_LIMITS: 'on' });

type Spelled = (id: string) => string;
const small: Spelled = (id) => id;
const capitals: Spelled = (id) => id.toUpperCase();

let scopes = 0;

/** Calls of a scope that nobody else uses, so that two of them get the same answers. */
function openScene() {
  const scope = { 'x-miftah-scope': `ids-${(scopes += 1)}` };
  const send = (call: string, body?: Json, headers: Headers = {}): Promise<Answer> => {
    const [method = '', url = ''] = call.split(' ');
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    return service().request({
      method,
      url,
      headers: { ...scope, ...json, ...headers },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
  };
  const start = async (body: Json = { locale: 'en' }) =>
    dataOf(await send(`POST ${BASE}/start`, body)) as unknown as Started;
  const push = () => start({ locale: 'en', national_id: AMAL });
  const login = async () => {
    const { attempt_id, attempt_token } = await push();
    await send(`POST ${BASE}/complete-mfa`, { attempt_id });
    const { token } = dataOf(await send(`POST ${BASE}/token/${attempt_id}`, { attempt_token }));
    return { authorization: `Bearer ${String(token)}` };
  };
  return { send, start, push, login };
}

type Scene = ReturnType<typeof openScene>;
/** Does what the operation needs, and calls it with the id as it is spelled. */
type Ask = (scene: Scene, as: Spelled) => Promise<Answer>;

const proof = ({ attempt_token }: Started) => ({ 'x-provider-attempt-token': attempt_token });

const ASKED: Readonly<Record<string, Ask>> = {
  'readStatus attempt_id': async ({ send, start }, as) => {
    const started = await start();
    return send(`GET ${BASE}/status/${as(started.attempt_id)}`, undefined, proof(started));
  },
  'watchStatus attempt_id': async ({ send, start }, as) => {
    const started = await start();
    await send(`DELETE ${BASE}/attempts/${started.attempt_id}`, undefined, proof(started));
    return send(`GET ${BASE}/status/${as(started.attempt_id)}/events`, undefined, proof(started));
  },
  'cancelAttempt attempt_id': async ({ send, start }, as) => {
    const started = await start();
    return send(`DELETE ${BASE}/attempts/${as(started.attempt_id)}`, undefined, proof(started));
  },
  'completeRedirect state': async ({ send, start }, as) => {
    const { attempt_id } = await start();
    return send(`POST ${BASE}/callback`, { state: as(attempt_id), auto_complete: true });
  },
  'completeMfa attempt_id': async ({ send, push }, as) => {
    const { attempt_id } = await push();
    return send(`POST ${BASE}/complete-mfa`, { attempt_id: as(attempt_id) });
  },
  'issueToken attempt_id': async ({ send, push }, as) => {
    const { attempt_id, attempt_token } = await push();
    await send(`POST ${BASE}/complete-mfa`, { attempt_id });
    return send(`POST ${BASE}/token/${as(attempt_id)}`, { attempt_token });
  },
  'listTokens after': async ({ send, login }, as) => {
    await login();
    service().clock.advance(1);
    const bearer = await login();
    const [newest] = (await send(`GET ${BASE}/tokens`, undefined, bearer)).json<Rows>().data;
    return send(`GET ${BASE}/tokens?after=${as(newest?.id ?? '')}`, undefined, bearer);
  },
  'revokeToken token_id': async ({ send, login }, as) => {
    const bearer = await login();
    const [own] = (await send(`GET ${BASE}/tokens`, undefined, bearer)).json<Rows>().data;
    return send(`DELETE ${BASE}/tokens/${as(own?.id ?? '')}`, undefined, bearer);
  },
  'readMfaStatus transId': async ({ send }, as) => {
    const path = `POST /stg/api/v1/mfa/request`;
    const body = { nationalId: AMAL, service: 'Login' };
    const pushed = await send(`${path}?local=en&requestId=${crypto.randomUUID()}`, body);
    const { transId, random } = pushed.json<{ transId: string; random: string }>();
    return send(`${path}/status`, { nationalId: AMAL, transId: as(transId), random });
  },
  'listPrompts request_id': async ({ send, push }, as) =>
    send(`GET /simulator/prompts?request_id=${as((await push()).attempt_id)}`),
  'decidePrompt id': async ({ send, push }, as) => {
    const { attempt_id } = await push();
    return send(`POST /simulator/prompts/${as(attempt_id)}/decision`, { decision: 'refuse' });
  },
  'waitUntil attempt_id': async ({ send, push }, as) =>
    send(`GET /simulator/wait?until=prompt&attempt_id=${as((await push()).attempt_id)}`),
  'listAttempts before': async ({ send, start }, as) => {
    await start();
    // Ids of one moment have no order.
    service().clock.advance(1);
    return send(`GET /simulator/attempts?before=${as((await start()).attempt_id)}`);
  },
  'readAttempt id': async ({ send, start }, as) =>
    send(`GET /simulator/attempts/${as((await start()).attempt_id)}`),
  'exportAttempt id': async ({ send, start }, as) =>
    send(`GET /simulator/attempts/${as((await start()).attempt_id)}/export`),
  'replayAttempt id': async ({ send, start }, as) =>
    send(`POST /simulator/attempts/${as((await start()).attempt_id)}/replay`, {}),
};

/** Devices, prompts, and other rows. */
type Rows = { data: readonly { readonly id: string }[] };

/** What has the name of an id and is no UUID of ours, and why. */
const OTHERS: Readonly<Record<string, string>> = {
  'openSignIn state': 'is that of a page, which is followed to its token below',
  'createSession requestId': 'is chosen by the caller, and sent back as it is',
  'requestMfa requestId': 'likewise',
  'exchangeState state': 'is a hash',
  'readPerson id': 'is a name that a test chooses',
  'putPerson id': 'likewise',
  'removePerson id': 'likewise',
  'listPeople after': 'is the name of a person',
  'listWebhooks after': 'is the number of an earlier answer',
  'queueNext after': 'is a number of seconds',
};

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Schema }>> };
}
interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly anyOf?: readonly Schema[];
}

const isIdName = (name: string) =>
  /(?:^|_)id$|Id$|^(?:after|before|state)$/.test(name) && !/^national_?id$/i.test(name);
const membersOf = ({ properties = {}, anyOf = [] }: Schema): string[] => [
  ...Object.keys(properties),
  ...anyOf.flatMap(membersOf),
];

/** Each member of each operation of a document that has the name of an id. */
async function idsOf(path: string): Promise<string[]> {
  const document = (await service().request({ method: 'GET', url: path })).json<{
    paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  }>();
  const operations = Object.values(document.paths).flatMap((of) => Object.values(of));
  return operations.flatMap(({ operationId, parameters = [], requestBody }) => {
    const bodies = Object.values(requestBody?.content ?? {});
    const names = new Set([
      ...parameters.filter((one) => one.in !== 'header').map(({ name }) => name),
      ...bodies.flatMap(({ schema }) => membersOf(schema)),
    ]);
    return [...names].filter(isIdName).map((name) => `${operationId} ${name}`);
  });
}

/** An answer without what is new in each: an id in capitals stays. */
function shapeOf({ statusCode, headers, payload }: Answer) {
  const text = payload
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID')
    .replaceAll(/"(?:mft_test_)?[\w-]{43,64}"/g, '"SECRET"')
    .replaceAll(/ids-\d+/g, 'SCOPE')
    .replaceAll(/\d+/g, 'N');
  return { status: statusCode, type: headers['content-type'], text };
}

describe('an id in capitals is the same id', () => {
  it('in each operation that takes one', async () => {
    const all = [...(await idsOf('/openapi.json')), ...(await idsOf('/simulator/openapi.json'))];
    expect([...Object.keys(ASKED), ...Object.keys(OTHERS)].toSorted()).toEqual(all.toSorted());
  });

  it.each(Object.entries(ASKED))('%s', async (_, ask) => {
    const expected = shapeOf(await ask(openScene(), small));
    expect(expected.status).toBeLessThan(300);
    expect(shapeOf(await ask(openScene(), capitals))).toEqual(expected);
  });

  it('of a sign-in by browser, from its page to its token', async () => {
    const started = await startRedirect(service());
    const shouted = { ...started, attempt_id: capitals(started.attempt_id) };
    expect((await service().get(`/callback?state=${shouted.attempt_id}`)).statusCode).toBe(200);
    const completion_code = await approveInBrowser(service(), shouted);
    expect((await redeem(service(), shouted, { completion_code })).statusCode).toBe(200);
  });

  it('of a service elsewhere, which gets its own spelling back', async () => {
    const { send } = openScene();
    const id = crypto.randomUUID();
    const asked = await send(`GET /stg/api/v2/oidc/session?locale=en&requestId=${capitals(id)}`);
    expect(asked.json()).toMatchObject({ requestId: capitals(id) });
    const prompts = async (as: Spelled) =>
      (await send(`GET /simulator/prompts?request_id=${as(id)}`)).json<Rows>().data;
    const [prompt] = await prompts(small);
    expect(await prompts(capitals)).toEqual([prompt]);
    const decision = `POST /simulator/prompts/${capitals(prompt?.id ?? '')}/decision`;
    expect((await send(decision, { decision: 'refuse' })).statusCode).toBe(200);
    expect(await prompts(small)).toEqual([]);
  });

  it('shares the limit of the attempt', async () => {
    const started = await startRedirect(service());
    const left = async (id: string) => {
      const answer = await service().get(`/status/${id}`, proof(started));
      return Number(answer.headers['x-ratelimit-remaining']);
    };
    const before = await left(started.attempt_id);
    expect(before).toBeGreaterThan(0);
    expect(await left(capitals(started.attempt_id))).toBe(before - 1);
  });
});
