import { text } from 'node:stream/consumers';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inArabicAtLeast, atLength } from '../../../scripts/test-length.ts';
import { testIds } from '../../../console/src/test-ids.ts';
import { axeFaultsIn, bringAxe } from '../../../scripts/axe.ts';
import { launchChromium } from '../../../scripts/browser.ts';
import { sharedTab, tabInTurn } from '../../../scripts/shared-tab.ts';
import { share } from '../support/at-end.ts';
import { simulate } from '../support/client/web-example.ts';
import { ApiClient } from '../support/programs/api-client.ts';

/** The rooms of the console in which the simulator is changed, in Chromium. */

const ROOMS = ['people', 'people/new', 'outcomes', 'clock', 'faults', 'reset', 'reference'];

let browser: Browser;
beforeAll(async () => void (browser = await launchChromium()));
afterAll(async () => browser.close());

const take = tabInTurn(() => browser);

const strict = share((atEnd) => simulate({ STRICT: 'yes' }, atEnd));
const service = share((atEnd) => simulate({}, atEnd));

/** Each test has a scope of its own, but those that move the clock. */
let scopes = 0;
const newScope = () => `console-${++scopes}`;

async function enter(
  page: Page,
  room: string,
  { scope = newScope(), locale = 'en', at = service() },
) {
  await page.goto(`${at.provider}/console?locale=${locale}&scope=${scope}#/${room}`);
  await page.locator('#console h1').waitFor();
}

async function open(room: string, scope = newScope(), locale = 'en', at = service()) {
  const tab = await take();
  const { page } = tab;
  const { provider } = at;
  await enter(page, room, { scope, locale, at });
  const call = async (method: string, path: string, body?: object) => {
    const headers = { 'content-type': 'application/json', 'x-miftah-scope': scope };
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const { json } = await new ApiClient(provider).send(method, path, headers, sent);
    return (json as { data: unknown }).data;
  };
  return { ...tab, call, press: (id: string) => page.getByTestId(id).click() };
}

const said = (page: Page) => page.getByTestId(testIds.said).textContent();
const unfold = (key: string, page: Page) =>
  page.getByTestId(testIds.outcome(key)).locator('summary').click();
const asFile = (value: unknown) => ({
  name: 'people.json',
  mimeType: 'application/json',
  buffer: Buffer.from(JSON.stringify(value)),
});
/** What is wrong with what is in a field; null if nothing is. */
async function faultOf(field: Locator): Promise<string | null> {
  if ((await field.getAttribute('aria-invalid')) === null) return null;
  const ids = String(await field.getAttribute('aria-describedby'));
  return field
    .page()
    .locator(`[id="${ids.split(' ')[0]}"]`)
    .textContent();
}

const field = (page: Page, name: string) => page.locator(`[name="${name}"]`);

async function fill(page: Page, values: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(values)) await field(page, name).fill(value);
}

const NOOR = {
  id: 'noor',
  about: 'Added in the console',
  national_id: '1000012201',
  'arabic_name.first': 'نور',
  'arabic_name.last': 'البديل',
  'english_name.first': 'Noor',
  'english_name.last': 'Albadil',
  email: 'noor@example.test',
};

describe('people', () => {
  it('are found, added, changed and removed', async () => {
    await using tab = await open('people');
    const { page, press } = tab;
    await page.getByTestId(testIds.search).fill('أمل');
    await expect.poll(() => page.locator('.card').count()).toBe(1);
    await page.getByTestId(testIds.search).fill('nobody is called so');
    expect(await page.locator('.empty').textContent()).toMatch(/Add them/);
    await press(testIds.addPerson);
    await fill(page, NOOR);
    await press(testIds.savePerson);
    await page.getByTestId(testIds.person('noor')).waitFor();
    expect(await said(page)).toBe('Noor Albadil is saved.');
    expect(await tab.call('GET', '/simulator/people/noor')).toMatchObject({
      national_id: '1000012201',
      arabic_name: { full: 'نور البديل', second: null },
    });
    await press(testIds.changePerson('noor'));
    await field(page, 'assurance_level').fill('1');
    await press(testIds.savePerson);
    await page.getByTestId(testIds.person('noor')).waitFor();
    expect(await tab.call('GET', '/simulator/people/noor')).toMatchObject({ assurance_level: 1 });
    await press(testIds.removePerson('noor'));
    expect(await page.locator('dialog').textContent()).toContain('Remove Noor Albadil?');
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    await press(testIds.removePerson('noor'));
    await press(testIds.yes);
    await page.getByTestId(testIds.person('noor')).waitFor({ state: 'detached' });
    expect(tab.complaints).toEqual([]);
  });

  it('that the simulator refuses say why at the field', async () => {
    await using tab = await open('people/new');
    const { page } = tab;
    await fill(page, { ...NOOR, national_id: '1000001101', email: 'no address' });
    await page.getByTestId(testIds.savePerson).click();
    await page.locator('.notice').waitFor();
    expect(await faultOf(field(page, 'email'))).toBe('This does not have the right form.');
    expect(await page.evaluate('document.activeElement.name')).toBe('email');
    await field(page, 'email').fill(NOOR.email);
    await page.getByTestId(testIds.savePerson).click();
    await expect.poll(() => faultOf(field(page, 'national_id'))).toMatch(/somebody else's/);
    expect(tab.complaints.filter((one) => !one.includes('422'))).toEqual([]);
  });

  it('have fields that are marked as needed, and say so when they are empty', async () => {
    await using tab = await open('people/new');
    const { page } = tab;
    await fill(page, { ...NOOR, email: '', assurance_level: '' });
    await page.getByTestId(testIds.savePerson).click();
    await page.locator('.notice').waitFor();
    expect(await faultOf(field(page, 'email'))).toBe('This is needed.');
    expect(await faultOf(field(page, 'assurance_level'))).toBe('This is needed.');
    const isRequired = (name: string) =>
      field(page, name).evaluate((one) => one.matches(':required'));
    expect(await isRequired('email')).toBe(true);
    expect(await isRequired('arabic_name.second')).toBe(false);
    expect(await page.locator('label', { hasText: 'E-mail *' }).count()).toBe(1);
  });

  it.each(
    inArabicAtLeast([
      ['en', 'Resident ID', 'Visa number'],
      ['ar', 'هوية مقيم', 'رقم التأشيرة'],
    ]),
  )(
    'have the documents of the sign-in page, and marked notes, in %s',
    async (locale, resident, visa) => {
      await using tab = await open('people', newScope(), locale);
      const { page } = tab;
      const card = (id: string) => page.getByTestId(testIds.person(id));
      expect(await card('kusuma').textContent()).toContain(resident);
      expect(await card('lukas').textContent()).toContain(visa);
      const words = locale === 'ar' ? 'مواطنة بالغة' : 'Citizen, adult';
      const note = card('amal').locator('bdi', { hasText: words });
      expect(await note.getAttribute('lang')).toBe(locale);
    },
  );

  it('are saved as a file, and taken from one', async () => {
    await using tab = await open('people');
    const { page } = tab;
    const download = page.waitForEvent('download');
    await page.getByTestId(testIds.savePeople).click();
    const saved = await text(await (await download).createReadStream());
    const file = JSON.parse(saved) as { people: { id: string; about: string }[] };
    expect(file.people).toEqual(await tab.call('GET', '/simulator/people'));
    const [amal, ...others] = file.people;
    const people = [{ ...amal, about: 'Changed' }, { ...others[0], id: 'x1' }, ...others];
    const input = page.getByTestId(testIds.loadPeople);
    await input.setInputFiles(asFile({ nobody: [] }));
    expect(await page.getByRole('alert').textContent()).toContain('"people"');
    await input.setInputFiles(asFile({ people }));
    const preview = page.getByTestId(testIds.peopleFile);
    expect(await preview.textContent()).toContain('New: 1. Changed: 1. As they are: 9.');
    await page.getByTestId(testIds.takeFile).click();
    await expect.poll(() => said(page)).toBe('Taken from the file: 1.');
    expect(await preview.textContent()).toContain("1000002201 is somebody else's");
    expect(await tab.call('GET', '/simulator/people/amal')).toMatchObject({ about: 'Changed' });
  });
});

describe('by keyboard alone', () => {
  it('a person is opened and saved, and the heading of what comes has the focus', async () => {
    await using tab = await open('people');
    const { page } = tab;
    const focused = () => page.evaluate('document.activeElement.textContent');
    await page.getByTestId(testIds.changePerson('faisal')).focus();
    await page.keyboard.press('Enter');
    await page.getByTestId(testIds.personForm).waitFor();
    expect(await focused()).toBe('Change Faisal Omar Khalid Altajribi');
    await field(page, 'about').focus();
    await page.keyboard.press('Enter');
    await page.getByTestId(testIds.person('faisal')).waitFor();
    expect(await focused()).toBe('People');
    expect(await said(page)).toBe('Faisal Omar Khalid Altajribi is saved.');
  });

  it('a question is answered, and the focus comes back to where it was', async () => {
    await using tab = await open('people');
    const { page } = tab;
    const button = page.getByTestId(testIds.removePerson('faisal'));
    await button.focus();
    await page.keyboard.press('Space');
    await page.locator('dialog[open]').waitFor();
    expect(await page.evaluate('document.activeElement.closest("dialog") !== null')).toBe(true);
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    const focused = () => page.evaluate('document.activeElement.dataset.testid');
    await expect.poll(focused).toBe(testIds.removePerson('faisal'));
  });
});

describe('outcomes', () => {
  it('are queued for the next attempts, and the queue is emptied', async () => {
    await using tab = await open('outcomes');
    const { page, press, call } = tab;
    await page.getByTestId(testIds.tryIt('refuses')).waitFor();
    expect(await page.getByTestId(testIds.queue).textContent()).toContain('Nothing is queued');
    await page.getByTestId(testIds.after).fill('7');
    await unfold('refuses', page);
    await press(testIds.next('refuses'));
    await expect.poll(() => said(page)).toBe('Queued: Refuses');
    await unfold('unknown_record', page);
    await press(testIds.next('unknown_record'));
    await expect.poll(() => said(page)).toBe('Queued: Is not known to the provider');
    expect(await call('GET', '/simulator/next')).toEqual([
      { outcome: 'refuses', after: 7 },
      { outcome: 'unknown_record', after: null },
    ]);
    await press(testIds.clearQueue);
    await press(testIds.yes);
    await expect.poll(() => said(page)).toBe('The queue is empty.');
    expect(await call('GET', '/simulator/next')).toEqual([]);
    expect(tab.complaints).toEqual([]);
  });

  it('are tried: a sign-in starts, and its time line is shown', async () => {
    await using tab = await open('outcomes');
    const { page, press } = tab;
    await page.getByTestId(testIds.after).fill('0');
    await press(testIds.tryIt('refuses'));
    await page.getByTestId(testIds.timeLine).waitFor();
    const state = page.getByTestId(testIds.attemptState);
    await expect.poll(() => state.textContent()).toContain('Refused');
    await page.goBack();
    await press(testIds.tryIt('unknown_record'));
    await expect.poll(() => said(page)).toMatch(/answered with .provider.record_not_found/);
    expect(tab.complaints.filter((one) => !one.includes('422'))).toEqual([]);
  });

  it('that a fault has refused say where faults are', async () => {
    await using tab = await open('outcomes');
    const { page, press, call } = tab;
    await call('PUT', '/simulator/faults', { faults: [{ operation: 'mfa_request', status: 403 }] });
    await press(testIds.tryIt('refuses'));
    await expect
      .poll(() => said(page))
      .toMatch(/Faults are set in this scope, and one may be why: see “Faults”\.$/);
  });

  it('have short rows, which stay as they are beside an opened one, below a mark that leads home', async () => {
    await using tab = await open('outcomes');
    const { page } = tab;
    await page.setViewportSize({ width: 360, height: 700 });
    const cards = page.locator('.compact > li');
    await cards.nth(1).waitFor();
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(4000);
    const heights = () => cards.evaluateAll((all) => all.map((one) => one.clientHeight));
    const before = await heights();
    await cards.first().locator('summary').click();
    const [opened = 0, ...others] = await heights();
    expect(opened).toBeGreaterThan(before[0] ?? 0);
    expect(others).toEqual(before.slice(1));
    await page.locator('a.brand').click();
    await expect.poll(() => new URL(page.url()).pathname).toBe('/');
  });

  it.each(
    inArabicAtLeast([
      ['en', /^Queued: Refuses\. .* start a sign-in in your application/],
      ['ar', /^في الصف الآن: يرفض\. .* ابدأ محاولة من تطبيقك/],
    ]),
  )('are queued where a start needs a key, which is said in %s', async (locale, sentence) => {
    await using tab = await open('outcomes', newScope(), locale, strict());
    const { page, press, call } = tab;
    const starts: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/start')) starts.push(request.url());
    });
    await press(testIds.tryIt('refuses'));
    await expect.poll(() => said(page)).toMatch(sentence);
    await press(testIds.tryIt('not_me'));
    await expect.poll(() => call('GET', '/simulator/next')).toHaveLength(2);
    // One start has been refused, and no more are sent.
    expect(starts).toHaveLength(1);
    expect(tab.complaints.filter((one) => !one.includes('401'))).toEqual([]);
  });

  it.each(
    inArabicAtLeast([
      ['en', /^Write a whole number from 0 to 300/],
      ['ar', /^اكتب عددًا صحيحًا من 0 إلى 300/],
    ]),
  )('take no seconds beyond 300, and say so, in %s', async (locale, fault) => {
    await using tab = await open('outcomes', newScope(), locale);
    const { page } = tab;
    const after = page.getByTestId(testIds.after);
    await after.fill('999');
    await expect.poll(() => faultOf(after)).toMatch(fault);
    expect(await page.getByTestId(testIds.next('refuses')).isDisabled()).toBe(true);
    await after.fill('3');
    await expect.poll(() => faultOf(after)).toBeNull();
  });

  it('give their number and their header to be copied', async () => {
    await using tab = await open('outcomes');
    const { page, press } = tab;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByTestId(testIds.search).fill('not known');
    await unfold('unknown_record', page);
    await press(testIds.copyNumber('unknown_record'));
    await page.locator('.copied', { hasText: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('1900000021');
    await page.getByTestId(testIds.search).fill('');
    await page.getByTestId(testIds.after).fill('3');
    await unfold('not_me', page);
    await press(testIds.copyHeader('not_me'));
    await expect
      .poll(() => page.evaluate('navigator.clipboard.readText()'))
      .toBe('X-Simulate: not_me;after=3');
  });
});

describe('the clock', () => {
  it('is advanced, stopped, skewed, and taken back', async () => {
    await using tab = await open('clock', 'default');
    const { page, press, call } = tab;
    await press(testIds.advance('5m'));
    await expect.poll(() => said(page)).toMatch(/advanced by .*5m/);
    await page.getByTestId(testIds.advanceBy).fill('90s');
    await page.keyboard.press('Enter');
    await expect.poll(() => call('GET', '/simulator/clock')).toMatchObject({ ahead_ms: 390_000 });
    await page.getByTestId(testIds.freezeAt).fill('2026-01-31T09:05:00Z');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => page.getByTestId(testIds.clockNow).textContent())
      .toBe('2026-01-31 09:05:00 UTC');
    expect(await page.getByTestId(testIds.clockState).textContent()).toBe('Stands still');
    await page.getByTestId(testIds.skewBy).fill('-2m');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.facts').textContent()).toContain('2m behind');
    await page.getByTestId(testIds.skewBy).fill('tomorrow');
    await page.keyboard.press('Enter');
    await expect.poll(() => faultOf(page.getByTestId(testIds.skewBy))).toMatch(/2m or -2m/);
    await press(testIds.clockReset);
    await expect.poll(() => page.getByTestId(testIds.clockState).textContent()).toBe('Runs');
    expect(tab.complaints.filter((one) => !one.includes('422'))).toEqual([]);
  });

  it('says which moves remove attempts for good', async () => {
    await using tab = await open('clock', 'default');
    const { page } = tab;
    const keeps = await page.getByTestId(testIds.clockKeeps).textContent();
    expect(keeps).toMatch(/removed .*1d.* after its expiry \(.*RETENTION.*\)/);
    const button = (time: string) => page.getByTestId(testIds.advance(time)).textContent();
    expect(await button('1d')).toBe('1 day (removes attempts)');
    expect(await button('1h')).toBe('1 hour');
  });

  it.each(
    inArabicAtLeast([
      ['en', 'abc', '2020-01-01', /^Write a whole number and a unit/, /^Write a date and a time/],
      ['ar', '-5m', 'غدًا', /^اكتب عددًا صحيحًا/, /^اكتب تاريخًا ووقتًا/],
    ]),
  )('says at the field what can be written there, in %s', async (locale, by, at, first, second) => {
    await using tab = await open('clock', 'default', locale);
    const { page } = tab;
    const write = async (id: string, value: string) => {
      await page.getByTestId(id).fill(value);
      await page.keyboard.press('Enter');
      await expect.poll(() => faultOf(page.getByTestId(id))).not.toBeNull();
      // The field can have the focus again when the answer has come.
      await expect.poll(() => page.evaluate('document.activeElement.dataset.testid')).toBe(id);
      return faultOf(page.getByTestId(id));
    };
    expect(await write(testIds.advanceBy, by)).toMatch(first);
    expect(await write(testIds.freezeAt, at)).toMatch(second);
    expect(await faultOf(page.getByTestId(testIds.advanceBy))).toBeNull();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('says in a scope why it can’t be moved there', async () => {
    await using tab = await open('clock');
    const notice = tab.page.getByTestId(testIds.clockFixed);
    expect(await notice.textContent()).toContain('All scopes have one clock');
    expect(await tab.page.getByTestId(testIds.advance('5m')).isDisabled()).toBe(true);
    await notice.getByRole('link').click();
    await tab.page.getByTestId(testIds.clockNow).waitFor();
    await expect.poll(() => tab.page.getByTestId(testIds.advance('5m')).isDisabled()).toBe(false);
  });
});

interface Rule {
  readonly seed: number;
  readonly seen: number;
  readonly record?: string;
}

describe('faults', () => {
  it('are added by a form, counted, repeated and removed', async () => {
    await using tab = await open('faults');
    const { page, press, call } = tab;
    const rules = async () => (await call('GET', '/simulator/faults')) as readonly Rule[];
    const send = () => page.getByTestId(testIds.addFault).locator('[type=submit]').click();
    expect(await page.locator('.empty').textContent()).toContain('There are no faults');
    await field(page, 'status').selectOption('503');
    await field(page, 'rate').fill('100');
    await field(page, 'seed').fill('7');
    await send();
    await page.getByTestId(testIds.rule(1)).waitFor();
    const start = { 'content-type': 'application/json', 'x-miftah-scope': `console-${scopes}` };
    const body = JSON.stringify({ locale: 'en', national_id: '1000001101' });
    const { status } = await new ApiClient(service().provider).send(
      'POST',
      '/api/v1/start',
      start,
      body,
    );
    expect(status).toBe(503);
    await expect.poll(() => page.getByTestId(testIds.rule(1)).textContent()).toContain('1 of 1');
    await press(testIds.repeatFaults);
    await expect.poll(rules).toMatchObject([{ seed: 7, seen: 0 }]);
    await field(page, 'kind').selectOption('latency');
    await fill(page, { min: '10', max: '20', times: '3' });
    await send();
    await page.getByTestId(testIds.rule(2)).waitFor();
    expect(await page.getByTestId(testIds.rule(2)).textContent()).toContain('10–20 ms');
    await press(testIds.removeRule(1));
    await page.getByTestId(testIds.rule(2)).waitFor({ state: 'detached' });
    expect(await rules()).toMatchObject([{ latency_ms: { min: 10, max: 20 }, times: 3 }]);
    await press(testIds.clearFaults);
    await press(testIds.yes);
    await expect.poll(rules).toEqual([]);
    expect(tab.complaints).toEqual([]);
  });

  it('offer the error records that each operation has', async () => {
    await using tab = await open('faults');
    const { page, call } = tab;
    const options = async (name: string) => {
      const all = await field(page, name).locator('option').all();
      // An option without the attribute has its text as its value.
      return Promise.all(
        all.map(
          async (one) => (await one.getAttribute('value')) ?? String(await one.textContent()),
        ),
      );
    };
    await field(page, 'kind').selectOption('record');
    for (const operation of await options('operation')) {
      await field(page, 'operation').selectOption(operation);
      for (const record of await options('record')) {
        const faults = [{ operation, record }];
        expect(await call('PUT', '/simulator/faults', { faults }), operation).toMatchObject(faults);
      }
    }
    for (const answer of ['malformed', 'cut', 'timeout']) {
      await field(page, 'kind').selectOption('answer');
      expect(await options('answer')).toContain(answer);
    }
  });
});

describe('the frame', () => {
  it.each(atLength(['en', 'ar'], ['ar']))(
    'has its last room in view on a narrow screen, in %s',
    async (locale) => {
      await using tab = await open('', newScope(), locale);
      const { page } = tab;
      await page.setViewportSize({ width: 360, height: 700 });
      const last = page.getByTestId(testIds.room('reference'));
      await page.getByTestId(testIds.room('reset')).focus();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.locator('h1', { hasText: String(await last.textContent()) }).waitFor();
      const { x = -1, width = 0 } = (await last.boundingBox()) ?? {};
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x + width).toBeLessThanOrEqual(360);
      expect(await last.getAttribute('aria-current')).toBe('page');
    },
  );
});

describe('a time line', () => {
  it('has the lanes that its legend names, and no others', async () => {
    await using tab = await open('outcomes');
    const { page } = tab;
    await page.getByTestId(testIds.tryIt('never_answers')).click();
    await page.getByTestId(testIds.timeLine).locator('li').first().waitFor();
    const line = page.locator('.entry-line').first();
    const width = await line.evaluate((one) =>
      Number.parseFloat(getComputedStyle(one, '::before').inlineSize),
    );
    expect(width / 16).toBe(await page.locator('.legend li').count());
    expect(width / 16).toBeLessThan(5);
  });
});

describe('the list', () => {
  it.each(
    inArabicAtLeast([
      ['en', 'by phone'],
      ['ar', 'عبر الجوال'],
    ]),
  )('is searched for what its rows show, in %s', async (locale, wanted) => {
    await using tab = await open('outcomes', newScope(), locale);
    const { page } = tab;
    await page.getByTestId(testIds.tryIt('never_answers')).click();
    await page.getByTestId(testIds.timeLine).waitFor();
    await page.getByTestId(testIds.room('')).click();
    await page.getByTestId(testIds.search).fill(wanted);
    expect(await page.locator('a.attempt').count()).toBe(1);
    await page.getByTestId(testIds.search).fill('nothing of this');
    expect(await page.locator('.virtual > li').count()).toBe(0);
  });
});

describe('a file with an attempt', () => {
  it.each(
    inArabicAtLeast([
      ['en', 'The file was not imported: The file is not an attempt that was exported'],
      ['ar', 'لم يُستورد الملف: ليس هذا ملف محاولة مصدَّرة'],
    ]),
  )('of another program is refused in %s', async (locale, why) => {
    await using tab = await open('', newScope(), locale);
    const { page } = tab;
    await page.getByTestId(testIds.importFile).setInputFiles(asFile({ people: [] }));
    await page.getByTestId(testIds.importFault).waitFor();
    expect(await page.getByTestId(testIds.importFault).textContent()).toContain(why);
  });
});

describe('reset and reference', () => {
  it('take the scope back to the start after a question', async () => {
    await using tab = await open('reset');
    const { page, press, call } = tab;
    await call('POST', '/simulator/next', { outcome: 'refuses' });
    await press(testIds.reset);
    expect(await page.locator('dialog').textContent()).toContain('be undone');
    expect(await call('GET', '/simulator/next')).toHaveLength(1);
    await press(testIds.yes);
    await expect.poll(() => said(page)).toMatch(/^The scope is reset/);
    expect(await call('GET', '/simulator/next')).toEqual([]);
  });

  it('has a command for each operation of the control API', async () => {
    await using tab = await open('reference');
    const { page } = tab;
    await page.getByTestId(testIds.operation('listPeople')).waitFor();
    const { paths } = (await (
      await fetch(`${service().provider}/simulator/openapi.json`)
    ).json()) as { paths: Record<string, Record<string, { operationId?: string }>> };
    const ids = Object.entries(paths)
      .filter(([path]) => path.startsWith('/simulator'))
      .flatMap(([, methods]) => Object.values(methods).map(({ operationId = '' }) => operationId));
    for (const id of ids) expect(await page.getByTestId(testIds.operation(id)).count()).toBe(1);
    const command = await page
      .getByTestId(testIds.operation('queueNext'))
      .locator('pre')
      .textContent();
    expect(command).toContain(`-H 'X-Miftah-Scope: console-${scopes}'`);
    expect(command).toContain(`-d '{"outcome":"refuses"}'`);
    expect(await page.locator('.links a').count()).toBe(5);
    expect(tab.complaints).toEqual([]);
  });

  it('say in Arabic what each operation does, and find it by that', async () => {
    await using tab = await open('reference', newScope(), 'ar');
    const { page } = tab;
    await page.getByTestId(testIds.operation('listPeople')).waitFor();
    const texts = await page.locator('ul.cards p > bdi').allTextContents();
    expect(texts.length).toBeGreaterThan(20);
    for (const one of texts) expect(one).toMatch(/^[^A-Za-z]*\p{Script=Arabic}[^A-Za-z]*$/u);
    await page.getByTestId(testIds.search).fill('إفراغ الصف');
    expect(await page.locator('ul.cards > li').count()).toBe(1);
    expect(await page.getByTestId(testIds.operation('clearNext')).count()).toBe(1);
  });
});

describe.each(atLength(['ar', 'en'], ['ar']))('in %s', (locale) => {
  const sharing = sharedTab(() => browser);
  beforeAll(async () => void (await bringAxe(sharing().page)));

  it.each(ROOMS)('%s is accessible, and fits a screen of 320 pixels', async (room) => {
    const { page, complaints } = sharing();
    await page.setViewportSize({ width: 1280, height: 720 });
    await enter(page, room, { locale });
    await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
    for (const scheme of ['light', 'dark'] as const) {
      expect(await axeFaultsIn(scheme, page)).toEqual([]);
    }
    await page.setViewportSize({ width: 320, height: 700 });
    const tooWide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
    expect(await page.evaluate(tooWide)).toBe(false);
    expect(complaints).toEqual([]);
  });
});
