import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { testIds } from '@miftah/pages';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium, openTab } from '../../../scripts/browser.ts';
import { until } from '../support/programs/until.ts';
import { openListening } from '../support/service/listening-service.ts';
import { openDemoApplication, type DemoApplication } from '../support/attacks/demo-application.ts';

/**
 * One application that knows only the service's address and a key. In Chromium it works unchanged
 * with strict simulator mode and with `npm run demo:live`, which was told its return address.
 */

const DEMO = fileURLToPath(new URL('../../../scripts/demo-live.ts', import.meta.url));
/** The first of the lines to paste, which are the last that it prints. */
const PRINTED =
  /^API=(?<service>.+)\/api\/v1; SIMULATOR=(?<provider>.+)\/simulator; KEY=(?<key>\S+);/;

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
  const service = await openListening({ settings }, () => undefined);
  const { origin } = service;
  return {
    service: origin,
    key: 'mfk_test_simulator',
    provider: origin,
    [Symbol.asyncDispose]: () => service.stop(),
  };
}

async function demoStage({ origin }: DemoApplication): Promise<Stage> {
  const demo = spawn(process.execPath, [DEMO, '--return-address', `${origin}/return`], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(demo, 'exit');
  let printed: Partial<Record<string, string>> = {};
  for await (const line of createInterface(demo.stdout)) {
    printed = PRINTED.exec(line)?.groups ?? printed;
    if (line.includes('Ctrl-C stops')) break;
  }
  const { service = '', provider = '', key = '' } = printed;
  return {
    service,
    key,
    provider,
    async [Symbol.asyncDispose]() {
      // Stopped, not killed, because a killed demo would leave its programs running.
      demo.kill();
      await exited;
    },
  };
}

const STAGES: readonly (readonly [name: string, open: OpenStage])[] = [
  ['strict simulator mode', strictStage],
  ['npm run demo:live', demoStage],
];

let browser: Browser;
beforeAll(async () => void (browser = await launchChromium()));
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

describe.each(STAGES)('one application, against %s', (_, open) => {
  let application: DemoApplication;
  let stage: Stage;
  beforeAll(async () => {
    application = await openDemoApplication();
    stage = await open(application);
    application.connect(stage.service, stage.key);
  });
  afterAll(async () => {
    application.close();
    await stage[Symbol.asyncDispose]();
  });

  it('signs a person in by redirect', async () => {
    await using tab = await openTab(browser);
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
