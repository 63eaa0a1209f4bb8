import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { SIMULATOR_RULES } from '../attempt/rules.ts';
import type { SimulatorContext } from '../request/context.ts';
import { home } from './home.route.ts';

async function homePageBy(hasTrial: boolean, language = 'en') {
  const app = Fastify();
  const simulation = { people: () => [], reserved: () => [] };
  const services = { rules: { ...SIMULATOR_RULES, hasTrial }, simulation };
  const settings = { publicUrl: 'http://127.0.0.1:3000' };
  // Only the part of a context that the page reads.
  home(app, { services, settings } as unknown as SimulatorContext);
  const { body, headers } = await app.inject({
    url: '/',
    headers: { 'accept-language': language },
  });
  await app.close();
  return { body, policy: String(headers['content-security-policy']) };
}

describe('the home page', () => {
  it('signs in by itself where the rules say so, and carries its script for that only', async () => {
    const { body, policy } = await homePageBy(true);

    expect(body).toContain('Sign in now');
    expect(policy).toContain("script-src 'sha256-");
  });

  it.each(['ar', 'en'])(
    'has lines to try that ask for answers in its language: %s',
    async (language) => {
      const { body } = await homePageBy(true, language);
      const asked = body.matchAll(
        /(?:"|&quot;|&#34;)locale(?:"|&quot;|&#34;):(?:"|&quot;|&#34;)(..)/g,
      );
      expect([...asked].map(([, locale]) => locale)).toEqual([language, language]);
    },
  );

  it('only explains where applications show a key', async () => {
    const { body, policy } = await homePageBy(false);

    expect(body).toContain('An authentication service that you host yourself');
    expect(body).not.toMatch(/Sign in now|<script|data-trial/);
    expect(policy).not.toMatch(/script-src|connect-src/);
  });
});
