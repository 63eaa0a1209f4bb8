import { describe, expect, it } from 'vitest';
import { share } from '../support/at-end.ts';
import { clientOf, shareServiceProcess } from '../support/client/client-for-test.ts';
import { FRAMEWORKS, type OpenApplication } from '../support/client/frameworks.ts';
import { decideOnPhone } from '../support/client/person.ts';
import { Visitor } from '../support/client/visitor.ts';
import { AMAL, FAISAL } from '../support/service/login.ts';

/** Two sign-ins of one browser, by the ready sign-ins of the client: in two tabs, at two applications. */

const SECRET = 'a secret of this test, which is long enough';

const service = shareServiceProcess();
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
  await visitor.post('/sign-in/start', { national_id: nationalId });
  const html = await (await visitor.get('/sign-in/wait')).text();
  const find = (pattern: RegExp) => pattern.exec(html)?.[1] ?? '';
  return {
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

describe('threat 117: a page of a sign-in that another tab has replaced', () => {
  it('is told nothing of that one, neither ends nor finishes it, and is led to its page', async () => {
    const [visitor] = visitBoth();
    const earlier = await openTab(visitor, AMAL);
    const later = await openTab(visitor, FAISAL);
    expect(later.number).not.toBe(earlier.number);
    expect((await visitor.get(earlier.events)).status).toBe(204);
    expect(led(await visitor.post(earlier.cancel))).toEqual([303, '/sign-in/wait']);
    await approveAs(FAISAL);
    expect(await (await visitor.get(later.events)).text()).toContain('"status":"authenticated"');
    expect(led(await visitor.post(earlier.finish))).toEqual([303, '/sign-in/wait']);
    const finished = await visitor.post(later.finish);
    expect(finished.headers.get('x-told')).toBe('welcome 1');
    expect(led(await visitor.post(earlier.finish))).toEqual([303, '/sign-in/wait']);
    await approveAs(AMAL);
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
