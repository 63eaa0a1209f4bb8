import { consoleFiles } from '@miftah/pages';
import { expect, it } from 'vitest';
import { share } from '../support/at-end.ts';
import { ASKED_HOST, openAsked } from '../support/live/live-service.ts';
import { servedRoutes } from '../support/live/served-routes.ts';

/** In live mode there is no simulator, and nothing of its console. */

const live = share((atEnd) => openAsked(atEnd));

it('a live service has no route of the simulator or of its console', () => {
  const paths = servedRoutes(live().app).map(({ path }) => path);
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((path) => /console|simulator/.test(path))).toEqual([]);
});

it.each(['/console', '/console?locale=en', '/simulator/phone', '/simulator/attempts'])(
  'a live service has nothing at %s',
  async (url) => {
    const { statusCode } = await live().app.inject({ url, headers: { host: ASKED_HOST } });
    expect(statusCode).toBe(404);
  },
);

it('the page for a mistyped address leads to no page that is not there', async () => {
  const headers = { host: ASKED_HOST, accept: 'text/html' };
  const { body, statusCode } = await live().app.inject({ url: '/nope', headers });
  expect([statusCode, body.includes('<a href="/errors?locale=ar">')]).toEqual([404, true]);
  expect(body).not.toMatch(/href="\/(?:console)?\?locale=ar"/);
  expect(body).not.toContain('/simulator');
});

it.each(['script', 'style'] as const)('a live service does not serve its %s', async (kind) => {
  const url = consoleFiles()?.[kind].path ?? '';
  const { statusCode } = await live().app.inject({ url, headers: { host: ASKED_HOST } });
  expect([url.includes('console-'), statusCode]).toEqual([true, 404]);
});
