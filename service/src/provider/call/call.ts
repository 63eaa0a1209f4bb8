import { parseIpAddress } from '../../values/ip-address.ts';
import type { Scenario } from '../../attempt/scenario.ts';
import type { Ms } from '../../values/time.ts';
import type { Clock } from '../../platform/runtime.port.ts';
import type { JsonObject } from '../strict-json.ts';
import {
  CALL_DEADLINE_MS,
  type Credentials,
  type ProviderMode,
  type ProviderApiConfig,
} from '../provider-config.ts';
import { makeCallRecord, type CallRecorder } from './call-record.ts';
import { BREAKER_LIMITS, CircuitBreaker, type BreakerLimits } from './circuit-breaker.ts';
import { OPERATIONS, type OperationName } from './operations.ts';
import {
  createTransport,
  TransportFault,
  type Transport,
  type WireReply,
  type WireRequest,
} from './transport.ts';
import { verdictOfFault, verdictOfReply, type ErrorRecord, type Verdict } from './verdict.ts';

export interface CallRequest {
  readonly operation: OperationName;
  /** The attempt that the call is made for; null for a call that fetches the signing keys. */
  readonly requestId: string | null;
  readonly query: Readonly<Record<string, string>>;
  readonly body: JsonObject | null;
  /** The address of the person's browser or phone, if known. */
  readonly userAddress: string | null;
  /** What a test has chosen for the attempt of this call; null or absent for nothing. */
  readonly scenario?: Scenario | null;
  /** Accepts an answer of a simulator as well as of a real provider. */
  readonly anyMode?: boolean;
}

export type CallResult =
  | { readonly kind: 'answer'; readonly value: JsonObject; readonly simulated: boolean }
  /** An error record that this operation treats as an answer (operations.ts). */
  | { readonly kind: 'record'; readonly record: ErrorRecord };

export interface CallTools {
  readonly clock: Clock;
  readonly record: CallRecorder;
  /** Used instead of a network. */
  readonly transport?: Transport;
  /**
   * The headers that tell a scenario to the provider. Only the simulator understands them, so only
   * strict simulator mode has them; without this nothing of a scenario is sent.
   */
  readonly scenarioHeaders?: (scenario: Scenario) => Readonly<Record<string, string>>;
  /** Tests give shorter values than the defaults. */
  readonly deadlineMs?: Ms;
  readonly breaker?: BreakerLimits;
  /** Gets the state of each operation's breaker at the beginning, and when it changes. */
  readonly onBreaker?: (operation: OperationName, isOpen: boolean) => void;
  /** Called when the provider does not know our key. It may `renew` the credentials. */
  readonly onKeyRefused?: () => void;
}

/**
 * Makes every call to area B.
 *
 * - C-1: one deadline covers a whole call: all its tries, with their headers and bodies.
 * - C-2: an answer must have at most 256 KiB after decoding, have a JSON content type and be strict
 *   JSON. Redirects are not followed.
 * - C-3: only the session GET is repeated, once: after an outage, or with the key that took the place
 *   of the refused one. A POST is sent once.
 * - C-4: after several outages in a row calls are refused at once; single probes find out when the
 *   outage is over.
 * - C-5: every failure is a Refusal of the catalogue, without any content of request or answer.
 * - C-6: each try is recorded, redacted.
 */
export interface CallSender {
  /** @throws Refusal */
  call(request: CallRequest): Promise<CallResult>;
  /** Tries that begin later have these credentials, and new connections. */
  renew(credentials: Credentials): void;
  close(): Promise<void>;
}

/**
 * The share of the deadline for connecting: it distinguishes a host that accepts no connection from
 * one that does not answer.
 */
const CONNECT_SHARE = 0.6;

/** One breaker per operation, so that failing pushes do not stop sign-ins by browser. */
function breakers({ breaker = BREAKER_LIMITS, clock, onBreaker = () => undefined }: CallTools) {
  const make = (operation: OperationName) => {
    onBreaker(operation, false);
    return new CircuitBreaker(breaker, clock, (isOpen) => onBreaker(operation, isOpen));
  };
  return {
    session: make('session'),
    exchange: make('exchange'),
    push: make('push'),
    pushStatus: make('pushStatus'),
    keys: make('keys'),
  } satisfies Record<OperationName, CircuitBreaker>;
}

export function createCallSender(given: ProviderApiConfig, tools: CallTools): CallSender {
  let config = given;
  const deadlineMs = tools.deadlineMs ?? CALL_DEADLINE_MS;
  const breakerOf = breakers(tools);
  const connectMs = Math.ceil(deadlineMs * CONNECT_SHARE);
  const transport = tools.transport ?? createTransport(config.url, connectMs);
  return {
    async call(request): Promise<CallResult> {
      const deadline = AbortSignal.timeout(deadlineMs);
      const tryOnce = async (): Promise<Verdict> => {
        const used = config;
        const verdict = await breakerOf[request.operation].run(
          () => makeTry(request, { config: used, transport, tools, deadline }),
          (result) => (result.kind === 'refused' ? result.end : 'answered'),
        );
        if (verdict.kind !== 'refused' || verdict.isKeyRefused !== true) return verdict;
        tools.onKeyRefused?.();
        return { ...verdict, again: config !== used };
      };
      let verdict = await tryOnce();
      for (let tries = 1; mayRepeat(request, verdict, tries, deadline); tries += 1) {
        verdict = await tryOnce();
      }
      return requireResult(verdict);
    },
    renew({ appId, appKey }) {
      config = { ...config, appId, appKey };
      transport.renew?.();
    },
    close: () => transport.close(),
  };
}

function mayRepeat(
  { operation }: CallRequest,
  verdict: Verdict,
  tries: number,
  deadline: AbortSignal,
): boolean {
  const isLast = tries >= OPERATIONS[operation].tries || deadline.aborted;
  return verdict.kind === 'refused' && verdict.again && !isLast;
}

/** @throws Refusal */
function requireResult(verdict: Verdict): CallResult {
  if (verdict.kind === 'refused') throw verdict.refusal;
  return verdict;
}

interface TryTools {
  readonly config: ProviderApiConfig;
  readonly transport: Transport;
  readonly tools: CallTools;
  readonly deadline: AbortSignal;
}

async function makeTry(request: CallRequest, own: TryTools): Promise<Verdict> {
  const { config, transport, tools, deadline } = own;
  const at = tools.clock.now();
  let reply: WireReply | null = null;
  let fault: TransportFault | null = null;
  let verdict: Verdict;
  try {
    reply = await transport.send(wireRequest(request, config, tools), deadline);
    verdict = verdictOfReply(request.operation, reply, acceptedMode(request, config));
  } catch (error) {
    if (!(error instanceof TransportFault)) throw error;
    fault = error;
    verdict = verdictOfFault(request.operation, fault);
  }
  const refusal = verdict.kind === 'refused' ? verdict.refusal.code : null;
  tools.record(
    makeCallRecord({ ...request, at, endedAt: tools.clock.now(), reply, fault, refusal }),
  );
  return verdict;
}

function acceptedMode(request: CallRequest, { mode }: ProviderApiConfig): ProviderMode | 'any' {
  return request.anyMode === true ? 'any' : mode;
}

function wireRequest(
  request: CallRequest,
  config: ProviderApiConfig,
  { scenarioHeaders }: CallTools,
): WireRequest {
  const { scenario = null } = request;
  const { flow, method, path } = OPERATIONS[request.operation];
  const query = new URLSearchParams(request.query).toString();
  return {
    method,
    target: `${config.pathPrefixes[flow]}${path}${query === '' ? '' : `?${query}`}`,
    headers: {
      ...headersOf(request, config),
      ...(scenario === null ? {} : scenarioHeaders?.(scenario)),
    },
    body: request.body === null ? null : JSON.stringify(request.body),
  };
}

function headersOf(
  { body, userAddress }: CallRequest,
  { appId, appKey, ownAddress }: ProviderApiConfig,
): Record<string, string> {
  return {
    accept: 'application/json',
    'accept-encoding': 'identity',
    'app-id': appId.reveal(),
    'app-key': appKey.reveal(),
    ...forwardedFor(userAddress, ownAddress),
    ...(body === null ? {} : { 'content-type': 'application/json' }),
  };
}

/**
 * Only an address is forwarded: other text could contain a second header line or a false address.
 */
function forwardedFor(
  userAddress: string | null,
  ownAddress: string | null,
): Record<string, string> {
  const address = parseIpAddress(userAddress ?? '');
  if (address === null) return {};
  const addresses = ownAddress === null ? [address] : [address, ownAddress];
  return { 'x-forwarded-for': addresses.join(',') };
}
