import { describe, expect, it } from 'vitest';
import { ConfigError, loadConfig } from './config.ts';
import { describeConfig } from './describe.ts';

const HOME = ['172.17.0.1', '10.8.0.3', '192.168.1.5', '192.168.2.9'];

type Environment = Readonly<Record<string, string>>;

const load = (environment: Environment = {}, machine: readonly string[] = HOME) =>
  loadConfig(['--lan'], environment, {}, () => machine);

function faultsOf(environment: Environment, machine?: readonly string[]): readonly string[] {
  try {
    load(environment, machine);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

describe('--lan', () => {
  it('tells devices the first private address, and listens for this machine too', () => {
    expect(load().config).toMatchObject({
      host: '0.0.0.0',
      publicUrl: 'http://192.168.1.5:3000',
      provider: 'simulator',
      dashboardUrl: 'http://192.168.1.5:3000/dashboard',
      lan: { address: '192.168.1.5', others: ['192.168.2.9', '10.8.0.3', '172.17.0.1'] },
      simulatorToken: null,
    });
  });

  it.each([
    [['172.31.0.9', '10.0.0.2'], '10.0.0.2'],
    [['8.8.8.8', '172.16.0.1'], '172.16.0.1'],
    [['172.15.0.1', '172.32.0.1', '192.169.0.1', '110.0.0.1', '172.20.0.1'], '172.20.0.1'],
  ])('of %j takes %s', (machine, address) => {
    expect(load({}, machine).config.lan?.address).toBe(address);
  });

  it('has the port in the address, also one that was found', () => {
    expect(load({ PORT: '8080' }).config.publicUrl).toBe('http://192.168.1.5:8080');
    const { config } = loadConfig(['--lan'], { PORT: '0' }, { PORT: '4567' }, () => HOME);
    expect(config.publicUrl).toBe('http://192.168.1.5:4567');
  });

  it('takes the address that HOST names, also one that is not private, and listens there alone', () => {
    expect(load({ HOST: '10.8.0.3' }).config).toMatchObject({
      host: '10.8.0.3',
      publicUrl: 'http://10.8.0.3:3000',
      lan: { others: ['192.168.1.5', '192.168.2.9', '172.17.0.1'] },
    });
    expect(load({ HOST: '198.51.100.7' }, ['198.51.100.7']).config).toMatchObject({
      publicUrl: 'http://198.51.100.7:3000',
      lan: { others: [] },
    });
    expect(load({ HOST: '0.0.0.0' }).config.publicUrl).toBe('http://192.168.1.5:3000');
  });

  it('allows the PUBLIC_URL and the PROVIDER that it sets itself', () => {
    const same = { PUBLIC_URL: 'http://192.168.1.5:3000', PROVIDER: 'simulator' };
    expect(load(same).config.publicUrl).toBe('http://192.168.1.5:3000');
  });

  it('says what to do on a machine without a private address', () => {
    expect(faultsOf({}, [])).toEqual([
      '--lan found no private IPv4 address of this machine: connect it to a network, or name one ' +
        'of its addresses in HOST.',
    ]);
    expect(faultsOf({}, ['198.51.100.7'])[0]).toContain('It has 198.51.100.7.');
  });

  it.each(['127.0.0.1', 'localhost', '192.168.1.6', '::', 'my-laptop'])(
    'refuses HOST=%s, at which no other device reaches it',
    (HOST) => {
      expect(faultsOf({ HOST })).toEqual([
        '--lan needs an address of this machine, and HOST is none that other devices reach. ' +
          `It has ${HOME.join(', ')}.`,
      ]);
    },
  );

  it.each([
    [
      'PUBLIC_URL',
      { PUBLIC_URL: 'https://id.example.test' },
      /^--lan makes PUBLIC_URL http:\/\/192/,
    ],
    ['another port', { PUBLIC_URL: 'http://192.168.1.5:8080' }, /^--lan makes PUBLIC_URL/],
    ['live mode', { PROVIDER: 'live' }, /^--lan is for the simulator, and PROVIDER is live$/],
    ['production', { NODE_ENV: 'production' }, /^--lan is for a machine of a developer/],
    [
      'production where a simulator is allowed',
      { NODE_ENV: 'production', ALLOW_SIMULATOR: 'yes' },
      /^--lan is for a machine of a developer/,
    ],
    ['strict mode', { STRICT: 'yes' }, /^--lan is http, and STRICT=yes needs https/],
  ])('does not go with %s', (_, environment: Environment, fault) => {
    expect(faultsOf(environment)).toContainEqual(expect.stringMatching(fault));
  });

  it('says of strict mode only what --lan does not go with, also without an address', () => {
    const strict = '--lan is http, and STRICT=yes needs https: set HOST and PUBLIC_URL instead';
    expect(faultsOf({ STRICT: 'yes' })).toEqual([strict]);
    expect(faultsOf({ STRICT: 'yes' }, [])).toEqual([
      expect.stringMatching(/^--lan found no private IPv4 address/),
      strict,
    ]);
  });

  it('takes no value', () => {
    expect(() => loadConfig(['--lan=yes'], {})).toThrow('--lan takes no value');
  });

  it('is told by the settings that it sets', () => {
    const lines = describeConfig(load()).split('\n');
    expect(lines).toContain('HOST=0.0.0.0  # from --lan');
    expect(lines).toContain('PUBLIC_URL=http://192.168.1.5:3000  # default');
  });
});

it('without --lan the machine is not asked for its addresses', () => {
  const { config } = loadConfig([], {}, {}, () => {
    throw new Error('asked');
  });
  expect(config.lan).toBeNull();
});
