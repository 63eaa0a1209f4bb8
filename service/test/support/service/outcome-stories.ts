import { OUTCOMES, outcomeId } from '@miftah/simulator/engine';
import { expect } from 'vitest';
import { until } from '../programs/until.ts';
import {
  AMAL,
  bearer,
  dataOf,
  readStatus,
  redeem,
  startedOf,
  type Headers,
  type Json,
  type Started,
} from './login.ts';
import { PUSH_ENDS, REDIRECT_ENDS, type OutcomeEnd } from './outcome-ends.ts';
import type { Answer, TestService } from './test-service.ts';
import { WalkingBrowser, type Stay } from './walking-browser.ts';

/** One attempt for each outcome, way of choosing it, and flow, through one service and one clock. */

const WAYS = ['identity', 'header', 'queue'] as const;

export interface Case {
  readonly key: string;
  readonly way: (typeof WAYS)[number];
  readonly flow: 'push' | 'redirect';
  readonly end: OutcomeEnd;
  readonly nationalId: string;
  readonly headers: Headers;
}

/** What has become of a case. */
export interface Told {
  readonly start: Answer;
  readonly status: Json | null;
  readonly user: Json | null;
  /** Where the browser was at the end. */
  readonly stay: Stay | null;
}

export const CASES: readonly Case[] = OUTCOMES.flatMap(({ key, number }) =>
  (['push', 'redirect'] as const).flatMap((flow) =>
    WAYS.flatMap((way): Case[] => {
      const end = (flow === 'push' ? PUSH_ENDS : REDIRECT_ENDS)[key];
      // A session request names nobody.
      if (end === undefined || (flow === 'redirect' && way === 'identity')) return [];
      const nationalId = way === 'identity' ? outcomeId(number) : AMAL;
      const scope = `${key.replaceAll('_', '-')}-${way}-${flow}`;
      const simulate = way === 'header' ? { 'x-simulate': key } : {};
      const headers = way === 'identity' ? {} : { 'x-miftah-scope': scope, ...simulate };
      return [{ key, way, flow, end, nationalId, headers }];
    }),
  ),
);

/** How the modes differ. */
export interface ModeOfStories {
  readonly service: TestService;
  /** How long a person can answer a push. */
  readonly pushMs: number;
}

const KEY = bearer('mfk_test_simulator');
const SESSION_MS = 300_000;
const LAST_MOMENT_MS = 500;
/** Between the last approval that can be unproven, and the end of a push in strict mode. */
const PROOF_IS_LATE_MS = 45_000;

export async function tellStories({ service, pushMs }: ModeOfStories): Promise<Map<Case, Told>> {
  const told = new Map<Case, Told>();
  await moveClock(service, { freeze: 'now' });
  // Their answers take seconds of real time.
  const slow = CASES.filter(({ key }) => key === 'slow_answer');
  const answers = slow.map((one) => begin(service, one));
  const stories: Story[] = [];
  for (const one of CASES.filter(({ key }) => key !== 'slow_answer')) {
    const start = await begin(service, one);
    if ('start' in one.end) {
      told.set(one, { start, status: null, user: null, stay: null });
      await closeBreaker(service);
    } else stories.push(new Story(service, one, start, endsAt(one, pushMs)));
  }
  for (const [index, one] of slow.entries()) {
    const start = await answers[index];
    if (start !== undefined) told.set(one, { start, status: null, user: null, stay: null });
  }
  const times = new Set(stories.map(({ at }) => at));
  let now = 0;
  for (const at of [...times].toSorted((one, other) => one - other)) {
    await moveClock(service, { advance: `${at - now}ms` });
    now = at;
    for (const story of stories) await story.goOn(now);
  }
  for (const story of stories) told.set(story.one, story.told());
  return told;
}

class Story {
  readonly one: Case;
  readonly at: number;
  readonly #service: TestService;
  readonly #start: Answer;
  readonly #started: Started;
  readonly #browser: WalkingBrowser;
  #stay: Stay | null = null;
  #user: Json | null = null;
  #status: Json | null = null;
  #isOver = false;

  constructor(service: TestService, one: Case, start: Answer, at: number) {
    this.one = one;
    this.at = at;
    this.#service = service;
    this.#start = start;
    this.#started = startedOf(start);
    this.#browser = new WalkingBrowser(service);
  }

  /** Looks at the attempt; from its time on it has to end. */
  async goOn(now: number): Promise<void> {
    if (this.#isOver) return;
    if (this.one.flow === 'redirect') await this.#browse();
    this.#status = dataOf(await readStatus(this.#service, this.#started));
    if (now < this.at) {
      expect([this.one.key, now, this.#status['status']]).toEqual([this.one.key, now, 'pending']);
      return;
    }
    await until(async () => {
      this.#status = dataOf(await readStatus(this.#service, this.#started));
      return this.#status['status'] !== 'pending';
    });
    this.#isOver = true;
    if (this.#status['status'] === 'authenticated') this.#user = await this.#signIn();
  }

  told(): Told {
    return { start: this.#start, status: this.#status, user: this.#user, stay: this.#stay };
  }

  /** Opens the page, or loads it again. */
  async #browse(): Promise<void> {
    if (this.#stay?.kind === 'left') return;
    const { authorization_url: first = '' } = this.#started;
    this.#stay = await this.#browser.walk(this.#stay?.url ?? first);
  }

  async #signIn(): Promise<Json> {
    const code = this.#stay?.url.searchParams.get('completion_code') ?? null;
    const proof = code === null ? {} : { completion_code: code };
    const answer = await redeem(this.#service, this.#started, proof, KEY);
    return dataOf(answer)['user'] as Json;
  }
}

async function begin(service: TestService, one: Case): Promise<Answer> {
  const { key, way, flow, nationalId, headers } = one;
  if (way === 'queue') {
    const payload = { outcome: key };
    const queued = { method: 'POST', url: '/simulator/next', payload, headers } as const;
    expect((await service.app.inject(queued)).statusCode).toBe(200);
  }
  const body = flow === 'push' ? { national_id: nationalId } : {};
  return service.post('/start', { locale: 'en', ...body }, { ...KEY, ...headers });
}

/** The driver stops calling an operation that met several outages in a row. */
async function closeBreaker(service: TestService): Promise<void> {
  for (const body of [{ national_id: AMAL }, {}]) {
    const answer = await service.post('/start', { locale: 'en', ...body }, KEY);
    expect(answer.statusCode, answer.payload).toBe(200);
  }
}

function endsAt({ key, flow, end }: Case, pushMs: number): number {
  const lifetimeMs = flow === 'push' ? pushMs : SESSION_MS;
  if ('status' in end && end.status === 'expired') return lifetimeMs;
  if ('code' in end && end.code === 'provider.identity_missing') return PROOF_IS_LATE_MS;
  const times: Readonly<Record<string, number>> = {
    approves_after_3s: 3000,
    approves_in_last_second: lifetimeMs - LAST_MOMENT_MS,
    token_late: 10_000,
  };
  return times[key] ?? 0;
}

async function moveClock(service: TestService, payload: object): Promise<void> {
  const moved = await service.app.inject({ method: 'POST', url: '/simulator/clock', payload });
  expect(moved.statusCode).toBe(200);
}
