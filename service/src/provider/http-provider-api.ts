import { Refusal, type RefusalDetails } from '../errors/refusal.ts';
import type { Flow } from '../attempt/flow.ts';
import type { KeptToken } from '../attempt/provider-transaction.ts';
import type { Ms } from '../values/time.ts';
import type { ReportedPerson } from '../account/user.ts';
import { plainId } from '../values/ids.ts';
import {
  createCallSender,
  type CallSender,
  type CallRequest,
  type CallTools,
} from './call/call.ts';
import { toPerson } from './claims/claims.ts';
import { textMember, type JsonObject } from './strict-json.ts';
import type { Credentials, ProviderMode, ProviderApiConfig } from './provider-config.ts';
import {
  parsePushStatus,
  parseStartedPush,
  type ReceivedPush,
  type PushStatus,
  type StartedPush,
} from './push.ts';
import type {
  ExchangeResult,
  ExpectedPush,
  ExpectedRedirect,
  PushOrder,
  PushQuestion,
  PushResult,
  ProviderApi,
  SessionRequest,
} from './provider-api.ts';
import { parseSession, type RedirectSession } from './session.ts';
import { pushStatusIn, type TokenExpectation } from './token/claim-rules.ts';
import { ProviderKeySet } from './token/provider-key-set.ts';
import { readSigningKeys, type SigningKey } from './token/signing-keys.ts';
import { TokenFault } from './token/token-fault.ts';
import { TokenVerifier } from './token/token-verifier.ts';

export interface ProviderTools extends CallTools {
  /**
   * The issuer in the keys of people, whatever the issuers of their tokens are, so that both flows
   * of one person are one user. The store says it (S-113); it is asked only after a token was
   * verified.
   */
  readonly providerName: () => string;
}

export function createProviderApi(config: ProviderApiConfig, tools: ProviderTools): ProviderApi {
  return new HttpProvider(config, tools);
}

class HttpProvider implements ProviderApi {
  readonly #config: ProviderApiConfig;
  readonly #clock: ProviderTools['clock'];
  readonly #providerName: ProviderTools['providerName'];
  readonly #calls: CallSender;
  readonly #verifier: TokenVerifier;

  constructor(config: ProviderApiConfig, tools: ProviderTools) {
    this.#config = config;
    this.#providerName = tools.providerName;
    this.#clock = tools.clock;
    this.#calls = createCallSender(config, tools);
    const keys = new ProviderKeySet(async () => fetchKeys(this.#calls));
    this.#verifier = new TokenVerifier(config, keys);
  }

  async openSession({
    requestId,
    locale,
    userAddress,
    scenario = null,
  }: SessionRequest): Promise<RedirectSession> {
    const { authorizeOrigin, profile } = this.#config;
    const expiresAt = this.#clock.now() + profile.redirectLifetimeMs;
    const query = { locale, requestId };
    const answer = await this.#ask({ ...of('session', requestId, userAddress), query, scenario });
    return parseSession(answer, { requestId, locale, authorizeOrigin, expiresAt });
  }

  async requestPush({
    requestId,
    locale,
    nationalId,
    userAddress,
    scenario = null,
  }: PushOrder): Promise<StartedPush> {
    const { service, profile } = this.#config;
    const expiresAt = this.#clock.now() + profile.pushLifetimeMs;
    // `local`, not `locale`: the interface document spells it so.
    const query = { local: locale, requestId };
    const body = { nationalId, service };
    const answer = await this.#ask({
      ...of('push', requestId, userAddress),
      query,
      body,
      scenario,
    });
    return parseStartedPush(answer, expiresAt);
  }

  async pushStatus(question: PushQuestion): Promise<PushStatus> {
    const { requestId, nationalId, transactionId, bindingCode, userAddress } = question;
    const body = { nationalId, transId: transactionId, random: bindingCode };
    const call = { ...of('pushStatus', requestId, userAddress), body };
    return parsePushStatus(await this.#calls.call(call));
  }

  async exchange(state: string, expected: ExpectedRedirect): Promise<ExchangeResult> {
    const { requestId, userAddress } = expected;
    const call = { ...of('exchange', requestId, userAddress), body: { state } };
    // A state can be exchanged once: without the keys its token would be lost.
    await this.#verifier.prepare(this.#clock.now());
    const result = await this.#calls.call(call);
    if (result.kind === 'record') return { result: 'not_redeemable' };
    if (textMember(result.value, 'state') !== state) throw badResponse(new Error('another state'));
    const token = textMember(result.value, 'token') ?? '';
    return this.verifyRedirect({ token, cameAt: this.#clock.now() }, expected);
  }

  async verifyRedirect(
    kept: KeptToken,
    { nonce, createdAt }: ExpectedRedirect,
  ): Promise<ExchangeResult> {
    const claims = await this.#verify(kept, { kind: 'redirect', nonce, createdAt }, badResponse);
    if (claims instanceof Refusal) return { result: 'unverified', kept, refusal: claims };
    return { result: 'approved', person: this.#requireAssurance(this.#personIn(claims, 'oidc')) };
  }

  async verifyPush(
    message: ReceivedPush,
    expected: ExpectedPush,
    cameAt: Ms | null,
  ): Promise<PushResult> {
    const { requestId, transactionId, nationalId, createdAt } = expected;
    const isSameAttempt = plainId(message.requestId) === requestId;
    if (!isSameAttempt || message.transactionId !== transactionId) {
      throw unverified(new TokenFault('transaction', 'push: another attempt'));
    }
    const { service } = this.#config;
    const signed = { kind: 'phone', transactionId, service, createdAt } as const;
    const kept = { token: message.token, cameAt: cameAt ?? this.#clock.now() };
    const claims = await this.#verify(kept, signed, unverified);
    if (claims instanceof Refusal) return { result: 'unverified', kept, refusal: claims };
    const status = pushStatusIn(claims);
    // A refused or expired push signs in nobody, even if its token names a person.
    if (status !== 'completed') return { result: status };
    const person = this.#personIn(claims, 'mfa');
    if (person.nationalId !== nationalId) throw new Refusal('provider.mismatch');
    return { result: 'approved', person: this.#requireAssurance(person) };
  }

  async detectMode(): Promise<ProviderMode> {
    const result = await this.#calls.call({ ...of('keys', null, null), anyMode: true });
    return result.kind === 'answer' && result.simulated ? 'rehearsal' : 'live';
  }

  renew(credentials: Credentials): void {
    this.#calls.renew(credentials);
  }

  close(): Promise<void> {
    return this.#calls.close();
  }

  /** For operations that treat no error record as an answer. */
  async #ask(request: CallRequest): Promise<JsonObject> {
    const result = await this.#calls.call(request);
    if (result.kind === 'record') throw badResponse(new Error(`record ${result.record.code}`));
    return result.value;
  }

  /** The refusal that it gives says that the key can't be known now. @throws Refusal */
  async #verify(
    { token, cameAt }: KeptToken,
    expected: TokenExpectation,
    toRefusal: (cause: Error) => Refusal,
  ): Promise<JsonObject | Refusal> {
    try {
      return await this.#verifier.verify(token, expected, this.#clock.now(), cameAt);
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error instanceof TokenFault ? toRefusal(error) : error;
    }
  }

  #personIn(claims: JsonObject, flow: Flow): ReportedPerson {
    const { nationalities } = this.#config.profile;
    try {
      return toPerson(claims, { flow, issuer: this.#providerName(), nationalities });
    } catch (error) {
      throw error instanceof TokenFault ? badResponse(error) : error;
    }
  }

  #requireAssurance(person: ReportedPerson): ReportedPerson {
    if (person.assuranceLevel >= this.#config.minimumAssurance) return person;
    throw new Refusal('assurance.insufficient');
  }
}

/** A call with neither query nor body. */
function of(
  operation: CallRequest['operation'],
  requestId: string | null,
  userAddress: string | null,
): CallRequest {
  return { operation, requestId, query: {}, body: null, userAddress };
}

/** A key set without a usable key counts as no key set. @throws Refusal */
async function fetchKeys(caller: CallSender): Promise<readonly SigningKey[]> {
  const result = await caller.call(of('keys', null, null));
  const keys = result.kind === 'answer' ? await readSigningKeys(result.value) : null;
  if (keys === null || keys.length === 0) throw badResponse(new Error('no signing keys'));
  return keys;
}

function badResponse(cause: Error): Refusal {
  return new Refusal('provider.bad_response', { ...toldOf(cause), cause });
}

function unverified(cause: Error): Refusal {
  return new Refusal('push.unverified', { ...toldOf(cause), cause });
}

/** The messages of our own errors quote nothing that the provider has sent. */
function toldOf(cause: Error): RefusalDetails {
  if (!(cause instanceof TokenFault)) return { reason: cause.message };
  const { check, expected, came } = cause;
  return { reason: `token: ${check}`, refusedToken: { check, expected, came } };
}
