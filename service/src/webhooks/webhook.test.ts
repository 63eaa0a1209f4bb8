import { expect, it } from 'vitest';
import { receiverId, triedWords } from './webhook.ts';

it.each([
  ['500', 1, 'answered 500 after 1 try'],
  ['address_refused', 3, /^no answer after 3 tries: address_refused, a private .* OUTBOUND_ALLOW/],
  ['no_address (ENOTFOUND)', 2, /: no_address \(ENOTFOUND\), DNS has .*\/etc\/hosts is not read$/],
  ['no_connection (ERR_TLS_CERT_ALTNAME_INVALID)', 2, /its certificate is for another name$/],
  ['no_connection (CERT_HAS_EXPIRED)', 2, /its certificate has ended$/],
  ['no_connection (DEPTH_ZERO_SELF_SIGNED_CERT)', 2, /NODE_EXTRA_CA_CERTS/],
  ['no_connection (ECONNREFUSED)', 2, /, nothing listens there$/],
  ['timeout', 2, /: timeout, no answer within three seconds$/],
  ['lost', 2, 'no answer after 2 tries: lost'],
] as const)('says what an answer of %s means', (answer, tries, said) => {
  const words = triedWords({ answer, tries });
  if (typeof said === 'string') expect(words).toBe(said);
  else expect(words).toMatch(said);
});

it('names receivers without digits, which could be the number of a person', () => {
  const ids = Array.from({ length: 200 }, (_, at) =>
    receiverId('shop', `https://shop.example/${String(at)}`),
  );
  expect(ids.filter((id) => !/^[a-p]{16}$/u.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(200);
});
