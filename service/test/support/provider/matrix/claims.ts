import { AUDIENCE, ISSUER, NATIONAL_ID, SERVICE, TRANSACTION_ID } from '../provider-under-test.ts';
import { NONCE } from '../session-answer.ts';
import { claimsOf, CREATED_S, NOW_S } from '../token-forge.ts';
import { claim, tableOf, type Negative } from './table.ts';

export const ISSUANCE: readonly Negative[] = [
  ...claim('redirect', 'iss', [
    ['missing', undefined, 'iss missing'],
    ['of another', 'https://evil.example.test'],
    ['with a slash more', `${ISSUER}/`],
    ['in other letters', ISSUER.toUpperCase()],
    ['with a port', `${ISSUER}:443`],
    ['that begins like ours', `${ISSUER}.evil.example.test`],
    ['empty', ''],
    ['null', null],
    ['in an array', [ISSUER]],
  ]),
  ...claim('redirect', 'aud', [
    ['missing', undefined, 'aud missing'],
    ['of another', 'https://other.example.test'],
    ['that is the service name', SERVICE],
    ['empty', ''],
    ['null', null],
    ['an empty array', []],
    ['with one more', [AUDIENCE, 'https://other.example.test']],
    ['with one more before it', ['https://other.example.test', AUDIENCE]],
    ['twice', [AUDIENCE, AUDIENCE]],
    ['in two arrays', [[AUDIENCE]]],
    ['in other letters', AUDIENCE.toUpperCase()],
    ['with a slash more', `${AUDIENCE}/`],
    ['an object', { 0: AUDIENCE, length: 1 }],
  ]),
  ...claim('redirect', 'azp', [
    ['of another', 'https://other.example.test'],
    ['in an array', [AUDIENCE]],
    ['null', null],
    ['empty', ''],
  ]),
  ...claim('redirect', 'sub', [
    ['missing', undefined, 'sub missing'],
    ['empty', ''],
    ['of 256 characters', 'a'.repeat(256)],
    ['a number', 1000002201],
    ['null', null],
    ['in an array', [NATIONAL_ID]],
  ]),
];

export const TIMES: readonly Negative[] = [
  ...claim('redirect', 'exp', [
    ['missing', undefined, 'exp missing'],
    ['a minute ago', NOW_S - 60],
    ['a week ago', NOW_S - 604_800],
    ['text', String(NOW_S + 149)],
    ['1e308', 1e308],
    ['in a day', NOW_S + 86_400],
    ['in milliseconds', (NOW_S + 149) * 1000],
    ['negative', -1],
    ['zero', 0],
    ['with a fraction', NOW_S + 0.5],
    ['null', null],
    ['true', true],
    ['in an array', [NOW_S + 149]],
  ]),
  ...claim('redirect', 'iat', [
    ['missing', undefined, 'iat missing'],
    ['a week ago', NOW_S - 604_800],
    ['before the attempt', CREATED_S - 61],
    ['in the future', NOW_S + 61],
    ['text', String(NOW_S)],
    ['null', null],
    ['with a fraction', NOW_S - 0.5],
  ]),
  ...claim('redirect', 'nbf', [
    ['in the future', NOW_S + 61],
    ['text', String(NOW_S)],
    ['null', null],
  ]),
  ...claim('redirect', 'auth_time', [
    ['before the attempt', CREATED_S - 61],
    ['a day ago', NOW_S - 86_400],
    ['in the future', NOW_S + 61],
    ['text', String(NOW_S)],
  ]),
];

export const BINDING: readonly Negative[] = [
  ...claim('redirect', 'nonce', [
    ['missing', undefined, 'nonce missing'],
    ['of another attempt', 'c3f3d1ee-9d2b-4d4b-8f77-3f8e5c9f0a22'],
    ['in capitals', NONCE.toUpperCase()],
    ['with a blank', `${NONCE} `],
    ['cut off', NONCE.slice(0, -1)],
    ['empty', ''],
    ['null', null],
    ['in an array', [NONCE]],
    ['a number', 7],
  ]),
  ...claim('redirect', 'transId', [['of a push', TRANSACTION_ID]]),
  ...claim('redirect', 'status', [['of a push', 'COMPLETED']]),
  ...claim('redirect', 'ServiceName', [['of a push', SERVICE]]),
  ...tableOf('redirect', [
    ['a token of the phone flow', 'nonce missing', (forge) => forge.sign(claimsOf('phone'))],
    [
      'a token of the phone flow with our nonce',
      'transId in a token of the redirect flow',
      (forge) => forge.sign({ ...claimsOf('phone'), nonce: NONCE }),
    ],
  ]),
];

export const IDENTITY: readonly Negative[] = [
  ...claim('redirect', 'nin', [
    ['of somebody else than nationalId and sub', '1000003301', 'conflicting identifiers'],
    ['a number of nine digits', 100000220, 'nin is no identifier'],
    ['a number with a fraction', 1000002201.5, 'nin is no identifier'],
    ['a number of somebody else', 1000003301, 'conflicting identifiers'],
    ['of nine digits', '100000220', 'nin is no identifier'],
    ['of eleven digits', '10000022011', 'nin is no identifier'],
    ['in other digits', '١٠٠٠٠٠٢٢٠١', 'nin is no identifier'],
    ['in an array', [NATIONAL_ID], 'nin is no identifier'],
    ['with a blank', `${NATIONAL_ID} `, 'nin is no identifier'],
  ]),
  ...claim('redirect', 'iqamaNumber', [
    ['beside nin', '2000005501', 'two typed identifiers'],
    ['beside nin, with the same digits', NATIONAL_ID, 'two typed identifiers'],
  ]),
  ...claim('redirect', 'visaNumber', [['beside nin', '3000009901', 'two typed identifiers']]),
  ...claim('redirect', 'nationalId', [
    ['of somebody else', '1000003301', 'conflicting identifiers'],
    ['in an array', [NATIONAL_ID], 'nationalId is no identifier'],
  ]),
  ...claim('redirect', 'gender', [
    ['unknown', 'X'],
    ['a number', 1],
  ]),
  ...claim('redirect', 'assurance_level', [
    ['in words', 'high', 'assurance level'],
    ['negative', -1, 'assurance level'],
    ['an object', {}, 'assurance level'],
  ]),
  ...claim('redirect', 'englishName', [
    ['a number', 7, 'englishName is not text'],
    ['of 500 characters', 'a'.repeat(500), 'name too long'],
    ['of half a pair', 'a\ud800', 'claims: not_text'],
    ['with NUL', 'a\u0000', 'claims: not_text'],
  ]),
  ...tableOf('redirect', [
    [
      'no identifier at all, only userid',
      'no identifier',
      (forge) => forge.sign(claimsOf('redirect', { nin: undefined, sub: 'faisal' })),
    ],
    [
      'a visitor without a register',
      'identifier of no known register',
      (forge) => forge.sign(claimsOf('redirect', { nin: undefined, sub: '3000009901' })),
    ],
    [
      'no name',
      'no name',
      (forge) =>
        forge.sign(claimsOf('redirect', { arabicName: undefined, englishName: undefined })),
    ],
  ]),
];
