import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { findTool, hasTools } from '../../../scripts/debian.mjs';
import { Secret } from '../../src/values/secret.ts';
import { signedHeaders } from '../../src/webhooks/sign.ts';
import { webhookSecret } from '../support/outbound/webhook-receiver.ts';
import { snippetsOf } from '../support/client/snippets.ts';

/** The test vector of Standard Webhooks, which the tests of its libraries have. */
const VECTOR = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  body: '{"test": 2432232314}',
  at: 1_614_265_330_000,
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

const headersBy = (secrets: readonly string[], { id, body, at } = VECTOR) =>
  Object.fromEntries(
    signedHeaders(
      id,
      body,
      secrets.map((text) => new Secret(text)),
      at,
    ),
  );

it('the service signs as the test vector of Standard Webhooks says', () => {
  expect(headersBy([VECTOR.secret])).toEqual({
    'webhook-id': VECTOR.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': VECTOR.signature,
  });
});

const PROGRAM = `
import json, sys
for case in json.load(sys.stdin):
    time.time = lambda: case["now"]
    print(verify(case["secret"], case["headers"], case["body"].encode()))
`;

interface Case {
  readonly secret?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly now?: number;
}

describe('the check of docs/webhooks.md in Python', { skip: !hasTools('python') }, () => {
  const [code = ''] = snippetsOf('docs/webhooks.md', 'python');
  const right = headersBy([VECTOR.secret]);
  const now = VECTOR.at / 1000;
  const verify = (cases: readonly Case[]) => {
    const input = cases.map((given) => {
      const { secret, body } = VECTOR;
      return { secret, body, now, headers: right, ...given };
    });
    const said = execFileSync(findTool('python3') ?? 'python3', ['-c', code + PROGRAM], {
      input: JSON.stringify(input),
      encoding: 'utf8',
    });
    return said.trim().split('\n');
  };

  it('takes the test vector of Standard Webhooks, and what has two signatures', () => {
    const other = webhookSecret(1);
    const signed: readonly Case[] = [
      {},
      { now: now + 299 },
      { now: now - 299 },
      { headers: headersBy([other, VECTOR.secret]) },
      { headers: { ...right, 'webhook-signature': `v1a,AAAA ${VECTOR.signature}` } },
    ];
    expect(verify(signed)).toEqual(signed.map(() => 'True'));
  });

  it('refuses another body, id, time or secret, an old one, and other signatures', () => {
    const forged: readonly Case[] = [
      { body: `${VECTOR.body} ` },
      { headers: { ...right, 'webhook-id': 'msg_other' } },
      { headers: { ...right, 'webhook-timestamp': '1614265331' } },
      { secret: webhookSecret(1) },
      { now: now + 301 },
      { now: now - 301 },
      { headers: { ...right, 'webhook-signature': '' } },
      { headers: { ...right, 'webhook-signature': VECTOR.signature.replace('v1,', 'v2,') } },
      { headers: { ...right, 'webhook-signature': 'v1,é' } },
    ];
    expect(verify(forged)).toEqual(forged.map(() => 'False'));
  });
});
