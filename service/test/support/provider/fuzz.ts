import { jwtVerify } from 'jose';
import { REPORTED_PROFILE } from '../../../src/provider/provider-config.ts';
import { toPerson } from '../../../src/provider/claims/claims.ts';
import type { TokenExpectation } from '../../../src/provider/token/claim-rules.ts';
import { ProviderKeySet } from '../../../src/provider/token/provider-key-set.ts';
import { readSigningKeys } from '../../../src/provider/token/signing-keys.ts';
import { TokenFault } from '../../../src/provider/token/token-fault.ts';
import { TokenVerifier } from '../../../src/provider/token/token-verifier.ts';
import { START_OF_TIME } from '../service/fake-clock.ts';
import { Dice, mutate, type Mutant } from './mutate.ts';
import {
  AUDIENCE,
  inBoth,
  ISSUER,
  NATIONAL_ID,
  SERVICE,
  TRANSACTION_ID,
} from './provider-under-test.ts';
import { NONCE } from './session-answer.ts';
import { asJson, claimsOf, CREATED_AT, type Forge, type Kind } from './token-forge.ts';

export interface FuzzReport {
  readonly runs: number;
  readonly refused: number;
  /** Tokens that the provider could have sent too: with other valid claims or headers. */
  readonly harmless: number;
  /**
   * Tokens that were accepted although the independent check refuses them, or that caused another
   * error than a refusal.
   */
  readonly wrong: readonly string[];
}

const EXPECTED: Readonly<Record<Kind, TokenExpectation>> = {
  redirect: { kind: 'redirect', nonce: NONCE, createdAt: CREATED_AT },
  phone: {
    kind: 'phone',
    transactionId: TRANSACTION_ID,
    service: SERVICE,
    createdAt: CREATED_AT,
  },
};

/**
 * Changes valid tokens at random and gives them to the verifier. The same seed gives the same
 * tokens.
 */
export async function fuzzTokens(forge: Forge, runs: number, seed: number): Promise<FuzzReport> {
  const keys = (await readSigningKeys(asJson(forge.set))) ?? [];
  const settings = {
    issuers: inBoth(ISSUER),
    audience: AUDIENCE,
    profile: REPORTED_PROFILE,
  };
  const verifier = new TokenVerifier(settings, new ProviderKeySet(async () => keys));
  const goods = {
    redirect: forge.sign(claimsOf('redirect')),
    phone: forge.sign(claimsOf('phone')),
  };
  const dice = new Dice(seed);
  const wrong: string[] = [];
  let refused = 0;
  for (let run = 0; run < runs; run += 1) {
    const mutant = mutate(forge, goods, dice);
    const fault = await faultOf(verifier, mutant);
    if (fault instanceof TokenFault) {
      refused += 1;
    } else if (fault !== null) {
      wrong.push(`run ${run}: ${messageOf(fault)}`);
    } else if (!(await isRight(forge, mutant))) {
      wrong.push(`run ${run}: accepted ${mutant.token.slice(0, 100)}`);
    }
  }
  return { runs, refused, harmless: runs - refused - wrong.length, wrong };
}

async function faultOf(verifier: TokenVerifier, { kind, token }: Mutant): Promise<unknown> {
  try {
    const claims = await verifier.verify(token, EXPECTED[kind], START_OF_TIME);
    const flow = kind === 'redirect' ? 'oidc' : 'mfa';
    const { nationalities } = REPORTED_PROFILE;
    const person = toPerson(claims, { flow, issuer: ISSUER, nationalities });
    return person.nationalId === NATIONAL_ID
      ? null
      : new TokenFault('identifier', 'another person');
  } catch (error) {
    return error;
  }
}

function messageOf(fault: unknown): string {
  return fault instanceof Error ? `${fault.name}: ${fault.message}` : 'no error was thrown';
}

/** An independent check, with a library that shares no code with our verifier. */
async function isRight(forge: Forge, { kind, token }: Mutant): Promise<boolean> {
  try {
    const { payload } = await jwtVerify(token, forge.keys.publicKey, {
      algorithms: ['RS256'],
      issuer: ISSUER,
      audience: AUDIENCE,
      currentDate: new Date(START_OF_TIME),
      clockTolerance: 60,
      requiredClaims: ['iss', 'aud', 'exp', 'iat'],
    });
    return kind === 'redirect' ? isOurLogin(payload) : isOurPush(payload);
  } catch {
    return false;
  }
}

type Payload = Readonly<Record<string, unknown>>;

/** Without a typed claim the subject identifies the person. */
function isOurLogin({ nonce, nin, sub }: Payload): boolean {
  const subject = nin === '' || nin === null ? sub : (nin ?? sub);
  return nonce === NONCE && subject === NATIONAL_ID;
}

function isOurPush(payload: Payload): boolean {
  const { transId, status, ServiceName } = payload;
  const isForService = ServiceName === undefined || ServiceName === SERVICE;
  const isOurs = transId === TRANSACTION_ID && isForService;
  return isOurs && status === 'COMPLETED' && isOurPerson(payload);
}

/** Identified by a typed claim, or in a token without names by two equal claims. */
function isOurPerson({ nin, sub, PersonId, firstName }: Payload): boolean {
  if (nin !== undefined && nin !== null && nin !== '') return nin === NATIONAL_ID;
  return firstName === undefined && sub === NATIONAL_ID && PersonId === NATIONAL_ID;
}
