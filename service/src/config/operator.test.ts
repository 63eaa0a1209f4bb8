import { describe, expect, it } from 'vitest';
import { ConfigError, loadConfig } from './config.ts';

type Environment = Readonly<Record<string, string>>;

const ON: Environment = { OPERATOR_PORT: '3010' };

function load(environment: Environment) {
  return loadConfig([], environment).config.operator;
}

function faultsOf(environment: Environment): readonly string[] {
  try {
    load(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

describe('the listener of the pages for operators', () => {
  it('is off, and at the own machine where it is on', () => {
    expect(load({})).toBeNull();
    expect(load({ OPERATOR_PORT: 'off', OPERATOR_HOST: '0.0.0.0' })).toBeNull();
    const own = { host: '127.0.0.1', port: 3010, url: 'http://127.0.0.1:3010' };
    const rest = { allowedHosts: [], people: null };
    expect(load(ON)).toEqual({ ...own, ...rest });
    const OPERATOR_URL = 'https://operators.example';
    expect(load({ ...ON, OPERATOR_URL, OPERATOR_ALLOWED_HOSTS: 'a.test, b.test' })).toEqual({
      ...own,
      ...rest,
      url: OPERATOR_URL,
      allowedHosts: ['a.test', 'b.test'],
    });
  });

  it('is reached by others over https alone', () => {
    expect(faultsOf({ ...ON, OPERATOR_HOST: '0.0.0.0' })).toEqual([
      'OPERATOR_URL is required, with https, where OPERATOR_HOST is no loopback address',
    ]);
    expect(faultsOf({ ...ON, OPERATOR_URL: 'http://operators.example' })).toEqual([
      expect.stringMatching(/^OPERATOR_URL must be https, or http on a loopback address/),
    ]);
    const elsewhere = { OPERATOR_HOST: '0.0.0.0', OPERATOR_URL: 'https://operators.example' };
    expect(faultsOf({ ...ON, ...elsewhere })).toEqual([]);
  });

  it('has a port of its own', () => {
    const taken = ['OPERATOR_PORT must be another port than PORT and METRICS_PORT'];
    expect(faultsOf({ OPERATOR_PORT: '3000' })).toEqual(taken);
    expect(faultsOf({ ...ON, METRICS_PORT: '3010' })).toEqual(taken);
    expect(faultsOf({ OPERATOR_PORT: '0' })[0]).toMatch(/^OPERATOR_PORT must be 1 to 65535/);
  });

  it('has a provider that signs operators in whole, over https, or not at all', () => {
    const people = {
      OPERATOR_ISSUER: 'https://login.example/realm',
      OPERATOR_CLIENT_ID: 'miftah',
      OPERATOR_CLIENT_SECRET: 'a-secret-of-ours',
      OPERATOR_ROLES_FILE: 'roles.json',
    };
    expect(load({ ...ON, ...people })?.people).toMatchObject({
      issuer: 'https://login.example/realm',
      clientId: 'miftah',
      rolesFile: 'roles.json',
    });
    for (const name of Object.keys(people)) {
      expect(faultsOf({ ...ON, ...people, [name]: '' }), name).toEqual([
        `${name} is needed where operators sign in at a provider`,
      ]);
    }
    for (const OPERATOR_ISSUER of ['http://login.example', 'login.example']) {
      const faults = faultsOf({ ...ON, ...people, OPERATOR_ISSUER });
      expect(faults[0], OPERATOR_ISSUER).toMatch(/^OPERATOR_ISSUER must be https, or http on a/);
    }
  });
});
