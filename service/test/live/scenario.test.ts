import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { shareOpened } from '../support/live/live-service.ts';

/** Live mode has none of the headers by which a test chooses in simulator mode. */

const scene = shareOpened();
const CHOICES = [
  [{ 'x-simulate': 'approves_at_once' }, '1000001101'],
  [{ 'x-simulate': 'nothing of the kind' }, '1000002201'],
  [{ 'x-miftah-scope': 'team-a' }, '1000003301'],
  [{ 'x-miftah-scope': 'Not A Scope' }, '1000004401'],
] as const;

describe('live mode', () => {
  it.each(CHOICES)('does not read %o', async (headers, national_id) => {
    const { bank, provider, dataDir } = scene();
    const answer = await bank.start({ national_id }, headers);
    expect(answer.status, answer.text).toBe(200);
    const { status } = await bank.start({}, headers);
    expect(status).toBe(200);
    const calls = [...provider.received('push'), ...provider.received('session')];
    const sent = calls.flatMap((call) => Object.keys(call.headers));
    expect(sent).toContain('app-id');
    expect(sent).not.toContain('x-simulate');
    expect(sent).not.toContain('x-miftah-scope');
    const database = new DatabaseSync(join(dataDir, 'miftah.db'), { readOnly: true });
    const [row] = database
      .prepare('SELECT count(*) AS attempts, count(scenario) AS scenarios FROM attempts')
      .all();
    database.close();
    expect(row).toMatchObject({ scenarios: 0 });
    expect(Number(row?.['attempts'])).toBeGreaterThan(0);
  });

  it('does not describe them', async () => {
    const { origin } = scene();
    const document = await fetch(`${origin}/openapi.json`);
    expect(await document.text()).not.toMatch(/x-simulate|x-miftah-scope/i);
  });
});
