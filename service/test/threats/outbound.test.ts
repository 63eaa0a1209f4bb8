import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import * as oidc from 'openid-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createOutbound, systemLookUp } from '../../src/outbound/outbound.ts';
import type { OutboundCall } from '../../src/outbound/outbound.port.ts';
import { parseIpAddress, type IpAddress } from '../../src/values/ip-address.ts';
import { share } from '../support/at-end.ts';
import { openRehearsal } from '../support/live/shared-rehearsal.ts';
import { keepLogouts } from '../support/openid/logout-receiver.ts';
import {
  ask,
  exchange,
  OPENID_CLIENTS,
  openidBrowser,
  signedIn,
} from '../support/openid/openid-scene.ts';
import { plainReceiver, trustedReceivers } from '../support/outbound/receiver.ts';

/**
 * Attacks by the addresses of clients. 127.0.0.2 stands for a host that may be called, 127.0.0.1 for
 * what only this machine reaches.
 */

const HOST = 'receiver.test';
const OUTSIDE = '127.0.0.2';
const INSIDE = '127.0.0.1';

const receivers = share(async (atEnd) => trustedReceivers(HOST, atEnd));
const ok = { 'content-type': 'text/plain' };

function ip(text: string): IpAddress {
  const address = parseIpAddress(text);
  if (address === null) throw new Error(`${text} is no address`);
  return address;
}

interface Asked {
  readonly found?: readonly (readonly string[])[];
  readonly allowed?: readonly string[];
  readonly mayCallItself?: boolean;
}

/** @param found what the name leads to, each time that it is looked up */
function outboundTo({ found = [[OUTSIDE]], allowed = [OUTSIDE], mayCallItself = false }: Asked) {
  const names: string[] = [];
  const lookUp = async (name: string) => {
    names.push(name);
    return (found[names.length - 1] ?? found.at(-1) ?? []).map(ip);
  };
  const outbound = createOutbound({ allowed, mayCallItself, lookUp });
  const post: OutboundCall = { method: 'POST', headers: [['accept', '*/*']], body: 'told' };
  const send = (address: string, turnMs = 0) => outbound.fetch(address, { ...post, turnMs });
  return { names, post: send };
}

const notFound = () => Promise.reject(Object.assign(new Error('none'), { code: 'ENOTFOUND' }));

const fault = (name: string): unknown =>
  expect.objectContaining({ name: 'OutboundError', fault: name });

describe('threat 130: an address of a client that leads inside', () => {
  it.each([
    'https://127.0.0.1',
    'https://2130706433',
    'https://0x7f.1',
    'https://127.1.2.3',
    'https://[::1]',
    'https://[::ffff:127.0.0.1]',
    'https://[::ffff:7f00:1]',
    'https://[::7f00:1]',
    'https://[64:ff9b::7f00:1]',
    'https://[2002:7f00:1::]',
    'https://0.0.0.0',
    'https://[::]',
    'https://10.1.2.3',
    'https://172.16.0.1',
    'https://192.168.1.1',
    'https://100.64.0.1',
    'https://169.254.169.254',
    'https://[fd00:ec2::254]',
    'https://[fe80::1]',
    'https://224.0.0.1',
    'https://255.255.255.255',
  ])('is refused: %s', async (address) => {
    const inside = await plainReceiver((_, answer) => answer.end(), onTestFinished);
    const { names, post } = outboundTo({});
    await expect(post(`${address}:${inside.port}/`)).rejects.toEqual(fault('address_refused'));
    expect([names, inside.connections()]).toEqual([[], 0]);
  });

  it('is refused by a name of this machine’s own', async () => {
    const inside = await plainReceiver((_, answer) => answer.end(), onTestFinished);
    const own = { allowed: [], mayCallItself: false, lookUp: systemLookUp };
    const call = { method: 'GET', headers: [] };
    const called = createOutbound(own).fetch(`https://localhost:${inside.port}/`, call);
    await expect(called).rejects.toEqual(fault('address_refused'));
    expect(inside.connections()).toBe(0);
  });

  it('is refused by a name that leads there', async () => {
    const inside = await receivers()((_, answer) => answer.end(), { address: INSIDE });
    const { post } = outboundTo({ found: [[INSIDE, '::1', '10.0.0.1']] });
    await expect(post(`https://${HOST}:${inside.port}/`)).rejects.toEqual(fault('address_refused'));
    expect(inside.connections()).toBe(0);
  });

  it('is told from a name that the resolvers do not have', async () => {
    const nowhere = { allowed: [], mayCallItself: false, lookUp: notFound };
    const called = createOutbound(nowhere).fetch(`https://${HOST}/`, {
      method: 'GET',
      headers: [],
    });
    await expect(called).rejects.toMatchObject({ message: 'no_address (ENOTFOUND)' });
  });

  it('is not reached by a name that leads elsewhere after it was checked', async () => {
    const outside = await receivers()((_, answer) => answer.end('out'), { address: OUTSIDE });
    const place = { address: INSIDE, port: outside.port };
    const inside = await receivers()((_, answer) => answer.end('in'), place);
    const { names, post } = outboundTo({ found: [[OUTSIDE], [INSIDE]] });
    const address = `https://${HOST}:${outside.port}/`;
    expect(await (await post(address)).text()).toBe('out');
    expect(names).toEqual([HOST]);
    await expect(post(address)).rejects.toEqual(fault('address_refused'));
    expect([outside.connections(), inside.connections()]).toEqual([1, 0]);
  });

  it('is left out where a name leads to several', async () => {
    const outside = await receivers()((_, answer) => answer.end('out'), { address: OUTSIDE });
    const place = { address: INSIDE, port: outside.port };
    const inside = await receivers()((_, answer) => answer.end('in'), place);
    const { post } = outboundTo({ found: [[INSIDE, OUTSIDE]] });
    expect(await (await post(`https://${HOST}:${outside.port}/`)).text()).toBe('out');
    expect(inside.connections()).toBe(0);
  });

  it.each([301, 302, 303, 307, 308])('is not reached by a redirect: %i', async (status) => {
    const other = await receivers()((_, answer) => answer.end(), { address: OUTSIDE });
    const location = `https://${HOST}:${other.port}/`;
    const outside = await receivers()((_, answer) => answer.writeHead(status, { location }).end(), {
      address: OUTSIDE,
    });
    const { names, post } = outboundTo({});
    const answer = await post(`https://${HOST}:${outside.port}/`).catch((error: unknown) => error);
    expect(answer).toMatchObject({ status });
    expect([names, other.connections()]).toEqual([[HOST], 0]);
  });
});

describe('threat 130: an address of a client that is no https', () => {
  it.each(['http://receiver.test/', 'http://127.0.0.2/', 'ftp://receiver.test/', 'receiver.test'])(
    'is refused: %s',
    async (address) => {
      const { names, post } = outboundTo({});
      await expect(post(address)).rejects.toEqual(fault('not_https'));
      expect(names).toEqual([]);
    },
  );

  it('is for this machine alone in simulator mode', async () => {
    const inside = await plainReceiver((_, answer) => answer.end('in'), onTestFinished);
    const { post } = outboundTo({ mayCallItself: true, allowed: ['10.0.0.0/8'] });
    expect(await (await post(`http://${INSIDE}:${inside.port}/`)).text()).toBe('in');
    await expect(post('http://10.0.0.1/')).rejects.toEqual(fault('address_refused'));
  });

  it('is refused where nobody trusted vouches for the certificate', async () => {
    const outside = await receivers()((_, answer) => answer.end(), { address: OUTSIDE });
    const { post } = outboundTo({});
    await expect(post(`https://other.test:${outside.port}/`)).rejects.toMatchObject({
      message: 'no_connection (ERR_TLS_CERT_ALTNAME_INVALID)',
    });
  });
});

describe('threat 130: an answer of a client', () => {
  const LIMIT = 64 * 1024;

  it('of 64 KB is read, and not a byte more', async () => {
    const outside = await receivers()(
      ({ url }, answer) => answer.writeHead(200, ok).end('a'.repeat(Number(url?.slice(1)))),
      { address: OUTSIDE },
    );
    const { post } = outboundTo({});
    const at = (bytes: number) => post(`https://${HOST}:${outside.port}/${bytes}`);
    expect((await (await at(LIMIT)).arrayBuffer()).byteLength).toBe(LIMIT);
    await expect(at(LIMIT + 1)).rejects.toEqual(fault('too_large'));
  });

  it('without an end is not read on', async () => {
    const outside = await receivers()(
      (_, answer) => {
        const more = (): unknown => answer.write('a'.repeat(LIMIT), more);
        more();
      },
      { address: OUTSIDE },
    );
    const { post } = outboundTo({});
    await expect(post(`https://${HOST}:${outside.port}/`)).rejects.toEqual(fault('too_large'));
  });

  it('that does not come, or comes slowly, is not waited for', async () => {
    const outside = await receivers()(
      ({ url }, answer) => {
        if (url === '/slow') answer.writeHead(200, ok).write('a');
      },
      { address: OUTSIDE },
    );
    const { names, post } = outboundTo({});
    const ends = ['slow', 'never'].map((path) => post(`https://${HOST}:${outside.port}/${path}`));
    const reasons = await Promise.allSettled(ends);
    expect(reasons).toMatchObject([{ reason: fault('timeout') }, { reason: fault('timeout') }]);
    // A second connection would be there as early as this one.
    const other = await receivers()((_, answer) => answer.end(), { address: OUTSIDE });
    expect((await post(`https://${HOST}:${other.port}/`)).status).toBe(200);
    expect([names, outside.connections()]).toEqual([[HOST, HOST, HOST], 2]);
  });

  it('is not waited for where there is no connection yet', async () => {
    const silent = createServer().listen(0, OUTSIDE);
    onTestFinished(() => void silent.close());
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const noAddress = createOutbound({
      allowed: [OUTSIDE],
      mayCallItself: false,
      lookUp: () => new Promise(() => undefined),
    });
    const ends = await Promise.allSettled([
      outboundTo({}).post(`https://${HOST}:${port}/`),
      noAddress.fetch(`https://${HOST}/`, { method: 'GET', headers: [] }),
    ]);
    expect(ends).toMatchObject([{ reason: fault('timeout') }, { reason: fault('timeout') }]);
  });

  it('is waited for by a number of calls that is limited, for each host and in all', async () => {
    const gate = Promise.withResolvers<void>();
    const hosts = await Promise.all(
      Array.from({ length: 5 }, () =>
        plainReceiver(
          (_, answer) => void gate.promise.then(() => answer.writeHead(204).end()),
          onTestFinished,
        ),
      ),
    );
    const { post } = outboundTo({ mayCallItself: true });
    const [first = '', second = '', third = '', fourth = '', fifth = ''] = hosts.map(
      ({ port }) => `http://${INSIDE}:${port}/`,
    );
    const calls = Array.from({ length: 16 }, () => post(first));
    await expect(post(first)).rejects.toEqual(fault('busy'));
    for (const host of [second, third, fourth]) {
      calls.push(...Array.from({ length: 16 }, () => post(host)));
    }
    await expect(post(fifth)).rejects.toEqual(fault('busy'));
    gate.resolve();
    expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([204]));
    expect((await post(first)).status).toBe(204);
  });

  it('is waited for by others for as long as they wish, and no host takes the turns of all', async () => {
    const held: ServerResponse[] = [];
    const order: string[] = [];
    const hold = async (name: string) => {
      const { port } = await plainReceiver((_, answer) => {
        order.push(name);
        held.push(answer);
      }, onTestFinished);
      return `http://${INSIDE}:${port}/`;
    };
    const slow = await Promise.all(['a', 'b', 'c', 'd'].map(hold));
    const quick = await hold('quick');
    const { post } = outboundTo({ mayCallItself: true });
    const calls = slow.flatMap((one) => Array.from({ length: 20 }, () => post(one, 60_000)));
    await expect.poll(() => held).toHaveLength(64);
    await expect(post(quick, 1)).rejects.toEqual(fault('busy'));
    calls.push(post(quick, 60_000));
    held.shift()?.end();
    await expect.poll(() => order.at(-1)).toBe('quick');
    const end = expect.poll(() => {
      for (const one of held.splice(0)) one.end();
      return order;
    });
    await end.toHaveLength(81);
    expect(await Promise.all(calls)).toHaveLength(81);
  });
});

describe('threat 130: in live mode, a logout that a client is to be told of', () => {
  const { backchannel_token_delivery_mode: _mode, ...byBrowser } = OPENID_CLIENTS.portal.openid;

  it.each([
    ['the operator has allowed', { OUTBOUND_ALLOW: '127.0.0.0/8' }, 1],
    ['nobody has allowed', {}, 0],
  ])('is sent to an address of this machine that %s', async (_, allowed, sent) => {
    const tokens: string[] = [];
    const own = trustedReceivers('localhost', onTestFinished);
    const receiver = await own(keepLogouts(tokens));
    const uri = `https://localhost:${receiver.port}/logout`;
    const client = {
      ...OPENID_CLIENTS.portal,
      openid: { ...byBrowser, backchannel_logout_uri: uri },
    };
    const settings = { OPENID: 'on', ...allowed };
    await using rehearsal = await openRehearsal({ clients: [client], settings });
    const browser = openidBrowser();
    const asked = await ask({ origin: rehearsal.origins.service }, { id: 'portal' });
    const { id_token = '' } = await exchange(asked, await signedIn(asked, { browser }));
    const url = oidc.buildEndSessionUrl(asked.config, { id_token_hint: id_token });
    expect((await browser.open(url)).status).toBe(303);
    expect([tokens.length, receiver.connections()]).toEqual([sent, sent]);
    const lines = rehearsal.service.log().split('\n');
    const untold = lines.filter((line) => line.includes('be told of a logout'));
    expect(untold.map((line) => line.includes('OUTBOUND_ALLOW'))).toEqual(sent === 1 ? [] : [true]);
  });
});
