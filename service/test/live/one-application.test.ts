import { testIds } from '@miftah/pages';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium, openTab } from '../../../scripts/browser.ts';
import { startService } from '../support/programs/service-process.ts';
import { until } from '../support/programs/until.ts';
import {
  DEMO_KEY,
  openDemoApplication,
  type DemoApplication,
} from '../support/attacks/demo-application.ts';
import { rehearse } from '../support/live/rehearsal.ts';

/**
 * One application that knows only the service's address and a key. In Chromium it works unchanged
 * with strict simulator mode and with a rehearsal.
 */

const TIMEOUT_MS = 90_000;
const AMAL = '1000001101';

interface Stage extends AsyncDisposable {
  readonly service: string;
  readonly key: string;
  /** The origin of the simulator, where a script decides in place of the person. */
  readonly provider: string;
}

type OpenStage = (application: DemoApplication) => Promise<Stage>;

async function strictStage(): Promise<Stage> {
  // The readiness check uses the name `localhost`.
  const settings = { STRICT: 'yes', RATE_LIMITS: 'on', ALLOWED_HOSTS: 'localhost' };
  const service = await startService({ settings });
  const { origin } = service;
  return {
    service: origin,
    key: 'mfk_test_simulator',
    provider: origin,
    [Symbol.asyncDispose]: async () => void (await service.kill()),
  };
}

async function rehearsedStage({ origin }: DemoApplication): Promise<Stage> {
  const demo = {
    id: 'demo',
    name: { ar: 'تطبيق المثال', en: 'Example Application' },
    type: 'confidential',
    return_addresses: [`${origin}/return`],
    keys: [DEMO_KEY],
  } as const;
  const rehearsal = await rehearse({ clients: [demo] });
  return {
    service: rehearsal.service.origin,
    key: DEMO_KEY,
    provider: rehearsal.simulator.origin,
    [Symbol.asyncDispose]: () => rehearsal[Symbol.asyncDispose](),
  };
}

const STAGES: readonly (readonly [name: string, open: OpenStage])[] = [
  ['strict simulator mode', strictStage],
  ['the rehearsal', rehearsedStage],
];

let browser: Browser;
beforeAll(async () => void (browser = await launchChromium()), TIMEOUT_MS);
afterAll(async () => browser.close());

/** Decides on the phone in place of the person. */
async function approveByScript({ provider }: Stage, attemptId: string): Promise<void> {
  const prompts = `${provider}/simulator/prompts`;
  const listed = await fetch(`${prompts}?request_id=${attemptId}`);
  const { data } = (await listed.json()) as { data: { id: string }[] };
  const decided = await fetch(`${prompts}/${data[0]?.id}/decision`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ decision: 'approve' }),
  });
  expect(decided.status).toBe(200);
}

describe.each(STAGES)('one application, against %s', { timeout: TIMEOUT_MS }, (_, open) => {
  let application: DemoApplication;
  let stage: Stage;
  beforeAll(async () => {
    application = await openDemoApplication();
    stage = await open(application);
    application.connect(stage.service, stage.key);
  }, TIMEOUT_MS);
  afterAll(async () => {
    application.close();
    await stage[Symbol.asyncDispose]();
  });

  it('signs a person in by redirect', async () => {
    await using tab = await openTab(browser, { reducedMotion: 'reduce' });
    const { page } = tab;
    await page.goto(`${application.origin}/login`);
    await page.getByTestId(testIds.launch).click();
    const cookies = await page.context().cookies();
    expect(cookies.map(({ name }) => name).join()).toContain('__Host-miftah_');
    await page.getByTestId(testIds.person('amal')).check();
    await page.getByTestId(testIds.approve).click();
    await page.waitForURL(`${application.origin}/`);
    expect(application.returns.at(-1)).toBe('signed in');
    expect(await page.getByTestId('who').textContent()).toBe(AMAL);
    expect(tab.complaints).toEqual([]);
  });

  it('signs a person in by phone', async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    await page.goto(`${application.origin}/phone?national_id=${AMAL}`);
    expect(await page.getByTestId('random').textContent()).toMatch(/^\d{2}$/);
    const attemptId = (await page.getByTestId('id').textContent()) ?? '';
    await page.goto(`${application.origin}/return`);
    expect(application.returns.at(-1)).toBe('attempt.pending');
    await approveByScript(stage, attemptId);
    await until(async () => {
      await page.goto(`${application.origin}/return`);
      return application.returns.at(-1) !== 'attempt.pending';
    });
    expect(application.returns.at(-1)).toBe('signed in');
    expect(await page.getByTestId('who').textContent()).toBe(AMAL);
  });
});
