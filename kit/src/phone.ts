import type { ControlApi } from './control-api.ts';
import { guarded } from './options.ts';
import type { People } from './people.ts';
import { has } from './wire.ts';
import { queryOf, WHICH, type Which } from './which.ts';

/** How long a decision waits for its prompt: less than the five seconds that Vitest gives a test. */
const WAIT_SECONDS = 4;

/** A request that a person sees on the phone. */
export interface PhonePrompt {
  readonly id: string;
  readonly attemptId: string;
  readonly nationalId: string;
  /** The number that the application shows, and the person has to choose. */
  readonly random: string;
  readonly service: string;
  readonly locale: 'ar' | 'en';
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/**
 * What people do on their phones. Without `which` it is about the one prompt that waits, and for a
 * person about the one of that person; of several, name the attempt. Each waits up to four seconds
 * for its prompt.
 */
export interface Phone {
  /** What waits for an answer, oldest first. */
  prompts(): Promise<readonly PhonePrompt[]>;
  approve(which?: Which): Promise<PhonePrompt>;
  refuse(which?: Which): Promise<PhonePrompt>;
  /** "It was not me who has asked for this." */
  notMe(which?: Which): Promise<PhonePrompt>;
  /** Chooses another number than the application shows. */
  wrongNumber(which?: Which): Promise<PhonePrompt>;
  /** Never answers: the prompt expires. */
  ignore(which?: Which): Promise<PhonePrompt>;
}

type Decision = 'approve' | 'refuse' | 'not_me' | 'wrong_number' | 'ignore';

export function phoneOf(control: ControlApi, people: () => People): Phone {
  const prompts = async () => promptsFrom(await control.call('listPrompts'));
  const decide = (decision: Decision) => async (which?: Which) => {
    const prompt = await findPrompt(control, { which, people: people(), prompts });
    await control.call('decidePrompt', { id: prompt.id, body: { decision } });
    return prompt;
  };
  const phone: Phone = {
    prompts,
    approve: decide('approve'),
    refuse: decide('refuse'),
    notMe: decide('not_me'),
    wrongNumber: decide('wrong_number'),
    ignore: decide('ignore'),
  };
  return guarded(phone, RULES, 'phone.');
}

const RULES = {
  prompts: [],
  approve: [WHICH],
  refuse: [WHICH],
  notMe: [WHICH],
  wrongNumber: [WHICH],
  ignore: [WHICH],
} as const;

interface Wanted {
  readonly which: Which | undefined;
  readonly people: People;
  readonly prompts: () => Promise<readonly PhonePrompt[]>;
}

/** @throws Error that says what waits instead */
async function findPrompt(
  control: ControlApi,
  { which, people, prompts }: Wanted,
): Promise<PhonePrompt> {
  const query = queryOf(which, people);
  const timeout = String(WAIT_SECONDS);
  const wait = { until: 'prompt', kind: 'push', timeout, ...query };
  const waited = await control.call('waitUntil', { query: wait });
  const found = has<{ prompt: unknown }>(waited, 'prompt') ? promptFrom(waited.prompt) : null;
  const others = await prompts();
  if (found === null) throw new Error(await noPrompt(control, query, others));
  requireOne(query, others);
  return found;
}

/** Two prompts of one person are as little one as two of two people. @throws Error that lists them */
function requireOne(
  { attempt_id: id, national_id: nationalId }: Readonly<Record<string, string>>,
  waiting: readonly PhonePrompt[],
): void {
  if (id !== undefined) return;
  const isMeant = (one: PhonePrompt) => nationalId === undefined || one.nationalId === nationalId;
  const meant = waiting.filter(isMeant);
  if (meant.length < 2) return;
  const who = nationalId === undefined ? '' : ` of ${nationalId}`;
  throw new Error(`${meant.length} prompts${who} wait: say which one. ${listed(meant)}`);
}

async function noPrompt(
  control: ControlApi,
  query: Readonly<Record<string, string>>,
  waiting: readonly PhonePrompt[],
): Promise<string> {
  const [wanted] = Object.values(query);
  const what = wanted === undefined ? 'No prompt waits' : `No prompt of ${wanted} waits`;
  const { attempt_id: id } = query;
  const state = id === undefined ? await newestOf(control) : await stateOf(control, id);
  return `${what} for an answer, after ${WAIT_SECONDS} seconds.${state} ${listed(waiting)}`;
}

/** Most often the application has started an attempt by browser, or one elsewhere. */
async function newestOf(control: ControlApi): Promise<string> {
  const rows = await control.call('listAttempts', { query: { limit: '1' } }).catch(() => null);
  // A simulator without its service has no attempts.
  if (!Array.isArray(rows)) return '';
  const [newest] = rows as readonly unknown[];
  if (newest === undefined) {
    return ' No attempt was started here: the application has to use baseUrl.';
  }
  if (!has<{ id: string; flow: string }>(newest, 'id', 'flow')) return '';
  const { id, flow } = newest;
  const status = await statusOf(control, id);
  if (flow !== 'oidc') return ` The newest attempt, by phone, is ${status}.`;
  const use = status === 'pending' ? ': browser.approve() is for it' : '';
  return ` The newest attempt is by browser, and ${status}${use}.`;
}

/** The attempt may have ended, or not be one by phone. */
async function stateOf(control: ControlApi, id: string): Promise<string> {
  const status = await statusOf(control, id);
  if (status === null) return ' This Miftah knows no such attempt.';
  if (status !== 'pending') return ` The attempt is ${status}.`;
  return ' The attempt is pending: if it is one by browser, use browser.approve().';
}

/** Null for an attempt of another Miftah, or of another scope. */
async function statusOf(control: ControlApi, id: string): Promise<string | null> {
  const query = { until: 'authenticated', attempt_id: id, timeout: '0' };
  const seen = await control.call('waitUntil', { query }).catch(() => null);
  return has<{ status: string }>(seen, 'status') ? seen.status : null;
}

function listed(prompts: readonly PhonePrompt[]): string {
  if (prompts.length === 0) return 'Nothing waits.';
  const each = prompts.map(({ attemptId, nationalId }) => `${nationalId} (attempt ${attemptId})`);
  return `These wait: ${each.join(', ')}.`;
}

function promptsFrom(data: unknown): readonly PhonePrompt[] {
  if (!Array.isArray(data)) throw new Error('GET /simulator/prompts has answered without a list.');
  return data.flatMap((row: unknown) => promptFrom(row) ?? []);
}

/** Null for a sign-in page. */
function promptFrom(row: unknown): PhonePrompt | null {
  if (!has<PhonePrompt & { kind: string; requestId: string }>(row, 'id', 'kind', 'requestId')) {
    return null;
  }
  if (row.kind !== 'push') return null;
  const { id, requestId: attemptId, nationalId, random } = row;
  const { service, locale, createdAt, expiresAt } = row;
  return { id, attemptId, nationalId, random, service, locale, createdAt, expiresAt };
}
