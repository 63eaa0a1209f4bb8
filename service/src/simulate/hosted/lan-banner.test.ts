import { encode } from 'uqr';
import { describe, expect, it } from 'vitest';
import { readSymbol } from '../../../test/support/qr/read-symbol.ts';
import { terminalSymbol } from '../../../test/support/qr/terminal-symbol.ts';
import { loadConfig } from '../../config/config.ts';
import { lanLines } from './lan-banner.ts';

const PHONE = 'http://192.168.100.100:3000/simulator/phone#code=Zk3vT0mYx-5s_9QdL2cHbN';
const ENTRANCE = { console: 'http://192.168.100.100:3000/console#code=a-code', phone: PHONE };

function linesFor(machine: readonly string[], environment = {}): string {
  const { config } = loadConfig(['--lan'], environment, {}, () => machine);
  return lanLines(config, ENTRANCE).join('\n');
}

describe('what the banner says of the local network', () => {
  it('is what was opened, to whom, and how two browsers get in', () => {
    const text = linesFor(['192.168.100.100']);
    expect(text).toContain('OPEN TO THE LOCAL NETWORK, on every address of this machine');
    expect(text).toContain(`Console     ${ENTRANCE.console}\n`);
    expect(text).toContain(`Phone       ${PHONE}\n`);
    expect(text).not.toContain('HOST=');
  });

  it.each([
    [{}, '/docs and /metrics'],
    [{ METRICS_PORT: '9464' }, '/docs'],
    [{ DOCS: 'off' }, '/openapi.json and /metrics'],
    [{ DOCS: 'off', METRICS_PORT: '9464' }, '/openapi.json'],
  ])('names what is open without a code: %j', (environment, open) => {
    const text = linesFor(['192.168.100.100'], environment);
    expect(text).toContain(`\n  It can also read ${open}, which ask for none.\n`);
  });

  it('names the other addresses of the machine, and the only one that it listens on', () => {
    const machine = ['10.0.0.2', '192.168.1.5'];
    expect(linesFor(machine)).toContain(
      'Devices are told http://192.168.1.5:3000; HOST=... chooses another: 10.0.0.2',
    );
    expect(linesFor(machine, { HOST: '10.0.0.2' })).toContain('on 10.0.0.2 alone');
  });

  it('has the address of the phone as a symbol with a margin of four', () => {
    const { modules, margin } = terminalSymbol(linesFor(['192.168.100.100']));
    expect(margin).toBe(4);
    expect(readSymbol(modules)).toBe(PHONE);
  });
});

describe('the reader of symbols', () => {
  it.each([
    ['L', 20],
    ['M', 40],
    ['Q', 70],
    ['H', 80],
    ['L', 180],
    ['M', 120],
  ] as const)('reads a text at level %s with %i characters, with each mask', (ecc, length) => {
    const text = `http://${'a-B_9ي'.repeat(99).slice(0, length - 10)}`;
    for (let maskPattern = 0; maskPattern < 8; maskPattern += 1) {
      const { data } = encode(text, { ecc, maskPattern, border: 0 });
      expect(readSymbol(data)).toBe(text);
    }
  });

  it('refuses a symbol with one wrong module, wherever it is', () => {
    const { data, size } = encode(PHONE, { border: 0 });
    const faults = [
      [8, 2],
      [12, 12],
      [size - 1, size - 1],
      [size - 3, 10],
    ].map(([row = 0, column = 0]) => {
      const wrong = data.map((line, y) =>
        line.map((one, x) => (y === row && x === column) !== one),
      );
      return () => readSymbol(wrong);
    });
    for (const fault of faults) expect(fault).toThrow();
  });
});
