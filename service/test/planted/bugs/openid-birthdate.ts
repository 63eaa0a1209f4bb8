import type { PlantedBug } from '../support/planted-bug.ts';

const FINISH = 'service/src/attempt/finish/finish-login.flow.ts';
const ASKED = 'service/src/account/openid-client.ts';
const GRANTS = 'service/src/openid/claims.ts';
const SSO = 'service/src/openid/sessions/single-sign-on.ts';
const RECORDS = 'service/src/store/sql/stores/openid.ts';
const CLAIMS = 'service/src/provider/claims/birth-date.ts';
const THREATS = 'service/test/threats/openid-birthdate.test.ts';
const API = 'service/test/api/openid-birthdate.test.ts';
const KEPT = 'threat 144: a day of birth';

/** Of the day of birth. */
export const BIRTHDATE_BUGS: readonly PlantedBug[] = [
  {
    name: 'birthdate: it is kept for whoever may ask for it, asked or not',
    edits: [
      {
        file: FINISH,
        from: 'if (request === null || !asksForBirthDate(scopes, wishIn(request.body))) return null;',
        to: "if (request === null || asksForBirthDate([], wishIn('{}'))) return null;",
      },
    ],
    test: {
      file: THREATS,
      name: `${KEPT} > is written nowhere for a client that has not asked for it`,
    },
  },
  {
    name: 'birthdate: the claims parameter gives it to every client',
    edits: [
      { file: ASKED, from: "own.includes('birthdate') &&", to: 'own.length > 0 &&' },
      {
        file: FINISH,
        from: "if (!scopes.includes('birthdate')) return null;",
        to: 'if (scopes.length === 0) return null;',
      },
    ],
    test: {
      file: THREATS,
      name: `${KEPT} > is written nowhere for a client that may not have it`,
    },
  },
  {
    name: 'birthdate: it is granted by the scopes of before',
    edits: [
      {
        file: GRANTS,
        from: 'return asksForBirthDate(scopes,',
        to: "return asksForBirthDate(['birthdate'],",
      },
    ],
    test: {
      file: THREATS,
      name: `${KEPT} > is not kept for a client from which the scope was taken meanwhile`,
    },
  },
  {
    name: 'birthdate: it stays when the client has it',
    edits: [
      {
        file: RECORDS,
        from: 'steps: [consume, name, begin, ...removals],',
        to: 'steps: [consume, name, begin, ...removals.slice(1)],',
      },
    ],
    test: {
      file: THREATS,
      name: `${KEPT} > is of one record at a time, from the approval on until the client gives it back`,
    },
  },
  {
    name: 'birthdate: a grant lasts as a refresh token does, although there is none',
    edits: [
      {
        file: 'service/src/openid/provider.ts',
        from: '    Grant: 900,',
        to: '    Grant: longest,',
      },
    ],
    test: { file: THREATS, name: `${KEPT} > is not kept for long where nobody exchanges the code` },
  },
  {
    name: 'birthdate: it stays beside the grant',
    edits: [
      {
        file: 'service/src/openid/sign-in.flow.ts',
        from: 'const ends = mayBeKept ?',
        to: 'const ends = mayBeKept && record.client === "" ?',
      },
    ],
    test: {
      file: THREATS,
      name: `${KEPT} > is not kept for a client from which the scope was taken meanwhile`,
    },
  },
  {
    name: 'birthdate: the grant begins without it',
    edits: [
      {
        file: 'service/src/openid/sign-in.flow.ts',
        from: "body: kept?.body ?? '{}', expiresAt",
        to: "body: '{}', expiresAt",
      },
    ],
    test: {
      file: API,
      name: 'a client that may know the day of birth > knows it as long as it has the person',
    },
  },
  {
    name: 'birthdate: a refresh forgets it',
    edits: [{ file: GRANTS, from: "...Grant.IN_PAYLOAD, 'birthdate'", to: '...Grant.IN_PAYLOAD' }],
    test: {
      file: API,
      name: 'a client that may know the day of birth > knows it as long as it has the person',
    },
  },
  {
    name: 'birthdate: a session answers without it',
    edits: [
      {
        file: SSO,
        from: 'if (asksForBirthDate(listed, { scopes, claims })) return true;',
        to: 'if (asksForBirthDate(listed, { scopes, claims })) return false;',
      },
    ],
    test: {
      file: 'service/test/api/openid-single-sign-on.test.ts',
      name: 'in a browser in which somebody has signed in > the day of birth asks anew',
    },
  },
  {
    name: 'birthdate: the 29th of February of every year is a day',
    edits: [
      {
        file: CLAIMS,
        from: 'if (text !== `${year}-${number}-${day}`) return null;',
        to: 'if (text === `${year}-${number}-${day}T`) return null;',
      },
    ],
    test: {
      file: 'service/test/provider/claims.test.ts',
      name: 'a day of birth > of a February without it is none, and refuses nobody',
    },
  },
];
