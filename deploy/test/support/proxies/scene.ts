import { test } from 'vitest';
import { hasTools } from '../../../../scripts/debian.mjs';
import { share, type AtEnd } from '../../../../service/test/support/at-end.ts';
import {
  rehearse,
  type Rehearsal,
  type RehearsalOptions,
} from '../../../../service/test/support/live/rehearsal.ts';
import { HOST, KINDS } from './kinds.ts';
import { openProxy, type Proxy } from './open-proxy.ts';

export const ORIGIN = `https://${HOST}`;

/** The service in live mode behind all three proxies, and the simulator as its provider. */
export interface Scene {
  readonly rehearsal: Rehearsal;
  readonly proxies: ReadonlyMap<string, Proxy>;
}

export const NAMES = KINDS.map(({ name }) => name);

/** Where they can't be had, the run says so, and nothing is opened. */
export const hasProxies = hasTools('proxies');

/** A test for each proxy; none without the programs. */
export const eachProxy = test.each(hasProxies ? NAMES : []);

export function shareScene(
  options: RehearsalOptions = {},
): (name: string) => Scene & { proxy: Proxy } {
  const scene = share(async (atEnd) => (hasProxies ? openScene(atEnd, options) : null));
  return (name) => {
    const opened = scene();
    const proxy = opened?.proxies.get(name);
    if (!opened || !proxy) throw new Error(`no proxy is called ${name}`);
    return { ...opened, proxy };
  };
}

async function openScene(atEnd: AtEnd, options: RehearsalOptions): Promise<Scene> {
  const rehearsal = await rehearse({
    ...options,
    settings: {
      PUBLIC_URL: ORIGIN,
      // The simulator brings the results of pushes to the service itself, and tests ask it too.
      ALLOWED_HOSTS: 'localhost,127.0.0.1',
      TRUSTED_PROXIES: '127.0.0.1',
      PROVIDER_AUDIENCE: ORIGIN,
      LOG_LEVEL: 'info',
      ...options.settings,
    },
    simulatorSettings: {
      CLIENT_ID: ORIGIN,
      AUDIENCE: ORIGIN,
      RELYING_PARTY_RETURN_URL: `${ORIGIN}/api/v1/callback`,
      // The log of the service is what is read here.
      LOG_LEVEL: 'warn',
      ...options.simulatorSettings,
    },
  });
  atEnd(async () => rehearsal[Symbol.asyncDispose]());
  const proxies = await Promise.all(
    KINDS.map((kind) => openProxy(kind, [rehearsal.plan.servicePort], atEnd)),
  );
  return { rehearsal, proxies: new Map(proxies.map((proxy) => [proxy.kind.name, proxy])) };
}
