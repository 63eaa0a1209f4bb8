import { describe, expect, it } from 'vitest';
import { LIVE_ANSWERS } from '../../../test/support/set-up/answers.ts';
import { SETTINGS } from '../../config/settings.ts';
import { faultOf } from '../../operate/set-up/check.ts';
import { collect, type AnswerTools, type Ask, type Given } from './collect.ts';
import { flagOf, QUESTIONS } from './questions.ts';

const tools: AnswerTools = {
  faultOf: async (name, text) => faultOf(name, text),
  readSecret: async (_, path) => `content-of-${path}`,
};

const PLACE = { DATA_DIR: '/var/lib/miftah', AUDIT_HEAD_FILE: '/var/lib/miftah-head/audit-head' };

const given = (more: Partial<Given> = {}): Given => ({
  isRehearsal: false,
  flags: {},
  defaults: PLACE,
  ...more,
});

/** Answers by a part of the question; the last answer of a list is repeated. */
function person(answers: Readonly<Record<string, readonly string[]>>) {
  const asked: { readonly question: string; readonly isHidden: boolean }[] = [];
  let topic = '';
  const ask: Ask = async (question, isHidden) => {
    asked.push({ question, isHidden });
    topic = Object.keys(answers).find((part) => question.includes(part)) ?? topic;
    const known = question.startsWith("That can't be used");
    const list = answers[topic] ?? [];
    if (!known && !question.includes(topic)) return '';
    return (
      list[asked.filter((one) => one.question.includes(topic)).length - 1 + (known ? 1 : 0)] ?? ''
    );
  };
  return { ask, asked };
}

describe('the questions', () => {
  it('are about settings and members of the first application, each with a flag of its own', () => {
    const names = QUESTIONS.map(({ name }) => name);
    const strange = names.filter((name) => !(name in SETTINGS) && !name.startsWith('client.'));
    expect(strange).toEqual([]);
    expect(new Set(QUESTIONS.map(flagOf)).size).toBe(names.length);
  });

  it('name a file for each secret', () => {
    const secrets = QUESTIONS.filter(({ name }) => `${name}_FILE` in SETTINGS);
    expect(secrets.map(flagOf)).toEqual([
      '--database-url-file',
      '--provider-app-id-file',
      '--provider-app-key-file',
    ]);
    expect(secrets.every(({ isSecret }) => isSecret === true)).toBe(true);
  });
});

describe('without a person', () => {
  it('flags and defaults are enough', async () => {
    const answers = await collect(given({ flags: LIVE_ANSWERS }), tools, null);
    expect(answers).toMatchObject({
      ...LIVE_ANSWERS,
      ...PLACE,
      PROVIDER_APP_KEY: 'content-of-key',
      PROVIDER_APP_ID: 'content-of-id',
      TRUSTED_PROXIES: '127.0.0.1',
      METRICS_PORT: '9464',
      'client.type': 'confidential',
    });
  });

  it.each(Object.keys(LIVE_ANSWERS))(
    'everything that is needed is listed at once, without %s too',
    (name) => {
      const { [name]: _, ...flags } = LIVE_ANSWERS as Record<string, string>;
      const question = QUESTIONS.find((one) => one.name === name);
      const flag = question === undefined ? '' : flagOf(question);
      return expect(collect(given({ flags }), tools, null)).rejects.toThrow(
        new RegExp(`^Nothing was written:\\n {2}- ${flag} is needed: [^\\n]+$`),
      );
    },
  );

  it('a rehearsal needs nothing', async () => {
    const defaults = { ...PLACE, PROVIDER_APP_KEY: 'made' };
    const answers = await collect(given({ isRehearsal: true, defaults }), tools, null);
    expect(answers).toMatchObject({
      PUBLIC_URL: 'http://localhost:3000',
      PROVIDER_ISSUER: 'http://127.0.0.1:4000',
      PROVIDER_APP_KEY: 'made',
    });
  });

  it.each([
    [{}, ''],
    [{ PUBLIC_URL: 'https://rehearsal.example.test' }, '127.0.0.1'],
    [{ PUBLIC_URL: 'https://rehearsal.example.test', TRUSTED_PROXIES: '10.0.0.7' }, '10.0.0.7'],
  ])('a rehearsal has a proxy where it is reached by https: %j', async (flags, proxies) => {
    const defaults = { ...PLACE, PROVIDER_APP_KEY: 'made' };
    const answers = await collect(given({ isRehearsal: true, defaults, flags }), tools, null);
    expect(answers['TRUSTED_PROXIES']).toBe(proxies);
  });

  it.each([
    ['PUBLIC_URL', 'http://login.example.test', '--public-url must be https'],
    ['PROVIDER_URL', 'https://a.test/path', '--provider-url must be an origin'],
    ['PROVIDER_AUDIENCE', 'Login', '--provider-audience must be'],
    ['TRUSTED_PROXIES', '10.0.0.0/99', '--trusted-proxies must be'],
    ['PORT', '99999', '--port must be 0 to 65535'],
    ['PORT', '0', '--port must be the same at each start'],
    ['PORT', '00', '--port must be the same at each start'],
    ['PORT', '', '--port is empty: give it a value'],
    ['DATA_DIR', '', '--data-dir is empty: give it a value'],
    ['AUDIT_HEAD_FILE', ' ', '--audit-head-file is empty: give it a value'],
    ['client.id', 'Bank', '--client-id must be lower-case'],
    ['PROVIDER_SERVICE', 'a\'b`c"d', '--provider-service has quotation marks of every kind'],
    ['PROVIDER_SERVICE', 'a\nb', '--provider-service must have no control characters'],
    ['client.id', 'b\u001B[31m', '--client-id must have no control characters'],
    ['client.name-en', 'B\u001B[31mank\n\n  hash mfk_x', '--client-name-en must have no control'],
    ['client.id', 'b\u202Ex', '--client-id must be lower-case'],
    ['client.name-en', 'B'.repeat(101), '--client-name-en must have at most'],
    ['client.return-address', 'http://bank.test/', '--client-return-address must be an https'],
  ])('a wrong answer is named by its flag: %s=%s', async (name, text, fault) => {
    const flags = { ...LIVE_ANSWERS, [name]: text };
    await expect(collect(given({ flags }), tools, null)).rejects.toThrow(`  - ${fault}`);
  });

  it('a wrong secret is not told', async () => {
    const canary = { ...tools, readSecret: async () => 'canary canary' };
    const said = collect(given({ flags: LIVE_ANSWERS }), canary, null);
    await expect(said).rejects.toThrow(/--provider-app-key-file must be visible/);
    await expect(said).rejects.not.toThrow(/canary/);
  });
});

describe('a person', () => {
  const { PROVIDER_APP_ID: _, PROVIDER_APP_KEY: __, PUBLIC_URL: ___, ...flags } = LIVE_ANSWERS;

  it('is asked nothing while a flag is wrong, and each such flag is told', async () => {
    const asked: string[] = [];
    const ask: Ask = async (question) => {
      asked.push(question);
      return null;
    };
    const wrong = { ...flags, PORT: '99999', TRUSTED_PROXIES: '10.0.0.0/99' };
    const said = collect(given({ flags: wrong }), tools, ask);
    await expect(said).rejects.toThrow(/--port must be[^]*--trusted-proxies must be/);
    expect(asked).toEqual([]);
  });

  it('is asked what no flag says, again until it can be used, and secrets are hidden', async () => {
    const { ask, asked } = person({
      'reach the service': ['http://login.example.test', 'https://login.example.test'],
      'application id that': ['the-id'],
      'goes with the application id': ['the-key'],
    });
    const answers = await collect(given({ flags }), tools, ask);
    expect(answers).toMatchObject({
      PUBLIC_URL: 'https://login.example.test',
      PROVIDER_APP_ID: 'the-id',
      PROVIDER_APP_KEY: 'the-key',
    });
    expect(asked.some(({ question }) => question.includes('must be https'))).toBe(true);
    const hidden = asked.filter(({ isHidden }) => isHidden);
    expect(hidden.map(({ question }) => question).join()).toMatch(
      /PostgreSQL.*id that.*goes with/s,
    );
    expect(asked.map(({ question }) => question).join()).not.toMatch(/Arabic|listens/);
  });

  it('is asked again in such a way that lines for later questions are no answer', async () => {
    const { ask } = person({
      'reach the service': ['http://login.example.test', 'https://login.example.test'],
      'application id that': ['the-id'],
      'goes with the application id': ['the-key'],
    });
    const again: string[] = [];
    await collect(given({ flags }), tools, async (question, isHidden, isAgain) => {
      if (isAgain) again.push(question);
      return ask(question, isHidden, isAgain);
    });
    expect(again).toEqual([expect.stringMatching(/^That can't be used: it must be https/)]);
  });

  it('is told what is wrong without a character that steers the terminal', async () => {
    const { 'client.id': ____, ...others } = LIVE_ANSWERS;
    const { ask, asked } = person({ 'short name': ['b\u202Ex', 'bank'] });
    const answers = await collect(given({ flags: others }), tools, ask);
    expect(answers['client.id']).toBe('bank');
    const said = asked.map(({ question }) => question).join();
    expect(said).toContain('must be lower-case');
    expect(said).not.toContain('\u202E');
  });

  it('who leaves before the end has written nothing', async () => {
    const ended = collect(given({ flags }), tools, async () => null);
    await expect(ended).rejects.toThrow('the input ended before all questions were answered');
  });
});
