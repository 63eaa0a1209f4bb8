import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES, ERROR_STATUS, type ErrorCode } from '@miftah/contract/errors';
import { ENGLISH } from '../../src/errors/english.ts';
import { ERROR_GROUPS } from '../../src/errors/groups.ts';

const DOCUMENT = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');

/** The document, divided at the headings that name a code. */
const SECTIONS = sectionsOf(DOCUMENT);

function sectionsOf(text: string): readonly { code: string; body: string }[] {
  const [, ...parts] = text.split(/^### /m);
  return parts.map((part) => {
    const [heading = '', ...lines] = part.split('\n');
    const body = lines.join('\n').split(/^## /m, 1)[0] ?? '';
    return { code: heading.replaceAll('`', ''), body: body.trim() };
  });
}

function expectedBody(code: ErrorCode): string {
  const { message, cause, remedy } = ENGLISH[code];
  return `${ERROR_STATUS[code]} · ${message}\n\n- When: ${cause}\n- What to do: ${remedy}`;
}

describe('docs/errors.md', () => {
  it('has a section for each code of the catalogue, and for no other', () => {
    expect(SECTIONS.map(({ code }) => code).toSorted()).toEqual(ERROR_CODES.toSorted());
  });

  it('has the codes under the headings that the page of all errors has, in its order', () => {
    const headings = DOCUMENT.match(/^##(?:#? .+)/gm)?.map((line) => line.replaceAll('`', ''));
    const shown = ERROR_GROUPS.flatMap(({ title, codes }) => [
      `## ${title.en}`,
      ...codes.map((code) => `### ${code}`),
    ]);
    expect(headings?.slice(0, shown.length)).toEqual(shown);
  });

  it.each(ERROR_CODES)('says of %s what its page says', (code) => {
    const section = SECTIONS.find((one) => one.code === code);
    expect(section?.body).toBe(expectedBody(code));
  });
});
