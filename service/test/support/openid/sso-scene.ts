import { dirname } from 'node:path';
import * as oidc from 'openid-client';
import type { ClientEntry } from '../../../../scripts/rehearsal.ts';
import { writeClientsFile } from '../../../../scripts/rehearsal.ts';
import { SystemClock } from '../../../src/platform/runtime.ts';
import type { AtEnd } from '../at-end.ts';
import { decideOnPhoneOf } from '../client/web-example.ts';
import type { PersonBrowser, Visit } from '../live/person-browser.ts';
import {
  interactionOf,
  askAs,
  exchange,
  openidBrowser,
  openStrictOpenid,
  signedIn,
  wayBack,
  type Asked,
} from './openid-scene.ts';
import type { TestServiceOptions } from '../service/test-service.ts';
import { openStoreBeside } from './store-beside.ts';

/** Clients that share the sign-ins of people, and one that does not. */

const keyOf = (id: string) => `mfk_${id}_0123456789abcdef`;
const redirectOf = (id: string) => `https://${id}.example.test/cb`;

function entry(id: string, members: object): ClientEntry {
  return {
    id,
    name: { ar: `تطبيق ${id}`, en: `The ${id}` },
    type: 'confidential',
    return_addresses: [],
    keys: [keyOf(id)],
    openid: {
      redirect_uris: [redirectOf(id)],
      post_logout_redirect_uris: [`https://${id}.example.test/bye`],
      scope: 'openid profile national_id birthdate offline_access',
      ...members,
    },
  };
}

export const SSO_CLIENTS = {
  shop: entry('shop', { sso: true }),
  desk: entry('desk', { sso: true, subject_type: 'pairwise' }),
  alone: entry('alone', {}),
} as const;

type Id = keyof typeof SSO_CLIENTS;

interface Wished {
  readonly parameters?: Record<string, string>;
  readonly isPushed?: boolean;
  readonly browser?: PersonBrowser;
  readonly person?: string;
  readonly decision?: string;
}

export const ALL_SSO: readonly ClientEntry[] = Object.values(SSO_CLIENTS);

/** What a request has come to: a code or an error of the client, or a page that asks the person. */
export interface Outcome {
  readonly asked: Asked;
  readonly visit: Visit;
  readonly code: string | null;
  readonly error: string | null;
  readonly isAsked: boolean;
}

/** The clients of `origin` and the browsers of people. */
export function applicationsOf(origin: string) {
  const requestOf = (id: Id, { parameters = {}, isPushed = false }: Wished = {}) =>
    askAs(
      origin,
      { id, redirectUri: redirectOf(id), auth: oidc.ClientSecretBasic(keyOf(id)) },
      { isPushed, parameters },
    );
  /** Somebody signs in for a client, by the page and the provider. */
  async function signIn(id: Id, wished: Wished = {}) {
    const { browser = openidBrowser(), person = 'amal', decision = 'approve' } = wished;
    const asked = await requestOf(id, wished);
    const tokens = await exchange(asked, await signedIn(asked, { browser, person, decision }));
    return { browser, asked, tokens, claims: { ...tokens.claims() } };
  }
  /** A request in a browser, up to where it ends without the person. */
  async function tryIn(browser: PersonBrowser, id: Id, wished: Wished = {}): Promise<Outcome> {
    const asked = await requestOf(id, wished);
    return outcomeOf(browser, asked, await browser.open(asked.url));
  }
  /** The same, which has to be answered with a code. */
  async function answered(browser: PersonBrowser, id: Id, wished: Wished = {}) {
    const { asked, visit, code } = await tryIn(browser, id, wished);
    if (visit.location === null || code === null) {
      throw new Error(`it was not answered: ${visit.status} ${String(visit.location)}`);
    }
    const tokens = await exchange(asked, visit.location);
    return { tokens, asked, claims: { ...tokens.claims() } };
  }
  return { requestOf, signIn, tryIn, answered };
}

async function outcomeOf(browser: PersonBrowser, asked: Asked, first: Visit): Promise<Outcome> {
  const { location } = first;
  const isBack = location === null || location.href.startsWith(asked.redirectUri);
  const visit = isBack ? first : await wayBack(browser, asked, location);
  const answer = visit.location?.searchParams;
  return {
    asked,
    visit,
    code: answer?.get('code') ?? null,
    error: answer?.get('error') ?? null,
    isAsked: visit.location === null && interactionOf(visit) !== null,
  };
}

/** The clock of the service, which a test may move. That of the library stays. */
function movedClock() {
  let aheadMs = 0;
  const clock = new SystemClock({
    monotonic: () => performance.now() + aheadMs,
    wall: () => performance.timeOrigin + performance.now() + aheadMs,
  });
  const advance = (ms: number) => void (aheadMs += ms);
  return { clock, advance };
}

export async function openSso(
  atEnd: AtEnd,
  clients: readonly ClientEntry[] = ALL_SSO,
  settings: Record<string, string> = {},
  parts: TestServiceOptions['parts'] = {},
) {
  const { clock, advance } = movedClock();
  const own = await openStrictOpenid(atEnd, clients, settings, {
    clock,
    timekeeper: clock,
    ...parts,
  });
  const auditRows = async () =>
    (await openStoreBeside(own.service)).readAudit({ after: 0, limit: 100 });
  const decideOnPhone = (nationalId: string) =>
    decideOnPhoneOf({ provider: own.origin }, nationalId);
  /** The operator changes the file, and the service reads it. */
  const reload = async (changed: readonly ClientEntry[]) => {
    writeClientsFile(dirname(own.clientsFile), changed);
    await own.service.reload();
  };
  return { ...own, ...applicationsOf(own.origin), reload, advance, auditRows, decideOnPhone };
}

/** A client of the file without single sign-on. */
export function withoutSso({ openid, ...rest }: ClientEntry): ClientEntry {
  return { ...rest, openid: { ...(openid as object), sso: false } };
}
