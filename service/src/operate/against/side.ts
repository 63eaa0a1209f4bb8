import type { Probe, ProbeRequest } from '@miftah/simulator/fidelity';
import type { ByFlow, Flow } from '../../attempt/flow.ts';
import type { Secret } from '../../values/secret.ts';
import type { Ms } from '../../values/time.ts';
import {
  createTransport,
  toReply,
  TransportFault,
  type HttpAnswer,
  type WireReply,
  type WireRequest,
} from '../../provider/call/transport.ts';
import type { JsonValue } from '../../provider/strict-json.ts';
import { factsOf, type Facts } from './facts.ts';

/** What both sides are asked with. */
export interface Keys {
  /** Of the paths of each flow. */
  readonly prefixes: ByFlow<string>;
  readonly appId: Secret;
  readonly appKey: Secret;
}

export interface Answer {
  readonly facts: Facts;
  /** Null: there is none, or it is no JSON. */
  readonly value: JsonValue;
  /** Null: no answer came. */
  readonly status: number | null;
}

/** A provider, or the simulator in its place. */
export interface Side {
  ask(request: ProbeRequest, keys: Probe['keys']): Promise<Answer>;
  close(): Promise<void>;
}

/** Of nobody, so that no caller's keys are counted as attacked. */
const MADE_UP = 'miftah-doctor';

/**
 * The provider over the network, as the driver calls it: one deadline for each answer, at most
 * 256 KiB, no redirect followed, certificates checked.
 */
export function openProvider(origin: string, keys: Keys, deadlineMs: Ms): Side {
  const transport = createTransport(origin, deadlineMs);
  const send = (request: WireRequest) => transport.send(request, AbortSignal.timeout(deadlineMs));
  return { ask: asker(send, keys), close: () => transport.close() };
}

/** The simulator in this process. */
export function openSimulator(
  ask: (request: WireRequest) => Promise<HttpAnswer>,
  keys: Keys,
): Pick<Side, 'ask'> {
  return { ask: asker(async (request) => toReply(await ask(request)), keys) };
}

function asker(send: (request: WireRequest) => Promise<WireReply>, keys: Keys): Side['ask'] {
  return async (request, which) => {
    try {
      return answerOf(await send(wireRequest(request, which, keys)), sentTexts(request, keys));
    } catch (error) {
      if (!(error instanceof TransportFault)) throw error;
      return {
        facts: new Map([['status', `no answer: ${error.message}`]]),
        value: null,
        status: null,
      };
    }
  };
}

function answerOf(reply: WireReply, sent: readonly string[]): Answer {
  const { body, status } = reply;
  const value = body.kind === 'json' ? body.value : null;
  return { facts: factsOf(reply, sent), value, status };
}

/** The keys, and the values of the query and of the body. */
function sentTexts({ path, body }: ProbeRequest, { appId, appKey }: Keys): readonly string[] {
  const query = new URLSearchParams(path.split('?')[1]).values();
  const quoted = (body ?? '').matchAll(/"([^"]{8,})"/g).map(([, text = '']) => text);
  return [appId.reveal(), appKey.reveal(), ...query, ...quoted].filter((text) => text.length > 2);
}

function wireRequest(
  { method, path, contentType, body }: ProbeRequest,
  which: Probe['keys'],
  keys: Keys,
): WireRequest {
  return {
    method,
    target: `${keys.prefixes[flowOf(path)]}${path}`,
    headers: {
      accept: 'application/json',
      'accept-encoding': 'identity',
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
      ...keyHeaders(which, keys),
    },
    body: body ?? null,
  };
}

/** The paths of pushes, with the keys of both flows, are below a name of their own. */
function flowOf(path: string): Flow {
  return path.startsWith('/api/v1/mfa/') ? 'mfa' : 'oidc';
}

function keyHeaders(which: Probe['keys'], { appId, appKey }: Keys): Record<string, string> {
  switch (which) {
    case 'right':
      return { 'app-id': appId.reveal(), 'app-key': appKey.reveal() };
    case 'right, app_id':
      return { app_id: appId.reveal(), app_key: appKey.reveal() };
    case 'made up':
      return { 'app-id': MADE_UP, 'app-key': MADE_UP };
    case 'none':
      return {};
  }
}
