import { computed, signal } from '@preact/signals';
import { call } from '../api/call.ts';
import { followEventsAt } from '../api/events.ts';
import { ControlError } from '@miftah/contract/control-client';
import type { Row } from '@miftah/contract/control';
import { lastOf } from '../parts/lists.ts';
import { pause } from '../platform/clock.ts';
import { MOST_ROWS, PAGE_ROWS, withChanges, withNewest } from './rows.ts';

/** `all`: the newest attempts, and what is not among them has gone. Else those that have changed. */
type News = { readonly data: readonly Row[]; readonly all: boolean };

const SHORTEST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8000;

/** The sign-ins of the scope, newest first; null until the simulator has named them. */
const rows = signal<readonly Row[] | null>(null);
const connection = signal<'connecting' | 'live' | 'away'>('connecting');
/** Whether there are older ones than those in the list. */
const older = signal<'perhaps' | 'loading' | 'none'>('perhaps');
const failure = signal<ControlError | null>(null);

export const attempts = {
  rows: computed(() => rows.value),
  connection: computed(() => connection.value),
  older: computed(() => older.value),
  failure: computed(() => failure.value),
};

/** Adds an attempt that an answer has named, before the next event does. */
export function addAttempt(row: Row): void {
  rows.value = withChanges(rows.value ?? [], [row]);
}

/** Reads the next older attempts, unless it is being done, or there are none. */
export async function loadOlder(): Promise<void> {
  const last = lastOf(rows.value ?? [], ({ source }) => source !== 'imported');
  if (older.value !== 'perhaps' || last === undefined) return;
  older.value = 'loading';
  try {
    const query = { limit: String(PAGE_ROWS), before: last.id };
    const page = await call('listAttempts', { query });
    rows.value = withChanges(rows.value ?? [], page);
    older.value = page.length < PAGE_ROWS || rows.value.length >= MOST_ROWS ? 'none' : 'perhaps';
  } catch (error) {
    older.value = 'none';
    failure.value = failureOf(error);
  }
}

/** Keeps the list as it is at the simulator, for as long as the page is open. */
export async function followAttempts(): Promise<never> {
  let wait = SHORTEST_PAUSE_MS;
  for (;;) {
    const hasWorked = await followOnce();
    connection.value = 'away';
    wait = hasWorked ? SHORTEST_PAUSE_MS : Math.min(wait * 2, LONGEST_PAUSE_MS);
    await pause(wait);
  }
}

/** @returns whether there was news */
async function followOnce(): Promise<boolean> {
  let hasWorked = false;
  try {
    await followEventsAt<News>('/simulator/events?attempts=yes', ({ name, data }) => {
      if (name !== 'attempts') return;
      take(data.data, data.all);
      hasWorked = true;
    });
  } catch (error) {
    failure.value = failureOf(error);
  }
  return hasWorked;
}

function take(news: readonly Row[], isWhole: boolean): void {
  connection.value = 'live';
  failure.value = null;
  rows.value = isWhole ? withNewest(rows.value ?? [], news) : withChanges(rows.value ?? [], news);
  if (isWhole) older.value = rows.value.length < PAGE_ROWS ? 'none' : 'perhaps';
}

/** Not the loss of a connection, which the indicator shows. */
function failureOf(error: unknown): ControlError | null {
  if (!(error instanceof ControlError)) throw error;
  return error.status === null ? null : error;
}
