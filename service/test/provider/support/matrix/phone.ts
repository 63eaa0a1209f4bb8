import { pemOf } from './headers.ts';
import { AUDIENCE, SERVICE, TRANSACTION_ID } from '../provider-under-test.ts';
import { NONCE } from '../session-answer.ts';
import { claimsOf, CREATED_S, NOW_S } from '../token-forge.ts';
import { claim, RIGHT_HEADER, tableOf, type Negative } from './table.ts';

export const PHONE: readonly Negative[] = [
  ...claim('phone', 'transId', [
    ['missing', undefined],
    ['of another push', 'c3f3d1ee-9d2b-4d4b-8f77-3f8e5c9f0a22'],
    ['in capitals', TRANSACTION_ID.toUpperCase()],
    ['in an array', [TRANSACTION_ID]],
    ['null', null],
  ]),
  ...claim('phone', 'status', [
    ['missing', undefined],
    ['waiting', 'WAITING'],
    ['expired', 'EXPIRED'],
    ['in small letters', 'completed'],
    ['in an array', ['COMPLETED']],
    ['true', true],
  ]),
  ...claim('phone', 'ServiceName', [
    ['missing', undefined, 'ServiceName missing'],
    ['of another service', 'Transfer'],
    ['in small letters', SERVICE.toLowerCase()],
  ]),
  ...claim('phone', 'aud', [
    ['missing', undefined, 'aud missing'],
    ['of the redirect flow', AUDIENCE],
    ['of another service', 'Transfer'],
    ['with one more', [SERVICE, AUDIENCE]],
  ]),
  ...claim('phone', 'iss', [
    ['missing', undefined, 'iss missing'],
    ['of another', 'https://evil.example.test'],
  ]),
  ...claim('phone', 'exp', [
    ['missing', undefined, 'exp missing'],
    ['a minute ago', NOW_S - 60],
  ]),
  ...claim('phone', 'iat', [
    ['missing', undefined, 'iat missing'],
    ['before the attempt', CREATED_S - 61],
    ['in the future', NOW_S + 61],
  ]),
  ...claim('phone', 'nonce', [['of a browser', NONCE, 'nonce in a token of the phone flow']]),
  ...claim('phone', 'nin', [
    ['missing, with a sub', undefined, 'no identifier'],
    ['of somebody else', '1000003301', 'mismatch'],
  ]),
  ...claim('phone', 'nationalId', [['of somebody else', '1000003301', 'conflicting identifiers']]),
  ...tableOf('phone', [
    [
      'a token of the redirect flow',
      'ServiceName missing',
      (forge) => forge.sign(claimsOf('redirect')),
    ],
    [
      'the same number in another register',
      'mismatch',
      (forge) => forge.sign(claimsOf('phone', { nin: undefined, iqamaNumber: '2000005501' })),
    ],
    ['alg none', 'alg', (forge) => forge.sign(claimsOf('phone'), { alg: 'none' })],
    [
      'HS256 under the public key',
      'alg',
      (forge) => forge.signHmac('HS256', pemOf(forge), claimsOf('phone')),
    ],
    ['kid unknown', 'kid unknown', (forge) => forge.sign(claimsOf('phone'), { kid: 'other' })],
    [
      'signed by a key that nobody published',
      'signature',
      (forge) =>
        forge.signText(RIGHT_HEADER, JSON.stringify(claimsOf('phone')), forge.foreign.privateKey),
    ],
  ]),
];
