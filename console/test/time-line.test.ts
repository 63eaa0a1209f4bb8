import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { inArabicAtLeast } from '../../scripts/test-length.ts';
import { testIds } from '../src/test-ids.ts';
import { sceneForTests } from './support/scene.ts';
import { idOf, rowOf, timeLineOf } from './support/samples.ts';

/** One attempt in Chromium, before answers that the test gives. */

const SEVEN = `GET /simulator/attempts/${idOf(7)}`;

const scene = sceneForTests((api) => {
  api.rows = [rowOf(7)];
  api.answers[SEVEN] = timeLineOf(7);
});

async function open(options = {}) {
  const tab = await scene.open({ hash: `#/attempts/${idOf(7)}`, ...options });
  await tab.page.getByTestId(testIds.timeLine).waitFor();
  return tab;
}

const stateOf = (page: Page) => page.getByTestId(testIds.attemptState).textContent();
const entry = (page: Page, number: number) => page.getByTestId(testIds.entry(number));

/** Answers in place of the clipboard. */
async function copied(page: Page, testId: string): Promise<string> {
  await page.evaluate(
    `navigator.clipboard.writeText = async (text) => { globalThis.copied = text }`,
  );
  await page.getByTestId(testId).click();
  return page.evaluate('globalThis.copied');
}

describe('the time line', () => {
  it.each(
    inArabicAtLeast([
      ['en', 's', ['Application', 'Provider', 'Phone', 'Signed messages']],
      ['ar', 'ث', ['التطبيق', 'مزوّد الهوية', 'الجوال', 'رسائل موقَّعة']],
    ] as const),
  )('has all sides, times, results and codes, in %s', async (locale, unit, sides) => {
    await using tab = await open({ locale });
    const text = (await tab.page.getByTestId(testIds.timeLine).textContent()) ?? '';
    for (const side of sides) expect(text).toContain(side);
    for (const said of [
      `+0.000 ${unit}`,
      `+18.000 ${unit}`,
      '409',
      'attempt.pending',
      `1.204 ${unit}`,
    ]) {
      expect(text).toContain(said);
    }
    // The name is of the operation: this exchange was refused.
    const refused = await entry(tab.page, 4).locator('.entry-name').textContent();
    expect(refused).toBe({ en: 'Exchange for an API token', ar: 'طلب رمز الوصول' }[locale]);
    expect(tab.complaints).toEqual([]);
  });

  it.each(
    inArabicAtLeast([
      ['en', 'Sign-in'],
      ['ar', 'تسجيل الدخول'],
    ] as const),
  )('says what the service is called, in %s', async (locale, name) => {
    await using tab = await open({ locale });
    const facts = tab.page.locator('.attempt-facts dd');
    await facts.first().waitFor();
    expect(await facts.allTextContents()).toContain(name);
  });

  it('folds polls that are answered alike, and shows them all when asked', async () => {
    await using tab = await open();
    const folded = tab.page.getByTestId(testIds.repeated(5));
    expect(await folded.locator('.entry-count').textContent()).toBe('8 times in 14.002 s');
    expect(await tab.page.locator('.entries > li').count()).toBe(8);
    await folded.locator('summary').first().click();
    await entry(tab.page, 20).waitFor();
    await tab.page.getByTestId(testIds.unfold).click();
    await expect.poll(() => tab.page.locator('.entries > li').count()).toBe(23);
  });

  it('folds out what went over the wire, and what to do about an error', async () => {
    await using tab = await open();
    await entry(tab.page, 4).locator('summary').click();
    const details = entry(tab.page, 4).locator('.details');
    expect(await details.locator('pre').allTextContents()).toEqual([
      'user-agent: example-shop/1.0',
      '{\n  "attempt_token": "[masked]"\n}',
      'content-type: application/json',
      expect.stringContaining('"code": "attempt.pending"'),
    ]);
    expect(await details.locator('.remedy').textContent()).toContain('Wait until the status');
    expect(await details.locator('a').getAttribute('href')).toBe(
      '/errors/attempt.pending?locale=en',
    );
  });

  it('has the findings at the top, and their links open the entries', async () => {
    await using tab = await open();
    const findings = tab.page.getByTestId(testIds.findings);
    expect(await findings.textContent()).toContain('The token was asked for too early');
    await findings.getByRole('link', { name: 'entry 4' }).click();
    await entry(tab.page, 4).locator('.details').waitFor();
    expect(await entry(tab.page, 4).locator('.entry-number').textContent()).toBe('4');
    const numbers = tab.page.locator('.entries > li > details > summary .entry-number');
    expect(await numbers.allTextContents()).toContain('5\u201320');
    expect(await tab.page.evaluate('document.activeElement.closest("li").dataset.testid')).toBe(
      testIds.entry(4),
    );
  });

  it('opens the fold in which the entry of an address is', async () => {
    await using tab = await open({ hash: `#/attempts/${idOf(7)}/12` });
    await entry(tab.page, 12).waitFor();
  });

  it('is read again when something has happened, also under an id in capitals', async () => {
    await using tab = await open({ hash: `#/attempts/${idOf(7).toUpperCase()}` });
    const later = timeLineOf(7) as { entries: object[]; attempt: object };
    const more = { ...later.entries[0], number: 24, name: 'readUser' };
    scene.api.answers[SEVEN] = { ...later, entries: [...later.entries, more] };
    scene.api.tell(rowOf(7, { entries: 24 }));
    await entry(tab.page, 24).waitFor();
    expect(await entry(tab.page, 24).textContent()).toContain('readUser');
  });

  it('is read again when an answer that comes late is older than the news', async () => {
    const late = Promise.withResolvers<object>();
    const later = timeLineOf(7) as { entries: object[] };
    const more = { ...later.entries[0], number: 24, name: 'readUser' };
    scene.api.rows = [rowOf(7, { entries: 24 })];
    scene.api.answers[SEVEN] = () => {
      scene.api.answers[SEVEN] = { ...later, entries: [...later.entries, more] };
      return late.promise;
    };
    await using tab = await scene.open({ hash: `#/attempts/${idOf(7)}` });
    late.resolve(later);
    await entry(tab.page, 24).waitFor();
  });

  it('is read again as time passes, because a finding may be about what was not done', async () => {
    await using tab = await scene.openAlone();
    const { page } = tab;
    await page.clock.install();
    const line = timeLineOf(7) as { findings: object[] };
    scene.api.answers[SEVEN] = { ...line, findings: [] };
    await page.getByTestId(testIds.attempt(idOf(7))).click();
    await page.getByTestId(testIds.timeLine).waitFor();
    expect(await page.getByTestId(testIds.findings).count()).toBe(0);
    scene.api.answers[SEVEN] = line;
    await page.clock.fastForward(15_000);
    await page.getByTestId(testIds.findings).waitFor();
  });

  it.each(
    inArabicAtLeast([
      ['en', 'Result arrives at the service'],
      ['ar', 'وصول النتيجة إلى الخدمة'],
    ] as const),
  )('has the call of the provider in its lane, in %s', async (locale, name) => {
    const line = timeLineOf(7) as { entries: { name: string; side: string }[] };
    const entries = line.entries.map((one) =>
      one.name === 'push_result' ? { ...one, side: 'area_a', name: 'push_callback' } : one,
    );
    scene.api.answers[SEVEN] = { ...line, entries };
    await using tab = await open({ locale });
    expect(await entry(tab.page, 22).getAttribute('data-side')).toBe('callback');
    expect(await entry(tab.page, 22).textContent()).toContain(name);
  });

  it('has the codes of a finding from left to right, also in Arabic', async () => {
    await using tab = await open({ locale: 'ar' });
    const codes = tab.page.getByTestId(testIds.findings).locator('bdi[dir=ltr] > code');
    expect(await codes.allTextContents()).toEqual(['authenticated', '?wait=25']);
    expect(await tab.page.getByTestId(testIds.findings).textContent()).not.toContain('`');
  });

  it('is in the other language at the same address, with its units and the application', async () => {
    await using tab = await open();
    const facts = tab.page.locator('.attempt-facts');
    expect(await facts.textContent()).toContain('Example Shop');
    await tab.page.locator('a.language').click();
    await tab.page.waitForURL(`**locale=ar#/attempts/${idOf(7)}`);
    await tab.page.getByTestId(testIds.timeLine).waitFor();
    const folded = tab.page.getByTestId(testIds.repeated(5)).locator('.entry-count');
    expect(await folded.textContent()).toContain('14.002 ث');
    expect(await facts.textContent()).toContain('متجر الأمثلة');
  });

  it('says what was left out, and that nothing was recorded', async () => {
    const line = timeLineOf(7) as { entries: { number: number }[] };
    const entries = line.entries.filter(({ number }) => number < 6 || number > 20);
    scene.api.answers[SEVEN] = { ...line, left_out: 15, entries };
    await using tab = await open();
    expect(await tab.page.locator('.gap').textContent()).toBe(
      'Entries between these that were not kept: 15',
    );
    scene.api.answers[SEVEN] = { ...line, entries: [], findings: [] };
    scene.api.tell(rowOf(7, { entries: 2 }));
    await tab.page.getByText('Nothing was recorded').waitFor();
  });

  it('says that an attempt is unknown', async () => {
    await using tab = await scene.open({ hash: '#/attempts/nobody' });
    await tab.page.getByText('There is no such attempt').waitFor();
    expect(await tab.page.locator('h1').textContent()).toBe('Attempt');
    await tab.page.goto(scene.api.address('en', '#/'));
    await tab.page.goto(scene.api.address('en', '#/attempts/somebody'));
    await tab.page.getByText('There is no such attempt').waitFor();
    expect(await tab.page.evaluate('document.activeElement.tagName')).toBe('H1');
  });
});

describe('what can be done with an attempt', () => {
  it('is to answer on the phone, while somebody may', async () => {
    const line = timeLineOf(7) as { entries: { name: string; act: object | null }[] };
    const waits = line.entries.slice(0, 3);
    const tell = (changes: object, entries: readonly object[]) => {
      const row = rowOf(7, { state: 'pending', flow: 'mfa', entries: entries.length, ...changes });
      scene.api.answers[SEVEN] = { ...line, attempt: row, entries };
      scene.api.tell(row);
    };
    await using tab = await open();
    const toPhone = tab.page.getByTestId(testIds.toPhone);
    expect(await toPhone.count()).toBe(0);
    tell({}, waits);
    await toPhone.waitFor();
    tell({ answered: true }, line.entries.slice(0, 4));
    await toPhone.waitFor({ state: 'detached' });
    expect(await stateOf(tab.page)).toBe('Answered');
    tell({}, waits);
    await toPhone.waitFor();
    const ignored = { ...line.entries[2], number: 4, name: 'decision' };
    tell({}, [...waits, { ...ignored, act: { decision: 'ignore', by: 'person' } }]);
    await toPhone.waitFor({ state: 'detached' });
    expect(await stateOf(tab.page)).toBe('Waits');
  });

  it('is copied as curl and as client code, without a secret', async () => {
    await using tab = await open();
    const curl = await copied(tab.page, testIds.copyCurl);
    expect(curl).toContain(`curl -s ${scene.api.origin}/api/v1/start -H`);
    expect(curl).toContain('"$ATTEMPT_TOKEN"');
    const code = await copied(tab.page, testIds.copyClient);
    expect(code).toContain(`createClient({ baseUrl: '${scene.api.origin}/api/v1' })`);
    expect(code).toContain(`miftah.start({ locale: 'ar', nationalId: '1000001101' })`);
    for (const text of [curl, code]) expect(text).not.toContain('masked');
  });

  it('begins again, and leads to the new attempt', async () => {
    scene.api.answers[`POST /simulator/attempts/${idOf(7)}/replay`] = { attempt_id: idOf(8) };
    scene.api.answers[`GET /simulator/attempts/${idOf(8)}`] = timeLineOf(8);
    await using tab = await open();
    await tab.page.getByTestId(testIds.replay).click();
    await tab.page.waitForURL(`**#/attempts/${idOf(8)}`);
    await tab.page.getByText(idOf(8), { exact: true }).waitFor();
  });

  it('says why it can’t begin again', async () => {
    await using tab = await open();
    await tab.page.getByTestId(testIds.replay).click();
    await tab.page.getByText('There is no such attempt').waitFor();
  });

  it('is saved as a file', async () => {
    scene.api.answers[`GET /simulator/attempts/${idOf(7)}/export`] = { format: 'miftah-attempt' };
    await using tab = await open();
    const download = tab.page.waitForEvent('download');
    await tab.page.getByTestId(testIds.exported).click();
    expect((await download).suggestedFilename()).toBe(`miftah-attempt-${idOf(7)}.json`);
  });

  it('comes from a file that is chosen', async () => {
    scene.api.answers['POST /simulator/import'] = rowOf(9, { source: 'imported' });
    scene.api.answers[`GET /simulator/attempts/${idOf(9)}`] = timeLineOf(9);
    await using tab = await scene.open();
    const text = '{"format":"miftah-attempt"}';
    await tab.page.getByTestId(testIds.importFile).setInputFiles({
      name: 'attempt.json',
      mimeType: 'application/json',
      buffer: Buffer.from(text),
    });
    await tab.page.waitForURL(`**#/attempts/${idOf(9)}`);
    expect(scene.api.asked).toContain(`POST /simulator/import ${text}`);
  });

  it('comes from no file with a fault, and the place of that is named', async () => {
    await using tab = await scene.open();
    const violations = [{ pointer: '/data/attempt/flow', message: 'must be one of oidc, mfa' }];
    const json = { status: 422, code: 'validation.failed', message: 'No.', violations };
    await tab.page.route('**/simulator/import', (route) => route.fulfill({ status: 422, json }));
    await tab.page.getByTestId(testIds.importFile).setInputFiles({
      name: 'attempt.json',
      mimeType: 'application/json',
      buffer: Buffer.from('{"format":"miftah-attempt"}'),
    });
    const fault = tab.page.getByTestId(testIds.importFault);
    await fault.getByText('The first fault is here: /data/attempt/flow').waitFor();
    expect(await fault.textContent()).toContain('not an attempt that was exported');
  });

  it.each([
    ['no JSON', 'The file is not JSON, or is larger'],
    ['{"format":"other"}', 'There is no such attempt'],
    [`"${'x'.repeat(1024 * 1024)}"`, 'The file is not JSON, or is larger'],
  ])('comes from a file that is dropped, unless it is none: %.12s', async (text, said) => {
    await using tab = await scene.open();
    await tab.page.evaluate(
      `const data = new DataTransfer();
       data.items.add(new File([${JSON.stringify(text)}], 'attempt.json'));
       document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));`,
    );
    const fault = tab.page.getByTestId(testIds.importFault);
    await fault.getByText(said).waitFor();
  });
});
