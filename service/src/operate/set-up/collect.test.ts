import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LIVE_ANSWERS } from '../../../test/support/set-up/answers.ts';
import type { CommandContext } from '../../commands/command-context.ts';
import { flagOf, QUESTIONS, type Answers } from '../../commands/init/questions.ts';
import { SETTINGS } from '../../config/settings.ts';
import { collect } from './collect.ts';

type Ask = CommandContext['ask'];

const PLACE = { DATA_DIR: '/var/lib/miftah', AUDIT_HEAD_FILE: '/var/lib/miftah-head/audit-head' };
const HOW = { isHidden: false };

/** The flags of live mode; those of secrets name files. */
function liveFlags(more: Answers = {}): Answers {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-collect-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const files = { PROVIDER_APP_ID: 'content-of-id', PROVIDER_APP_KEY: 'content-of-key', ...more };
  const secrets = (['PROVIDER_APP_ID', 'PROVIDER_APP_KEY'] as const).map((name) => {
    writeFileSync(join(folder, name), files[name]);
    return [name, join(folder, name)] as const;
  });
  return { ...LIVE_ANSWERS, ...more, ...Object.fromEntries(secrets) };
}

const live = (flags: Answers, ask: Ask | null) =>
  collect({ isRehearsal: false, flags }, PLACE, ask);

/** Answers by a part of the question; the last answer of a list is repeated. */
function person(answers: Readonly<Record<string, readonly string[]>>) {
  const asked: { readonly question: string; readonly isHidden: boolean }[] = [];
  let topic = '';
  const ask: Ask = async (question, { isHidden } = HOW) => {
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
    const answers = await live(liveFlags(), null);
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
      const { [name]: _, ...flags } = liveFlags();
      const question = QUESTIONS.find((one) => one.name === name);
      const flag = question === undefined ? '' : flagOf(question);
      return expect(live(flags, null)).rejects.toThrow(
        new RegExp(`^Nothing was written:\\n {2}- ${flag} is needed: [^\\n]+$`),
      );
    },
  );

  it('a rehearsal needs nothing', async () => {
    const defaults = { ...PLACE, PROVIDER_APP_KEY: 'made' };
    const answers = await collect({ isRehearsal: true, flags: {} }, defaults, null);
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
    const answers = await collect({ isRehearsal: true, flags }, defaults, null);
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
    await expect(live(liveFlags({ [name]: text }), null)).rejects.toThrow(`  - ${fault}`);
  });

  it('a wrong secret is not told', async () => {
    const said = live(liveFlags({ PROVIDER_APP_KEY: 'canary canary' }), null);
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
    const said = live(wrong, ask);
    await expect(said).rejects.toThrow(/--port must be[^]*--trusted-proxies must be/);
    expect(asked).toEqual([]);
  });

  it('is asked what no flag says, again until it can be used, and secrets are hidden', async () => {
    const { ask, asked } = person({
      'reach the service': ['http://login.example.test', 'https://login.example.test'],
      'application id there': ['the-id'],
      'goes with the application id': ['the-key'],
    });
    const answers = await live(flags, ask);
    expect(answers).toMatchObject({
      PUBLIC_URL: 'https://login.example.test',
      PROVIDER_APP_ID: 'the-id',
      PROVIDER_APP_KEY: 'the-key',
    });
    expect(asked.some(({ question }) => question.includes('must be https'))).toBe(true);
    const hidden = asked.filter(({ isHidden }) => isHidden);
    expect(hidden.map(({ question }) => question).join()).toMatch(/ostgres.*id there.*goes with/s);
    expect(asked.map(({ question }) => question).join()).not.toMatch(/Arabic|listen on/);
  });

  it('is asked again in such a way that lines for later questions are no answer', async () => {
    const { ask } = person({
      'reach the service': ['http://login.example.test', 'https://login.example.test'],
      'application id there': ['the-id'],
      'goes with the application id': ['the-key'],
    });
    const again: string[] = [];
    await live(flags, async (question, how) => {
      if (how?.isAgain === true) again.push(question);
      return ask(question, how);
    });
    expect(again).toEqual([expect.stringMatching(/^That can't be used: it must be https/)]);
  });

  it('is told what is wrong without a character that steers the terminal', async () => {
    const { 'client.id': ____, ...others } = liveFlags();
    const { ask, asked } = person({ 'hort name': ['b\u202Ex', 'bank'] });
    const answers = await live(others, ask);
    expect(answers['client.id']).toBe('bank');
    const said = asked.map(({ question }) => question).join();
    expect(said).toContain('must be lower-case');
    expect(said).not.toContain('\u202E');
  });

  it('who leaves before the end has written nothing', async () => {
    const ended = live(flags, async () => null);
    await expect(ended).rejects.toThrow('the input ended before all questions were answered');
  });
});
