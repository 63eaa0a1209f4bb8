import { expect, onTestFinished } from 'vitest';
import type { NationalId, Person, ReportedPerson } from '../../src/account/user.ts';
import type { ErrorCode } from '../../src/errors/catalogue.ts';
import { Refusal } from '../../src/errors/refusal.ts';
import type { ProviderTransaction } from '../../src/attempt/provider-transaction.ts';
import { SECOND_MS, type Ms } from '../../src/values/time.ts';
import type {
  AttemptReference,
  EndUser,
  LoginResult,
} from '../../src/provider/identity-provider.port.ts';
import { attemptNumbered, nextSerial } from './samples.ts';

/** An attempt, and the provider's answer to its start. */
export interface BegunAttempt {
  readonly attempt: AttemptReference;
  readonly transaction: ProviderTransaction | null;
}

interface Start {
  readonly bindingCode: string | null;
  readonly expiresAt: Ms | null;
  readonly transaction: ProviderTransaction | null;
}

/** `unproven`: a remote provider's unsigned status says that the person has approved. */
type News = LoginResult | { readonly result: 'unproven' };

/** The common operations of both kinds of provider; one in this process has no transaction. */
export interface AnyProvider {
  readonly isRemote: boolean;
  openRedirect(attempt: AttemptReference, endUser: EndUser): Promise<Start>;
  requestPush(attempt: AttemptReference, endUser: EndUser): Promise<Start>;
  collect(
    attempt: AttemptReference,
    transaction: ProviderTransaction | null,
    now: Ms,
  ): Promise<News>;
}

export interface ProviderUnderTest {
  readonly provider: AnyProvider;
  readonly now: () => Ms;
  /**
   * Decides on the phone or in the browser: as the attempt's person, unless another one is named.
   */
  decide(begun: BegunAttempt, decision: 'approve' | 'refuse', personId?: string): Promise<void>;
  /** The person who approved, in this provider's way. @throws Refusal when nobody did */
  finish(begun: BegunAttempt): Promise<Person>;
  /** Secrets that no error may contain, in addition to those that the suite knows. */
  readonly secrets: readonly string[];
  readonly close: () => Promise<void>;
}

/** A person whom the provider knows. */
export interface KnownPerson {
  readonly id: string;
  readonly nationalId: NationalId;
  /** The attributes that are the same in both flows. */
  readonly identity: Pick<
    Required<ReportedPerson>,
    | 'documentType'
    | 'documentNumber'
    | 'nationalId'
    | 'arabicName'
    | 'englishName'
    | 'gender'
    | 'birthDate'
  >;
}

type Provoked = 'record' | 'active' | 'gateway' | 'error' | 'outage' | 'slow' | 'cut' | 'broken';
type Approving = 'twice' | 'early' | 'lost' | 'otherPerson';

/**
 * The people of the suite. The numbers of the last three decide by themselves, as their names say.
 */
export interface Cast {
  /** At least one per document type; none of them gets two pushes at the same time. */
  readonly people: readonly [KnownPerson, KnownPerson, KnownPerson, KnownPerson];
  readonly faults: Readonly<Record<Provoked, NationalId>>;
  readonly results: Readonly<Record<Approving, NationalId>>;
  /** People whose signed results must be refused. */
  readonly unsound: readonly { readonly personId: string; readonly nationalId: NationalId }[];
}

export interface ProviderConformance {
  readonly open: () => Promise<ProviderUnderTest>;
  readonly cast: Cast;
  /** Faults that only a remote provider can have; null for a provider in this process. */
  readonly remote: {
    readonly openMisaddressed: () => Promise<ProviderUnderTest>;
    readonly openUnreachable: () => Promise<ProviderUnderTest>;
  } | null;
}

const END_USER = { address: '198.51.100.23' };

export async function openForTest(
  open: () => Promise<ProviderUnderTest>,
): Promise<ProviderUnderTest> {
  const opened = await open();
  onTestFinished(() => opened.close());
  return opened;
}

function newAttempt(now: Ms, nationalId: NationalId | null): AttemptReference {
  const flow = nationalId === null ? 'oidc' : 'mfa';
  return {
    ...attemptNumbered(nextSerial(), now),
    flow,
    locale: 'en',
    nationalId,
    bindingCode: null,
  };
}

/** Starts a push to this person, or a redirect for null. @throws Refusal */
export async function begin(
  { provider, now }: ProviderUnderTest,
  nationalId: NationalId | null,
): Promise<BegunAttempt> {
  const at = now();
  const attempt = newAttempt(at, nationalId);
  const { bindingCode, expiresAt, transaction } =
    nationalId === null
      ? await provider.openRedirect(attempt, END_USER)
      : await provider.requestPush(attempt, END_USER);
  const end = expiresAt === null ? attempt.expiresAt : Math.min(expiresAt, attempt.expiresAt);
  return { attempt: { ...attempt, bindingCode, expiresAt: end }, transaction };
}

/** The time between two status requests, long enough that a driver that limits them asks again. */
const LOOKS_APART_MS = 11 * SECOND_MS;

/**
 * The result at the first status request, the second and so on; the same number means the same
 * time.
 */
export function newsOf(
  { provider, now }: ProviderUnderTest,
  { attempt, transaction }: BegunAttempt,
  look: number,
): Promise<News> {
  return provider.collect(attempt, transaction, now() + look * LOOKS_APART_MS);
}

/** @throws Error when the work succeeded, or failed without a Refusal */
export async function refusalOf(work: Promise<unknown>): Promise<Refusal> {
  const [outcome] = await Promise.allSettled([work]);
  const thrown: unknown = outcome.status === 'rejected' ? outcome.reason : null;
  expect(thrown, 'it is refused').toBeInstanceOf(Refusal);
  return thrown as Refusal;
}

/**
 * Expects that a push is refused with this code, and that the error does not identify the person.
 */
export async function refusedPush(
  under: ProviderUnderTest,
  nationalId: NationalId,
  code: ErrorCode,
): Promise<Refusal> {
  const refusal = await refusalOf(begin(under, nationalId));
  expect(refusal.code).toBe(code);
  expectNothingIn(refusal, [...under.secrets, nationalId]);
  return refusal;
}

export function expectNothingIn(error: Error, secrets: readonly string[]): void {
  const told = textOf(error);
  for (const secret of secrets) expect(told).not.toContain(secret);
}

/** Everything that a log could contain of an error. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return error === undefined ? '' : JSON.stringify(error);
  return [String(error), error.stack, JSON.stringify(error), textOf(error.cause)].join('\n');
}

/** The secrets of these attempts, which no error may contain. */
export function secretsOf(begun: readonly BegunAttempt[]): readonly string[] {
  return begun.flatMap(({ attempt: { nationalId }, transaction }) => {
    const known = nationalId === null ? [] : [nationalId];
    if (transaction === null) return known;
    return transaction.kind === 'push'
      ? [...known, transaction.transactionId]
      : [...known, transaction.nonce, transaction.stateDigest];
  });
}
