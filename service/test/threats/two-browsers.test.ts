import { testIds } from '@miftah/pages';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeFaults } from '../../../scripts/axe.ts';
import { launchChromium, openTab } from '../../../scripts/browser.ts';
import { openRehearsal, type OpenedRehearsal } from '../support/live/shared-rehearsal.ts';
import { recordCanaries } from '../support/canaries/run-folder.ts';
import {
  DEMO_KEY,
  openDemoApplication,
  type DemoApplication,
} from '../support/attacks/demo-application.ts';

const AMAL = '1000001101';

let browser: Browser;
let application: DemoApplication;
let rehearsal: OpenedRehearsal;

beforeAll(async () => {
  application = await openDemoApplication();
  const demo = {
    id: 'demo',
    name: { ar: 'تطبيق المثال', en: 'Example Application' },
    type: 'confidential',
    return_addresses: [`${application.origin}/return`],
    keys: [DEMO_KEY],
  } as const;
  [browser, rehearsal] = await Promise.all([launchChromium(), openRehearsal({ clients: [demo] })]);
  application.connect(rehearsal.service.origin);
});
afterAll(async () => {
  application.close();
  await Promise.all([browser.close(), rehearsal[Symbol.asyncDispose]()]);
});

/** A tab in a new profile, without anybody else's cookies. */
const openProfile = () => openTab(browser, { locale: 'ar' });

/** The address of the launch page, which an attacker could send to a victim. */
async function begin(page: Page): Promise<string> {
  await page.goto(`${application.origin}/login`);
  return page.url();
}

async function press(page: Page, testId: string): Promise<void> {
  await page.getByTestId(testId).click();
}

async function approve(page: Page, person: string): Promise<void> {
  await page.getByTestId(testIds.person(person)).check();
  await press(page, testIds.approve);
}

async function whoIsSignedIn(page: Page): Promise<string | null> {
  await page.goto(application.origin);
  return page.getByTestId('who').textContent();
}

/**
 * The return address with the completion code. The application does not use it, because it does not
 * know the browser for this time.
 */
async function returnOf(page: Page, person: string): Promise<string> {
  const context = page.context();
  const session = (await context.cookies()).filter(({ name }) => name === 'demo');
  await context.clearCookies({ name: 'demo' });
  const returning = page.waitForRequest(`${application.origin}/return?*`);
  await approve(page, person);
  const address = (await returning).url();
  await page.waitForURL(`${application.origin}/`);
  expect(application.returns.at(-1)).toBe('dropped');
  await context.addCookies(session);
  recordCanaries('completion code', [new URL(address).searchParams.get('completion_code') ?? '']);
  return address;
}

describe('a login in Chromium', () => {
  it('leads in Arabic from the application to the provider and back', async () => {
    await using tab = await openProfile();
    const { page } = tab;
    await begin(page);
    expect(
      await page.evaluate('[document.documentElement.lang, document.documentElement.dir]'),
    ).toEqual(['ar', 'rtl']);
    expect(await axeFaults(page)).toEqual([]);
    await press(page, testIds.launch);
    const cookies = await page.context().cookies();
    const cookie = cookies.find(({ name }) => name.startsWith('__Host-'));
    expect(cookie).toMatchObject({ secure: true, httpOnly: true, sameSite: 'Lax', path: '/' });
    await approve(page, 'amal');
    await page.waitForURL(`${application.origin}/`);
    expect(await page.getByTestId('who').textContent()).toBe(AMAL);
    expect(tab.complaints).toEqual([]);
  });
});

describe('threat 4: a relayed link, in two browsers', () => {
  it('the victim finishes what the attacker began, and neither is signed in', async () => {
    await using attacker = await openProfile();
    await using victim = await openProfile();
    const link = await begin(attacker.page);
    await victim.page.goto(link);
    await press(victim.page, testIds.launch);
    await approve(victim.page, 'amal');
    await victim.page.waitForURL(`${application.origin}/`);
    expect(application.returns.at(-1)).toBe('dropped');
    await attacker.page.goto(`${application.origin}/return?completion_code=x`);
    expect(application.returns.at(-1)).toBe('attempt.completion_required');
    expect(await whoIsSignedIn(attacker.page)).toBe('nobody');
    expect(await whoIsSignedIn(victim.page)).toBe('nobody');
  });
});

describe('threat 4: a relayed address of the provider', () => {
  it('the victim approves what the attacker launched, and nobody is signed in', async () => {
    await using attacker = await openProfile();
    await using victim = await openProfile();
    await begin(attacker.page);
    await press(attacker.page, testIds.launch);
    await attacker.page.waitForURL(`${rehearsal.origins.simulator}/**`);
    const link = attacker.page.url();
    // The attacker knows the state and has the cookie; only the approval is missing.
    const state = new URL(link).searchParams.get('state') ?? '';
    await victim.page.goto(link);
    await approve(victim.page, 'amal');
    await victim.page.waitForURL(`${rehearsal.origins.service}/**`);
    expect(await victim.page.getByRole('heading').first().textContent()).not.toBe('');
    const back = `${rehearsal.origins.service}/api/v1/callback?${new URLSearchParams({ state })}`;
    const answer = await attacker.page.goto(back);
    expect(answer?.status()).toBe(403);
    expect(await whoIsSignedIn(attacker.page)).toBe('nobody');
    expect(await whoIsSignedIn(victim.page)).toBe('nobody');
  });
});

describe('threat 5: a code in another session, in two browsers', () => {
  it('the attacker’s code is refused in the victim’s session', async () => {
    await using attacker = await openProfile();
    await using victim = await openProfile();
    await begin(attacker.page);
    await press(attacker.page, testIds.launch);
    const address = await returnOf(attacker.page, 'faisal');
    // A victim who has started nothing, and then one in the middle of a sign-in.
    await victim.page.goto(address);
    expect(application.returns.at(-1)).toBe('dropped');
    await begin(victim.page);
    await victim.page.goto(address);
    expect(application.returns.at(-1)).toBe('attempt.pending');
    expect(await whoIsSignedIn(victim.page)).toBe('nobody');
    // And a victim who has approved but whose code was not delivered yet.
    await begin(victim.page);
    await press(victim.page, testIds.launch);
    const own = await returnOf(victim.page, 'amal');
    await victim.page.goto(address);
    expect(application.returns.at(-1)).toBe('attempt.completion_required');
    await victim.page.goto(own);
    expect(await whoIsSignedIn(victim.page)).toBe(AMAL);
  });
});
