import { createLocalJWKSet, jwtVerify, type JSONWebKeySet, type JWTPayload } from 'jose';
import type { Ms } from '../../src/engine/ports.ts';
import type { RelyingParty } from '../../src/options.ts';
import type { Post } from '../../src/platform/platform.ts';
import { ORIGIN } from './engines.ts';

export const RELYING_PARTY: RelyingParty = {
  returnUrl: 'https://service.example.test/api/v1/callback?tenant=1',
  returnMethod: 'GET',
  pushUrl: 'https://service.example.test/api/v1/provider/mfa-callback',
};

export interface Received {
  readonly address: string;
  readonly body: { readonly token: string; readonly transId: string; readonly requestId: string };
}

/** Receives callbacks and answers with these statuses, and then with 200. */
export class Mailbox {
  readonly received: Received[] = [];
  /** Answers wait for this. */
  answersAfter: Promise<void> = Promise.resolve();
  readonly #answers: Array<number | null>;

  constructor(...answers: Array<number | null>) {
    this.#answers = answers;
  }

  readonly post: Post = async (address, json) => {
    this.received.push({ address, body: JSON.parse(json) as Received['body'] });
    await this.answersAfter;
    return this.#answers.length > 0 ? (this.#answers.shift() ?? null) : 200;
  };

  get tokens(): readonly string[] {
    return this.received.map(({ body }) => body.token);
  }
}

/**
 * The claims of a token, verified as by a careful relying party. @throws Error when it must be
 * refused
 */
export async function verified(
  keys: JSONWebKeySet,
  token: string,
  { audience, now }: { readonly audience: string; readonly now: Ms },
): Promise<JWTPayload> {
  const options = { audience, issuer: ORIGIN, algorithms: ['RS256'], currentDate: new Date(now) };
  return (await jwtVerify(token, createLocalJWKSet(keys), options)).payload;
}
