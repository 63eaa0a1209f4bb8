import { pemOf } from './headers.ts';
import { AUDIENCE, NATIONAL_ID, SERVICE, TRANSACTION_ID } from '../provider-under-test.ts';
import { NONCE } from '../session-answer.ts';
import { claimsOf, CREATED_S, NOW_S, thinClaims, type Changes } from '../token-forge.ts';
import { claim, RIGHT_HEADER, tableOf, type Negative } from './table.ts';

/** A complete token that names another person than the attempt. */
const STRANGER = { nin: '1000003301', sub: '1000003301', PersonId: '1000003301' };
const RESIDENT = { nin: undefined, iqamaNumber: '2000005501' };
const OTHER_REGISTER = { ...RESIDENT, sub: '2000005501', PersonId: '2000005501' };

type ThinRow = readonly [name: string, changes: Changes, reason?: string];

/** Tokens without names that have one fault. */
function thin(rows: readonly ThinRow[]): Negative[] {
  return tableOf(
    'phone',
    rows.map(([name, changes, reason = 'no name']) => [
      `without names, ${name}`,
      reason,
      (forge) => forge.sign(thinClaims(changes)),
    ]),
  );
}

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
    ['pending', 'PENDING'],
    ['in small letters', 'completed'],
    ['in an array', ['COMPLETED']],
    ['true', true],
  ]),
  ...claim('phone', 'ServiceName', [
    ['of another service', 'Transfer'],
    ['in small letters', SERVICE.toLowerCase()],
    ['that is our URL', AUDIENCE],
    ['in an array', [SERVICE]],
    ['null', null],
  ]),
  ...claim('phone', 'aud', [
    ['missing', undefined, 'aud missing'],
    ['that is the service name', SERVICE],
    ['that is the service name, in an array', [SERVICE]],
    ['of another service', 'Transfer'],
    ['of another', 'https://other.example.test'],
    ['with a slash more', `${AUDIENCE}/`],
    ['with the service name', [AUDIENCE, SERVICE]],
    ['with the service name before it', [SERVICE, AUDIENCE]],
    ['with one more', [AUDIENCE, 'https://other.example.test']],
    ['twice', [AUDIENCE, AUDIENCE]],
    ['an empty array', []],
    ['in two arrays', [[AUDIENCE]]],
    ['empty', ''],
    ['null', null],
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
    ['missing, with a sub and a name', undefined, 'no identifier'],
    ['of a resident', '2000005501', 'conflicting identifiers'],
    ['of somebody else', '1000003301', 'conflicting identifiers'],
  ]),
  ...claim('phone', 'PersonId', [
    ['of somebody else', '1000003301', 'conflicting identifiers'],
    ['that is a number of somebody else', 1000003301, 'conflicting identifiers'],
  ]),
  ...claim('phone', 'sub', [['of somebody else', '1000003301', 'conflicting identifiers']]),
  ...thin([
    ['of somebody else', { sub: '1000003301', PersonId: '1000003301' }, 'mismatch'],
    ['without a PersonId', { PersonId: undefined }],
    ['with another PersonId', { PersonId: '1000003301' }],
    ['with another PersonId, a number', { PersonId: 1000003301 }],
    ['of another service', { ServiceName: 'Transfer' }, 'ServiceName'],
    ['without a sub', { sub: undefined }],
    ['of a visitor', { sub: '3000009901', PersonId: '3000009901' }],
    ['with a document of somebody else', { nin: '1000003301' }, 'conflicting identifiers'],
    ['in another register', { iqamaNumber: NATIONAL_ID }, 'number of another register'],
  ]),
  ...claim('phone', 'arabicName', [['of somebody else', 'سعد عمر', 'two names']]),
  ...claim('phone', 'nationality', [['of another country', 'EGY', 'two nationalities']]),
  ...claim('phone', 'nationalId', [['of somebody else', '1000003301', 'conflicting identifiers']]),
  ...tableOf('phone', [
    ['somebody else', 'mismatch', (forge) => forge.sign(claimsOf('phone', STRANGER))],
    [
      'a token of the redirect flow',
      'nonce in a token of the phone flow',
      (forge) => forge.sign(claimsOf('redirect')),
    ],
    [
      'a token of the redirect flow without its nonce',
      'transId',
      (forge) => forge.sign(claimsOf('redirect', { nonce: undefined })),
    ],
    [
      'another number in another register',
      'mismatch',
      (forge) => forge.sign(claimsOf('phone', OTHER_REGISTER)),
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
