import { describe, expect, it } from 'vitest';
import { inArabicAtLeast, atLength } from '../../scripts/test-length.ts';
import { testIds } from '../src/test-ids.ts';
import { sceneForTests } from './support/scene.ts';
import { rowOf } from './support/samples.ts';

/** What the rooms have in common, in Chromium, before answers that the test gives. */

const LANGUAGES = atLength(['ar', 'en'] as const, ['ar'] as const);
const scene = sceneForTests((api) => void (api.rows = [rowOf(7)]));

const name = { full: 'Faisal', first: 'Faisal', second: null, third: null, last: null };
const FAISAL = {
  id: 'faisal',
  default: false,
  about: '',
  national_id: '1000001201',
  document_type: 'nin',
  arabic_name: name,
  english_name: name,
  gender: 'M',
  nationality: { code: 'SA', number: 113 },
  birth_date: '1990-01-01',
  email: 'faisal@example.com',
  assurance_level: 3,
  preferred_locale: 'ar',
};

describe('the heading of a room', () => {
  const ROOMS = ['phone', 'people', 'outcomes', 'clock', 'faults', 'reset', 'reference', ''];

  it.each(ROOMS)('has the focus after the first link, and after others: %s', async (room) => {
    await using tab = await scene.open({ hash: room === '' ? '#/reset' : '#/' });
    const { page } = tab;
    const focused = () => page.evaluate('document.activeElement.tagName');
    await page.locator('#console h1').waitFor();
    expect(await focused()).toBe('BODY');
    await page.getByTestId(testIds.room(room)).click();
    await expect.poll(focused).toBe('H1');
    const other = page.getByTestId(testIds.room(room === 'reset' ? 'clock' : 'reset'));
    await other.click();
    await other.and(page.locator('[aria-current=page]')).waitFor();
    await page.getByTestId(testIds.room(room)).click();
    await expect.poll(focused).toBe('H1');
  });
});

describe('the note of a person', () => {
  it.each([
    ['ar', 'Citizen, adult', 'مواطن بالغ'],
    ['en', 'Citizen, adult', 'Citizen, adult'],
    ['ar', 'Of our own', 'Of our own'],
  ] as const)('is in the language of the page where it is built in: %s, %s', async (...given) => {
    const [locale, about, shown] = given;
    scene.api.answers['GET /simulator/people?limit=50'] = [{ ...FAISAL, about }];
    await using tab = await scene.open({ locale, hash: '#/people' });
    const card = tab.page.getByTestId(testIds.person('faisal'));
    await expect.poll(() => card.textContent()).toContain(shown);
  });
});

const manyPeople = (count: number) =>
  Array.from({ length: count }, (_, place) => ({ ...FAISAL, id: `person-${place}` }));

describe('many people', () => {
  it('are shown in steps, up to a thousand, and the simulator searches', async () => {
    for (const limit of [50, 200, 1000]) {
      scene.api.answers[`GET /simulator/people?limit=${limit}`] = manyPeople(limit);
    }
    scene.api.answers['GET /simulator/people?search=noor&limit=1000'] = [FAISAL];
    await using tab = await scene.open({ hash: '#/people' });
    const { page } = tab;
    const shown = () => page.locator('.card').count();
    const more = page.getByTestId(testIds.morePeople);
    for (const limit of [50, 200]) {
      await expect.poll(shown).toBe(limit);
      await more.click();
    }
    await expect.poll(shown).toBe(1000);
    await more.waitFor({ state: 'detached' });
    await page.getByText('Others are found by a search.').waitFor();
    await page.getByTestId(testIds.search).fill('noor');
    await expect.poll(shown).toBe(1);
  });

  it('have notes in halves, each in the language of the page', async () => {
    const about = 'Resident, woman; very long name';
    scene.api.answers['GET /simulator/people?limit=50'] = [{ ...FAISAL, about }];
    await using tab = await scene.open({ locale: 'ar', hash: '#/people' });
    const card = tab.page.getByTestId(testIds.person('faisal'));
    await expect.poll(() => card.textContent()).toContain('مقيمة بالغة؛ اسم طويل جدًا');
  });
});

/** The names of rooms that are not wholly in view. */
const CUT_ROOMS = `[...document.querySelectorAll('.rooms a')].filter((room) => {
  const { left, right } = room.getBoundingClientRect();
  return left < 0 || right > innerWidth;
}).map((room) => room.textContent)`;

/** How many lines the rooms and the state of the connection take. */
const LINES_OF_BAR = `new Set([...document.querySelectorAll('.bar a, .bar .live')].map((one) => {
  const { top, height } = one.getBoundingClientRect();
  return Math.round((top + height / 2) / 10);
})).size`;

/** The least size of a link of the bar, rounded down, and of its text. */
const LEAST_OF_BAR = `(() => {
  const links = [...document.querySelectorAll('.bar a')];
  const least = (each) => Math.floor(Math.min(...links.map(each)));
  return {
    width: least((link) => Math.min(44, link.getBoundingClientRect().width)),
    height: least((link) => link.getBoundingClientRect().height),
    text: least((link) => parseFloat(getComputedStyle(link).fontSize)),
  };
})()`;

/**
 * Of a line that is scrolled: whether its first and last part are outside of the fade, at the ends,
 * and towards which side it fades. The fade is 16 and 40 pixels; a browser scrolls by whole pixels.
 */
const edgesOf = (line: string) => `(() => {
  const line = document.querySelector(${JSON.stringify(line)});
  const isRtl = getComputedStyle(line).direction === 'rtl';
  const gap = (part, atLeft) => {
    const [inner, outer] = [part, line].map((one) => one.getBoundingClientRect());
    return atLeft ? inner.left - outer.left : outer.right - inner.right;
  };
  line.scrollLeft = 0;
  const first = gap(line.firstElementChild, !isRtl);
  line.scrollLeft = isRtl ? -line.scrollWidth : line.scrollWidth;
  const last = gap(line.lastElementChild, isRtl);
  const isScrolled = line.scrollLeft !== 0;
  const [, fades] = /to (left|right)/.exec(getComputedStyle(line).maskImage) ?? [, 'right'];
  return { areClear: first >= 15 && last >= 39, isScrolled, fades };
})()`;

describe('on a narrow screen', () => {
  it.each(LANGUAGES)('every room is in view, in %s', async (locale) => {
    await using tab = await scene.open({ locale, viewport: { width: 375, height: 800 } });
    await tab.page.locator('.states').waitFor();
    expect(await tab.page.locator('.rooms a').count()).toBeGreaterThan(5);
    expect(await tab.page.evaluate(CUT_ROOMS)).toEqual([]);
  });

  it.each(LANGUAGES)('rooms and connection are three lines to press, in %s', async (locale) => {
    await using tab = await scene.open({ locale, viewport: { width: 375, height: 800 } });
    const connection = tab.page.getByTestId(testIds.connection);
    await expect.poll(() => connection.getAttribute('data-state')).toBe('live');
    expect(await tab.page.evaluate(LINES_OF_BAR)).toBe(3);
    expect(await tab.page.evaluate(LEAST_OF_BAR)).toEqual({ width: 44, height: 44, text: 15 });
    expect(await connection.textContent()).not.toBe('');
  });

  it.each(
    inArabicAtLeast([
      ['ar', 'left'],
      ['en', 'right'],
    ] as const),
  )('a line that is scrolled fades, and hides nothing at its ends: %s', async (...given) => {
    const [locale, fades] = given;
    await using tab = await scene.open({ locale, viewport: { width: 375, height: 800 } });
    await tab.page.locator('.states').waitFor();
    // So narrow that it is scrolled.
    await tab.page.setViewportSize({ width: 240, height: 800 });
    expect(await tab.page.evaluate(edgesOf('.states'))).toEqual({
      areClear: true,
      isScrolled: true,
      fades,
    });
  });
});

/** A tab in which a person was saved. */
async function saved() {
  scene.api.answers['GET /simulator/people?limit=50'] = [FAISAL];
  scene.api.answers['GET /simulator/people/faisal'] = FAISAL;
  scene.api.answers['PUT /simulator/people/faisal'] = FAISAL;
  const tab = await scene.open({ hash: '#/people/faisal' });
  const said = () => tab.page.getByTestId(testIds.said).textContent();
  await tab.page.getByTestId(testIds.savePerson).click();
  await expect.poll(said).toBe('Faisal is saved.');
  return { ...tab, said };
}

describe('what was done with people', () => {
  it('is said until something else is done', async () => {
    await using tab = await saved();
    const { page, said } = tab;
    await page.getByTestId(testIds.removePerson('faisal')).click();
    await page.getByTestId(testIds.yes).click();
    await page.getByRole('alert').waitFor();
    expect(await said()).toBe('');
  });

  it('is not said again after a form that was only looked at', async () => {
    await using tab = await saved();
    const { page, said } = tab;
    await page.getByTestId(testIds.changePerson('faisal')).click();
    await page.getByTestId(testIds.personForm).waitFor();
    await page.getByRole('link', { name: 'To all people' }).click();
    await page.getByTestId(testIds.person('faisal')).waitFor();
    expect(await said()).toBe('');
  });
});

describe('a reset', () => {
  it('takes what has gone out of the list, and says before what goes', async () => {
    const imported = rowOf(9, { source: 'imported' });
    scene.api.rows = [imported, rowOf(7)];
    await using tab = await scene.open();
    const { page } = tab;
    await expect.poll(() => page.locator('.virtual > li').count()).toBe(2);
    scene.api.tellAll(rowOf(7));
    await expect.poll(() => page.locator('.virtual > li').count()).toBe(1);
    await page.getByTestId(testIds.room('reset')).click();
    await page.getByTestId(testIds.reset).waitFor();
    const goes = await page.locator('#console ul').first().textContent();
    expect(goes).toContain('imported from files');
    expect(goes).toContain('calls of the application that were recorded');
  });
});
