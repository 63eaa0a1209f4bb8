import { ANSWERS } from './fidelity/answers.ts';
import type { Behaviour } from './fidelity/behaviour.ts';
import { PHONE } from './fidelity/phone.ts';
import { WEB } from './fidelity/web.ts';

/** What the simulator does, with how certain it is that a real provider does the same. */
export const BEHAVIOURS: readonly Behaviour[] = [...WEB, ...PHONE, ...ANSWERS];

/** Something that an earlier version of the simulator did and that reports contradicted. */
export interface Contradicted {
  readonly before: string;
  readonly now: string;
  readonly why: string;
}

export const CONTRADICTED: readonly Contradicted[] = [
  {
    before: '`aud` of a push token was the service',
    now: 'the URL of the relying party (`AUDIENCE`)',
    why: 'three tokens and two verifiers of integrations that do not know of each other',
  },
  {
    before: '`jti` of a push token was a new UUID, `nbf` 150 s before `iat`',
    now: 'the `requestId`, and `iat`',
    why: 'the same tokens',
  },
  {
    before: '`nationalityCode` of a push token was a number, its dates `YYYY-MM-DD`',
    now: 'a text, and `DD-MM-YYYY`',
    why: 'the same tokens',
  },
  {
    before: '`requestId` had to be a UUID',
    now: 'any text of 1 to 128 characters',
    why: 'the interface document shows UUIDs; hexadecimal and prefixed forms are in use as well',
  },
  {
    before: 'an accepted push was always 200',
    now: '200 or 201 (`PUSH_STATUS`)',
    why: 'two integrations accept nothing but 201',
  },
  {
    before: 'a person had 200 s for services other than `Login`',
    now: '180 s, and 20 s more in which the status is `EXPIRED`',
    why: 'the transaction lives 200 s, its last part is not for the person',
  },
  {
    before: 'the gateway knew one spelling of the key headers',
    now: 'two',
    why: 'both are in use',
  },
  {
    before: 'three services had thin tokens',
    now: 'none, unless a setting says so (`SERVICES`, `PROFILE`)',
    why: 'no source says which, and one reads names for one of the three',
  },
  {
    before: 'visitors had translated names alone, and `dateOfBirthG`',
    now: '`firstName` to `lastName`, translated names in English, `birthgDate` (`PROFILE`)',
    why: 'integrations that do not know of each other read these',
  },
  {
    before: 'the services were `Login` and `Confirm`',
    now: 'eight names (`SERVICES`)',
    why: 'nobody uses the second one',
  },
  {
    before: 'the token of a rejection never named the person, and an expiry was never told',
    now: 'as before by default, and otherwise for `1900000014` and `1900000044`',
    why: 'verifiers are written for both',
  },
  {
    before: 'a web token had one form',
    now: 'one of several (`PROFILE`)',
    why: 'integrations read different claims of it',
  },
];
