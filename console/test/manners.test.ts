import { describe, expect, it } from 'vitest';
import { atLength } from '../../scripts/test-length.ts';
import { testIds } from '../src/test-ids.ts';
import { sceneForTests } from './support/scene.ts';
import { rowOf, timeLineOf } from './support/samples.ts';

/**
 * What came from outside is text, wherever it stands: an imported file and an application can put
 * anything into ids, names, headers, bodies and codes.
 */

const LANGUAGES = atLength(['ar', 'en'] as const, ['ar'] as const);
const RTL_OVERRIDE = '\u202e';
const MARKUP = `<img src=x onerror="globalThis.ran=1"><script>globalThis.ran=1</script>`;
const LONG = 'م-long'.repeat(300);
const HOSTILE = [
  ['markup', MARKUP],
  ['turned', `${RTL_OVERRIDE}gnp.exe\u2066`],
  ['long', LONG],
  ['address', 'javascript:globalThis.ran=1'],
] as const;

const scene = sceneForTests();

/** A copy in which every text is replaced, apart from times. */
function poisoned(value: unknown, text: string): unknown {
  if (typeof value === 'string') return Number.isNaN(Date.parse(value)) ? text : value;
  if (Array.isArray(value)) return value.map((one) => poisoned(one, text));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const isFree = name === 'headers' || name === 'body';
      return [name, isFree ? { [text]: text, code: text, remedy: text } : poisoned(inner, text)];
    }),
  );
}

describe.each(LANGUAGES)('texts from outside, in %s', (locale) => {
  it.each(HOSTILE)('are text in the list and in the time line: %s', async (_, text) => {
    // An address of a longer id would not be read.
    const id = text.slice(0, 200);
    const line = poisoned(timeLineOf(1), text) as { readonly attempt: object };
    const attempt = { ...line.attempt, id };
    scene.api.rows = [attempt];
    scene.api.answers[`GET /simulator/attempts/${encodeURIComponent(id)}`] = { ...line, attempt };
    await using tab = await scene.open({
      locale,
      viewport: { width: 320, height: 700 },
    });
    const { page, complaints, requested } = tab;
    const row = page.getByTestId(testIds.attempt(id));
    await row.waitFor();
    await row.click();
    await page.getByTestId(testIds.timeLine).waitFor();
    await page.getByTestId(testIds.entry(4)).locator('summary').click();
    await page.getByTestId(testIds.entry(4)).locator('.details').waitFor();
    expect(await page.evaluate('globalThis.ran ?? null')).toBeNull();
    expect(
      await page.locator('#console :is(img, script, iframe, object, base, style)').count(),
    ).toBe(0);
    const shown = String(await page.locator('#console').textContent());
    expect(shown).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
    if (text === MARKUP) expect(shown).toContain(text);
    if (text.startsWith(RTL_OVERRIDE)) expect(shown).toContain(String.raw`\u202egnp.exe\u2066`);
    const links = await page
      .locator('#console a')
      .evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href));
    for (const link of links) expect(link.startsWith(scene.api.origin)).toBe(true);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    expect(requested.filter((address) => !address.startsWith(scene.api.origin))).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

it('an error from outside is text too, and so is an address that somebody was sent', async () => {
  scene.api.answers['POST /simulator/import'] = rowOf(1, { id: MARKUP });
  await using tab = await scene.open({
    hash: `#/attempts/${encodeURIComponent(MARKUP)}/${encodeURIComponent('"] *, [x="')}`,
  });
  await tab.page.getByText('There is no such attempt').waitFor();
  await tab.page.goto(scene.api.address('en', `#/${MARKUP}/%E0%A4%A`));
  await tab.page.getByText('No page has this address').waitFor();
  expect(await tab.page.evaluate('globalThis.ran ?? null')).toBeNull();
});
