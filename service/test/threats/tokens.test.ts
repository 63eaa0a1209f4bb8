import { describe, expect, it } from 'vitest';
import type { Started } from '../support/live/live-client.ts';
import { json, openAreaB, type AreaB } from '../support/provider/area-b.ts';
import { encode, KID, OTHER_KID, type Claims } from '../support/provider/token-forge.ts';
import { PERSON, type ProviderDouble } from '../support/live/provider-double.ts';
import { shareUnmoved } from '../support/live/live-service.ts';
import { bringPush, codeOf, comeBack, launched } from '../support/live/steps.ts';

const scene = shareUnmoved();

let people = 0;
const somebody = () => String(1_087_500_000 + (people += 1));

/** A sign-in by browser whose exchange gives the token that the test makes. */
async function exchanged(make: (started: Started) => string) {
  const { bank, provider } = scene();
  const started = await bank.startRedirect();
  const browser = await launched(started);
  provider.tell(started.attempt_id, make(started));
  const visit = await comeBack(scene(), started, browser);
  return { started, visit, browser };
}

async function expectNobody({ started, visit, browser }: Awaited<ReturnType<typeof exchanged>>) {
  const { bank, provider } = scene();
  expect([visit.status, visit.location]).toEqual([502, null]);
  expect(visit.html).toContain('provider.bad_response');
  expect(visit.html).not.toContain(PERSON);
  expect((await bank.status(started)).data).toMatchObject({ status: 'failed', user: null });
  // The state was exchanged, so a valid token comes too late.
  provider.approve(started.attempt_id);
  expect((await comeBack(scene(), started, browser)).status).toBe(404);
  expect((await bank.redeem(started)).code).toBe('attempt.failed');
}

type Forgery = readonly [name: string, make: (provider: ProviderDouble, claims: Claims) => string];

const pem = ({ forge }: ProviderDouble) =>
  forge.keys.publicKey.export({ type: 'spki', format: 'pem' });

/** Forged tokens with otherwise valid claims. */
const ALGORITHMS: readonly Forgery[] = [
  ...['none', 'None', 'nOnE'].map((alg): Forgery => [
    `alg ${alg} without a signature`,
    (_, claims) => `${encode(JSON.stringify({ alg }))}.${encode(JSON.stringify(claims))}.`,
  ]),
  ['alg none with a right signature', ({ forge }, claims) => forge.sign(claims, { alg: 'none' })],
  [
    'HS256 under the PEM',
    (provider, claims) => provider.forge.signHmac('HS256', pem(provider), claims),
  ],
  [
    'HS256 under the PEM after a blank',
    (provider, claims) => provider.forge.signHmac('HS256', ` ${pem(provider)}`, claims),
  ],
  [
    'HS256 under the DER',
    ({ forge }, claims) =>
      forge.signHmac('HS256', forge.keys.publicKey.export({ type: 'spki', format: 'der' }), claims),
  ],
  [
    'HS512 under the JWK',
    ({ forge }, claims) =>
      forge.signHmac('HS512', JSON.stringify(forge.jwk(forge.keys, { kid: KID })), claims),
  ],
  ['ES256 with the kid of an RSA key', ({ forge }, claims) => forge.signAs('ES256', claims)],
  ['PS256', ({ forge }, claims) => forge.signAs('PS256', claims)],
  ['an empty signature', ({ forge }, claims) => forge.sign(claims).replace(/[^.]*$/, '')],
  [
    'the signature of another key in the set',
    ({ forge }, claims) => forge.sign(claims, { kid: OTHER_KID }),
  ],
  [
    'a key that nobody published',
    ({ forge }, claims) =>
      forge.signText(
        JSON.stringify({ alg: 'RS256', kid: KID }),
        JSON.stringify(claims),
        forge.foreign.privateKey,
      ),
  ],
];

describe('threat 27: the algorithm of a token', () => {
  it('positive: a right token signs in', async () => {
    const { provider } = scene();
    const { visit } = await exchanged(({ attempt_id }) => provider.redirectToken(attempt_id));
    expect(codeOf(visit)).toMatch(/^[\w-]{43}$/);
  });

  it.each(ALGORITHMS)('exchange: %s', async (_, make) => {
    const { provider } = scene();
    await expectNobody(
      await exchanged(({ attempt_id }) => make(provider, provider.redirectClaims(attempt_id))),
    );
  });

  it('push: each of them is refused, and the attempt goes on', async () => {
    const { bank, provider } = scene();
    const started = await bank.startPhone(somebody());
    const { attempt_id: id } = started;
    for (const [name, make] of ALGORITHMS) {
      const forged = make(provider, provider.phoneClaims(id));
      const answer = await bringPush(scene(), provider.message(id, forged));
      expect([name, answer.status, answer.code]).toEqual([name, 401, 'push.unverified']);
    }
    expect((await bank.redeem(started)).code).toBe('attempt.pending');
    expect((await bringPush(scene(), provider.message(id))).status).toBe(200);
    expect((await bank.redeem(started)).status).toBe(200);
  });
});

describe('threat 28: a token that names a key of its own', () => {
  it('is refused on both ways, and nobody asks where it points', async () => {
    const { bank, provider } = scene();
    const { forge } = provider;
    const evil: AreaB = await openAreaB(
      json({ keys: [forge.jwk(forge.foreign, { kid: 'evil' })] }),
    );
    const phone = await bank.startPhone(somebody());
    const jwk = forge.jwk(forge.foreign, { kid: 'evil' });
    const pointers = [
      { jku: `${evil.url}/jwks` },
      { x5u: `${evil.url}/cert` },
      { jku: 'http://169.254.169.254/latest/meta-data' },
      { jwk },
      { x5c: ['MIIB'] },
      { jku: `${evil.url}/jwks`, kid: KID },
      // Its key is looked for in the provider's set alone, which was read a moment ago: row 108.
      { kid: `${evil.url}/jwks`, status: 503 },
    ];
    for (const { status = 401, ...pointer } of pointers) {
      const header = JSON.stringify({ alg: 'RS256', kid: 'evil', ...pointer });
      const forged = (claims: Claims) =>
        forge.signText(header, JSON.stringify(claims), forge.foreign.privateKey);
      await expectNobody(
        await exchanged(({ attempt_id }) => forged(provider.redirectClaims(attempt_id))),
      );
      const pushed = forged(provider.phoneClaims(phone.attempt_id));
      const answer = await bringPush(scene(), provider.message(phone.attempt_id, pushed));
      expect([pointer, answer.status]).toEqual([pointer, status]);
    }
    expect(evil.calls).toEqual([]);
    expect((await bank.status(phone)).data).toMatchObject({ status: 'pending' });
  });
});

describe('threat 30: a token that was meant for something else', () => {
  it('the token of another attempt brings nobody', async () => {
    const { bank, provider } = scene();
    const other = await bank.startRedirect();
    await expectNobody(await exchanged(() => provider.redirectToken(other.attempt_id)));
  });

  it('the same token brings nobody twice', async () => {
    const { provider } = scene();
    let token = '';
    const first = await exchanged(({ attempt_id }) => (token = provider.redirectToken(attempt_id)));
    expect(codeOf(first.visit)).toMatch(/^[\w-]{43}$/);
    await expectNobody(await exchanged(() => token));
  });

  it.each([
    ['of another attempt', 'other'],
    ['that is missing', undefined],
    ['in other letters', 'lower'],
  ])('an answer with a state %s brings nobody', async (_, kind) => {
    const { bank, provider } = scene();
    const started = await bank.startRedirect();
    const other = await bank.startRedirect();
    const browser = await launched(started);
    const token = provider.redirectToken(started.attempt_id);
    const { state: own } = provider.session(started.attempt_id);
    const states = { other: provider.session(other.attempt_id).state, lower: own.toLowerCase() };
    const state = kind === undefined ? undefined : states[kind as keyof typeof states];
    provider.answer('exchange', json({ state, token }));
    const visit = await comeBack(scene(), started, browser);
    await expectNobody({ started, visit, browser });
  });

  it('a token of the phone brings nobody in a browser, and the reverse', async () => {
    const { bank, provider } = scene();
    const phone = await bank.startPhone(somebody());
    const { attempt_id: id } = phone;
    await expectNobody(await exchanged(() => provider.phoneToken(id)));
    const both = await exchanged(({ attempt_id }) =>
      provider.redirectToken(attempt_id, {
        transId: provider.push(id).transId,
        status: 'COMPLETED',
      }),
    );
    await expectNobody(both);
    const redirect = await bank.startRedirect();
    const { nonce } = provider.session(redirect.attempt_id);
    const crossed = [
      provider.redirectToken(redirect.attempt_id),
      provider.phoneToken(id, { nonce }),
    ];
    for (const token of crossed) {
      expect((await bringPush(scene(), provider.message(id, token))).status).toBe(401);
    }
    expect((await bank.redeem(phone)).code).toBe('attempt.pending');
  });

  it('a genuine push that comes twice has one effect', async () => {
    const { bank, provider } = scene();
    const started = await bank.startPhone(somebody());
    const message = provider.message(started.attempt_id);
    const answers = await Promise.all([1, 2, 3].map(() => bringPush(scene(), message)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const issued = await bank.redeem(started);
    expect(issued.status).toBe(200);
    expect((await bringPush(scene(), message)).status).toBe(200);
    expect((await bank.redeem(started)).code).toBe('attempt.already_redeemed');
    expect((await bank.user(String(issued.data['token']))).status).toBe(200);
  });
});
