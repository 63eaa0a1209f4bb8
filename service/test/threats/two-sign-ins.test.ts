import { describe, expect, it } from 'vitest';
import { share } from '../support/at-end.ts';
import { clientOf } from '../support/client/client-for-test.ts';
import { shareListeningService } from '../support/service/listening-service.ts';
import { FRAMEWORKS, type OpenApplication } from '../support/client/frameworks.ts';
import { decideOnPhone, signInByBrowser } from '../support/client/person.ts';
import { Visitor } from '../support/client/visitor.ts';
import { AMAL, FAISAL } from '../support/service/login.ts';

/** Two sign-ins of one browser, by the ready sign-ins of the client: in two tabs, at two applications. */

const SECRET = 'a secret of this test, which is long enough';

const service = shareListeningService();
const applications = share(async (atEnd) => {
  const [, [, open]] = FRAMEWORKS as [unknown, [string, OpenApplication]];
  const openOne = () =>
    open((appUrl) => ({ client: clientOf(service()), appUrl, secret: SECRET }), atEnd);
  return [await openOne(), await openOne()] as const;
});

/** One browser, at each of the applications. */
function visitBoth(): readonly [Visitor, Visitor] {
  const [first, second] = applications();
  const visitor = new Visitor(first);
  return [visitor, new Visitor(second, visitor)];
}

/** The addresses of the page that a tab shows after a start by phone, and its number. */
async function openTab(visitor: Visitor, nationalId: string) {
  const started = await visitor.post('/sign-in/start', { national_id: nationalId });
  const page = started.headers.get('location') ?? '';
  const html = await (await visitor.get(page)).text();
  const find = (pattern: RegExp) => pattern.exec(html)?.[1] ?? '';
  return {
    page,
    number: find(/ random="(\d+)"/),
    events: find(/events-url="([^"]+)"/),
    finish: find(/action="(\/sign-in\/finish[^"]*)"/),
    cancel: find(/action="(\/sign-in\/cancel[^"]*)"/),
  };
}

async function approveAs(nationalId: string): Promise<void> {
  const { data } = (await (await fetch(`${service().origin}/simulator/prompts`)).json()) as {
    data: readonly { readonly request_id: string; readonly national_id: string }[];
  };
  const id = data.findLast((one) => one.national_id === nationalId)?.request_id ?? '';
  await decideOnPhone(service(), { id });
}

const led = ({ status, headers }: Response) => [status, headers.get('location')];

const told = ({ headers }: Response) => headers.get('x-told');

/** A browser begins a sign-in by browser. @returns the path at which it comes back, with its code */
async function approvedReturn(started: Response): Promise<string> {
  const authorizationUrl = started.headers.get('location') ?? '';
  const { pathname, search } = await signInByBrowser({ authorizationUrl });
  return pathname + search;
}

describe('threat 117: two tabs of a browser', () => {
  it('by phone each are told of, finish and end their own sign-in alone', async () => {
    const [visitor] = visitBoth();
    const earlier = await openTab(visitor, AMAL);
    const later = await openTab(visitor, FAISAL);
    expect(later.number).not.toBe(earlier.number);
    expect(await (await visitor.get(earlier.page)).text()).toContain(`"${earlier.number}"`);
    await approveAs(FAISAL);
    expect(await (await visitor.get(later.events)).text()).toContain('"status":"authenticated"');
    expect(led(await visitor.post(earlier.finish))).toEqual([303, earlier.page]);
    expect(told(await visitor.post(later.finish))).toMatch(/^welcome/);
    for (const over of [later.finish, later.cancel]) {
      expect(led(await visitor.post(over))).toEqual([303, '/sign-in/wait']);
    }
    expect((await visitor.get(later.events)).status).toBe(204);
    const third = await openTab(visitor, FAISAL);
    expect(led(await visitor.post(third.cancel))).toEqual([303, '/?sign_in=cancelled']);
    await approveAs(AMAL);
    expect(told(await visitor.post(earlier.finish))).toMatch(/^welcome/);
    expect(visitor.begun).toEqual([]);
  });

  it('by browser each finish their own, begun at the same moment or not, and nobody else’s', async () => {
    const [visitor] = visitBoth();
    const start = () => visitor.post('/sign-in/start');
    const returns = await Promise.all((await Promise.all([start(), start()])).map(approvedReturn));
    const [stranger] = visitBoth();
    await stranger.post('/sign-in/start');
    await stranger.post('/sign-in/start');
    for (const path of returns) {
      expect(led(await stranger.get(path))).toEqual([303, '/?sign_in=dropped']);
    }
    for (const path of returns.toReversed()) {
      expect(told(await visitor.get(path))).toMatch(/^welcome/);
      expect(led(await visitor.get(path))).toEqual([303, '/?sign_in=dropped']);
    }
    await stranger.post('/sign-in/out');
    expect(stranger.begun).toEqual([]);
  });

  it('are three at most: the oldest is dropped, and the cookies stay small', async () => {
    const [visitor] = visitBoth();
    const started: Response[] = [];
    for (let count = 0; count < 4; count += 1) started.push(await visitor.post('/sign-in/start'));
    expect(visitor.begun).toHaveLength(3);
    const lines = started.flatMap(({ headers }) => headers.getSetCookie());
    const largest = Math.max(...lines.map((line) => line.length));
    expect(largest).toBeLessThan(4096 / 3);
    const returns = await Promise.all(started.map(approvedReturn));
    const answers: (string | null)[] = [];
    for (const path of returns) answers.push(told(await visitor.get(path)));
    expect(answers.map((one) => one !== null)).toEqual([false, true, true, true]);
  });
});

describe('threat 117: two applications on two ports of a host', () => {
  it('each keep the sign-in that was begun there', async () => {
    const [one, other] = visitBoth();
    const tabs = [await openTab(one, AMAL), await openTab(other, FAISAL)];
    expect(tabs.map(({ number }) => number)).not.toContain('');
    for (const visitor of [one, other]) {
      expect((await visitor.get('/sign-in/wait')).status).toBe(200);
      await visitor.post('/sign-in/cancel');
    }
  });
});
