import { describe, expect, it } from 'vitest';
import { contentSecurityPolicy } from './content-security-policy.ts';

describe('the content security policy', () => {
  it('allows nothing but styles, fonts and images of its own origin', () => {
    expect(contentSecurityPolicy({ formAction: ['self'] })).toBe(
      "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self' data:; " +
        "form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    );
  });

  it('lets the one script of the page run, by its hash, and call its own origin if it has to', () => {
    const hash = 'sha256-Zm9v';

    expect(contentSecurityPolicy({ formAction: [], script: { hash, connects: false } })).toMatch(
      /^default-src 'none'; script-src 'sha256-Zm9v'; style-src/,
    );
    expect(contentSecurityPolicy({ formAction: [], script: { hash, connects: true } })).toContain(
      "script-src 'sha256-Zm9v'; connect-src 'self'; style-src",
    );
  });

  it('lets forms go to the origins of the given addresses', () => {
    const formAction = ["'self'", 'https://app.example/dashboard?from=miftah'];

    expect(contentSecurityPolicy({ formAction })).toContain(
      "form-action 'self' https://app.example;",
    );
  });

  it('lets forms go to any port of this machine, where that is said', () => {
    const formAction = ['http://localhost:*', 'https://127.0.0.1:*'];
    expect(contentSecurityPolicy({ formAction })).toContain(`form-action ${formAction.join(' ')};`);
  });

  it('lets forms go nowhere when there is no form', () => {
    expect(contentSecurityPolicy({ formAction: [] })).toContain("form-action 'none';");
  });

  it.each([
    'javascript:alert(1)',
    'app.example',
    '*',
    'http://a.example:*',
    'http://[::1]:*',
    "https://a.example; script-src 'self'",
  ])('refuses what is not an address: %s', (source) => {
    expect(() => contentSecurityPolicy({ formAction: [source] })).toThrow(TypeError);
  });
});
