import { setTimeout as wait } from 'node:timers/promises';
import { ApiClient, type Issued, type Started } from '../programs/api-client.ts';
import { startService, type ServiceProcess } from '../programs/service-process.ts';
import { FakeTime } from './faketime.ts';

const HOUR_S = 3600;
/** The instances compare their time with the database's every second. */
const COMPARED_MS = 3000;
/** What the machine needs for a request, and more. */
const SKEW_MS = 10_000;
const SECRET_KEY = 'ab'.repeat(32);

/** How far the clock of one instance's machine is off, in seconds, and how it comes to be so. */
export interface Jump {
  readonly offset: number;
  readonly isAtRestart: boolean;
}

const JUMPS: readonly Jump[] = [
  { offset: HOUR_S, isAtRestart: false },
  { offset: -2 * HOUR_S, isAtRestart: false },
  { offset: HOUR_S, isAtRestart: true },
  { offset: -2 * HOUR_S, isAtRestart: true },
];

interface Login {
  readonly open: Started;
  readonly issued: Issued;
}

/**
 * Two instances on one PostgreSQL; the clock of one machine jumps, while its instance runs and before
 * it starts. Both follow the clock of the database: nothing expires early, and nothing later.
 * @param url of an empty database
 * @returns what was wrong
 */
export async function runClockBeside(
  library: string,
  url: string,
  jumps: readonly Jump[] = JUMPS,
): Promise<readonly string[]> {
  const time = new FakeTime(library);
  const faults: string[] = [];
  const settings = { DATABASE_URL: url, SECRET_KEY };
  const beside = await startService({ settings });
  const odd = { settings: { ...settings, ...time.environment } };
  let jumping = await startService(odd);
  try {
    for (const { offset, isAtRestart } of jumps) {
      time.set(0);
      await wait(COMPARED_MS);
      const before = await logIn(beside);
      if (isAtRestart) await jumping.stop();
      time.set(offset);
      if (isAtRestart) jumping = await startService(odd);
      else await wait(COMPARED_MS);
      const after = await logIn(jumping);
      const found = await Promise.all(
        [jumping, beside].map((instance) => look(instance, [before, after])),
      );
      const name = `${offset} s${isAtRestart ? ' at a restart' : ''}`;
      faults.push(...found.flat().map((fault) => `${name}: ${fault}`));
    }
    return faults;
  } finally {
    await jumping.kill();
    await beside.kill();
  }
}

async function logIn({ origin }: ServiceProcess): Promise<Login> {
  const client = new ApiClient(origin, { keepAlive: false });
  const attempt = await client.start({ locale: 'en' });
  await client.post('/callback', { state: attempt.attempt_id, auto_complete: true });
  return { issued: await client.token(attempt), open: await client.start({ locale: 'en' }) };
}

async function look({ origin }: ServiceProcess, logins: readonly Login[]): Promise<string[]> {
  const client = new ApiClient(origin, { keepAlive: false });
  const faults: string[] = [];
  const { status: readyz } = await client.send('GET', '/readyz');
  if (readyz !== 200) faults.push(`/readyz is ${readyz}`);
  for (const { open, issued } of logins) {
    const { json } = await client.status(open);
    const { status } = (json as { data: { status: string } }).data;
    if (status !== 'pending') faults.push(`an open attempt is ${status}`);
    const user = await client.get('/user', { authorization: `Bearer ${issued.token}` });
    if (user.status !== 200) faults.push(`a token is ${user.status}`);
  }
  const ends = logins.map(({ open }) => Date.parse(open.expires_at));
  const apart = Math.max(...ends) - Math.min(...ends);
  if (apart > SKEW_MS + COMPARED_MS) faults.push(`two attempts end ${apart} ms apart`);
  return faults;
}
