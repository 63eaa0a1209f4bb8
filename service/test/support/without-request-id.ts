import { expect } from 'vitest';

/**
 * A page that many requests share, without the id of its own request, which has to be on it.
 * @param id what the header of the answer says
 */
export function withoutRequestId(html: string, id: string | string[] | null | undefined): string {
  const shown = String(id).replaceAll('-', '-<wbr/>');
  expect(html).toContain(`<code dir="ltr">${shown}</code>`);
  return html.replace(shown, '');
}
