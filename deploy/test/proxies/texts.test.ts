import { ERROR_STATUS, isErrorCode, problemTypeOf } from '@miftah/contract';
import { expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/run.mjs';
import { configurationOf, PROXY_FILES } from '../support/proxies/kinds.ts';

/** What the proxies answer by themselves: the same problems as the service. */

interface Written {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

const BODY = /\{"type":[^}]*\}/g;

function bodiesOf(file: string): readonly Written[] {
  return [...configurationOf(file).matchAll(BODY)].map(([body]) => JSON.parse(body) as Written);
}

/** The proxy's own error, which the service can't have: no instance has answered. */
const AWAY = {
  type: 'about:blank',
  title: 'Service away',
  code: 'service.away',
  message: 'The service can not be reached. Try again in some seconds.',
};

test('each error of each proxy has the texts of the catalogue', () => {
  expect(PROXY_FILES).toHaveLength(3);
  const catalogue = readFileSync(join(root, 'docs', 'errors.md'), 'utf8');
  const titles = new Map<string, readonly string[]>();
  for (const file of PROXY_FILES) {
    const bodies = bodiesOf(file);
    expect(bodies.length, file).toBeGreaterThan(4);
    for (const body of bodies) {
      const { code, status, message } = body;
      if (!isErrorCode(code)) expect(body, file).toEqual({ ...AWAY, status });
      else {
        expect(body, file).toMatchObject({ type: problemTypeOf(code), status: ERROR_STATUS[code] });
        expect(catalogue, file).toContain(`### \`${code}\`\n\n${status} · ${message}\n`);
        titles.set(code, [...(titles.get(code) ?? []), body.title]);
      }
    }
  }
  for (const [code, said] of titles) expect(new Set(said).size, code).toBe(1);
});
