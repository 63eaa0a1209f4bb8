import type { AtEnd } from '../at-end.ts';
import { randomBytes, randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type { ByFlow } from '../../../src/attempt/flow.ts';
import { recordCanaries } from '../canaries/run-folder.ts';
import {
  json,
  openAreaB,
  record,
  text,
  type AreaB,
  type ReceivedCall,
  type Script,
} from '../provider/area-b.ts';
import { inBoth } from '../provider/provider-under-test.ts';
import { addressWith, hashOf } from '../provider/session-answer.ts';
import { claimsOf, Forge, type Changes } from '../provider/token-forge.ts';

export type Operation = 'session' | 'exchange' | 'push' | 'status' | 'keys';

type Paths = Readonly<Record<Operation, string>>;

function pathsBelow({ oidc, mfa }: ByFlow<string>): Paths {
  return {
    session: `${oidc}/api/v2/oidc/session`,
    exchange: `${oidc}/api/v2/oidc/jwt`,
    push: `${mfa}/api/v1/mfa/request`,
    status: `${mfa}/api/v1/mfa/request/status`,
    keys: `${mfa}/api/v1/mfa/jwk`,
  };
}

/** Invented values that are in no list: if a log contains one, it is a leak. */
export const PERSON = '1087001101';
export const OTHER_PERSON = '1087002202';

/** Making 2048-bit keys takes a while, so all files of a worker share one set. */
let sharedForge: Forge | null = null;

interface Session {
  readonly state: string;
  readonly nonce: string;
}

interface Push {
  readonly requestId: string;
  readonly nationalId: string;
  readonly transId: string;
  status: string;
}

interface DoubleOptions {
  readonly now?: () => number;
  /** Fixed values for every session and push, as a table of tokens expects. */
  readonly pinned?: { readonly nonce: string; readonly transId: string };
  /** What stands before the paths of each flow; `/stg` for both without it. */
  readonly prefixes?: ByFlow<string>;
  readonly atEnd?: AtEnd;
}

/**
 * An identity provider under the control of an attacker. It follows area B until a test replaces
 * one of its answers, signs any claims, and records every call. It states that it is a simulator,
 * as a rehearsal requires.
 */
export class ProviderDouble {
  readonly forge = (sharedForge ??= new Forge(2048));
  readonly #options: DoubleOptions;
  readonly #paths: Paths;
  readonly #sessions = new Map<string, Session>();
  readonly #pushes: Push[] = [];
  readonly #tokens = new Map<string, string>();
  readonly #replaced = new Map<Operation, Script>();
  #areaB: AreaB | null = null;

  constructor(options: DoubleOptions = {}) {
    this.#options = options;
    this.#paths = pathsBelow(options.prefixes ?? inBoth('/stg'));
  }

  async open(): Promise<this> {
    this.#areaB = await openAreaB((call, response) => {
      response.setHeader('x-auth-mode', 'simulator');
      this.#scriptOf(call)(call, response);
    }, this.#options.atEnd);
    return this;
  }

  get url(): string {
    return this.#areaB?.url ?? '';
  }

  received(operation: Operation): readonly ReceivedCall[] {
    return (this.#areaB?.calls ?? []).filter(({ path }) => path === this.#paths[operation]);
  }

  /** Replaces an answer until the end of the test. */
  answer(operation: Operation, script: Script): void {
    this.#replaced.set(operation, script);
    onTestFinished(() => void this.#replaced.delete(operation));
  }

  /** The state and nonce of an attempt. */
  session(attemptId: string): Session {
    const session = this.#sessions.get(attemptId);
    if (session === undefined) throw new Error('no session was opened for this attempt');
    return session;
  }

  get lastPush(): Push {
    const push = this.#pushes.at(-1);
    if (push === undefined) throw new Error('no push was asked for');
    return push;
  }

  push(attemptId: string): Push {
    const push = this.#pushes.findLast(({ requestId }) => requestId === attemptId);
    if (push === undefined) throw new Error('no push was sent for this attempt');
    return push;
  }

  /** A token for this attempt that is valid except for the changes. */
  redirectToken(attemptId: string, changes: Changes = {}, header: Changes = {}): string {
    return this.forge.sign(this.redirectClaims(attemptId, changes), header);
  }

  redirectClaims(attemptId: string, changes: Changes = {}) {
    const { nonce } = this.session(attemptId);
    return this.#claims('redirect', { nonce, nin: PERSON, sub: PERSON, ...changes });
  }

  phoneToken(attemptId: string, changes: Changes = {}, header: Changes = {}): string {
    return this.forge.sign(this.phoneClaims(attemptId, changes), header);
  }

  phoneClaims(attemptId: string, changes: Changes = {}) {
    const { transId, nationalId } = this.push(attemptId);
    const named = { nin: nationalId, sub: nationalId, PersonId: nationalId };
    return this.#claims('phone', { transId, jti: attemptId, ...named, ...changes });
  }

  /** Approves on the provider's page in place of the person. */
  approve(attemptId: string, changes: Changes = {}): void {
    this.tell(attemptId, this.redirectToken(attemptId, changes));
  }

  /** Sets the token that the next exchange of the attempt's state gives. */
  tell(attemptId: string, token: string): void {
    this.#tokens.set(this.session(attemptId).state, token);
  }

  /** The body of a callback with this token. */
  message(attemptId: string, token = this.phoneToken(attemptId)) {
    return { token, transId: this.push(attemptId).transId, requestId: attemptId };
  }

  #claims(kind: 'redirect' | 'phone', changes: Changes) {
    const now = Math.floor((this.#options.now ?? Date.now)() / 1000);
    const claims = claimsOf(kind, { iat: now, nbf: now - 150, exp: now + 150, ...changes });
    const { nin } = claims;
    if (typeof nin === 'string') recordCanaries('national id', [nin]);
    return claims;
  }

  #scriptOf({ path }: ReceivedCall): Script {
    const names = Object.keys(this.#paths) as Operation[];
    const operation = names.find((name) => this.#paths[name] === path);
    if (operation === undefined) return text('No Mapping Rule matched', 404);
    return this.#replaced.get(operation) ?? this.honest(operation);
  }

  honest(operation: Operation): Script {
    const scripts: Record<Operation, Script> = {
      session: (call, response) => json(this.openSession(call))(call, response),
      exchange: (call, response) => this.#exchange(call)(call, response),
      push: (call, response) => json(this.openPush(call))(call, response),
      status: (call, response) => json(this.#statusOf(call))(call, response),
      keys: (call, response) => json(this.forge.set)(call, response),
    };
    return scripts[operation];
  }

  /** Opens a session. @returns its answer, which the test can send or change */
  openSession({ query: { requestId = '', locale = '' } }: ReceivedCall) {
    const nonce = this.#options.pinned?.nonce ?? randomUUID();
    const state = randomBytes(256).toString('base64');
    this.#sessions.set(requestId, { state, nonce });
    const url = addressWith({ ui_locales: locale, state, nonce });
    return { id: null, url, hashedState: hashOf(state), requestId };
  }

  #exchange({ body }: ReceivedCall): Script {
    const { state } = JSON.parse(body) as { state: string };
    const token = this.#tokens.get(state);
    this.#tokens.delete(state);
    return token === undefined ? record('401-033-024') : json({ state, token });
  }

  /**
   * Starts a push. @returns its answer with the attempt's id; the test decides whether it is sent
   */
  openPush({ query: { requestId = '' }, body }: ReceivedCall) {
    const { nationalId } = JSON.parse(body) as { nationalId: string };
    const transId = this.#options.pinned?.transId ?? randomUUID();
    this.#pushes.push({ requestId, nationalId, transId, status: 'WAITING' });
    return { transId, random: '07', requestId };
  }

  #statusOf({ body }: ReceivedCall) {
    const { transId: asked } = JSON.parse(body) as { transId: string };
    return { status: this.#pushes.find(({ transId }) => transId === asked)?.status ?? 'EXPIRED' };
  }
}
